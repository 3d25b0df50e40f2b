"""The registry of catalogue protocols: each yields candidates, never services."""
