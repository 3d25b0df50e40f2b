"""Real pages from Debian's documentation packages, spread over many loopback hosts that link to each other.

Every page keeps its bytes but for where its links lead: to the host that got the page linked to. A link to a page that
is not among the chosen ones leads to a chosen one, so that all crawlers find the same pages and none finds a dead end.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
import zlib
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote

PACKAGES = (
    "python3.11-doc", "postgis-doc", "postgresql-doc-15", "sqlite3-doc", "libgeos-doc", "python-django-doc",
    "openjdk-17-doc", "libboost1.74-doc", "python-pandas-doc", "python-scipy-doc", "cmake-doc", "twisted-doc",
)  # fmt: skip
DEFAULT_CACHE = (
    Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "geohound-bench"
)
MAX_PAGE_BYTES = 256_000  # one in a hundred is larger: indexes of whole libraries
ROBOTS = "User-agent: *\nDisallow: /not-for-crawlers/\n"
_LINK = re.compile(
    rb"""(<(a|area|link|i?frame|script)\s[^>]*?(?:href|src)\s*=\s*)(["'])([^"'#\s<>][^"'<>]*)\3""",
    re.IGNORECASE,
)
_FAR = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Site:
    """Where the pages lie and where a crawl starts."""

    folder: Path
    hosts: tuple[str, ...]
    port: int
    pages: int

    @property
    def seeds(self) -> Path:
        return self.folder / "seeds.txt"

    @property
    def addresses(self) -> Path:
        """All pages, for a client that needs not find them."""
        return self.folder / "addresses.txt"

    @property
    def root(self) -> Path:
        """A folder for each host."""
        return self.folder / "hosts"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The files that make the site."""

    site: Site
    pages: list[str]
    scripts: list[str]
    known: frozenset[str]


def loopback_hosts(count: int) -> tuple[str, ...]:
    """Addresses that are all this machine: many hosts for every crawler, and no names to look up."""
    return tuple(
        f"127.{count % 250 + 1}.{n // 250 + 1}.{n % 250 + 1}" for n in range(count)
    )


def prepare(cache: Path, hosts: int, pages: int, port: int) -> Site:
    """The site, made once for each set of numbers; equal numbers of pages give the same pages on any hosts."""
    tree = cache / "packages"
    site = Site(
        cache / f"site-{hosts}-{pages}-{port}", loopback_hosts(hosts), port, pages
    )
    if not site.addresses.exists():
        print(f"preparing {pages} pages on {hosts} hosts …", file=sys.stderr)
        _unpack(cache, tree)
        shutil.rmtree(site.folder, ignore_errors=True)
        _write(tree, site)
    return site


def _unpack(cache: Path, tree: Path) -> None:
    """The packages are unpacked beside the system, not installed."""
    debs = cache / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    tree.mkdir(exist_ok=True)
    for package in PACKAGES:
        if (tree / package).exists():
            continue
        if not list(debs.glob(f"{package}_*.deb")):
            command = ["apt-get", "download", "-qq", package]
            if subprocess.run(
                command, cwd=debs, stderr=subprocess.DEVNULL, check=False
            ).returncode:
                sys.exit(
                    f"{package} cannot be downloaded; the benchmark needs apt-get and Debian's documentation."
                )
        (deb,) = debs.glob(f"{package}_*.deb")
        subprocess.run(["dpkg", "-x", str(deb), str(tree / package)], check=True)


def _write(tree: Path, site: Site) -> None:
    files = {_place(p, tree): p for p in sorted(tree.rglob("*")) if _is_ours(p)}
    every = [place for place, path in files.items() if path.suffix != ".js"]
    if len(every) < site.pages:
        sys.exit(f"The packages hold {len(every)} pages; ask for no more than that.")
    step = len(every) / site.pages
    pages = [every[int(n * step)] for n in range(site.pages)]
    scripts = [place for place, path in files.items() if path.suffix == ".js"]
    chosen = Chosen(site, pages, scripts, frozenset(pages) | frozenset(scripts))
    for place in chosen.known:
        target = site.root / _host(place, site) / place
        target.parent.mkdir(parents=True, exist_ok=True)
        body = files[place].read_bytes()
        target.write_bytes(
            body if place.endswith(".js") else _relinked(body, place, chosen)
        )
    for host in site.hosts:
        (site.root / host).mkdir(exist_ok=True)
        (site.root / host / "robots.txt").write_text(ROBOTS)
    first = {_host(place, site): _address(place, site) for place in reversed(pages)}
    site.seeds.write_text("".join(f"{url}\n" for url in sorted(first.values())))
    site.addresses.write_text("".join(f"{_address(place, site)}\n" for place in pages))


def _is_ours(path: Path) -> bool:
    if (
        path.suffix not in {".html", ".htm", ".js"}
        or path.is_symlink()
        or not path.is_file()
    ):
        return False
    return 500 < path.stat().st_size <= MAX_PAGE_BYTES


def _place(path: Path, tree: Path) -> str:
    return (
        str(path.relative_to(tree))
        .replace("usr/share/doc/", "", 1)
        .replace("/html/", "/", 1)
    )


def _host(place: str, site: Site) -> str:
    return site.hosts[zlib.crc32(place.encode()) % len(site.hosts)]


def _address(place: str, site: Site) -> str:
    return f"http://{_host(place, site)}:{site.port}/{quote(place)}"


def _relinked(body: bytes, place: str, chosen: Chosen) -> bytes:
    def relink(match: re.Match[bytes]) -> bytes:
        link = unescape(match[4].decode("utf-8", "replace"))
        path, sharp, fragment = link.partition("#")
        if _FAR.match(link) or not path:
            return match[0]
        goal = posixpath.normpath(
            posixpath.join(posixpath.dirname(place), unquote(path.partition("?")[0]))
        )
        tag = match[2].lower()
        if goal not in chosen.known:
            instead = chosen.scripts if tag == b"script" else chosen.pages
            if tag == b"link" and not goal.endswith((".html", ".htm")):
                return match[0]  # style sheets and icons, which no crawler here follows
            goal = instead[zlib.crc32(goal.encode()) % len(instead)]
        return (
            match[1]
            + match[3]
            + f"{_address(goal, chosen.site)}{sharp}{fragment}".encode()
            + match[3]
        )

    return _LINK.sub(relink, body)
