"""Static analysis of the scripts of a page: the addresses that reach map libraries, computed without running anything."""

from __future__ import annotations

from .analysis import analyse
from .model import Budget, Endpoint, Findings, Script

__all__ = ["Budget", "Endpoint", "Findings", "Script", "analyse"]
