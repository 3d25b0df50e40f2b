"""One job, from the request to the report: fetch, recognise, mine; knows nothing of frontier and catalogue."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from geohound import probe, urls
from geohound.contracts import Fetcher, Harvester, Kind
from geohound.document import Document
from geohound.model.compact import HashSet, Recent
from geohound.model.job import CachedRobots, Job, PageRead, Redirected, Report, Sketch
from geohound.model.service import Proof, Service, Verdict
from geohound.model.visit import (
    AS_IF_CUT_OFF,
    Failure,
    FailureReason,
    Link,
    Page,
    Place,
    Purpose,
    RequestRecord,
    Response,
    Visit,
)
from geohound.onward import FetcherBefore, Onward

from .answers import BUSY, broken_off, busy, deserves_more, may_be_no_wall, objection_to
from .follow import bare_host, follow
from .plan import Plan
from .seen import EachOnce, PageLinks, SeenLinks
from .shelf import Shelf
from .sketch import draw

log = logging.getLogger(__name__)

MAX_COMPLETED = 200  # endpoints whose further documents need not be asked for again
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


Told = Callable[[str, str], bool]
FetchFile = Callable[[str], Awaitable[Response | None]]


def _nothing(_: Job | None) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What an examiner works with; assembly chooses it."""

    fetcher: Fetcher
    kinds: Mapping[str, Kind]
    harvesters: Mapping[str, Harvester]
    explore: Callable[
        [Document, FetchFile, Told | None], Awaitable[Page]
    ]  # a document, with its files; but for links seen before
    sitemaps: Callable[[str], Awaitable[Sequence[str]]]
    requests: Callable[[], Sequence[RequestRecord]] = tuple  # that were made since it was last asked
    robots: Callable[[], Sequence[CachedRobots]] = tuple  # that were read since then
    recall_robots: Callable[[Iterable[CachedRobots]], None] = lambda _: None
    forget_troubles: Callable[[], None] = lambda: None  # of robots.txt that could not be had
    browse: Callable[[Document, Page, Fetcher], Awaitable[list[Link]]] | None = None  # what running a page adds
    close: Callable[[], Awaitable[None]] | None = None  # what else is open beside the fetcher
    reading: Callable[[Job | None], None] = _nothing  # hears what is being read, for whoever guards this process
    account: Callable[[], AbstractContextManager[None]] = nullcontext  # for the bytes that one job holds


@dataclass(slots=True)
class _Draft:
    """A report in the making."""

    status: int = 0
    elapsed_s: float = 0.0
    failure: Failure | None = None
    redirect: str = ""
    objection: FailureReason | None = None
    services: tuple[Service, ...] = ()
    proofs: tuple[Proof, ...] = ()
    listed: tuple[str, ...] = ()
    listed_as: str = ""
    final: str = ""
    page: Page | None = None
    links: list[Link] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    sketch: Sketch | None = None
    is_cached: bool = False
    drops: Counter[FailureReason] = field(default_factory=Counter)
    asked: int = 0
    bytes: int = 0
    address: str = ""
    hosts: set[str] = field(default_factory=set)

    def note(self, verdict: Verdict) -> None:
        self.services, self.proofs = verdict.services, verdict.proofs
        if verdict.refusal and verdict.refusal.lists:
            self.listed, self.listed_as = tuple(verdict.refusal.lists), verdict.refusal.detail

    def result(self) -> PageRead | Redirected | Failure:
        if self.failure is not None:
            return self.failure
        if self.redirect:
            return Redirected(self.redirect)
        return PageRead(
            self.services, self.proofs, self.objection, self.final, self.page, tuple(self.links), tuple(self.files),
            self.sketch, self.is_cached,
        )  # fmt: skip


