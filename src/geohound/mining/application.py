"""A page with the scripts, modules and configuration files that belong to it, fetched within bounds, read together."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from selectolax.lexbor import LexborHTMLParser

from geohound import jsflow, urls
from geohound.jsflow import AnalysisBudget, Endpoint, Findings, Script
from geohound.model.visit import Page
from geohound.urls.address_book import AddressBook

from . import hou2016, html, recipes, safe_html, service_names, uncertainty
from .library_addresses import of_the_page

MAX_SCRIPTS = 400  # elements of one page
MAX_FRAMES = 4


@dataclass(frozen=True, slots=True)
class MiningLimits:
    """What one page may cost."""

    files: int = 80  # fetched
    rounds: int = 4  # scripts that ask for further scripts
    steps: int = 2_000_000  # of all rounds together
    bytes: int = 40_000_000
    budget: AnalysisBudget = field(default_factory=AnalysisBudget)
    is_thrifty: bool = False  # leave alone what may be a service, and the scripts of a viewer whose configuration was read


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file of the app, where it was in the end, as text."""

    url: str
    text: str
    content_type: str = ""


# Names under which pages keep what is their own, outside the folders of libraries.
_OWN = re.compile(
    r"(?<!/lib)(?<!/libs)(?<!/vendor)(?<!/plugins)(?<!/dist)/(?:main|app|index|config|settings|init|bundle|map|viewer|layers?|services?)"
    r"(?:[-_.][\w.-]{0,80})?\.m?js(?:$|[?#])",
    re.IGNORECASE,
)
_PROMISING = re.compile(
    r"map|layer|wms|ows|wfs|gis|geo|viewer|config|setting|main|app|index|init|bundle",
    re.IGNORECASE,
)
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
    is_page: bool = True
    unsure: str = ""  # why the page should be run
    missing: int | None = 0  # addresses that were lost; None where that is not known
    browsed: str = ""  # what running it came to, where it was run


@dataclass(slots=True)
class _App:
    """The files of one page as they come in, each fetched once."""

    page: Fetched
    fetch: Fetch
    bounds: MiningLimits
    scripts: list[Script] = field(default_factory=list)
    files: dict[str, Fetched | None] = field(default_factory=dict)
    bytes: int = 0

    async def get(self, url: str) -> Fetched | None:
        """The file, unless the bounds are met."""
        if url == self.page.url:
            return self.page
        if url not in self.files:
            if len(self.files) >= self.bounds.files or self.bytes >= self.bounds.bytes:
                return None
            self.files[url] = found = await self.fetch(url)
            self.bytes += len(found.text) if found else 0
        return self.files[url]

    async def add(self, url: str, *, is_module: bool = False) -> None:
        """Take a script or configuration file in, once."""
        is_new = url not in self.files
        found = await self.get(url)
        if is_new and found is not None:
            self.scripts.append(Script(found.url, found.text, is_module=is_module))

    @property
    def requests(self) -> int:
        return 1 + len(self.files)


async def mine(
    url: str, fetch: Fetch, book: AddressBook, rules: str = "static"
) -> Mined:
    """All service endpoints that the page at this address, its scripts and its configuration hold."""
    page = await fetch(url)
    if page is None:
        return Mined(url, trouble="the page could not be read")
    if not _is_page(page):
        findings = jsflow.analyse(
            page.url, (Script(page.url, page.text),), book, AnalysisBudget()
        )
        found = _mined(url, findings.endpoints, findings, requests=1)
        unsure = uncertainty.cut_short(findings)
        missing = None if unsure else 0
        return replace(found, is_page=False, unsure=unsure, missing=missing)
    if rules == "hou2016":
        return await by_published_rules(page, fetch) or _unjudged(page)
    return await _by_reading(page, fetch, book)


def _is_page(page: Fetched) -> bool:
    head = page.text[:2000].lstrip("\ufeff \t\r\n")
    return "html" in page.content_type or (
        head.startswith("<") and not head.startswith("<?xml")
    )


async def _by_reading(page: Fetched, fetch: Fetch, book: AddressBook) -> Mined:
    """Scripts and configuration, then the pages in frames, then what the page says itself."""
    shown = html.read(page.text, page.url, book, with_scripts=False)
    files = [page, *[frame async for frame in _frames(shown, fetch, book)]]
    readings = [await read(file, fetch, book) for file in files]
    computed = [
        e for found in readings for e in (*found.listed, *found.findings.endpoints)
    ]
    computed += service_names.endpoints(shown, page.text, computed, book)
    findings = [found.findings for found in readings]
    reasons = map(PageReading.uncertainty, readings, (file.text for file in files))
    return Mined(
        page.url,
        merged(computed),
        sum(found.scripts_read for found in findings),
        sum(found.findings.scripts_skipped + found.skipped for found in readings),
        sum(found.requests for found in readings),
        (
            *chain.from_iterable(found.unknown for found in findings),
            *(
                f"{url}: could not be read"
                for found in readings
                for url in found.unread
            ),
        ),
        unsure=next(filter(None, reasons), ""),
        missing=uncertainty.together(
            found.missing(file.text)
            for found, file in zip(readings, files, strict=True)
        ),
    )


