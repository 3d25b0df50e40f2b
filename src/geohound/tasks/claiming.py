"""Claims tasks, and finds out whether the process that holds a claim still runs."""

from __future__ import annotations

import os
import socket
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from geohound.contracts import StoreError, TaskStore
from geohound.model.crawl.task import Claim, Task, TaskId, TaskState, Wanted

TTL_S = 30.0  # how long a claim lasts without renewal, where it cannot be checked whether its process runs


def claim_task(tasks: TaskStore, task: TaskId) -> Claim:
    """Claim a task; StoreError says who holds it. The claim of a process that has ended is taken over at once."""
    found = tasks.get(task)
    if found is not None and found.claim is not None and is_gone(found.claim.holder):
        tasks.expire(found.claim)
    claim = tasks.claim(task, str(this_process()), TTL_S)
    if claim is not None:
        return claim
    found = tasks.get(task)
    if found is None:
        raise StoreError(f"There is no task {task} in this catalogue.")
    holder = read_holder(found.claim.holder) if found.claim else None
    elsewhere = (
        f" on {holder.host}" if holder and holder.host != this_process().host else ""
    )
    who = f"Another process ({holder.pid}{elsewhere})" if holder else "Another process"
    raise StoreError(
        f"Task {task} is running already. {who} crawls it: let it end, or stop it first."
    )


def is_claimable(task: Task, now: datetime) -> bool:
    """Should somebody run it? It was queued, or whoever ran it is gone."""
    if task.wanted is not Wanted.RUN or task.state not in (
        TaskState.QUEUED,
        TaskState.RUNNING,
    ):
        return False
    return not is_run(task, now)


def is_run(task: Task, now: datetime) -> bool:
    """Does a process run this task, as far as can be known on this machine?"""
    return (
        task.is_held(now) and task.claim is not None and not is_gone(task.claim.holder)
    )


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
    """Has this process certainly ended? False if this cannot be known here."""
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
        # The name of the program stands in brackets and may contain anything, even brackets.
        state, *fields = (
            Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        )
    except OSError:
        return ""
    return "" if state in "ZX" else fields[18]
