"""Stores that forget when the process ends: for tests, and proof that the contracts are small."""
