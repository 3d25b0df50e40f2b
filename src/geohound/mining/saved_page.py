"""Files of a page that somebody saved, read instead of the network; nothing outside the page's folder is touched."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from geohound import urls

from . import charset
from .application import Fetch, Fetched

MAX_BYTES = 12_000_000
# where a page stands that does not say where it stood
NOWHERE = "http://saved.invalid/"
_WEB = r"[\"'](https?:[^\"']{4,500})"
_STOOD_AT = (
    re.compile(r"<!--\s{0,9}saved from url=\(\d{1,6}\)(\S{8,500})\s", re.IGNORECASE),
    re.compile(
        rf"<link\s[^<>]{{0,200}}?rel=[\"']?canonical[\"']?[^<>]{{0,200}}?href={_WEB}",
        re.IGNORECASE,
    ),
    re.compile(rf"<base\s[^<>]{{0,200}}?href={_WEB}", re.IGNORECASE),
    re.compile(
        rf"<meta\s[^<>]{{0,200}}?property=[\"']og:url[\"'][^<>]{{0,200}}?content={_WEB}",
        re.IGNORECASE,
    ),
)
_TYPES = {
    ".htm": "text/html",
    ".html": "text/html",
    ".xhtml": "text/html",
    ".js": "text/javascript",
}


def address_of(page: Path) -> str:
    """Where a saved page stood, as it says itself, else an address that nobody has."""
    with page.open("rb") as file:
        head = file.read(65_536).decode("utf-8", "replace")
    for pattern in _STOOD_AT:
        said = pattern.search(head)
        if said and (clean := urls.canonical(said[1])):
            return clean
    return urls.canonical(page.name, NOWHERE) or NOWHERE


def fetch_from(page: Path, address: str, read: dict[str, Path]) -> Fetch:
    """Reads the page for its address, and for those of its files the ones beside it; notes in `read` what was read."""
    folder = page.resolve().parent

    async def fetch(url: str) -> Fetched | None:
        path = page if url == address else _find(folder, address, url)
        if path is None:
            return None
        read[url] = path
        with path.open("rb") as file:
            body = file.read(MAX_BYTES)
        kind = _TYPES.get(path.suffix.lower(), "")
        return Fetched(url, charset.decode(body, kind, MAX_BYTES), kind)

    return fetch


def _find(folder: Path, address: str, url: str) -> Path | None:
    """The file beside the page: by its place relative to it, below the host's name, or from the root of the site."""
    here, there = urlsplit(address), urlsplit(url)
    path = unquote(there.path).lstrip("/")
    above = here.path.rpartition("/")[0].lstrip("/")
    places = [f"{there.hostname}/{path}"]
    if there.netloc == here.netloc:
        inside = (
            [path[len(above) :].lstrip("/")]
            if not above or path.startswith(f"{above}/")
            else []
        )
        places = [*inside, path, *places]
    for place in filter(None, places):
        file = (folder / place).resolve()
        if file.is_relative_to(folder) and file.is_file():
            return file
    return None
