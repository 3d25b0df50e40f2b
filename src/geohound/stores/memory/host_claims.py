"""Which process may ask a host, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from geohound.contracts import Clock
from geohound.model.crawl.host_claim import ClaimedHosts


@dataclass(slots=True)
class _Row:
    holder: str
    expires_at: float
    due_at: float
    is_wanted: bool = False


class MemoryHostClaims:
    """Host claims of one process: nobody but a test has several holders here."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rows: dict[str, _Row] = {}
        # of addresses: holders, and until when
        self._askers: dict[str, dict[str, float]] = {}

    def claim(
        self, pauses: Mapping[str, float], holder: str, ttl_s: float
    ) -> ClaimedHosts:
        now = self._clock.now().timestamp()
        granted: dict[str, float] = {}
        refused: dict[str, str] = {}
        for host, pause_s in pauses.items():
            row = self._rows.setdefault(host, _Row("", 0.0, now))
            if row.holder not in ("", holder) and now < row.expires_at:
                row.is_wanted = True
                refused[host] = row.holder
                continue
            is_wanted = row.is_wanted and row.holder == holder
            due_at = max(row.due_at, now + pause_s)
            self._rows[host] = _Row(holder, now + ttl_s, due_at, is_wanted)
            granted[host] = due_at - now
        return ClaimedHosts(granted, refused)

    def wanted(self, holder: str) -> Sequence[str]:
        return [
            host
            for host, row in self._rows.items()
            if row.holder == holder and row.is_wanted
        ]

    def share_addresses(
        self, addresses: Sequence[str], holder: str, ttl_s: float
    ) -> Mapping[str, Sequence[str]]:
        now = self._clock.now().timestamp()
        for address in addresses:
            self._askers.setdefault(address, {})[holder] = now + ttl_s
        return {
            each: [name for name, until in self._askers[each].items() if until > now]
            for each in addresses
        }

    def release(self, pauses: Mapping[str, float], holder: str) -> None:
        now = self._clock.now().timestamp()
        for host, pause_s in pauses.items():
            row = self._rows.get(host)
            if row is not None and row.holder == holder:
                self._rows[host] = _Row("", 0.0, max(row.due_at, now + pause_s))
