"""The map applications of `bench/apps`: their sources and labels, their builds, and a server that shows them.

An application is one text file: a head of words, then its sources. What is built goes to a cache folder.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import unquote, urlsplit

APPS = Path(__file__).resolve().parent / "apps"
CLOSED = "blind"
HALVES = ("building", "kept", "opened", CLOSED)
CACHE = Path.home() / ".cache" / "geohound-map-applications"
BUILD_SECONDS = 240
INSTALL_SECONDS = 1_500
USES = ("used", "mentioned")
GENERATED_PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>{name}</title></head>
<body><div id="map" style="height: 400px"></div>
<script type="module" src="{entry}"></script></body></html>
"""
ENTRIES = ("src/main.js", "src/main.jsx", "src/main.ts", "src/main.tsx")
OTHER_HOST = "//"  # a section of this name is served by another host


@dataclass(frozen=True, slots=True)
class Label:
    """A service of an application, under each address that is right for it."""

    kind: str
    use: str  # used, mentioned
    cause: str  # how its address is written
    addresses: tuple[str, ...]

    @property
    def is_tiles(self) -> bool:
        return self.kind == "tiles"


@dataclass(slots=True)
class App:
    """One application as it was written."""

    name: str
    half: str
    style: str = ""
    builds: tuple[str, ...] = ()
    needs_network: bool = False  # its library comes from a host that is not served
    libraries: dict[str, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    concat: tuple[str, ...] = ()
    labels: list[Label] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return f"{self.name}.apps.test"

    @property
    def entry(self) -> str:
        return next((name for name in ENTRIES if name in self.files), "")


@dataclass(frozen=True, slots=True)
class Page:
    """One application as one bundler built it."""

    app: App
    builder: str
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.app.name}/{self.builder}"

    @property
    def url(self) -> str:
        return f"http://{self.app.host}/{self.builder}/index.html"

    @property
    def bundler(self) -> str:
        return self.builder.partition("-")[0]

    @property
    def root(self) -> Path:
        """The folder that its host shows as a whole."""
        return self.folder.parent


def load(half: str) -> list[App]:
    """The applications of one half, in the order of their names."""
    return [read(path, half) for path in sorted((APPS / half).glob("*.txt"))]


def read(path: Path, half: str = "") -> App:
    app = App(path.stem, half)
    head, *sections = ("\n" + path.read_text("utf-8")).split("\n-- ")
    for line in filter(None, head.splitlines()):
        word, _, value = line.partition(" ")
        _read_word(app, word, value)
    for section in sections:
        name, _, text = section.partition(" --\n")
        app.files[name] = text.rstrip("\n") + "\n"
    if app.entry and "index.html" not in app.files:
        app.files["index.html"] = GENERATED_PAGE.format(name=app.name, entry=app.entry)
    return app


def _read_word(app: App, word: str, value: str) -> None:
    words = value.split()
    if word in USES:
        kind, cause, rest = value.split(" ", 2)
        addresses = tuple(
            address.replace("{page-host}", app.host) for address in rest.split(" | ")
        )
        app.labels.append(Label(kind, word, cause, addresses))
    elif word == "style":
        app.style = value
    elif word == "build":
        app.builds = tuple(words)
    elif word == "libs":
        named = [pair.partition("=") for pair in words]
        app.libraries = {name: package or name for name, _, package in named}
    elif word == "copy":
        app.copies[words[0]] = words[1]
    elif word == "concat":
        app.concat = tuple(words)
    elif word == "network":
        app.needs_network = True
    else:
        raise ValueError(f"{app.name}: unknown word {word!r} in the head")


def pages(apps: list[App], cache: Path) -> list[Page]:
    """All builds of these applications."""
    return [
        Page(app, builder, cache / "pages" / app.name / builder)
        for app in apps
        for builder in app.builds
    ]


def install(cache: Path) -> None:
    """The bundlers and libraries of the lock file, once."""
    lock = (APPS / "package-lock.json").read_bytes()
    stamp = cache / "tools" / "installed"
    digest = sha256(lock).hexdigest()
    if stamp.exists() and stamp.read_text("utf-8") == digest:
        return
    tools = stamp.parent
    tools.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(APPS / name, tools / name)
    # not `npm ci`: npm 11 refuses a lock without the packages of other platforms
    command = ["npm", "install", "--ignore-scripts", "--no-fund", "--no-audit"]
    subprocess.run(command, cwd=tools, check=True, timeout=INSTALL_SECONDS)
    stamp.write_text(digest, "utf-8")


