"""Memory that was freed is given back to the system: the C library keeps it for later, however much it is."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

_ARENA_MAX = -8  # the parameter of this name in malloc.h
_ARENAS = 2


def _find(name: str) -> Callable[..., int] | None:
    """Only glibc has them; others give back by themselves."""
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):
        return None
    return found


_trim = _find("malloc_trim")
_set = _find("mallopt")


def give_back() -> None:
    """Takes some milliseconds: call it when much was freed."""
    if _trim is not None:
        _trim(0)


def share_between_threads() -> None:
    """What one thread has freed serves the others: each of many would keep a heap of its own. Before threads begin."""
    if _set is not None:
        _set(_ARENA_MAX, _ARENAS)
