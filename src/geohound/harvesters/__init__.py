"""The drawer of catalogue protocols: each yields candidates, never services."""
