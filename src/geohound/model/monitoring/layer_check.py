"""Whether a layer does what it says: one request for its content, and what came."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """One look at a layer; `ok` is None where it was inconclusive, `reason` begins with a word of ours."""

    layer: str  # its name
    at: datetime
    ok: bool | None
    reason: str = ""
    elapsed_s: float = 0.0
    request: str = ""  # GetMap, GetFeature …
