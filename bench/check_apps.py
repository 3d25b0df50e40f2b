"""Do the built map applications work in a real browser, and do they ask the services that their labels name?

Every host, over HTTP and HTTPS, leads to servers on loopback, which answer with the page's own files, a picture, an
empty collection or an error, and keep what was asked. For each service that is labelled as used, and each page that is
chosen: was it asked? One that waits for a click or for a layer to be turned on is not asked here and has to be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import subprocess
import sys
import tempfile
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from playwright.async_api import Browser, async_playwright

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from app_pages import CACHE, HALVES, OTHER_HOST, Label, Page, build, load, served_file  # noqa: E402

PICTURE = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk"
    "YAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)
COLLECTION = json.dumps({"type": "FeatureCollection", "features": [], "links": [], "value": []}).encode()  # fmt: skip
PAGE_SECONDS = 12.0
OWN_WORDS = frozenset({"service", "request", "version"})


class Asked:
    """What the browser asked of any host."""

    def __init__(self, pages: list[Page]) -> None:
        self.addresses: list[str] = []
        self._folders = {page.app.host: page.folder.parent for page in pages}
        self._others = {
            name.removeprefix(OTHER_HOST): text
            for page in pages
            for name, text in page.app.files.items()
            if name.startswith(OTHER_HOST)
        }

    def answer(self, address: str) -> tuple[int, str, bytes]:
        self.addresses.append(address)
        split = urlsplit(address)
        path, host = unquote(split.path), split.hostname or ""
        body = served_file(self._folders.get(host), path, self._others.get(host + path))
        if body is not None:
            return 200, guess_type(path)[0] or "text/html", body
        query = split.query.lower()
        if "json" in query or "search" in path:
            return 200, "application/json", COLLECTION
        if "getmap" in query or path.endswith((".png", ".jpg", ".jpeg", ".webp")):
            return 200, "image/png", PICTURE
        return 404, "text/plain", b"not here"


def _handler(asked: Asked, scheme: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            address = f"{scheme}://{self.headers.get('Host', '')}{self.path}"
            status, kind, body = asked.answer(address)
            self.send_response(status)
            for name, value in (
                ("Content-Type", kind),
                ("Content-Length", str(len(body))),
                ("Access-Control-Allow-Origin", "*"),
                ("Access-Control-Allow-Headers", "*"),
            ):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_OPTIONS = do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@contextmanager
def _listening(asked: Asked, scheme: str, certificate: Path | None) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(asked, scheme))
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _certificate(folder: str) -> Path:
    path = Path(folder) / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=apps.test", "-keyout", str(path), "-out", f"{path}.crt"]
    subprocess.run(command, check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


def was_asked(label: Label, addresses: list[str]) -> bool:
    """Is one of these requests to the service: its host and path, or one below, and its own parameters?"""
    return any(_is_of(asked, own) for own in label.addresses for asked in addresses)


def _is_of(asked: str, own: str) -> bool:
    theirs, mine = urlsplit(asked), urlsplit(own)
    parameters = {(name.lower(), value) for name, value in parse_qsl(theirs.query)}
    named = {
        (name.lower(), value)
        for name, value in parse_qsl(mine.query)
        if name.lower() not in OWN_WORDS
    }
    place = mine.path.partition("{")[0].rstrip("/")
    host = mine.netloc.replace("{s}.", "")
    return (
        theirs.netloc.endswith(host)
        and unquote(theirs.path).startswith(place)
        and named <= parameters
    )


async def _look(browser: Browser, page: Page, asked: Asked) -> list[str]:
    """What the page asked, after a while; what its scripts threw is printed."""
    asked.addresses.clear()
    context = await browser.new_context(ignore_https_errors=True)
    tab = await context.new_page()
    thrown: list[str] = []
    tab.on("pageerror", lambda error: thrown.append(str(error)[:160]))
    try:
        await tab.goto(page.url, timeout=60_000)
        wanted = [label for label in page.app.labels if label.use == "used"]
        for _ in range(int(PAGE_SECONDS)):
            await asyncio.sleep(1)
            if all(was_asked(label, _outside(asked)) for label in wanted):
                break
    finally:
        await context.close()
    for error in dict.fromkeys(thrown):
        print(f"    {page.name} threw: {error}")
    return _outside(asked)


def _outside(asked: Asked) -> list[str]:
    """All that was asked but relayed requests, which stand for what they relay."""
    relayed = [
        unquote(a.partition("?url=")[2]) for a in asked.addresses if "?url=" in a
    ]
    return [*asked.addresses, *relayed]


async def _check(pages: list[Page]) -> None:
    asked = Asked(pages)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        plain = stack.enter_context(_listening(asked, "http", None))
        secure = stack.enter_context(_listening(asked, "https", _certificate(folder)))
        rules = (
            f"MAP *:443 127.0.0.1:{secure}, MAP *:80 127.0.0.1:{plain}, MAP * ~NOTFOUND"
        )
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path="/usr/bin/chromium",
                args=[f"--host-resolver-rules={rules}", "--ignore-certificate-errors",
                      "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader"],
            )  # fmt: skip
            for page in pages:
                _tell(page, await _look(browser, page, asked))
            await browser.close()


def _tell(page: Page, addresses: list[str]) -> None:
    wanted = [label for label in page.app.labels if label.use == "used"]
    silent = [label for label in wanted if not was_asked(label, addresses)]
    count = f"{len(wanted) - len(silent)} of {len(wanted)} services asked"
    print(f"{page.name}: {count}, {len(addresses)} requests", flush=True)
    for label in silent:
        print(f"    not asked: {label.kind} {label.addresses[0]}")
    strange = {
        address.partition("?")[0]
        for address in addresses
        if page.app.host not in address
        and not any(was_asked(label, [address]) for label in page.app.labels)
    }
    for address in sorted(strange)[:8]:
        print(f"    without a label: {address}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--app", action="append", help="applications by name; default: all")  # fmt: skip
    parser.add_argument("--every-build", action="store_true", help="not only the first of each application")  # fmt: skip
    parser.add_argument("--cache", type=Path, default=CACHE)
    args = parser.parse_args()
    apps = [app for app in load(args.half) if not args.app or app.name in args.app]
    apps = [app for app in apps if not app.needs_network]
    pages = build(apps, args.cache)
    first = {page.app.name: page for page in reversed(pages)}
    chosen = pages if args.every_build else list(reversed(first.values()))
    asyncio.run(_check(chosen))


if __name__ == "__main__":
    main()
