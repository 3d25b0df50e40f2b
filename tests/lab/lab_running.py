"""Runs the servers of the lab: renders their configuration, starts all together, waits, stops what it started."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from string import Template

import lab_world
from lab_servers import ROOT, SERVERS, Command, Server

LAB = Path(__file__).parent
HOW = "Run `make lab` to install the servers that these tests start."
START_TIMEOUT_S = 150.0
STOP_TIMEOUT_S = 10.0


class LabError(Exception):
    """A server that could not be started; the message says what to do."""


class Lab:
    """The servers that run: each by its name, with its address or the reason why it has none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self._ports = _free_ports([server.name for server in SERVERS])
        self._started: dict[str, Future[str]] = {}

    def start(self) -> None:
        """All servers at once; a failure waits for the test that wants the server."""
        require("ogr2ogr")
        lab_world.make(self.folder / "data")
        pool = ThreadPoolExecutor(len(SERVERS))
        for server in SERVERS:
            self._started[server.name] = pool.submit(self._start, server)
        pool.shutdown(wait=False)

    def url(self, name: str) -> str:
        """Where the server answers, once it does."""
        return self._started[name].result(timeout=3 * START_TIMEOUT_S)

    def stop(self) -> None:
        """End each process that was started, last first, with whatever it started itself."""
        for started in self._started.values():
            with contextlib.suppress(LabError, OSError, subprocess.SubprocessError):
                started.result(timeout=3 * START_TIMEOUT_S)
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_TIMEOUT_S)
            with contextlib.suppress(ProcessLookupError):
                # each leads a session of its own
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(STOP_TIMEOUT_S)

    def _start(self, server: Server) -> str:
        for name in server.needs:
            self.url(name)
        values = self._values(server.name)
        home = Path(values["home"])
        _render_folder(LAB / "config" / server.name, home, values)
        env = {**os.environ, **{k: _render(v, values) for k, v in server.env.items()}}
        with (home / "log.txt").open("wb") as log:
            for command in server.prepare:
                _run(_rendered(command, values), env, home)
            process = subprocess.Popen(
                _rendered(server.command, values),
                cwd=home, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self.processes.append(process)
        _wait_until_up(server, process, values)
        for command in server.afterwards:
            _run(_rendered(command, values), env, home)
        return values["url"]

    def _values(self, name: str) -> dict[str, str]:
        """What the words of a server and its configuration may refer to."""
        values = {f"{other}_port": str(port) for other, port in self._ports.items()}
        values |= {
            f"{other}_url": f"http://127.0.0.1:{port}"
            for other, port in self._ports.items()
        }
        home = self.folder / name
        return {
            **values,
            "home": str(home),
            "data": str(self.folder / "data"),
            "lab": str(LAB),
            "installed": str(ROOT / ".lab" / name),
            "bin": str(ROOT / ".lab" / name / "bin"),
            "port": values[f"{name}_port"],
            "url": values[f"{name}_url"],
        }


@contextmanager
def running_lab() -> Iterator[Lab]:
    """The lab while it runs; nothing of it is left afterwards."""
    # Below /tmp and open to all: PostgreSQL runs as another user, and socket paths must be short.
    folder = Path(tempfile.mkdtemp(prefix="geohound-lab-"))
    folder.chmod(0o755)
    lab = Lab(folder)
    try:
        lab.start()
        yield lab
    finally:
        lab.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _free_ports(names: Sequence[str]) -> dict[str, int]:
    """A free loopback port each, all chosen before any is given back."""
    with contextlib.ExitStack() as stack:
        sockets = {name: stack.enter_context(socket.socket()) for name in names}
        for each in sockets.values():
            each.bind(("127.0.0.1", 0))
        return {name: each.getsockname()[1] for name, each in sockets.items()}


def _render(text: str, values: Mapping[str, str]) -> str:
    return Template(text).safe_substitute(values)


def _rendered(command: Command, values: Mapping[str, str]) -> list[str]:
    words = [_render(word, values) for word in command]
    require(words[0])
    return words


def require(program: str) -> None:
    if shutil.which(program) is None:
        raise LabError(f"{program} is missing. {HOW}")


def _render_folder(templates: Path, home: Path, values: Mapping[str, str]) -> None:
    home.mkdir(parents=True)
    for template in sorted(templates.rglob("*")):
        target = home / template.relative_to(templates)
        if template.is_dir():
            target.mkdir()
        elif template.suffix != ".pyc":
            target.write_text(_render(template.read_text(), values))


def _run(command: Sequence[str], env: Mapping[str, str], home: Path) -> None:
    done = subprocess.run(
        command,
        env=env,
        cwd=home,
        capture_output=True,
        timeout=START_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace")[-800:]
        raise LabError(f"{' '.join(command)} failed. {HOW} It said: {said}")


def _wait_until_up(
    server: Server, process: subprocess.Popen[bytes], values: Mapping[str, str]
) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        if server.ready_command:
            is_up = (
                subprocess.run(
                    _rendered(server.ready_command, values), check=False, timeout=10
                ).returncode
                == 0
            )
        else:
            is_up = _answers(values["url"] + server.ready)
        if is_up:
            return
        time.sleep(0.1)
    log = Path(values["home"], "log.txt").read_text(errors="replace")[-800:]
    raise LabError(f"{server.name} did not come up. {HOW} It said: {log}")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError, http.client.HTTPException):
        return False
