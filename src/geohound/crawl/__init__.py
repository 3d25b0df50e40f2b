"""Lease, fetch, recognise, mine, score, settle."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """`geohound.crawl(…)` is also what Python users type: the package of that name passes the call on."""

    def __call__(self, *seeds: str, **options: Any) -> Any:
        return import_module("geohound.library").crawl(*seeds, **options)


sys.modules[__name__].__class__ = _Callable
