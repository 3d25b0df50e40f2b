"""A catalogue in PostgreSQL."""

from .opening import open_host_claims, open_store

__all__ = ["open_host_claims", "open_store"]
