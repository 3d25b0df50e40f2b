"""Where the portal is reached, and whether its pages have been built: known without loading it."""

from __future__ import annotations

import socket
from pathlib import Path


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; OSError where the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def is_built() -> bool:
    """Have the portal's scripts and styles been built?"""
    return any((Path(__file__).parent / "static").glob("**/*.js"))
