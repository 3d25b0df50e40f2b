"""The whole: which scripts to read, what they hold, merged to one entry per endpoint and kind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from geohound.model import url as urls

from . import addresses, config, libraries, liveness, modules, sourcemaps
from .evaluate import Evaluator
from .model import Budget, Endpoint, Exhausted, Findings, Meter, Script
from .sinks import Collector, Found
from .source import Source

_CONFIDENCE = {"call": 0.95, "request": 0.9, "shape": 0.85, "config": 0.8, "string": 0.7}
_IMPORT = re.compile(
    rb"(?:^|[;}\s])(?:import|export)\s*(?:[\w$*{},\s]{1,2000}?from\s*)?[\"']([^\"'\n]{1,300})[\"']|(?<![\w$.])import\(\s*[\"'`]([^\"'`\n$]{1,300})[\"'`]"
)
_AMD = re.compile(rb"(?<![\w$.])(?:define|require|requirejs)\(\s*(?:[\"'][^\"']*[\"']\s*,\s*)?\[([^\]]{1,4000})\]")
_QUOTED = re.compile(rb"[\"']([^\"']{1,200})[\"']")
_MAP = re.compile(rb"[#@]\s*sourceMappingURL=([^\s'\"]{1,300})")
_MAX_WANTED = 200
_SIBLING = re.compile(r"^(https?://)(?:[a-h]|(\w*?)\d{1,2})(\.)", re.IGNORECASE)
_LIBRARY_IMPORT = re.compile(
    r"^(?:\.{0,2}/)?(?:node_modules|lib|libs|vendor|ol|openlayers|leaflet|dojo|esri)/", re.IGNORECASE
)


def analyse(
    page_url: str, scripts: Sequence[Script], budget: Budget | None = None, *, whole_page: bool | None = None
) -> Findings:
    """The service endpoints in the scripts and configuration files of a page, and what else should be fetched.

    `whole_page` says that these are all the scripts there are: only then can a function that nobody calls be left out.
    """
    meter = Meter(budget or Budget())
    if whole_page is None:
        whole_page = len(scripts) > 1 or any(s.is_inline for s in scripts)
    expanded = [part for s in scripts for part in sourcemaps.expand(s)]
    sources = [_source(i, s, meter) for i, s in enumerate(expanded)]
    ev = Evaluator(page_url, sources, meter)
    for source in sources:
        _read_import_map(ev, source)
    reader = _Reader(ev, page_url, whole_page)
    read = sum(reader.read(source) for source in sources)
    return reader.findings(read, len(sources) - read)


def _source(index: int, script: Script, meter: Meter) -> Source:
    is_library = not script.is_inline and libraries.is_library(script.url)
    source = Source(index, script, meter, is_library)
    if not is_library and len(script.text) > 100_000:
        source.is_library = libraries.is_library_text(source.raw)
    return source


def _read_import_map(ev: Evaluator, source: Source) -> None:
    text = source.script.text
    if not source.script.is_inline or '"imports"' not in text[:2000] or not text.lstrip().startswith("{"):
        return
    try:
        listed = json.loads(text).get("imports")
    except (ValueError, AttributeError, RecursionError):
        return
    if isinstance(listed, dict):
        ev.imports.update({str(k): str(v) for k, v in list(listed.items())[:500]})


class _Reader:
    """Reads source after source and gathers what they bring."""

    def __init__(self, ev: Evaluator, page_url: str, whole_page: bool) -> None:
        self.ev = ev
        self.page_url = page_url
        self.whole_page = whole_page
        self.entries: dict[tuple[str, str | None], tuple[Endpoint, str]] = {}
        self.tiles: dict[str, Endpoint] = {}
        self.unknown: dict[str, None] = {}
        self.unclear: list[str] = []

    def read(self, source: Source) -> bool:
        """True if the source was looked into."""
        if source.is_library or self.ev.meter.is_over:
            return False
        head = source.script.text[:200].lstrip("\ufeff \t\r\n")[:1]
        if head in ("{", "[", "<") and self._read_config(source, head):
            return True
        self._follow(source)
        if not libraries.can_matter(source.raw):
            return False
        collector = Collector(self.ev, source)
        collector.collect(self._guard, with_strings=not libraries.has_banner(source.script.text))
        self._guard(collector.collect_tags)
        if source.is_cut_short:
            self.unknown.setdefault(f"{source.script.url}: too long or too strange to be read whole")
        for found in collector.found:
            self._guard(lambda found=found: self._judge(found))  # type: ignore[misc]
        return True

    def _guard(self, step: Callable[[], None]) -> None:
        """One step within its own budget: what a hostile expression costs, the others do not pay."""
        meter = self.ev.meter
        meter.sink_steps = 0
        try:
            step()
        except (Exhausted, RecursionError):
            self.unknown.setdefault("an expression that is too costly to work out")
        finally:
            self.ev.active.clear()
            self.ev.choices.clear()

    def _read_config(self, source: Source, head: str) -> bool:
        text = source.script.text
        if head == "<":
            rows = list(config.addresses_in_xml(text))
        else:
            data = config.parse(text)
            if data is None:
                return False
            rows = list(config.rows(data))
        for value, hint, key in rows:
            place = addresses.read(value, self.page_url, hint)
            if isinstance(place, addresses.Address) and (hint or place.is_sure):
                at = text.find(value[:200])
                line = source.script.line_offset + text.count("\n", 0, max(at, 0)) + 1
                self._keep(place, value, "config", source.script.url, line, key)
        return True

    def _judge(self, found: Found) -> None:
        hint = None if found.hint in ("arcgis", "tms", "") else found.hint
        place = addresses.read(found.text, self.page_url, hint, found.subdomains)
        if place is None or (found.must_be_sure and isinstance(place, addresses.Address) and not place.is_sure):
            return
        if found.hint == "arcgis" and not (
            isinstance(place, addresses.Address) and (place.kind or "").startswith("arcgis")
        ):
            return
        if liveness.is_dead(self.ev, found.node, found.source, whole_page=self.whole_page):
            return
        source, line = found.source.script.url, found.source.line(found.node)
        if isinstance(place, addresses.Unclear):
            self.unclear.append(place.text)
            if found.how != "string":
                self.unknown.setdefault(
                    f"{source}:{line}: the address given to {found.call or found.how} depends on the running page"
                )
                self._want_map(found.source)
            return
        self._keep(place, found.text, found.how, source, line, found.call)

    def _keep(self, place: addresses.Address, raw: str, how: str, source: str, line: int, call: str) -> None:
        confidence = _CONFIDENCE[how] - (0.0 if place.is_sure else 0.1) - (0.1 if place.kind is None else 0.0)
        entry = Endpoint(place.url, place.endpoint, place.kind, how, source, line, call[-80:], round(confidence, 2))
        if place.kind == "xyz":
            self.tiles.setdefault(place.endpoint, entry)
            return
        key = (_same(place.endpoint), place.kind)
        known = self.entries.get(key)
        if known is None or known[0].confidence < entry.confidence:
            self.entries[key] = (entry, raw.strip())

    def _follow(self, source: Source) -> None:
        """Imports of modules, whether the module itself matters or not."""
        if (
            b"import" not in source.raw
            and b"define" not in source.raw
            and b"require" not in source.raw
            and b"export" not in source.raw
        ):
            return
        data = source.data
        if source.script.is_module or b"import" in data:
            for match in _IMPORT.finditer(data):
                self._want(source, (match[1] or match[2]).decode("utf-8", "replace"))
        for match in _AMD.finditer(data):
            for quoted in _QUOTED.finditer(match[1]):
                name = quoted[1].decode("utf-8", "replace")
                if name.startswith("."):
                    self._want(source, name)

    def _want(self, source: Source, specifier: str) -> None:
        address = modules.resolve(self.ev, specifier, source)
        if address and not libraries.is_library(address) and modules.find(self.ev, address) is None:
            if not re.search(r"\.(?:css|svg|png|html|scss|less)(?:$|\?)", address):
                modules.want_script(self.ev, address)

    def _want_map(self, source: Source) -> None:
        found = _MAP.search(source.raw[-2000:])
        if found and not found[1].startswith(b"data:"):
            address = urls.canonical(found[1].decode("utf-8", "replace"), source.script.url)
            if address and address not in self.ev.by_url:
                self.ev.wanted.setdefault(address)

    def findings(self, read: int, skipped: int) -> Findings:
        kept = _merged(list(self.entries.values()), self.unclear)
        if self.ev.meter.is_over:
            self.unknown.setdefault("the budget for this page is spent")
        return Findings(
            endpoints=tuple(sorted(kept, key=lambda e: (-e.confidence, e.source, e.line))),
            tiles=tuple(self.tiles.values()),
            wanted=tuple(list(self.ev.wanted)[:_MAX_WANTED]),
            unknown=tuple(list(self.unknown)[:50]),
            scripts_read=read,
            scripts_skipped=skipped,
        )


def _same(endpoint: str) -> str:
    """Equal for the hosts of one service: a.h and b.h, t0.h and t1.h; http and https; a slash at the end."""
    key = _SIBLING.sub(lambda m: f"{m[1]}{m[2] or ''}*{m[3]}", endpoint)
    base, mark, query = key.partition("?")
    return f"{base.rstrip('/')}{mark}{query}".removeprefix("https:").removeprefix("http:")


def _merged(entries: list[tuple[Endpoint, str]], unclear: list[str]) -> list[Endpoint]:
    """Without what another entry says better: a kind left open, or a mere beginning of a longer address."""
    named = {_same(e.endpoint) for e, _ in entries if e.kind is not None}
    open_left = [(e, raw) for e, raw in entries if e.kind is not None or _same(e.endpoint) not in named]
    kept = []
    for entry, raw in open_left:
        others = [(e, r) for e, r in open_left if e is not entry]
        is_known = any(r == raw and o.how != "string" and o.kind == entry.kind for o, r in others)
        is_beginning = any(_begins(entry, o) for o, _ in others)
        if entry.how == "string" and (is_known or is_beginning or _is_part(raw, others, unclear)):
            continue
        kept.append(entry)
    return kept


def _is_part(text: str, others: list[tuple[Endpoint, str]], unclear: list[str]) -> bool:
    """Is this relative string only the end of an address that another string begins?"""
    if not text or text.startswith(("http:", "https:", "//")):
        return False
    return any(text in raw and len(raw) > len(text) for _, raw in others) or any(
        text in u and u != text for u in unclear
    )


def _begins(entry: Endpoint, other: Endpoint) -> bool:
    """Is this string only the first part of the other address?"""
    short, long = entry.url.rstrip("?&/"), other.url
    if not long.startswith(short) or len(long) <= len(short) or _same(entry.endpoint) == _same(other.endpoint):
        return False
    return long[len(short)] in "/?&"
