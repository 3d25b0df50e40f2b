"""Looks again at what is known: when (pure functions), how (checks, shallow and deep), and the loop that does it."""
