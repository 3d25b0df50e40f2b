"""Static analysis of a page's scripts: the addresses that reach map libraries, computed without running anything."""

from __future__ import annotations

from .analysis import analyse
from .model import Budget, Endpoint, Findings, Script

__all__ = ["Budget", "Endpoint", "Findings", "Script", "analyse"]
