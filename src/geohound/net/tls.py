"""What is overlooked for a host whose certificate or protocol is broken, where the user allows it; and how long."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from geohound.contracts import Clock
from geohound.model.failure import FailureReason

# then the origin is asked properly again: certificates are renewed
_REMEMBERED_S = 3600.0
_MAX_ORIGINS = 10_000


class Leniency(NamedTuple):
    """What is not looked at (the certificate; the age of version, key and cipher), and because of which faults."""

    unverified: bool = False
    legacy: bool = False
    fault: str = ""

    def overlooking(self, fault: FailureReason) -> Leniency | None:
        """As this one, but blind to the fault too; None if it is no fault of TLS, or blindness would not help."""
        if fault.means.is_certificate_fault and not self.unverified:
            return Leniency(True, self.legacy, self._with(fault))
        if fault.means.is_legacy_tls and not self.legacy:
            return Leniency(self.unverified, True, self._with(fault))
        return None

    def _with(self, fault: FailureReason) -> str:
        return str(fault) if not self.fault else f"{self.fault}, {fault}"


STRICT = Leniency()


class KnownFaults:
    """Which origins need leniency, so that not every connection fails once before it succeeds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._origins: OrderedDict[str, tuple[Leniency, float]] = OrderedDict()

    def leniency(self, origin: str) -> Leniency:
        known = self._origins.get(origin)
        if known is None:
            return STRICT
        if known[1] < self._clock.monotonic():
            del self._origins[origin]
            return STRICT
        return known[0]

    def remember(self, origin: str, leniency: Leniency) -> None:
        self._origins[origin] = leniency, self._clock.monotonic() + _REMEMBERED_S
        if len(self._origins) > _MAX_ORIGINS:
            self._origins.popitem(last=False)