def build(
    apps: list[App], cache: Path, workers: int = 2, say: Callable[[str], None] = print
) -> list[Page]:
    """Build what is not in the cache yet; a page whose build failed is told and left out."""
    install(cache)
    wanted = pages(apps, cache)
    with ThreadPoolExecutor(workers) as pool:
        troubles = list(pool.map(lambda page: _build(page, cache), wanted))
    for page, trouble in zip(wanted, troubles, strict=True):
        if trouble:
            say(f"not built: {page.name}: {trouble}")
    return [
        page for page, trouble in zip(wanted, troubles, strict=True) if trouble is None
    ]


def _build(page: Page, cache: Path) -> str | None:
    """Why it could not be built, or nothing."""
    recipe = (APPS / "bundle.mjs").read_bytes() + repr(
        (page.app.files, page.app.copies, page.app.libraries, page.app.concat)
    ).encode()
    digest = sha256(recipe).hexdigest()
    stamp = page.folder.with_suffix(".built")
    if stamp.exists() and stamp.read_text("utf-8") == digest:
        return None
    work = cache / "work" / page.app.name / page.builder
    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(page.folder, ignore_errors=True)
    _write_sources(page.app, work, cache / "tools")
    command = ["node", str(APPS / "bundle.mjs"), page.builder, str(work), str(page.folder)]  # fmt: skip
    trouble = _run([*command, page_entry(page.app)], cache / "tools")
    shutil.rmtree(work, ignore_errors=True)
    if trouble:
        return trouble
    for name, package_file in page.app.copies.items():
        if page.bundler in ("plain", "rjs"):
            target = page.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(cache / "tools" / "node_modules" / package_file, target)
    stamp.write_text(digest, "utf-8")
    return None


def page_entry(app: App) -> str:
    """The script that the page names as its module, which bundlers start from."""
    _, found, rest = app.files.get("index.html", "").partition('type="module" src="')
    return rest.partition('"')[0] if found else app.entry


def _write_sources(app: App, work: Path, tools: Path) -> None:
    for name, text in app.files.items():
        if not name.startswith(OTHER_HOST):
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    (work / "package.json").write_text('{"private": true}', "utf-8")
    if app.concat:
        (work / "concat.json").write_text(json.dumps(app.concat), "utf-8")
    (work / "tools").symlink_to(tools)
    for name, package in app.libraries.items():
        link = work / "node_modules" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(tools / "node_modules" / package)


def _run(command: list[str], tools: Path) -> str | None:
    """One build in a process group of its own, ended with its children when it takes too long."""
    environment = {
        **os.environ,
        "NODE_PATH": str(tools / "node_modules"),
        "NO_COLOR": "1",
    }
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=BUILD_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"took more than {BUILD_SECONDS} s"
    if not process.returncode:
        return None
    errors = [line for line in said.splitlines() if "error" in line.lower()]
    return "\n".join(errors[:6])[:1500] or "failed"


def texts(page: Page) -> dict[str, str]:
    """Every text file that was built for a page, by its name."""
    return {
        str(path.relative_to(page.folder)): path.read_text("utf-8", "replace")
        for path in sorted(page.folder.rglob("*"))
        if path.suffix in (".html", ".js", ".mjs", ".json", ".xml", ".txt")
    }


@contextmanager
def served(shown: list[Page]) -> Iterator[int]:
    """All pages under the names of their hosts on one port of loopback, until the block ends."""
    by_host = {page.app.host: page.root for page in shown}
    others = {
        name.removeprefix(OTHER_HOST): text
        for page in shown
        for name, text in page.app.files.items()
        if name.startswith(OTHER_HOST)
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = self.headers.get("Host", "").partition(":")[0]
            path = unquote(urlsplit(self.path).path)
            body = served_file(by_host.get(host), path, others.get(host + path))
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", guess_type(path)[0] or "text/html")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def served_file(folder: Path | None, path: str, other: str | None) -> bytes | None:
    """What one host answers at a path: a file that was built, or what was written for it."""
    if other is not None:
        return other.encode()
    if folder is None:
        return None
    file = (folder / path.lstrip("/")).resolve()
    inside = file.is_relative_to(folder.resolve()) and file.is_file()
    return file.read_bytes() if inside else None
