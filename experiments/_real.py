"""Real crawls of geowebs on loopback, by the command line, for experiments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geoweb import World, server

WITHOUT_DELAYS = {
    "GEOHOUND_HOST_DELAY_S": "0", "GEOHOUND_SLOW_HOST_FACTOR": "0", "GEOHOUND_ADDRESS_SHARE": "0",
    "GEOHOUND_RETRY_AFTER_S": "0.1", "GEOHOUND_BUSY_DELAY_S": "0.5",
}  # fmt: skip


def crawl(
    world: World, seeds: Sequence[str], catalogue: Path, *options: str, **settings: str
) -> list[dict[str, Any]]:
    """`geohound crawl` to its end, without delays: its events, the summary last."""
    with served(world) as port:
        command = [
            sys.executable, "-m", "geohound", "crawl", *seeds, *options, "--json", "--catalogue", str(catalogue),
            "--connect-to", f"*.test=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8",
        ]  # fmt: skip
        environ = {
            **os.environ,
            **WITHOUT_DELAYS,
            **{f"GEOHOUND_{name.upper()}": v for name, v in settings.items()},
        }
        done = subprocess.run(
            command,
            env=environ,
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
        )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    if not events or "summary" not in events[-1]:
        sys.exit(f"the crawl failed: {done.stderr[-500:] or done.stdout[-500:]}")
    return events


@contextmanager
def served(world: World) -> Iterator[int]:
    """The web, served by a process of its own."""
    arguments = [str(part) for part in (world.seed, world.hosts, world.wanted_pages)]
    with subprocess.Popen(
        [sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


if __name__ == "__main__":
    seed, hosts, pages = map(int, sys.argv[1:])
    server.serve(
        World(seed, hosts, pages, trouble=False),
        0,
        on_ready=lambda at: print(at[1], flush=True),
    )
