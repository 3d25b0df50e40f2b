"""Pages run in a real browser, which has no network of its own: every request is asked of the fetcher of the house."""

from __future__ import annotations

from .budget import Budget
from .chromium import BrowserError, check
from .pool import BrowserPool

__all__ = ["BrowserError", "BrowserPool", "Budget", "check"]