async def _frames(
    shown: Page, fetch: Fetch, book: AddressBook
) -> AsyncIterator[Fetched]:
    """The pages in the frames of a page."""
    for address in islice(service_names.frames(shown, book), MAX_FRAMES):
        frame = await fetch(address)
        if frame is not None and _is_page(frame):
            yield frame


@dataclass(frozen=True, slots=True)
class PageReading:
    """All that a page and its files hold together."""

    listed: tuple[Endpoint, ...]  # by the recipes of viewers
    findings: Findings
    scripts: tuple[Script, ...]  # what was analysed, the page first
    files: tuple[str, ...]  # had, whatever they were
    skipped: int
    requests: int
    unread: tuple[str, ...] = ()  # scripts of the application that could not be had

    def uncertainty(self, html: str) -> str:
        """Why the page should be run; empty if nothing speaks for that."""
        has_services = bool(self.listed or self.findings.endpoints)
        return uncertainty.reason(
            self.findings, html, has_services=has_services, unread=self.unread
        )

    def missing(self, html: str) -> int | None:
        """How many addresses are known to be missing; None where nobody can say."""
        is_sure = not self.uncertainty(html)
        return 0 if is_sure else uncertainty.missing(self.findings, self.unread)


async def read(
    page: Fetched,
    fetch: Fetch,
    book: AddressBook,
    bounds: MiningLimits = MiningLimits(),  # noqa: B008 - frozen
    viewers: Sequence[recipes.WantedFile] | None = None,
) -> PageReading:
    """Configuration of known viewers first, then scripts, then what these ask for; `viewers` where they are known."""
    held = _elements(page)
    app = _App(page, fetch, bounds, scripts=[Script(page.url, page.text), *held.inline])
    if viewers is None:
        viewers = recipes.recognise(page.text, page.url)
    listed = await _by_recipes(app, viewers, book)
    files = held.files if not (listed and bounds.is_thrifty) else []
    skipped = await _add_files(app, _chosen(files, bounds.files), held.base)
    findings = await _in_rounds(app, bounds, book)
    had = tuple(url for url, file in app.files.items() if file is not None)
    unread = tuple(
        url
        for url, file in app.files.items()
        if file is None and _is_own_script(url, page.url)
    )
    every = (*listed, *_by_documents(app, book))
    return PageReading(
        every, findings, tuple(app.scripts), had, skipped, app.requests, unread
    )


def _is_own_script(url: str, page_url: str) -> bool:
    return (
        urls.site(url) == urls.site(page_url)
        and bool(_OWN.search(url))
        and not jsflow.is_library(url)
    )


async def _add_files(app: _App, files: list[tuple[str, bool]], base: str) -> int:
    """Fetch the scripts that a page links to; how many were left out."""
    skipped = 0
    for address, is_module in files:
        full = urls.canonical(address, base)
        if full is None or jsflow.is_well_known_library(address):
            skipped += 1
        else:
            await app.add(full, is_module=is_module)
    return skipped


async def _in_rounds(app: _App, bounds: MiningLimits, book: AddressBook) -> Findings:
    """Analyse, fetch what is wanted, and again, as long as that brings further scripts and the bounds allow it."""
    findings = Findings()
    left = bounds.steps
    for _ in range(bounds.rounds):
        budget = replace(bounds.budget, steps=min(bounds.budget.steps, left))
        findings = jsflow.analyse(app.page.url, tuple(app.scripts), book, budget)
        left -= findings.steps
        known = len(app.scripts)
        if left <= 0:
            break
        for wanted in findings.wanted:
            if not (bounds.is_thrifty and book.looks_like_service(wanted)):
                await app.add(wanted)
        if len(app.scripts) == known:
            break
    return replace(findings, endpoints=of_the_page(findings.endpoints))


def _chosen(files: list[tuple[str, bool]], room: int) -> list[tuple[str, bool]]:
    """Of more scripts than can be read, those whose names speak of a map or of the application itself."""
    if len(files) <= room:
        return files
    ranked = sorted(
        range(len(files)),
        key=lambda i: (
            jsflow.is_well_known_library(files[i][0]),
            not _PROMISING.search(files[i][0]),
        ),
    )
    return [files[i] for i in sorted(ranked[:room])]


