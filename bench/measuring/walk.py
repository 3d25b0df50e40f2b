"""Follow one URL of a tiny geoweb from `geohound crawl` to a hit in the portal, and list what it passes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

WEB = ("--hosts", "1", "--pages", "5", "--kinds", "wms", "--no-trouble")
TRACER = Path(__file__).parent / "tracer"
MAX_S = 240


@dataclass(frozen=True, slots=True)
class Program:
    """Geohound as it stands in one source tree, and the folder that it may write to."""

    source: Path
    folder: Path

    def start(self, *words: str, marks: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        """With marks, this process and all that it starts are traced."""
        path = [str(self.source)]
        env = {
            **os.environ,
            "GEOHOUND_HOST_DELAY_S": "0.02",
            "GEOHOUND_SLOW_HOST_FACTOR": "0",
        }
        if marks:
            path.insert(0, str(TRACER))
            env |= {
                "WALK_FOLDER": str(self.folder), "WALK_MARKS": "\n".join(marks),
                "WALK_SOURCE": f"{self.source / 'geohound'}{os.sep}",
            }  # fmt: skip
        env["PYTHONPATH"] = os.pathsep.join(path)
        return subprocess.Popen(
            [sys.executable, "-m", "geohound", *words],
            env=env,
            cwd=self.folder,
            text=True,
            stdout=subprocess.PIPE,
        )

    @property
    def catalogue(self) -> tuple[str, str]:
        return "--catalogue", str(self.folder / "catalogue.db")


def describe(source: Path) -> dict[str, Any]:
    """The modules and types that the URL passes."""
    with tempfile.TemporaryDirectory(prefix="geohound-walk-") as folder:
        program = Program(source.resolve(), Path(folder))
        service = _service(program)
        with _geoweb(program) as web:
            marks = (web["seeds"][0], service["endpoint"], service["title"])
            _crawl(program, web, marks)
        _search(program, service, marks)
        traces = [json.loads(file.read_text()) for file in Path(folder).glob("*.json")]
    return _summary(traces)


def _service(program: Program) -> dict[str, Any]:
    """The one to follow: a page of the web has a plain link to it."""
    told = program.start("geoweb", "truth", *WEB, "--json")
    services = json.loads(told.communicate(timeout=MAX_S)[0])["services"]
    return next(s for s in services if s["how"] == "link" and s["depth"] == 1)


@contextmanager
def _geoweb(program: Program) -> Iterator[dict[str, Any]]:
    server = program.start("geoweb", "serve", *WEB, "--port", "0", "--json")
    assert server.stdout
    try:
        yield json.loads(server.stdout.readline())
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=MAX_S)


def _crawl(program: Program, web: dict[str, Any], marks: tuple[str, ...]) -> None:
    crawl = program.start(
        "crawl", web["seeds"][0], "--connect-to", web["connect_to"], "--allow-net", web["allow_net"],
        *program.catalogue, "--json", "--quiet", marks=marks,
    )  # fmt: skip
    summary = json.loads(crawl.communicate(timeout=MAX_S)[0].splitlines()[-1])[
        "summary"
    ]
    if crawl.returncode or not summary["services"]:
        sys.exit(f"The crawl of the tiny web found nothing: {summary}")


def _search(program: Program, service: dict[str, Any], marks: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    portal = program.start(
        "serve", "--port", str(port), *program.catalogue, "--quiet", marks=marks
    )
    try:
        page = _get(f"http://127.0.0.1:{port}/?{urlencode({'q': service['title']})}")
    finally:
        portal.send_signal(signal.SIGINT)
        portal.communicate(timeout=MAX_S)
    if service["endpoint"].partition("?")[0] not in page:
        sys.exit("The portal does not show the service that was followed.")


def _get(url: str) -> str:
    for _ in range(MAX_S):
        try:
            with urlopen(url, timeout=MAX_S) as answer:
                return answer.read().decode()
        except URLError:
            time.sleep(1)  # it is not yet up
    sys.exit("The portal did not start.")


def _summary(traces: list[dict[str, Any]]) -> dict[str, Any]:
    modules = sorted({name for trace in traces for name in trace["modules"]})
    carriers = sorted({name for trace in traces for name in trace["carriers"]})
    packages: dict[str, set[str]] = {}
    for trace in traces:
        for name, among in trace["packages"].items():
            packages.setdefault(name, set()).update(among)
    shared = {
        name: sorted(among)
        for name, among in sorted(packages.items())
        if len(among) > 1
    }
    return {
        "processes": len(traces),
        "modules": len(modules),
        "types": len(carriers),
        "types_shared": len(shared),
        "types_seen": len(packages),
        "module_names": modules,
        "type_names": carriers,
        "shared_names": shared,
    }
