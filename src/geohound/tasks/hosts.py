"""The hosts of a catalogue that this process shares with others: one set for all tasks of the process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from geohound.contracts import Clock, HostClaims
from geohound.politeness import Politeness, SharedHosts
from geohound.tasks.claiming import is_gone, this_process


class OpenClaims(HostClaims, Protocol):
    """Claims of hosts in a file that is open."""

    def close(self) -> None: ...


@dataclass(slots=True)
class _InUse:
    hosts: SharedHosts
    claims: OpenClaims
    users: int = 0


class HostsInUse:
    """The hosts that this process has in each catalogue that its tasks write to."""

    def __init__(
        self,
        open_claims: Callable[[str], OpenClaims],
        politeness: Politeness,
        clock: Clock,
    ) -> None:
        self._open_claims = open_claims
        self._politeness = politeness
        self._clock = clock
        self._lock = threading.Lock()
        self._in_use: dict[str, _InUse] = {}

    @asynccontextmanager
    async def share(self, catalogue: str) -> AsyncIterator[SharedHosts]:
        """The hosts of this catalogue, for one task; when the last task of this process ends, its hosts are released."""
        shared = await asyncio.to_thread(self._open, catalogue)
        try:
            yield shared
        finally:
            await asyncio.to_thread(self._close, catalogue)

    def _open(self, catalogue: str) -> SharedHosts:
        with self._lock:
            found = self._in_use.get(catalogue)
            if found is None:
                claims = self._open_claims(catalogue)
                hosts = SharedHosts(
                    claims, self._politeness, self._clock, str(this_process()), is_gone
                )
                hosts.start()
                found = self._in_use[catalogue] = _InUse(hosts, claims)
            found.users += 1
            return found.hosts

    def _close(self, catalogue: str) -> None:
        with self._lock:
            found = self._in_use[catalogue]
            found.users -= 1
            if found.users == 0:
                del self._in_use[catalogue]
                try:
                    found.hosts.close()
                finally:
                    found.claims.close()
