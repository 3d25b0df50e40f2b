"""What a process learns when it claims hosts for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ClaimedHosts:
    """Which hosts are ours, and who has the others."""

    # hosts we got, with the rest of the pause of each
    granted: Mapping[str, float] = field(default_factory=dict)
    # hosts we did not get, with the process that has each
    refused: Mapping[str, str] = field(default_factory=dict)
