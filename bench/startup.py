"""What a command costs before it does anything: CPU beyond importing the libraries that it cannot do without.

Each runs some times over a small catalogue; the least of user and system time counts, since a busy machine only adds
to it. Of a search, reading what is in no segment yet is part: a catalogue of 50 services shows what that adds.
Run: python bench/startup.py (--json prints the record; it is kept in results/startup.json either way)
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import catalogue_maker

from geohound.model.catalogue import Observation
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

RESULTS = Path(__file__).parent / "results" / "startup.json"
PROGRAM = Path(sys.executable).with_name("geohound")
FEW, MORE = 10, 50  # services


class Start(NamedTuple):
    """A command, the libraries whose import is not counted, and how much more it may take."""

    command: tuple[str, ...]
    libraries: str
    aim_s: float | None = None
    services: int = FEW


STARTS = (
    Start(("--help",), "typer, rich", 0.1),
    Start(("search", "rivers"), "typer, rich, numpy", 0.15),
    Start(("search", "rivers"), "typer, rich, numpy", services=MORE),
    Start(("tasks", "list"), "typer, rich"),
    Start(("show", "0000000000000000"), "typer, rich"),
)


def least_cpu_s(command: list[str], runs: int) -> float:
    """User and system time of the cheapest run, its children included."""
    # Compiled once, as after an installation.
    environment = {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONDONTWRITEBYTECODE"
    }
    times = []
    for _ in range(runs + 1):  # the first one compiles
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        )
        _, _, usage = os.wait4(process.pid, 0)
        times.append(usage.ru_utime + usage.ru_stime)
    return min(times[1:])


async def fill(path: Path, services: int) -> None:
    store = open_store(path, SystemClock())
    await store.catalogue.record(
        [Observation(*found) for found in catalogue_maker.met(0, services)]
    )
    store.close()


def measure(start: Start, folder: Path, runs: int) -> dict[str, Any]:
    catalogue = folder / f"{start.services}.db"
    if not catalogue.exists():
        asyncio.run(fill(catalogue, start.services))
    options = [] if "--help" in start.command else ["--catalogue", str(catalogue)]
    libraries_s = least_cpu_s([sys.executable, "-c", f"import {start.libraries}"], runs)
    cpu_s = least_cpu_s([sys.executable, str(PROGRAM), *start.command, *options], runs)
    return {
        "command": f"geohound {' '.join(start.command)}",
        "libraries": start.libraries,
        "libraries_s": round(libraries_s, 3),
        "cpu_s": round(cpu_s, 3),
        "beyond_s": round(cpu_s - libraries_s, 3),
        "aim_s": start.aim_s,
        "services": start.services,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument(
        "--json", action="store_true", help="print the record instead of a table"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(start, Path(folder), args.runs) for start in STARTS]
    record = {
        "command": f"python bench/startup.py --runs {args.runs}",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
        "starts": rows,
    }
    args.out.write_text(json.dumps(record, indent=1) + "\n")
    if args.json:
        print(json.dumps(record, indent=1))
        return
    print(
        f"{'CPU s':>6} {'beyond':>7} {'aim':>6} {'services':>8}  command (beyond importing …)"
    )
    for row in rows:
        aim = "" if row["aim_s"] is None else f"{row['aim_s']:.2f}"
        numbers = (
            f"{row['cpu_s']:6.3f} {row['beyond_s']:7.3f} {aim:>6} {row['services']:>8}"
        )
        print(f"{numbers}  {row['command']} ({row['libraries']})")


if __name__ == "__main__":
    main()
