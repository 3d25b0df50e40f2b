"""A PostgreSQL server of one's own on loopback, started once for all tests of a process."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

import psycopg

_USER = "postgres"  # the server refuses to run as root
_QUICK = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=300",
    "shared_buffers=64MB",
)
_numbers = count(1)


def programs() -> Path:
    """The folder with initdb and postgres."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    assert found, (
        "PostgreSQL is missing: run make lab, or on Debian: apt-get install postgresql-15-postgis-3"
    )
    return found[-1].parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One server with its folder; it can be killed and started again."""

    def __init__(
        self,
        settings: tuple[str, ...] = _QUICK,
        host: str = "127.0.0.1",
        trusts: str = "",
        disk: Path | None = None,
    ) -> None:
        """In memory where the machine allows it, unless a folder on a `disk` is named."""
        self.host = host
        self.port = free_port()
        memory = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
        self.folder = Path(
            tempfile.mkdtemp(prefix="geohound-postgres-", dir=disk or memory)
        )
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        if os.getuid() == 0:
            shutil.chown(self.folder, _USER)
        self.folder.chmod(0o700)
        self._run(
            "initdb",
            "-D",
            str(self.data),
            "-U",
            "geohound",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-N",
        )
        if trusts:
            with (self.data / "pg_hba.conf").open("a") as rules:
                rules.write(f"{trusts}\n")

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def address(self) -> str:
        return f"postgresql://geohound@{self.host}:{self.port}/postgres"

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def start(self) -> None:
        options = [
            f"-c{setting}"
            for setting in (
                *self._settings,
                f"port={self.port}",
                f"listen_addresses={self.host}",
                f"unix_socket_directories={self.folder}",
            )
        ]
        self._process = subprocess.Popen(
            [*self._as_user(), str(programs() / "postgres"), "-D", str(self.data), *options],
            stdout=subprocess.DEVNULL, stderr=(self.folder / "log").open("ab") if self.folder.exists() else None,
            start_new_session=True,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.address, connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, (self.folder / "log").read_text()
                time.sleep(0.05)

    def cpu_s(self) -> float:
        """Processor time of all its processes, of those that have ended too."""
        if self._process is None:
            return 0.0
        ticks = 0
        for pid in (self._process.pid, *_children(self._process.pid)):
            with suppress(OSError):
                of = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, of[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """As a power cut: every process of the server at once."""
        if self._process is not None:
            self._signal_all(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """It answers nobody, and breaks no connection."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        """The server first, so that it starts no more; each of its children leads a session of its own."""
        assert self._process is not None
        children = _children(self._process.pid)
        for pid in (self._process.pid, *children):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def close(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()
            self._process = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_schema(self) -> str:
        """The address of an empty catalogue."""
        name = f"c{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self.address}?options=-csearch_path%3D{name}"

    def drop_schema(self, address: str) -> None:
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {address.rpartition('%3D')[2]} CASCADE")

    def _as_user(self) -> list[str]:
        return (
            [
                "setpriv",
                f"--reuid={_USER}",
                f"--regid={_USER}",
                "--clear-groups",
                "--pdeathsig=QUIT",
            ]
            if os.getuid() == 0
            else []
        )

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [*self._as_user(), str(programs() / program), *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.folder,
        )
        assert done.returncode == 0, done.stderr


def _children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            of = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            found += [int(entry.name)] if int(of) == parent else []
    return found


@cache
def shared_server() -> Server:
    """The one that all tests of this process use; each has a schema of its own there."""
    server = Server()
    atexit.register(server.close)
    server.start()
    return server
