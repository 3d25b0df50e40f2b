"""One lease, from the request to the report: fetch, recognise, mine; knows nothing of frontier and catalogue."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from geohound import probe, urls
from geohound.contracts import Fetcher, Harvester, Kind
from geohound.document import Document
from geohound.model.compact import HashSet
from geohound.model.service import Verdict
from geohound.model.visit import (
    AS_IF_CUT_OFF,
    Candidate,
    Failure,
    FailureReason,
    Link,
    Page,
    Place,
    RequestRecord,
    Response,
    Via,
    Visit,
)
from geohound.onward import FetcherBefore, Onward

from .answers import BUSY, broken_off, busy, deserves_more, may_be_no_wall, objection_to
from .follow import bare_host, follow
from .plan import Plan
from .proposing import score_as_page
from .report import HARVEST_MARK, Report
from .seen import EachOnce, PageLinks, SeenLinks
from .shelf import Shelf
from .sketch import Sketch, draw

log = logging.getLogger(__name__)

_FILES = frozenset({Via.SCRIPT, Via.CONFIG})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


Told = Callable[[str, str], bool]
FetchFile = Callable[[str], Awaitable[Response | None]]


def _nothing(_: Candidate | None) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What an examiner works with; assembly chooses it."""

    fetcher: Fetcher
    kinds: Mapping[str, Kind]
    harvesters: Mapping[str, Harvester]
    explore: Callable[
        [Document, FetchFile, Told | None], Awaitable[Page]
    ]  # a document, with its files; but for links told before
    sitemaps: Callable[[str], Awaitable[Sequence[str]]]
    next_at: Callable[[str], float]  # when a host may be asked again, on the monotonic clock
    memory: probe.Memory = probe.NO_MEMORY
    made: Callable[[], list[RequestRecord]] = list  # the requests made since it was last asked
    robots: Callable[[], list[tuple[str, bytes]]] = list  # the robots.txt read since then, by origin
    forget_troubles: Callable[[], None] = lambda: None  # of robots.txt that could not be had
    browse: Callable[[Document, Page, Fetcher], Awaitable[list[Link]]] | None = None  # what running a page adds
    close: Callable[[], Awaitable[None]] | None = None  # what else is open beside the fetcher
    reading: Callable[[Candidate | None], None] = _nothing  # told what is being read, for whoever guards this process


class LocalExaminer:
    """Examines in this process."""

    def __init__(self, plan: Plan, tools: Tools) -> None:
        self._plan = plan
        self._tools = tools
        self._seen = SeenLinks()
        self._contents = HashSet()  # marks of the pages that were read
        self._sitemaps_asked: set[str] = set()
        self._visited = HashSet()
        self._files = Shelf()

    async def examine(self, candidate: Candidate) -> Report:
        """A bug costs this candidate, not the crawl."""
        report = Report()
        try:
            if HARVEST_MARK in candidate.url:
                await self._harvest(candidate, report)
            elif candidate.probe:
                await self._test(candidate, report)
            else:
                await self._visit(candidate, report)
        except Exception:
            log.exception("a bug while visiting %s", candidate.url)
            report = Report(report.status, Failure(candidate.url, FailureReason.BUG, "see the log", datetime.now(UTC)))
            report.requests = 1
        self._tools.reading(None)
        report.made, report.robots = self._tools.made(), self._tools.robots()
        report.due_at = self._tools.next_at(urls.host(candidate.url))
        return report

    async def refresh(self) -> None:
        self._tools.forget_troubles()

    async def close(self) -> None:
        if self._tools.close is not None:
            await self._tools.close()
        await self._tools.fetcher.close()

    async def _visit(self, candidate: Candidate, report: Report) -> None:
        """A page: fetch, recognise, mine."""
        is_file = candidate.via in _FILES
        if is_file and self._files.was_had(candidate.url):  # with the page it belongs to
            report.objection = FailureReason.DUPLICATE_CONTENT
            return
        asking = self._asking(candidate, report)
        visit = self._files.take_service(candidate.url) or await asking.fetch(
            candidate.url, max_bytes=self._plan.max_page_bytes, follows=self._is_new_here
        )
        self._tools.reading(candidate)
        report.elapsed_s = visit.elapsed_s
        if isinstance(visit, Failure):
            report.failure = visit
            return
        report.status = visit.status
        if visit.status in BUSY:
            report.failure = busy(visit)
            return
        if _leaves(visit, report):
            return
        report.final = urls.canonical(visit.final_url) or "" if visit.chain else ""
        self._visited.add(hash(candidate.url))
        self._visited.add(hash(report.final or candidate.url))
        document = Document(visit)
        verdict = probe.recognise(document, self._tools.kinds)
        if deserves_more(verdict):
            verdict = await self._identify(candidate.url, asking, document)
            report.failure = None if verdict.services else broken_off(asking.last)
            if report.failure is not None:
                return
        _note(verdict, report)
        if not verdict.services:
            report.objection = objection_to(verdict.refusal.reason if verdict.refusal else None, document)
        if report.objection is None and is_file:
            self._files.put(candidate.url, visit)
        if report.objection is None or may_be_no_wall(report.objection, visit.status):
            seen = await self._mine(document, candidate, report)
            await self._browse(document, candidate, report, seen)
            self._keep_links(seen, report)
            await self._add_sitemaps(candidate, report)

    def _asking(self, candidate: Candidate, report: Report) -> _Counting:
        return _Counting(self._tools.fetcher, report, partial(self._tools.reading, candidate), self._tools.reading)

    def _is_new_here(self, url: str, target: str) -> bool:
        """Redirects within a host are followed at once, but not to a page that was read before."""
        return bare_host(url) == bare_host(target) and hash(urls.canonical(target)) not in self._visited

    async def _test(self, candidate: Candidate, report: Report) -> None:
        """A candidate that looks like a service: ask it what it is; if it is none, it is a page like any other."""
        asking = self._asking(candidate, report)
        verdict = await self._identify(candidate.url, asking)
        _note(verdict, report)
        last = asking.last
        report.elapsed_s = last.elapsed_s if last else 0.0
        if verdict.services:
            report.status = 200
            return
        if isinstance(last, Response):
            report.status = last.status
            last = busy(last) if last.status in BUSY else last
        if isinstance(last, Failure):
            report.failure = last
        if not isinstance(last, Response):
            return
        if _leaves(last, report):
            return
        document = Document(last)
        refusal = probe.recognise(document, {}).refusal
        report.objection = objection_to(refusal.reason if refusal else None, document)
        if report.objection is None or may_be_no_wall(report.objection, last.status):
            seen = await self._mine(document, candidate, report)
            self._keep_links(seen, report)

    async def _identify(self, url: str, fetcher: Fetcher, known: Document | None = None) -> Verdict:
        tools = self._tools
        return await probe.identify(url, fetcher, tools.kinds, self._plan.max_service_bytes, known, tools.memory)

    async def _mine(self, document: Document, candidate: Candidate, report: Report) -> PageLinks:
        seen = EachOnce() if self._plan.counts_links else self._seen.page()
        page = await self._tools.explore(
            document, lambda url: self._file(url, candidate, report), seen.spelled(candidate.depth + 1)
        )
        report.found = follow(page, candidate.depth + 1, self._plan.fence, report.drops, seen)
        report.sketch = draw(candidate.url, document.body, page, report.found)
        if any(link.url not in (candidate.url, report.final) for link in report.found):
            report.objection = None  # a wall that lets links through is none
        report.page = replace(
            page, url=candidate.url, links=(), script_files=(), depth=candidate.depth, score=score_as_page(candidate),
            services=len(report.services), text=page.text if report.found else "",  # by which orders weigh the links
        )  # fmt: skip
        return seen

    def _keep_links(self, seen: PageLinks, report: Report) -> None:
        """Report the links of this page only once, unless the engine may drop the page: others may report them then."""
        report.is_cached = report.sketch is not None and self._is_first(report.sketch)
        if report.is_cached:
            seen.keep()

    def _is_first(self, sketch: Sketch) -> bool:
        """Has no page been read before with the same bytes, nor with the same words?"""
        has_new_body = self._contents.add(sketch.body)
        has_new_words = not sketch.words or self._contents.add(sketch.words)
        return has_new_body and has_new_words

    async def _browse(self, document: Document, candidate: Candidate, report: Report, seen: PageLinks) -> None:
        """Run the page where reading it is not enough, and follow what that shows."""
        if self._tools.browse is None or report.page is None:
            return
        self._tools.reading(None)  # the browser has processes of its own to break
        asking = _Counting(self._tools.fetcher, report, lambda: None, self._tools.reading)
        shown = await self._tools.browse(document, report.page, asking)
        page = Page(document.url, links=tuple(shown))
        report.found += follow(page, candidate.depth + 1, self._plan.fence, report.drops, seen)

    async def _file(self, url: str, candidate: Candidate, report: Report) -> Response | None:
        """A script or configuration file of the page being read: once for all pages."""
        if self._files.was_had(url) or not self._plan.fence.holds(url):
            return self._files.get(url)
        answer = await self._asking(candidate, report).fetch(url, max_bytes=self._plan.max_page_bytes)
        if isinstance(answer, Failure) or answer.status in BUSY or answer.status in _REDIRECTS:
            return None  # left to the frontier, which tries again
        if self._is_service(answer):
            self._files.put_service(url, answer)
            return None  # a candidate of its own, which then needs no second request
        self._files.put(url, answer)
        report.files.append(url)
        return answer

    def _is_service(self, answer: Response) -> bool:
        """Is a file of a page a service, or a list of services, that has to be catalogued as such?"""
        if answer.status >= 400 or not any(word in answer.content_type.lower() for word in ("json", "xml")):
            return False
        verdict = probe.recognise(Document(answer), self._tools.kinds)
        return bool(verdict.services or (verdict.refusal and verdict.refusal.lists))

    async def _add_sitemaps(self, candidate: Candidate, report: Report) -> None:
        """The sitemaps that the host's robots.txt names, once for each host."""
        host = urls.host(candidate.url)
        if host in self._sitemaps_asked or not host:
            return
        self._sitemaps_asked.add(host)
        self._tools.reading(None)
        for named in await self._tools.sitemaps(candidate.url):
            address = urls.canonical(named, candidate.url)
            if address and self._plan.fence.holds(address):
                report.found.append(Link(address, "robots.txt", place=Place.SITEMAP))

    async def _harvest(self, candidate: Candidate, report: Report) -> None:
        """A catalogue of services: all the addresses it holds."""
        endpoint, _, kind = candidate.url.partition(HARVEST_MARK)
        asking = self._asking(candidate, report)
        listed: list[str] = []
        async for found in self._tools.harvesters[kind].harvest(endpoint, asking):
            listed.append(found.url)
            if len(listed) >= self._plan.max_harvested:
                break
        report.listed, report.listed_as = tuple(listed), candidate.clue
        last = asking.last
        if isinstance(last, Failure) and (not listed or last.reason in AS_IF_CUT_OFF):
            report.failure = last  # half a list is kept, and the whole asked for again
        report.status = last.status if isinstance(last, Response) else 0


def _stays(url: str, target: str) -> bool:
    return urls.site(url) == urls.site(target)


class _Counting(FetcherBefore):
    """A fetcher that counts every visit in the report, stays on the site and remembers the last answer."""

    follows = staticmethod(_stays)

    def __init__(
        self, fetcher: Fetcher, report: Report, reading: Callable[[], None], waiting: Callable[[None], None]
    ) -> None:
        super().__init__(fetcher)
        self._report = report
        self._reading = reading
        self._waiting = waiting
        self.last: Visit | None = None

    async def ask(self, url: str, onward: Onward) -> Visit:  # noqa: ARG002 - `onward` knows it
        self._waiting(None)
        visit = await onward()
        self._reading()  # whoever asked reads it now, without a break
        self.last = visit
        self._report.requests += 1
        if isinstance(visit, Response):
            self._report.bytes += len(visit.body)
            self._report.hosts.add(urls.host(visit.final_url))
        return visit


def _leaves(visit: Response, report: Report) -> bool:
    """Does the answer send us to another site, whose pace somebody else keeps, or where we have been?"""
    location = visit.headers.get("location", "") if visit.status in _REDIRECTS else ""
    report.redirect = (urls.canonical(location, visit.final_url) or "") if location else ""
    return bool(report.redirect)


def _note(verdict: Verdict, report: Report) -> None:
    report.services, report.proofs = verdict.services, verdict.proofs
    if verdict.refusal and verdict.refusal.lists:
        report.listed, report.listed_as = tuple(verdict.refusal.lists), verdict.refusal.detail
