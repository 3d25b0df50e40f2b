"""The processes of a node: all that are in the session of the one that keeps it, whatever process groups Ray makes."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

MAX_ROUNDS = 20  # a process that is not stopped yet may start another one
ROUND_S = 0.05


def processes_of(session: int) -> list[int]:
    """Those that are alive."""
    return [
        pid
        for entry in Path("/proc").glob("[0-9]*")
        if _is_in(session, pid := int(entry.name))
    ]


def signal_session(session: int, number: signal.Signals, but: int = 0) -> None:
    """Send a signal to all processes of a session but one, until none is left that did not get it."""
    reached: set[int] = {but}
    for _ in range(MAX_ROUNDS):
        new = set(processes_of(session)) - reached
        for pid in new:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if not new:
            return
        reached |= new
        time.sleep(ROUND_S)


def _is_in(session: int, pid: int) -> bool:
    try:
        state, _, _, of, *_ = (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        )
    except (OSError, ValueError):  # it has ended meanwhile
        return False
    return int(of) == session and state not in "ZX"
