"""What a catalogue brings to the frontier: whom to harvest, what a page lists, and the page after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from geohound import urls
from geohound.contracts import Harvester
from geohound.document import Document
from geohound.model.crawl.harvest import MAX_CURSOR_BYTES, MAX_LISTED, HarvestPage
from geohound.model.failure import FailureReason
from geohound.model.service import Service
from geohound.model.visit import Candidate, Purpose, Via, order_score
from geohound.text.pattern_scan import PatternScan
from geohound.urls.address_book import AddressBook

from .crawl_plan import Plan
from .link_scoring import listed

LISTS = "list"  # the harvester of plain lists
SITEMAPS = "sitemap"
FRONT_BYTES = 100_000  # of a page, in which the marks of catalogues are looked for
_SITEMAP_FILE = re.compile(
    r"^[^?]*/[^/?]*sitemap[^/?]*\.(?:xml|xml\.gz|txt)$", re.IGNORECASE
)
_LIST_FILE = re.compile(
    r"^[^?]*(?<!/robots)\.(?:csv|tsv|txt|jsonl|ndjson)$", re.IGNORECASE
)


def begin(
    seeds: Sequence[Candidate],
    harvesters: Mapping[str, Harvester],
    named: str = "",
    since: date | None = None,
    *,
    is_harvest: bool = False,
) -> list[Candidate]:
    """The first pages of the harvests of seeds, by the harvester that is named, or by those that accept the address.

    A crawl reads sitemaps by itself.
    """
    return [
        _first_page(
            seed.url if named else harvester.root(seed.url), harvester, since, seed
        )
        for seed in seeds
        for harvester in harvesters.values()
        if (
            harvester.id == named
            if named
            else harvester.accepts(None, seed.url) or _is_list(harvester, seed)
        )
        or (is_harvest and not named and _is_sitemap(harvester, seed))
    ]


def _is_sitemap(harvester: Harvester, seed: Candidate) -> bool:
    return harvester.id == SITEMAPS and bool(_SITEMAP_FILE.search(seed.url))


def _is_list(harvester: Harvester, seed: Candidate) -> bool:
    """A seed of the user that is a file of text is a list of seeds; elsewhere such a file is data."""
    return (
        harvester.id == LISTS
        and seed.via is Via.SEED
        and bool(_LIST_FILE.search(seed.url))
    )


def harvests_of(
    candidate: Candidate,
    plan: Plan,
    harvesters: Mapping[str, Harvester],
    service: Service | None = None,
) -> list[Candidate]:
    """The first pages of all harvests of a service that was found, or of a page that was read."""
    if plan.is_harvest and candidate.depth > 0:
        return []  # another catalogue that a catalogue names
    source = service.endpoint if service is not None else candidate.url
    clue = f"listed by {service.title}"[:200] if service is not None else ""
    accepting = [
        harvester
        for harvester in harvesters.values()
        if harvester.accepts(service, source)
    ]
    begun = [
        _first_page(harvester.root(source), harvester, plan.since, candidate)
        for harvester in accepting
    ]
    depth = candidate.depth + (service is not None)
    return [
        replace(first, via=Via.HARVEST, found_on=source, clue=clue, depth=depth)
        for first in begun
    ]


class CatalogueFinder:
    """Catalogues behind the pages that are read; most pages are ruled out in one pass over their start."""

    def __init__(self, harvesters: Iterable[Harvester]) -> None:
        marked = [(mark, part) for part in harvesters for mark in part.marks]
        self._parts = [part for _, part in marked]
        self._scan = PatternScan([re.escape(mark) for mark, _ in marked])

    def of(self, document: Document) -> tuple[tuple[str, str], ...]:
        """Id of the harvester and address of each, all on the host of the page."""
        numbers = self._scan.numbers(document.body[:FRONT_BYTES])
        marked = {self._parts[number].id: self._parts[number] for number in numbers}
        found = ((part.id, _front(part, document)) for part in marked.values())
        return tuple((part, source) for part, source in found if source)


def _front(harvester: Harvester, document: Document) -> str:
    source = urls.canonical(harvester.front(document)) or ""
    return source if urls.host(source) == urls.host(document.url) else ""


def harvests_behind(
    candidate: Candidate,
    fronts: Iterable[tuple[str, str]],
    plan: Plan,
    harvesters: Mapping[str, Harvester],
) -> list[Candidate]:
    """The first pages of the catalogues behind a page that was read."""
    if plan.is_harvest and candidate.depth > 0:
        return []
    begun = [
        _first_page(source, harvesters[part], plan.since, candidate)
        for part, source in fronts
        if part in harvesters
    ]
    return [
        replace(each, via=Via.HARVEST, found_on=candidate.url, depth=candidate.depth)
        for each in begun
    ]


def _first_page(
    source: str, harvester: Harvester, since: date | None, known_by: Candidate
) -> Candidate:
    cursor, score = harvester.start(since), order_score(known_by.score)
    return Candidate(
        source,
        score=score,
        purpose=Purpose.HARVEST,
        harvester=harvester.id,
        cursor=cursor,
    )


def named_by(
    candidate: Candidate, page: HarvestPage, book: AddressBook, start: bytes = b""
) -> tuple[list[Candidate], Counter[FailureReason]]:
    """The candidates of a page, and how many addresses are none, by reason; further sources begin at `start`."""
    found: dict[str, Candidate] = {}
    left_out: Counter[FailureReason] = Counter()
    for address, title, protocol in page.listed[:MAX_LISTED]:
        canonical = urls.canonical(address, candidate.url)
        clean = book.proving(canonical) if canonical else None
        if clean is None:
            left_out[FailureReason.BAD_URL] += 1
            continue
        looks_so = book.looks_like_service(clean)
        if urls.looks_like_media(clean) and not looks_so:
            left_out[FailureReason.MEDIA] += 1
            continue
        is_meant = looks_so or bool(protocol) or not page.names_files
        if is_meant and clean not in found and not _is_itself(clean, candidate, book):
            said = " ".join(part for part in (title, protocol) if part)
            named = listed(
                clean, candidate, (candidate.url, said or candidate.clue), Via.HARVEST
            )
            may_be_page = page.names_pages or urls.is_web_page(clean)
            is_page = may_be_page and not looks_so and not protocol
            depth = candidate.depth if page.names_pages else named.depth
            found[clean] = (
                replace(named, purpose=Purpose.PAGE, depth=depth) if is_page else named
            )
    beyond = len(page.listed) - MAX_LISTED
    if beyond > 0:
        left_out[FailureReason.HARVEST_BUDGET] += beyond
    return [*found.values(), *_further_sources(candidate, page, start)], left_out


def _is_itself(url: str, candidate: Candidate, book: AddressBook) -> bool:
    """Does a record name the request for the record, in the catalogue that it stands in?"""
    is_here = url.partition("?")[0] == candidate.url.partition("?")[0]
    return is_here and book.classify(url)[1] == candidate.harvester


def _further_sources(
    candidate: Candidate, page: HarvestPage, start: bytes
) -> list[Candidate]:
    """As deep as the catalogue: its folders are no links away from a seed. Folders within themselves are a trap."""
    clean = (
        urls.canonical(source, candidate.url) for source in page.sources[:MAX_LISTED]
    )
    return [
        replace(
            candidate, url=url, via=Via.HARVEST, found_on=candidate.url, cursor=start
        )
        for url in dict.fromkeys(clean)
        if url and url != candidate.url and not urls.repeats_path(url)
    ]


def next_page(
    candidate: Candidate, page: HarvestPage
) -> Candidate | FailureReason | None:
    """The page after this one; None after the last; why there is none where the catalogue leads nowhere."""
    if not page.next:
        return None
    if len(page.next) > MAX_CURSOR_BYTES:
        return FailureReason.BAD_ANSWER
    if page.next == candidate.cursor:
        return FailureReason.TRAP
    return replace(candidate, via=Via.HARVEST, cursor=page.next)
