"""Lease, fetch, recognise, mine, score, settle."""
