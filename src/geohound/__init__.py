"""Geohound finds geospatial web services, proves that they are alive, and lets people search and use them."""

from __future__ import annotations

TYPE_CHECKING = False  # so that the program starts without `typing`: Ctrl+C this early would end in a traceback
if TYPE_CHECKING:
    from typing import Any

    from geohound.library import Catalogue, acrawl, aidentify, crawl, identify
    from geohound.model.version import __version__

__all__ = ["Catalogue", "__version__", "acrawl", "aidentify", "crawl", "identify"]


def __getattr__(name: str) -> Any:
    """The names for Python users, fetched on first use: the command line starts without them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - as above

    home = "geohound.model.version" if name == "__version__" else "geohound.library"
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
