"""Static analysis of a page's scripts: the addresses that reach map libraries, computed without running anything.

`analyse` is what others call; beside it stand what it takes and gives, and two questions that its callers ask, too:
what an address is, and whether a file is a library's. Everything else is its own.
"""

from __future__ import annotations

from .addresses import Address, Unclear
from .addresses import read as read_address
from .analysis import analyse
from .model import AnalysisBudget, Endpoint, Findings, Script
from .syntax.libraries import is_library, is_well_known_library

__all__ = [
    "Address",
    "AnalysisBudget",
    "Endpoint",
    "Findings",
    "Script",
    "Unclear",
    "analyse",
    "is_library",
    "is_well_known_library",
    "read_address",
]