class LocalExaminer:
    """Examines in this process."""

    restarts = 0

    def __init__(self, plan: Plan, tools: Tools) -> None:
        self._plan = plan
        self._tools = tools
        self._seen = SeenLinks()
        self._contents = HashSet()  # marks of the pages that were read
        self._sitemaps_asked: set[str] = set()
        self._visited = HashSet()
        self._files = Shelf()
        self._completed: Recent[str, tuple[Service, ...]] = Recent(MAX_COMPLETED)

    async def examine(self, job: Job) -> Report:
        """A bug costs this job, not the crawl."""
        draft = _Draft()
        self._tools.recall_robots(job.robots)
        try:
            with self._tools.account():
                await self._examine(job, draft)
        except Exception:
            log.exception("a bug while visiting %s", job.url)
            bug = Failure(job.url, FailureReason.BUG, "see the log", datetime.now(UTC))
            draft = _Draft(draft.status, failure=bug, asked=1)
        self._tools.reading(None)
        return Report(
            draft.result(), draft.status, draft.elapsed_s, draft.listed, draft.listed_as, dict(draft.drops),
            draft.asked, draft.bytes, frozenset(draft.hosts), tuple(self._tools.requests()),
            tuple(self._tools.robots()), draft.address,
        )  # fmt: skip

    async def _examine(self, job: Job, draft: _Draft) -> None:
        match job.purpose:
            case Purpose.HARVEST:
                await self._harvest(job, draft)
            case Purpose.PAGE:
                await self._visit(job, draft)
            case _:
                await self._test(job, draft)

    async def refresh(self) -> None:
        self._tools.forget_troubles()

    async def close(self) -> None:
        if self._tools.close is not None:
            await self._tools.close()
        await self._tools.fetcher.close()

    async def _visit(self, job: Job, draft: _Draft) -> None:
        """A page: fetch, recognise, mine."""
        if job.is_file and self._files.was_had(job.url):  # with the page it belongs to
            draft.objection = FailureReason.DUPLICATE_CONTENT
            return
        asking = self._asking(job, draft)
        visit = self._files.take_service(job.url) or await asking.fetch(
            job.url, max_bytes=self._plan.max_page_bytes, follows=self._is_new_here
        )
        self._tools.reading(job)
        draft.elapsed_s = visit.elapsed_s
        if isinstance(visit, Failure):
            draft.failure = visit
            return
        draft.status = visit.status
        if visit.status in BUSY:
            draft.failure = busy(visit)
            return
        if _leaves(visit, draft):
            return
        draft.final = urls.canonical(visit.final_url) or "" if visit.chain else ""
        self._visited.add(hash(job.url))
        self._visited.add(hash(draft.final or job.url))
        document = Document(visit)
        verdict = probe.recognise(document, self._tools.kinds)
        if deserves_more(verdict):
            verdict = await self._identify(job, asking, document)
            draft.failure = None if verdict.services else broken_off(asking.last)
            if draft.failure is not None:
                return
        draft.note(verdict)
        if not verdict.services:
            draft.objection = objection_to(verdict.refusal.reason if verdict.refusal else None, document)
        if draft.objection is None and job.is_file:
            self._files.put(job.url, visit)
        if draft.objection is None or may_be_no_wall(draft.objection, visit.status):
            seen = await self._mine(document, job, draft)
            await self._browse(document, job, draft, seen)
            self._keep_links(seen, draft)
            await self._add_sitemaps(job, draft)

    def _asking(self, job: Job, draft: _Draft) -> _Counting:
        return _Counting(self._tools.fetcher, draft, partial(self._tools.reading, job), self._tools.reading)

    def _is_new_here(self, url: str, target: str) -> bool:
        """Redirects within a host are followed at once, but not to a page that was read before."""
        return bare_host(url) == bare_host(target) and hash(urls.canonical(target)) not in self._visited

    async def _test(self, job: Job, draft: _Draft) -> None:
        """What looks like a service: ask it what it is; if it is none, it is a page like any other."""
        asking = self._asking(job, draft)
        verdict = await self._identify(job, asking)
        draft.note(verdict)
        last = asking.last
        draft.elapsed_s = last.elapsed_s if last else 0.0
        if verdict.services:
            draft.status = 200
            return
        if isinstance(last, Response):
            draft.status = last.status
            last = busy(last) if last.status in BUSY else last
        if isinstance(last, Failure):
            draft.failure = last
        if not isinstance(last, Response):
            return
        if _leaves(last, draft):
            return
        document = Document(last)
        refusal = probe.recognise(document, {}).refusal
        draft.objection = objection_to(refusal.reason if refusal else None, document)
        if draft.objection is None or may_be_no_wall(draft.objection, last.status):
            seen = await self._mine(document, job, draft)
            self._keep_links(seen, draft)

    async def _identify(self, job: Job, fetcher: Fetcher, known: Document | None = None) -> Verdict:
        memory = probe.Memory(job.known, self._completed)
        return await probe.identify(job.url, fetcher, self._tools.kinds, self._plan.max_service_bytes, known, memory)

    async def _mine(self, document: Document, job: Job, draft: _Draft) -> PageLinks:
        seen = EachOnce() if self._plan.counts_links else self._seen.page()
        page = await self._tools.explore(document, lambda url: self._file(url, job, draft), seen.spelled(job.depth + 1))
        draft.links = follow(page, job.depth + 1, self._plan.fence, draft.drops, seen)
        draft.sketch = draw(job.url, document.body, page, draft.links)
        document.let_go()
        if any(link.url not in (job.url, draft.final) for link in draft.links):
            draft.objection = None  # a wall that lets links through is none
        draft.page = replace(
            page, url=job.url, links=(), script_files=(), depth=job.depth, services=len(draft.services),
            text=page.text if draft.links else "",  # by which orders weigh the links
        )  # fmt: skip
        return seen

    def _keep_links(self, seen: PageLinks, draft: _Draft) -> None:
        """Report the links of this page only once, unless the engine may drop the page: others may report them then."""
        draft.is_cached = draft.sketch is not None and self._is_first(draft.sketch)
        if draft.is_cached:
            seen.keep()

    def _is_first(self, sketch: Sketch) -> bool:
        """Has no page been read before with the same bytes, nor with the same words?"""
        has_new_body = self._contents.add(sketch.body)
        has_new_words = not sketch.words or self._contents.add(sketch.words)
        return has_new_body and has_new_words

    async def _browse(self, document: Document, job: Job, draft: _Draft, seen: PageLinks) -> None:
        """Run the page where reading it is not enough, and follow what that shows."""
        if self._tools.browse is None or draft.page is None:
            return
        self._tools.reading(None)  # the browser has processes of its own to break
        asking = _Counting(self._tools.fetcher, draft, lambda: None, self._tools.reading)
        shown = await self._tools.browse(document, draft.page, asking)
        page = Page(document.url, links=tuple(shown))
        draft.links += follow(page, job.depth + 1, self._plan.fence, draft.drops, seen)

    async def _file(self, url: str, job: Job, draft: _Draft) -> Response | None:
        """A script or configuration file of the page being read: once for all pages."""
        if self._files.was_had(url) or not self._plan.fence.holds(url):
            return self._files.get(url)
        answer = await self._asking(job, draft).fetch(url, max_bytes=self._plan.max_page_bytes)
        if isinstance(answer, Failure) or answer.status in BUSY or answer.status in _REDIRECTS:
            return None  # left to the frontier, which tries again
        if self._is_service(answer):
            self._files.put_service(url, answer)
            return None  # a candidate of its own, which then needs no second request
        self._files.put(url, answer)
        draft.files.append(url)
        return answer

    def _is_service(self, answer: Response) -> bool:
        """Is a file of a page a service, or a list of services, that has to be catalogued as such?"""
        if answer.status >= 400 or not any(word in answer.content_type.lower() for word in ("json", "xml")):
            return False
        verdict = probe.recognise(Document(answer), self._tools.kinds)
        return bool(verdict.services or (verdict.refusal and verdict.refusal.lists))

    async def _add_sitemaps(self, job: Job, draft: _Draft) -> None:
        """The sitemaps that the host's robots.txt names, once for each host."""
        host = urls.host(job.url)
        if host in self._sitemaps_asked or not host:
            return
        self._sitemaps_asked.add(host)
        self._tools.reading(None)
        for named in await self._tools.sitemaps(job.url):
            address = urls.canonical(named, job.url)
            if address and self._plan.fence.holds(address):
                draft.links.append(Link(address, "robots.txt", place=Place.SITEMAP))

    async def _harvest(self, job: Job, draft: _Draft) -> None:
        """A catalogue of services: all the addresses it holds."""
        asking = self._asking(job, draft)
        listed: list[str] = []
        async for found in self._tools.harvesters[job.harvester].harvest(job.url, asking):
            listed.append(found.url)
            if len(listed) >= self._plan.max_harvested:
                break
        draft.listed = tuple(listed)
        last = asking.last
        if isinstance(last, Failure) and (not listed or last.reason in AS_IF_CUT_OFF):
            draft.failure = last  # half a list is kept, and the whole asked for again
        draft.status = last.status if isinstance(last, Response) else 0


