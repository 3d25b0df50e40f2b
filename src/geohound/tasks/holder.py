"""Who runs a task: a name that shows whether its process is still there, for those on the same machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import NamedTuple


class Holder(NamedTuple):
    """A process: its machine since the last boot (or its container), its number, and when it was started."""

    host: str
    pid: int
    started: str
    machine: str

    def __str__(self) -> str:
        return "/".join(map(str, self))


def this_process() -> Holder:
    return Holder(
        socket.gethostname().replace("/", "-"),
        os.getpid(),
        _started(os.getpid()),
        _machine(),
    )


def read_holder(name: str) -> Holder | None:
    """The process of this name; None where it is none that we know how to look for."""
    host, *rest = name.split("/")
    if len(rest) != 3 or not rest[0].isdigit():
        return None
    return Holder(host, int(rest[0]), rest[1], rest[2])


def is_gone(name: str) -> bool:
    """Is this process surely no more? False where that cannot be known from here."""
    holder = read_holder(name)
    if holder is None or not holder.machine or holder.machine != _machine():
        return False
    return _started(holder.pid) != holder.started


def _machine() -> str:
    """One name for all processes that see each other's numbers, until the next boot; empty where there is none."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}-{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process was started, in ticks since the boot; empty where there is none, or only what is left of it."""
    try:
        # The name of the program stands in brackets and may hold anything.
        state, *fields = (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        )
    except OSError:
        return ""
    return "" if state in "ZX" else fields[18]
