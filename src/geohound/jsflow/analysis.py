"""The whole: which scripts to read, what they hold, merged to one entry per endpoint and kind."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from geohound import urls
from geohound.jsflow.evaluation.evaluator import Evaluator
from geohound.jsflow.modules import files, loaders
from geohound.jsflow.sinks import config, pages
from geohound.jsflow.sinks.finds import SinkMatch
from geohound.jsflow.sinks.idioms import idioms_of
from geohound.jsflow.sinks.scripts import ScriptSinks
from geohound.jsflow.syntax import evals, libraries
from geohound.jsflow.syntax.lines import Lines
from geohound.jsflow.syntax.source import Source
from geohound.jsflow.values import dead_branches
from geohound.jsflow.values.domain import HOLE
from geohound.urls.address_book import AddressBook

from . import addresses
from .model import AnalysisBudget, Endpoint, Findings, Script
from .step_budget import Exhausted, Meter

# Set by hand between what bench/mine_calibration measures on blind pages and what real pages showed; not fitted.
_CONFIDENCE = {"call": 0.95, "request": 0.9, "shape": 0.9, "config": 0.8, "string": 0.8}
_FOLLOWED = ("call", "request", "shape")
# keys that name a further configuration file
_FURTHER = re.compile(r"config|settings|services", re.IGNORECASE)
_YAML = re.compile(r"\.ya?ml(?:$|\?)", re.IGNORECASE)
_FILE_ENDS = (b".json", b".xml", b".yaml", b".yml", b".txt", b".cfg", b".conf")
_LITERAL = re.compile(r"\s*\{\s*(?:\w+|[\"'][\w.-]+[\"'])\s*:|\s*\[\s*\{")
_MIRROR = re.compile(r"(?<=://)(?<![\d.])[a-z-]{0,20}\d{1,2}(?=\.)")
_MAX_WANTED = 200
_ROW = 2  # steps that a string of a configuration takes
_ADDRESS = 8  # and one that is an address
_LONG = 400_000
_MAX_COMPARED = 500  # addresses of one page; each is compared with each
_FILES_ONLY = 300_000  # scripts up to this size are asked which files they load, even if they hold no address


def analyse(
    page_url: str,
    scripts: Sequence[Script],
    book: AddressBook,
    budget: AnalysisBudget | None = None,
) -> Findings:
    """The service endpoints in the scripts and configuration files of a page, and what else should be fetched.

    The page itself may stand among the scripts: its handlers count as calls, its custom elements as configuration, and
    its base is what relative addresses are relative to. `book` knows the addresses of services and how scripts speak
    of them.
    """
    with _undisturbed(sum(len(s.text) for s in scripts)):
        return _analyse(page_url, scripts, book, Meter(budget or AnalysisBudget()))


@contextmanager
def _undisturbed(chars: int) -> Iterator[None]:
    """Trees of long scripts are millions of small things that live to the end: the collector would go through them
    again and again for nothing, which costs a quarter of the time."""
    is_long = chars > _LONG and gc.isenabled()
    if is_long:
        gc.disable()
    try:
        yield
    finally:
        if is_long:
            gc.enable()


def _analyse(
    page_url: str,
    scripts: Sequence[Script],
    book: AddressBook,
    meter: Meter,
) -> Findings:
    idioms = idioms_of(book)
    markup = {
        i: pages.read(s, idioms) for i, s in enumerate(scripts) if pages.is_page(s.text)
    }
    sources = _sources(scripts, markup, meter)
    ev = Evaluator(page_url, sources, meter, book)
    for page in markup.values():
        ev.base_url = urls.canonical(page.base, page_url) or ev.base_url
    reader = _Reader(ev)
    for i, page in markup.items():
        reader.read_page(page, scripts[i])
    for source in sources:
        _read_import_map(ev, source)
        reader.guard(partial(loaders.read_settings, ev, source))
    read = sum(reader.read(source) for source in sources)
    return reader.findings(read, len(sources) - read)


def _sources(
    scripts: Sequence[Script], markup: dict[int, pages.Markup], meter: Meter
) -> list[Source]:
    """The code of all scripts; of a page, that of its handlers."""
    code = (markup[i].handlers if i in markup else s for i, s in enumerate(scripts))
    opened = [evals.opened(s) for s in code if s is not None]
    return [_source(i, s, meter) for i, s in enumerate(opened)]


def _source(index: int, script: Script, meter: Meter) -> Source:
    if (
        not script.is_inline
        and _LITERAL.match(script.text)
        and config.parse(script.text) is None
        and config.parse_start(script.text) is None
    ):
        # an object as scripts write it
        script = replace(script, text=f"({script.text.strip().rstrip(';')})")
    is_library = not script.is_inline and libraries.is_library(script.url)
    return Source(index, script, meter, is_library)


def _read_import_map(ev: Evaluator, source: Source) -> None:
    text = source.script.text
    if (
        not source.script.is_inline
        or '"imports"' not in text[:2000]
        or not text.lstrip().startswith("{")
    ):
        return
    try:
        listed = json.loads(text).get("imports")
    except (ValueError, AttributeError, RecursionError):
        return
    if isinstance(listed, dict):
        ev.imports.update({str(k): str(v) for k, v in list(listed.items())[:500]})


class _Reader:
    """Reads source after source and gathers what they bring."""

    def __init__(self, ev: Evaluator) -> None:
        self.ev = ev
        self.idioms = idioms_of(ev.book)

        self.entries: dict[tuple[str, str | None], tuple[Endpoint, str]] = {}
        self.mirrors: dict[tuple[str, str | None, int, int], str] = {}  # the first
        self.tiles: dict[str, Endpoint] = {}
        self.unknown: dict[str, None] = {}
        self.is_cut_short = False  # a configuration of which the end is missing
        self.unclear: list[str] = []
        self.is_barren = True  # has nothing been weighed that might be an address?

    def read(self, source: Source) -> bool:
        """True if the source was looked into."""
        if source.is_library or self.ev.meter.is_over:
            self.is_barren = False
            return False
        if self._read_config(source):
            self.is_barren = False
            return True
        self.guard(lambda: loaders.follow(self.ev, source))
        collector = ScriptSinks(self.ev, source)
        if not self.idioms.can_matter(source.raw):
            if len(source.raw) <= _FILES_ONLY and any(
                end in source.raw for end in _FILE_ENDS
            ):
                collector.collect_files(self.guard)
            return False
        collector.collect(self.guard)
        if source.is_cut_short or collector.is_cut_short:
            self.unknown.setdefault(
                f"{source.script.url}: too long or too strange to be read whole"
            )
        for found in collector.found:
            self.is_barren = False
            self.guard(partial(self._judge, found))
        return True

    def guard(self, step: Callable[[], None]) -> None:
        """One step within its own budget: what a hostile expression costs, the others do not pay."""
        self.ev.meter.begin_sink()
        try:
            step()
        except (Exhausted, RecursionError):
            self.ev.meter.costly += 1
            if not self.ev.meter.is_guess:
                self.unknown.setdefault("an expression that is too costly to work out")
        finally:
            self.ev.reset()

    def read_page(self, page: pages.Markup, script: Script) -> None:
        """What stands in the markup itself."""
        self._take_rows(page.rows, script)
        for name in page.files:
            address = urls.canonical(name, self.ev.base_url)
            if address and address not in self.ev.by_url:
                self.ev.wanted.setdefault(address)

    def _read_config(self, source: Source) -> bool:
        text = source.script.text
        head = text[:200].lstrip("\ufeff \t\r\n")[:1]
        if head == "<":
            self._take_rows(config.addresses_in_xml(text, self.idioms), source.script)
        elif head in ("{", "[") and (data := self._data(source)) is not None:
            rows = config.rows(data, self.idioms, self.ev.meter)
            with suppress(Exhausted):
                self._take_rows(rows, source.script)
        elif _YAML.search(source.script.url):
            self._take_rows(config.addresses_in_yaml(text, self.idioms), source.script)
        else:
            return False
        return True

    def _data(self, source: Source) -> Any:
        """A document as JSON; of one that is cut off or too long, its beginning."""
        text = source.script.text
        data = config.parse(text)
        if data is None and not source.script.is_inline:
            data = config.parse_start(text)
            if data is not None:
                self.is_cut_short = True
                self.unknown.setdefault(f"{source.script.url}: not read to its end")
        return data

    def _take_rows(self, rows: Iterable[config.Row], script: Script) -> None:
        lines = Lines(script.text, self.ev.meter)
        for value, hint, key in rows:
            if self.ev.meter.is_over:
                return
            self.ev.meter.note(_ROW)
            self._want_further(value, key)
            place = addresses.read(value, self.ev.base_url, self.ev.book, hint)
            if isinstance(place, addresses.Address) and (hint or place.is_sure):
                self.ev.meter.note(_ADDRESS)
                line = script.line_offset + lines.of(value) + 1
                self._keep(
                    place, value, _endpoint(place, "config", script.url, line, key)
                )

    def _want_further(self, value: str, key: str) -> None:
        """A configuration file that another one names, relative to the page."""
        if _FURTHER.search(key) and files.CONFIG.search(value):
            address = urls.canonical(value, self.ev.base_url)
            if address is not None and address not in self.ev.by_url:
                self.ev.wanted.setdefault(address)

    def _judge(self, found: SinkMatch) -> None:
        family = self.idioms.families.get(found.hint or "")
        hint = None if family else found.hint or None
        place = addresses.read(
            found.text, self.ev.base_url, self.ev.book, hint, found.subdomains
        )
        if place is None or not _suits(found, place, family):
            return
        if dead_branches.in_dead_branch(self.ev, found.node, found.source):
            return
        if isinstance(place, addresses.Unclear):
            self._note_unclear(place, found)
            return
        line = found.source.line(found.node)
        entry = _endpoint(place, found.how, found.source.script.url, line, found.call)
        if place.is_template or not self._is_mirror(place, found):
            self._keep(place, found.text, entry)

    def _is_mirror(self, place: addresses.Address, found: SinkMatch) -> bool:
        """Does its host differ in the number alone from one that the same call or list names?"""
        name = _MIRROR.sub("", place.endpoint)
        above = found.source.up(found.node)
        whole = above if above is not None and above.type == "array" else found.node
        where = found.source.index, whole.start_byte
        first = self.mirrors.setdefault((name, place.kind, *where), place.endpoint)
        return first != place.endpoint

    def _note_unclear(self, place: addresses.Unclear, found: SinkMatch) -> None:
        self.unclear.append(place.text)
        if found.how != "string":
            where = f"{found.source.script.url}:{found.source.line(found.node)}"
            what = found.call or found.how
            self.unknown.setdefault(
                f"{where}: the address given to {what} depends on the running page"
            )

    def _keep(self, place: addresses.Address, raw: str, entry: Endpoint) -> None:
        if place.is_template:
            self.tiles.setdefault(place.endpoint, entry)
            return
        key = (_same(place.endpoint), place.kind)
        known = self.entries.get(key)
        if known is None or known[0].confidence < entry.confidence:
            self.entries[key] = (entry, raw.strip())

    def findings(self, read: int, skipped: int) -> Findings:
        is_open = bool(self.ev.wanted or self.unknown or self.ev.reads_address)
        kept = _merged(list(self.entries.values()), self.unclear)
        if self.ev.meter.is_over:
            self.unknown.setdefault("the budget for this page is spent")
        return Findings(
            endpoints=tuple(
                sorted(kept, key=lambda e: (-e.confidence, e.source, e.line))
            ),
            tiles=tuple(self.tiles.values()),
            wanted=tuple(list(self.ev.wanted)[:_MAX_WANTED]),
            unknown=tuple(list(self.unknown)[:50]),
            unclear=tuple(
                dict.fromkeys(text.replace(HOLE, "…") for text in self.unclear[:50])
            ),
            scripts_read=read,
            scripts_skipped=skipped,
            steps=self.ev.meter.steps,
            is_barren=self.is_barren and not is_open,
            is_complete=not self.ev.meter.is_over
            and not self.is_cut_short
            and not any(s.is_cut_short for s in self.ev.sources),
        )


def _endpoint(
    place: addresses.Address, how: str, source: str, line: int, call: str
) -> Endpoint:
    """What was found here, as sure as its evidence is."""
    confidence = (
        _CONFIDENCE[how]
        - (0.0 if place.is_sure else 0.1)
        - (0.1 if place.kind is None else 0.0)
    )
    return Endpoint(
        place.url,
        place.endpoint,
        place.kind,
        how,
        source,
        line,
        call[-80:],
        round(confidence, 2),
    )


def _same(endpoint: str) -> str:
    """Equal for http and https, with or without a slash at the end."""
    base, mark, query = endpoint.partition("?")
    return f"{base.rstrip('/')}{mark}{query}".removeprefix("https:").removeprefix(
        "http:"
    )


def _suits(
    found: SinkMatch,
    place: addresses.Address | addresses.Unclear,
    family: frozenset[str] | None,
) -> bool:
    """Is the address what the place where it stands asks for: sure enough, and one of a family of kinds?"""
    if isinstance(place, addresses.Unclear):
        return family is None
    if family is not None and place.kind not in family:
        return False
    return place.is_sure or not found.must_be_sure


def _merged(entries: list[tuple[Endpoint, str]], unclear: list[str]) -> list[Endpoint]:
    """Without what another entry says better: a kind left open, a mere beginning or end of a longer address."""
    named = {_same(e.endpoint) for e, _ in entries if e.kind is not None}
    kept = [
        (e, raw)
        for e, raw in entries
        if e.kind is not None or _same(e.endpoint) not in named
    ]
    if len(kept) <= _MAX_COMPARED:
        kept = [
            (e, raw) for e, raw in kept if not _is_said_better(e, raw, kept, unclear)
        ]
    return [e for e, _ in kept]


def _is_said_better(
    entry: Endpoint, raw: str, kept: list[tuple[Endpoint, str]], unclear: list[str]
) -> bool:
    others = [(e, r) for e, r in kept if e is not entry]
    if entry.how == "config":  # a base that the code of the page goes on from
        return any(o.how in _FOLLOWED and _begins(entry, o) for o, _ in others)
    if entry.how != "string":
        return False
    is_known = any(
        r == raw and o.how != "string" and o.kind == entry.kind for o, r in others
    )
    return (
        is_known
        or any(_begins(entry, o) for o, _ in others)
        or _is_part(raw, others, unclear)
    )


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
    if (
        not long.startswith(short)
        or len(long) <= len(short)
        or _same(entry.endpoint) == _same(other.endpoint)
    ):
        return False
    return long[len(short)] in "/?&"
