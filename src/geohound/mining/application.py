"""A page with the scripts, modules and configuration files that belong to it, fetched within bounds, read together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import islice

from selectolax.lexbor import LexborHTMLParser

from geohound.model import url as urls

from . import hou2016, js, markup, script
from .js.model import Budget, Endpoint, Findings, Script

MAX_FILES = 80  # fetched for one page
MAX_ROUNDS = 4  # scripts that ask for further scripts
MAX_BYTES = 40_000_000
MAX_SCRIPTS = 400  # elements of one page


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file of the app, where it was in the end, as text."""

    url: str
    text: str
    content_type: str = ""


Fetch = Callable[[str], Awaitable[Fetched | None]]


@dataclass(frozen=True, slots=True)
class Mined:
    """What a page holds, and what finding it cost."""

    page: str
    endpoints: tuple[Endpoint, ...] = ()
    scripts_read: int = 0
    scripts_skipped: int = 0
    requests: int = 0
    unknown: tuple[str, ...] = ()
    trouble: str = ""


@dataclass(slots=True)
class _App:
    """The files of one page as they come in."""

    base: str
    fetch: Fetch
    scripts: list[Script] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    missing: int = 0
    bytes: int = 0

    async def get(self, url: str) -> Fetched | None:
        """The file, unless it was asked for before or the bounds are met."""
        if url in self.asked or len(self.asked) >= MAX_FILES or self.bytes >= MAX_BYTES:
            return None
        self.asked.add(url)
        found = await self.fetch(url)
        if found is None:
            self.missing += 1
            return None
        self.bytes += len(found.text)
        return found

    async def add(self, url: str, *, is_module: bool = False) -> None:
        found = await self.get(url)
        if found is not None:
            self.scripts.append(Script(found.url, found.text, is_module=is_module))


async def mine(url: str, fetch: Fetch, rules: str = "static") -> Mined:
    """All service endpoints that the page at this address, its scripts and its configuration hold."""
    page = await fetch(url)
    if page is None:
        return Mined(url, trouble="the page could not be read")
    if not _is_page(page):
        findings = js.analyse(page.url, (Script(page.url, page.text),), Budget())
        return _told(url, findings.endpoints, findings, requests=1)
    if rules == "hou2016":
        return await _by_published_rules(page, fetch)
    return await _by_reading(page, fetch)


def _is_page(page: Fetched) -> bool:
    head = page.text[:2000].lstrip("\ufeff \t\r\n")
    return "html" in page.content_type or (head.startswith("<") and not head.startswith("<?xml"))


async def _by_reading(page: Fetched, fetch: Fetch) -> Mined:
    base, inline, files = elements(page)
    app = _App(base, fetch, scripts=inline)
    skipped = 0
    for address, is_module in files:
        if script.is_library(address):
            skipped += 1
        elif full := urls.canonical(address, base):
            await app.add(full, is_module=is_module)
    findings = Findings()
    for _ in range(MAX_ROUNDS):
        findings = js.analyse(page.url, tuple(app.scripts), Budget())
        known = len(app.scripts)
        for wanted in findings.wanted:
            await app.add(wanted)
        if len(app.scripts) == known:
            break
    return _told(page.url, findings.endpoints, findings, requests=1 + len(app.asked))


def _told(page: str, endpoints: Iterable[Endpoint], findings: Findings, requests: int) -> Mined:
    return Mined(
        page,
        merged(endpoints),
        findings.scripts_read,
        findings.scripts_skipped,
        requests,
        findings.unknown,
    )


def merged(endpoints: Iterable[Endpoint]) -> tuple[Endpoint, ...]:
    """Each service once, under the evidence trusted most; an address without a kind gives way to one that has it."""
    best: dict[tuple[str, str | None], Endpoint] = {}
    for found in sorted(endpoints, key=lambda e: -e.confidence):
        best.setdefault((found.endpoint, found.kind), found)
    known = {endpoint for endpoint, kind in best if kind}
    return tuple(found for (endpoint, kind), found in best.items() if kind or endpoint not in known)


async def _by_published_rules(page: Fetched, fetch: Fetch) -> Mined:
    base, inline, files = elements(page)
    links = [address for address, _ in files]
    if not hou2016.is_judged(links):
        return Mined(page.url, scripts_skipped=len(inline) + len(links), requests=1)
    app = _App(base, fetch, scripts=inline)
    for address in links:
        full = urls.canonical(address, base)
        if full and hou2016.is_read(address):
            await app.add(full)
    found = [_by_rule(f, source) for source in app.scripts for f in hou2016.candidates(source.text)]
    skipped = len(inline) + len(links) - len(app.scripts)
    return Mined(page.url, merged(filter(None, found)), len(app.scripts), skipped, 1 + len(app.asked))


def _by_rule(found: hou2016.Found, source: Script) -> Endpoint | None:
    clean = urls.canonical(found.url, source.url)
    if clean is None:
        return None
    kind = "wms" if found.rule == 1 else None
    line = found.line + source.line_offset
    return Endpoint(clean, urls.endpoint(clean), kind, f"rule {found.rule}", source.url, line, "", 0.5 / found.rule)


def elements(page: Fetched) -> tuple[str, list[Script], list[tuple[str, bool]]]:
    """The base of a page's addresses, its inline scripts, and its linked ones with whether they are modules."""
    tree = LexborHTMLParser(markup.tame(page.text))
    anchor = tree.css_first("base[href]")
    href = (anchor.attributes.get("href") or "") if anchor is not None else ""
    base = urls.canonical(href, page.url) or page.url if href else page.url
    inline: list[Script] = []
    files: list[tuple[str, bool]] = []
    at = 0
    for node in islice(tree.css("script"), MAX_SCRIPTS):
        kind = (node.attributes.get("type") or "").lower()
        source = node.attributes.get("src")
        if source:
            files.append((unescape(source).strip(), kind == "module"))
        elif text := node.text():
            at = max(page.text.find(text, at), at)
            lines = page.text.count("\n", 0, at)
            inline.append(Script(page.url, text, kind == "module", is_inline=True, line_offset=lines))
        main = node.attributes.get("data-main")
        if main:
            files.append((main if main.endswith(".js") else f"{main}.js", False))
    return base, inline, files


__all__: Sequence[str] = ("Fetch", "Fetched", "Mined", "mine")
