"""Run a command and tell what it cost: wall time, CPU of it and its children, peak memory of the whole tree."""

from __future__ import annotations

import os
import platform
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run cost."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    status: int
    ended_by_us: bool


@dataclass(frozen=True, slots=True)
class Job:
    """What to run, and where its words go."""

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cores: str | None = None
    cwd: Path | None = None
    output: Path = Path(os.devnull)

    def start(self) -> subprocess.Popen[bytes]:
        pinned = (
            ["taskset", "-c", self.cores, *self.command]
            if self.cores
            else list(self.command)
        )
        env = {**os.environ, **self.env}
        # nobody's crawler compiles itself anew each time
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        with self.output.open("wb") as out:
            return subprocess.Popen(
                pinned, env=env, cwd=self.cwd, stdout=out, stderr=out, start_new_session=True
            )  # fmt: skip


def run(
    job: Job, max_s: float = 900.0, enough: Callable[[], bool] | None = None
) -> Cost:
    """Run to the end, or until `enough` has been true for three seconds; memory is sampled five times a second."""
    begun = time.monotonic()
    process = job.start()
    peak_mb, ended_by_us, enough_at = 0.0, False, None
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = status  # reaped here, with its costs
                return Cost(
                    time.monotonic() - begun,
                    usage.ru_utime + usage.ru_stime,
                    peak_mb,
                    status,
                    ended_by_us,
                )
            peak_mb = max(peak_mb, tree_mb(process.pid))
            now = time.monotonic()
            if enough_at is None and (now - begun > max_s or (enough and enough())):
                enough_at = now if now - begun <= max_s else now - 3.0
            if enough_at is not None and now - enough_at > 3.0:
                os.killpg(
                    process.pid,
                    signal.SIGKILL if now - enough_at > 15.0 else signal.SIGTERM,
                )
                ended_by_us = True
            time.sleep(0.2)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def end_on_term() -> None:
    """Being terminated must not leave servers and crawlers behind."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def tree(pid: int) -> list[int]:
    """A process and its descendants."""
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += [
                    int(child) for child in (task / "children").read_text().split()
                ]
        except OSError:
            continue
    return found


def tree_mb(pid: int) -> float:
    """Memory of a process and its descendants, what they share counted once."""
    return sum(_pss_kb(one) for one in tree(pid)) / 1024


def _pss_kb(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def tree_cpu_s(pid: int) -> float:
    """CPU that a process and its descendants have used so far, those that ended included."""
    ticks = 0
    for one in tree(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(int(fields[n]) for n in (11, 12, 13, 14))
    return ticks / os.sysconf("SC_CLK_TCK")


_COUNTING = """
import time
end, turns = time.monotonic() + 1.0, 0
while time.monotonic() < end:
    sum(len(str(n)) for n in range(500))
    turns += 1
print(turns)
"""


def two_cores_give(rounds: int = 5) -> dict[str, Any]:
    """How much more two processes do on cores 0 and 1 than one on core 0: no crawler can gain more by the second."""

    def turns(cores: str) -> int:
        pinned = [
            ["taskset", "-c", core, sys.executable, "-c", _COUNTING] for core in cores
        ]
        running = [
            subprocess.Popen(command, stdout=subprocess.PIPE) for command in pinned
        ]
        return sum(int(process.communicate()[0]) for process in running)

    return spread(turns("01") / turns("0") for _ in range(rounds))


def spread(values: Iterable[float], digits: int = 3) -> dict[str, Any]:
    """Median, least, most, and all of them."""
    rounded = [round(value, digits) for value in values]
    return {
        "median": round(statistics.median(rounded), digits),
        "min": min(rounded),
        "max": max(rounded),
        "runs": rounded,
    }


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = next(
        (
            x.split(":")[1].strip()
            for x in _lines("/proc/cpuinfo")
            if x.startswith("model name")
        ),
        "unknown",
    )
    memory_kb = next(
        (
            int(x.split()[1])
            for x in _lines("/proc/meminfo")
            if x.startswith("MemTotal")
        ),
        0,
    )
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "memory_gb": round(memory_kb / 1024**2, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
