"""Small map pages and apps with known truth: what the benchmark measures with, and what tests read.

Each file in `apps/` is one app. A head of `word value` lines, then its files, each after a line `-- name --`; names are
relative to the page, and the first file is the page itself. The words of the head:

- `page URL`, where the page stands; `class`, how the addresses are written; `idioms`, more closely, by the numbers that
  `bench/mine.py` explains (0 where none fits); `needs browser` where reading cannot be enough; `note`, why the
  truth is what it is;
- `KIND URL`, one service that a person would confirm; `any KIND URL | URL`, one service under several addresses, each
  right; `maybe KIND URL`, an address that is neither asked for nor wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urljoin

from geohound import urls

FOLDER = Path(__file__).parent / "apps"
_FILE = re.compile(r"^-- (\S+) --\n", re.MULTILINE)
_TYPES = {"js": "text/javascript", "mjs": "text/javascript", "json": "application/json", "map": "application/json",
          "xml": "text/xml", "yaml": "text/yaml", "txt": "text/plain", "html": "text/html"}  # fmt: skip
# What a test of an address below a service's own leads to: a layer of it, a collection, a document at a fixed place.
_BELOW = re.compile(
    r"(?<=Server)/\d+$|/1\.0\.0(?:/WMTSCapabilities\.xml)?$|/(?:collections|search)(?:/.*)?$"
    r"|/(?:Things|Datastreams|Locations|Observations|Sensors)\b.*$"
)


@dataclass(frozen=True, slots=True)
class Service:
    """A service that a person would confirm, under each address that is right."""

    kind: str
    endpoints: tuple[str, ...]
    is_wanted: bool = True

    def answers(self, address: str, kind: str = "") -> bool:
        """Would a test of this address, as this kind or as any, come to this service?"""
        return (not kind or kind == self.kind) and any(
            _leads(address, e) for e in self.endpoints
        )


@dataclass(frozen=True, slots=True)
class App:
    """A page with all files that its web would serve, by address."""

    name: str
    page: str
    group: str
    idioms: tuple[int, ...]
    needs_browser: bool
    services: tuple[Service, ...]
    files: dict[str, str]

    def get(self, url: str) -> str | None:
        """The text at an address, whatever its query."""
        bare = url.partition("#")[0]
        return self.files.get(bare, self.files.get(bare.partition("?")[0]))

    @property
    def wanted(self) -> tuple[Service, ...]:
        return tuple(s for s in self.services if s.is_wanted)


def key(address: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """What two addresses of one service have in common: where it answers, and its own parameters."""
    clean = urls.canonical(address) or address
    endpoint = urls.endpoint(clean)
    base = endpoint.partition("?")[0]
    shorter = _BELOW.sub("", base.rstrip("/"))
    own = (
        frozenset() if shorter != base.rstrip("/") else frozenset(urls.params(endpoint))
    )
    return shorter.rstrip("/"), own


def _leads(address: str, endpoint: str) -> bool:
    found, true = key(address), key(endpoint)
    return found[0] == true[0] and true[1] <= found[1]


def content_type(url: str) -> str:
    name = url.partition("?")[0].rpartition("/")[2]
    return _TYPES.get(name.rpartition(".")[2], "text/html")


@cache
def load(folder: Path = FOLDER) -> tuple[App, ...]:
    """All apps of a folder, in the order of their names."""
    return tuple(_read(path) for path in sorted(folder.glob("*.txt")))


def _read(path: Path) -> App:
    head, *rest = _FILE.split(path.read_text("utf-8"))
    said: dict[str, str] = {}
    services = []
    for line in head.splitlines():
        word, _, value = line.partition(" ")
        if word in ("page", "class", "idioms", "needs", "note"):
            said[word] = value
        else:
            services.append(_service(word, value))
    files = {
        urljoin(said["page"], name): text
        for name, text in zip(rest[::2], rest[1::2], strict=True)
    }
    files[said["page"]] = rest[1]
    return App(
        name=path.stem,
        page=said["page"],
        group=said["class"],
        idioms=tuple(int(n) for n in said["idioms"].split(",")),
        needs_browser=said.get("needs") == "browser",
        services=tuple(services),
        files=files,
    )


def _service(word: str, value: str) -> Service:
    kind, _, rest = (
        value.partition(" ") if word in ("any", "maybe") else (word, " ", value)
    )
    return Service(kind, tuple(e.strip() for e in rest.split("|")), word != "maybe")
