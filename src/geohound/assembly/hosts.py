"""The hosts of a catalogue that this process shares with others: one set for all tasks of the process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from geohound.net.clock import SystemClock
from geohound.politeness import SharedHosts, TaskPoliteness
from geohound.settings import Settings
from geohound.stores.sqlite import open_host_claims
from geohound.tasks.holder import is_gone, this_process

from .examiner import politeness, task_politeness

_lock = threading.Lock()


@dataclass(slots=True)
class _InUse:
    hosts: SharedHosts
    close_claims: Callable[[], None]
    users: int = 0


_in_use: dict[Path, _InUse] = {}


@asynccontextmanager
async def task_hosts(settings: Settings) -> AsyncIterator[TaskPoliteness]:
    """Turns at hosts for one task; what this process has is let go when its last task ends."""
    path = Path(settings.catalogue).expanduser().resolve()  # one file may have several names
    shared = await asyncio.to_thread(_open, path)
    hosts = task_politeness(settings, shared)
    try:
        yield hosts
    finally:
        hosts.close()
        await asyncio.to_thread(_close, path)


def _open(path: Path) -> SharedHosts:
    with _lock:
        found = _in_use.get(path)
        if found is None:
            clock = SystemClock()
            claims = open_host_claims(path, clock)
            hosts = SharedHosts(claims, politeness(), clock, str(this_process()), is_gone)
            hosts.start()
            found = _in_use[path] = _InUse(hosts, claims.close)
        found.users += 1
        return found.hosts


def _close(path: Path) -> None:
    with _lock:
        found = _in_use[path]
        found.users -= 1
        if found.users == 0:
            del _in_use[path]
            try:
                found.hosts.close()
            finally:
                found.close_claims()
