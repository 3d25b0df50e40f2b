"""Pages run in a real browser, which has no network of its own: every request is asked of the fetcher of the house."""

from __future__ import annotations

from .budget import PageBudget
from .chromium import BrowserError, check
from .pool import BrowserPool
from .runner import MODES, PageRunner
from .state_archive import StateArchive

__all__ = [
    "MODES",
    "BrowserError",
    "BrowserPool",
    "PageBudget",
    "PageRunner",
    "StateArchive",
    "check",
]
