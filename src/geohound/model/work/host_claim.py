"""What a process learns when it claims hosts for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ClaimedHosts:
    """Which hosts are ours, and who has the others."""

    granted: Mapping[str, float] = field(
        default_factory=dict
    )  # with the seconds for which each is to be left alone
    refused: Mapping[str, str] = field(
        default_factory=dict
    )  # with the process that has each
