"""Benchmarks: measured figures beside those of peers, each a command."""
