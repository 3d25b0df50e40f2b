"""A geoweb that remembers every request, and Geohound's command line pointed at it: shared by the benchmarks."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from geohound import app
from geohound.model.failure import FailureReason
from geohound.settings import Settings
from geoweb import Reply, Request, Shares, World, running, server

ROOT = Path(__file__).parent.parent
# Trouble that depends on when a request comes: two crawls of such a web may rightly differ.
TIMED = ("hanging", "down", "slow", "crawl_delay", "rate_limit", "flaky")
# Trouble without an end: which part of it is seen depends on the order of visits.
ENDLESS = ("calendar", "session_ids")


class Asked(NamedTuple):
    """One request as the server saw it."""

    at_s: float
    host: str
    address: str

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.address}"


def calm(*, endless: bool = False) -> Shares:
    """All troubles but those that make two crawls of one web differ."""
    without = TIMED if endless else (*TIMED, *ENDLESS)
    return Shares(
        **{f.name: 0.0 if f.name in without else f.default for f in fields(Shares)}
    )  # type: ignore[arg-type]


@contextmanager
def latency(seconds: float) -> Iterator[None]:
    """Every answer of the web comes later, by half to one and a half of this, as over a real network."""
    plain = server.respond

    def late(world: World, request: Request, moods: Any = None) -> Reply:
        reply = plain(world, request, moods)
        share = 0.5 + zlib.crc32(f"{request.host}{request.path}".encode()) % 1000 / 1000
        return replace(reply, delay_s=reply.delay_s + seconds * share)

    server.respond = late
    try:
        yield
    finally:
        server.respond = plain


class Observed:
    """The web in a thread of its own, with what was asked of it."""

    def __init__(
        self, world: World, *, port: int = 0, only_count: bool = False
    ) -> None:
        self.world = world
        self.asked: list[Asked] = []
        self.pages = 0  # requests but for robots.txt
        self._only_count = only_count
        self.port = port
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        if self._loop and self._stop:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        import uvloop  # noqa: PLC0415 - not there on Windows

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with running(self.world, self.port, observe=self._observe) as (_, port):
            self.port = port
            self._ready.set()
            await self._stop.wait()

    def _observe(self, request: Request) -> None:
        self.pages += request.path != "/robots.txt"
        if self._only_count:
            return
        address = f"{request.path}?{request.query}" if request.query else request.path
        self.asked.append(Asked(time.monotonic(), request.host, address))


@dataclass(frozen=True, slots=True)
class Hound:
    """Geohound's command line, its catalogue and its settings."""

    catalogue: Path
    port: int
    settings: Mapping[str, Any]
    cores: str = ""

    def crawl(
        self, seeds: list[str], *more: str, max_file_bytes: int = 0
    ) -> subprocess.Popen[bytes]:
        """Start a crawl; no file of it may grow beyond `max_file_bytes`, as on a full disk."""
        return self.start("crawl", *seeds, *more, max_file_bytes=max_file_bytes)

    def resume(self, *more: str) -> subprocess.Popen[bytes]:
        return self.start("resume", *more)

    def start(self, *words: str, max_file_bytes: int = 0) -> subprocess.Popen[bytes]:
        command = [
            *(["taskset", "-c", self.cores] if self.cores else []),
            *(["prlimit", f"--fsize={max_file_bytes}"] if max_file_bytes else []),
            sys.executable, "-m", "geohound", *words,
            "--connect-to", f"*.test=127.0.0.1:{self.port}", "--allow-net", "127.0.0.0/8",
            "--catalogue", str(self.catalogue), "--json",
        ]  # fmt: skip
        env = {
            f"GEOHOUND_{name.upper()}": str(value)
            for name, value in self.settings.items()
        }
        env["PYTHONPATH"] = str(ROOT / "src")
        with self.said.open("ab") as out, self.complaints.open("ab") as err:
            return subprocess.Popen(
                command,
                env={**os.environ, **env},
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def said(self) -> Path:
        return self.catalogue.with_suffix(".out")

    @property
    def complaints(self) -> Path:
        return self.catalogue.with_suffix(".err")

    def events(self) -> Iterator[dict[str, Any]]:
        """What all runs said; a kill may cut the last line of each."""
        for line in (
            self.said.read_text("utf-8", "replace").splitlines()
            if self.said.exists()
            else []
        ):
            try:
                yield json.loads(line)
            except ValueError:
                continue

    def summary(self) -> dict[str, Any]:
        """The last summary told; empty if there is none."""
        told: dict[str, Any] = {}
        for event in self.events():
            told = event.get("summary", told)
        return told

    def announced(self) -> set[tuple[str, str]]:
        return {
            (e["kind"], e["endpoint"])
            for e in self.events()
            if e.get("event") == "service"
        }

    def services(self) -> set[tuple[str, str]]:
        """Kind and every address of what is in the catalogue."""
        with app.open_catalogue(Settings(catalogue=str(self.catalogue))) as opened:
            services = [entry.service for entry in opened.catalogue.entries()]
        return {
            (s.kind, address) for s in services for address in (s.endpoint, *s.aliases)
        }

    def traps(self) -> set[str]:
        """URLs that were dropped, on record, as those of a trap."""
        connection = sqlite3.connect(self.catalogue)
        try:
            rows = connection.execute(
                "SELECT url FROM url WHERE reason = ?", (FailureReason.TRAP,)
            )
            return {url for (url,) in rows}
        finally:
            connection.close()

    def integrity(self) -> str:
        connection = sqlite3.connect(self.catalogue)
        try:
            return str(connection.execute("PRAGMA integrity_check").fetchone()[0])
        finally:
            connection.close()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """No chance to tidy up, for the process or its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Whatever happens, nothing is left running."""
    try:
        yield process
    finally:
        kill_group(process)