def _stays(url: str, target: str) -> bool:
    return urls.site(url) == urls.site(target)


class _Counting(FetcherBefore):
    """A fetcher that counts every visit in the report, stays on the site and remembers the last answer."""

    follows = staticmethod(_stays)

    def __init__(
        self, fetcher: Fetcher, draft: _Draft, reading: Callable[[], None], waiting: Callable[[None], None]
    ) -> None:
        super().__init__(fetcher)
        self._draft = draft
        self._reading = reading
        self._waiting = waiting
        self.last: Visit | None = None

    async def ask(self, url: str, onward: Onward) -> Visit:  # noqa: ARG002 - `onward` knows it
        self._waiting(None)
        self.last = None  # nobody reads it any more, and it may be large
        visit = await onward()
        self._reading()  # whoever asked reads it now, without a break
        self.last = visit
        self._draft.asked += 1
        self._draft.address = self._draft.address or visit.address
        if isinstance(visit, Response):
            self._draft.bytes += len(visit.body)
            self._draft.hosts.add(urls.host(visit.final_url))
        return visit


def _leaves(visit: Response, draft: _Draft) -> bool:
    """Does the answer send us to another site, whose pace somebody else keeps, or where we have been?"""
    location = visit.headers.get("location", "") if visit.status in _REDIRECTS else ""
    draft.redirect = (urls.canonical(location, visit.final_url) or "") if location else ""
    return bool(draft.redirect)
