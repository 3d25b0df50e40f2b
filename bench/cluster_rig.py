"""A cluster of several nodes on this machine, each with its own address, that can be killed, frozen and thawed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from cluster_nets import Loopback, Net

from geohound import app
from geohound.cluster.sessions import signal_session
from geohound.contracts import StoreError
from geohound.model.catalogue import Filter
from geohound.settings import Settings
from geohound.tasks.spec import crawl_spec

UP_S = 240.0  # Ray takes 10 seconds on a machine that is free


class ClusterRig:
    """All processes of a node are in one session."""

    def __init__(
        self, folder: Path, settings: Settings, port: int, net: Net | None = None
    ) -> None:
        self.net = net or Loopback()
        self.settings = settings
        self.port = port
        self._folder = folder
        self._config = folder / "cluster.toml"
        self._environ = {
            **os.environ,
            "XDG_STATE_HOME": str(folder),
            "GEOHOUND_CATALOGUE": settings.catalogue,
        }
        self._sessions: dict[str, int] = {}

    def write_config(self, values: Mapping[str, Any]) -> None:
        self._config.write_text(
            "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for address in self.addresses:
            self.signal(address, signal.SIGCONT)
            self.kill(address)

    @property
    def head(self) -> str:
        return f"{self.net.address(1)}:{self.port}"

    def start(self, nodes: int, workers: int = 1) -> None:
        """The head and further nodes; returns when all have their workers."""
        self.start_head(workers)
        for number in range(2, nodes + 1):
            self.join(self.net.address(number), workers)
        self.wait(
            lambda: (
                sum(node["workers"] for node in self.status()["nodes"])
                >= nodes * workers
            ),
            "the nodes",
            UP_S,
        )

    def start_head(self, workers: int = 1) -> None:
        numbers = "--port", str(self.port), "--workers", str(workers)
        self.add(self.net.address(1), "start", *numbers)

    def join(self, address: str, workers: int = 1) -> None:
        self.add(address, "join", self.head, "--workers", str(workers))

    def add(self, address: str, *words: str, token: str = "") -> None:
        said = self._geohound(
            "cluster",
            *words,
            "--address",
            address,
            "--config",
            str(self._config),
            "--json",
            on=address,
            token=token,
        )
        self._sessions[address] = json.loads(said)["summary"]["pid"]

    def kill(self, address: str) -> None:
        """All processes of a node at once, as a power cut does."""
        self.signal(address, signal.SIGKILL)
        self._sessions.pop(address, None)

    def signal(self, address: str, number: signal.Signals) -> None:
        if address in self._sessions:
            signal_session(self._sessions[address], number)

    @property
    def addresses(self) -> list[str]:
        return list(self._sessions)

    @property
    def sessions(self) -> list[int]:
        return list(self._sessions.values())

    def stop(self) -> str:
        """All nodes in good order."""
        return self._geohound("cluster", "stop")

    def status(self) -> dict[str, Any]:
        return dict(json.loads(self._geohound("cluster", "status", "--json")))

    def queue(self, seeds: Iterable[str]) -> int:
        return app.new_task(
            self.settings, crawl_spec(self.settings, tuple(seeds)), is_queued=True
        )

    def pages(self, task: int) -> int:
        with app.open_catalogue(self.settings) as opened:
            tasks = opened.cluster_status()["tasks"]
            return next((each["pages"] for each in tasks if each["task"] == task), 0)

    def holders(self, task: int) -> int:
        """How many workers have shards of a task; none while one of its shards has no owner."""
        with closing(app.open_store(self.settings)) as store:
            found = [
                part
                for number in store.shards.shards(task)
                if (part := store.tasks.get(number)) is not None
            ]
            now = store.clock.now()
            held = {
                part.claim.holder
                for part in found
                if part.claim is not None and part.is_held(now)
            }
            return (
                len(held) if found and all(part.is_held(now) for part in found) else 0
            )

    def wait_done(self, task: int, most_s: float) -> dict[str, Any]:
        """The counters of a task that has ended."""
        self.wait(
            lambda: self.state(task) in ("done", "stopped"), f"task {task}", most_s
        )
        with app.open_catalogue(self.settings) as opened:
            found = opened.tasks.find(task)
            return {
                **found.counters,
                "state": str(found.state),
                "ending": str(found.ending),
            }

    def wait(self, is_so: Callable[[], bool], what: str, most_s: float) -> float:
        """How long it took."""
        began = time.monotonic()
        while not is_so():
            waited_s = time.monotonic() - began
            assert waited_s < most_s, f"{what}: not within {most_s:g} s\n{self.logs()}"
            time.sleep(0.5)
        return time.monotonic() - began

    def services(self, task: int) -> set[tuple[str, str]]:
        with app.open_catalogue(self.settings) as opened:
            return {
                (each.service.kind, each.service.endpoint)
                for each in opened.catalogue.entries(Filter(task=task))
            }

    def logs(self) -> str:
        found = sorted((self._folder / "geohound" / "cluster").glob("*.log"))
        return "\n".join(f"{path.name}: {path.read_text()[-2000:]}" for path in found)

    def state(self, task: int) -> str:
        """Empty while the database does not answer."""
        try:
            with app.open_catalogue(self.settings) as opened:
                return str(opened.tasks.find(task).state)
        except StoreError:
            return ""

    def _geohound(self, *words: str, on: str = "", token: str = "") -> str:
        place = self.net.command(on) if on else []
        command = [*place, sys.executable, "-m", "geohound", *words]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=self._environ | ({"GEOHOUND_CLUSTER_TOKEN": token} if token else {}),
            timeout=UP_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout
