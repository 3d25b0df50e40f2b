"""Memory that was freed is given back to the system: the C library keeps it for later, however much it is."""

from __future__ import annotations

import ctypes
from collections.abc import Callable


def _find_trim() -> Callable[[int], int] | None:
    """Only glibc has it; others give back by themselves."""
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
    return found


_trim = _find_trim()


def give_back() -> None:
    """Takes some milliseconds: call it when much was freed."""
    if _trim is not None:
        _trim(0)