async def _by_recipes(
    app: _App, viewers: Sequence[recipes.WantedFile], book: AddressBook
) -> list[Endpoint]:
    """What the configuration files of known viewers list; of several places for one file, the first that has it."""
    found: list[Endpoint] = []
    waiting = deque(viewers)
    done: set[tuple[str, str, str]] = set()
    while waiting:
        wanted = waiting.popleft()
        place = (wanted.recipe.id, wanted.file.name, wanted.place)
        if place in done:
            continue
        if wanted.file.is_script:
            await app.add(wanted.url)
            continue
        file = await app.get(wanted.url)
        reading = (
            recipes.read(wanted, file.text, book)
            if file is not None
            else recipes.FileReading()
        )
        if reading.endpoints or reading.wanted:
            done.add(place)
        found += reading.endpoints
        waiting += reading.wanted
    return found


def _by_documents(app: _App, book: AddressBook) -> Iterator[Endpoint]:
    """What files of a known format list that the page's scripts asked for."""
    for file in app.scripts:
        if not file.is_inline and file.url != app.page.url:
            for wanted in recipes.of_document(file.text, file.url):
                yield from recipes.read(wanted, file.text, book).endpoints


def _mined(
    page: str, endpoints: Iterable[Endpoint], findings: Findings, requests: int
) -> Mined:
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
    return tuple(
        found
        for (endpoint, kind), found in best.items()
        if kind or endpoint not in known
    )


def _unjudged(page: Fetched) -> Mined:
    held = _elements(page)
    return Mined(
        page.url, scripts_skipped=len(held.inline) + len(held.files), requests=1
    )


async def by_published_rules(page: Fetched, fetch: Fetch) -> Mined | None:
    """What the scripts of a page hold by the rules of 2016; None where the page is not judged to use a WMS."""
    held = _elements(page)
    links = [address for address, _ in held.files]
    total = len(held.inline) + len(links)
    if not hou2016.is_judged(links):
        return None
    app = _App(page, fetch, MiningLimits(), scripts=held.inline)
    for address in links:
        full = urls.canonical(address, held.base)
        if full and hou2016.is_read(address):
            await app.add(full)
    found = [
        _by_rule(f, source)
        for source in app.scripts
        for f in hou2016.candidates(source.text)
    ]
    skipped = total - len(app.scripts)
    return Mined(
        page.url, merged(filter(None, found)), len(app.scripts), skipped, app.requests
    )


def _by_rule(found: hou2016.RuleMatch, source: Script) -> Endpoint | None:
    clean = urls.canonical(found.url, source.url)
    if clean is None:
        return None
    kind = "wms" if found.rule == 1 else None
    line = found.line + source.line_offset
    return Endpoint(
        clean,
        urls.endpoint(clean),
        kind,
        f"rule {found.rule}",
        source.url,
        line,
        "",
        0.5 / found.rule,
    )


@dataclass(frozen=True, slots=True)
class _Elements:
    """What the markup of a page holds: the base of its addresses, and its scripts."""

    base: str
    inline: list[Script]
    files: list[tuple[str, bool]]  # linked scripts, and whether they are modules


def _elements(page: Fetched) -> _Elements:
    tree = LexborHTMLParser(safe_html.tame(page.text.encode("utf-8", "replace")))
    inline: list[Script] = []
    files: list[tuple[str, bool]] = []
    at = lines = 0
    for node in islice(tree.css("script"), MAX_SCRIPTS):
        is_module = (node.attributes.get("type") or "").lower() == "module"
        source = node.attributes.get("src")
        if source:
            files.append((source.strip(), is_module))
        elif text := node.text():
            begin = max(page.text.find(text, at), at)
            lines += page.text.count("\n", at, begin)
            at = begin
            inline.append(
                Script(page.url, text, is_module, is_inline=True, line_offset=lines)
            )
        if main := node.attributes.get("data-main"):
            files.append((main if main.endswith(".js") else f"{main}.js", False))
    return _Elements(_base(tree, page.url), inline, files)


def _base(tree: LexborHTMLParser, url: str) -> str:
    anchor = tree.css_first("base[href]")
    href = (anchor.attributes.get("href") or "") if anchor is not None else ""
    return (urls.canonical(href, url) if href else None) or url


__all__: Sequence[str] = (
    "Fetch", "Fetched", "Mined", "MiningLimits", "PageReading", "by_published_rules", "mine", "read",
)  # fmt: skip
