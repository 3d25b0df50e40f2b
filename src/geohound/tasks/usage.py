"""What the crawl and its processes take of the machine."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Usage:
    cpu_s: float
    memory_mb: float


def measure(pids: Iterable[int] = ()) -> Usage:
    """This process and these; where the machine has no /proc, this process alone, at its largest."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    gone = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = own.ru_utime + own.ru_stime + gone.ru_utime + gone.ru_stime
    try:
        memory = _memory_bytes("self")
        for pid in pids:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            cpu_s += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            memory += _memory_bytes(str(pid))
    except (OSError, IndexError, ValueError):
        memory = own.ru_maxrss * 1024
    return Usage(cpu_s, memory / 1e6)


def _memory_bytes(pid: str) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf(
        "SC_PAGE_SIZE"
    )


def machine_load() -> float:
    """How many processes run or wait for a processor, averaged over a minute; 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
