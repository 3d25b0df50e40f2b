"""One job, from the request to the report: fetch, recognise, mine; knows nothing of frontier and catalogue."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from isal import isal_zlib

from geohound import health, probe, urls
from geohound.contracts import Fetcher, Follows, Harvester, Kind
from geohound.data_files import START_BYTES, recognise
from geohound.document import Document, watcher_report
from geohound.document.refusals import redirected
from geohound.model.compact_sets import HashSet, Recent
from geohound.model.crawl.browsed import EventRow
from geohound.model.crawl.harvest import HarvestPage
from geohound.model.crawl.job import (
    CachedRobots,
    FailedCheck,
    Job,
    JobResult,
    PageRead,
    Redirected,
    Report,
    Sketch,
)
from geohound.model.crawl.kept_page import KeptPage
from geohound.model.failure import BUSY_STATUSES, FailureReason
from geohound.model.service import Service, Verdict
from geohound.model.visit import (
    Failure,
    Link,
    LinkPlace,
    Page,
    Purpose,
    RequestRecord,
    Response,
    Validators,
    Visit,
)
from geohound.text.keyword_groups import NO_KEYWORDS
from geohound.urls.address_book import AddressBook

from .answer_rules import (
    broken_off,
    busy,
    deserves_more,
    failed_test,
    may_be_no_wall,
    objection_to,
)
from .archived_pages import mine_archived
from .crawl_plan import Plan
from .harvesting import CatalogueFinder
from .link_filter import bare_host, follow, main_pages, split_files
from .page_sketch import draw
from .report_draft import CountingFetcher, ReportDraft, stays
from .response_cache import ResponseCache
from .seen_links import EachOnce, PageLinks, SeenLinks

log = logging.getLogger(__name__)

MAX_TYPE_CHARS = 200
_PACKING_LEVEL = 1  # as small as level 1 of zlib makes it, in a quarter of the time
MAX_COMPLETED = 200  # endpoints whose further documents need not be asked for again
_UNCHANGED = 304
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


IsKnown = Callable[[str, str], bool]
FetchFile = Callable[[str], Awaitable[Response | None]]
# A document, with its files; without links that were reported before.
Explore = Callable[[Document, FetchFile, IsKnown | None], Awaitable[Page]]

# What running a page adds to reading it; of its events only those that its site's watcher reports, if it reports some.
Browse = Callable[[Document, Page, Fetcher, Sequence[EventRow]], Awaitable[list[Link]]]


def _nothing(_: Job | None) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class ExaminerParts:
    """What an examiner works with; app.py chooses it."""

    fetcher: Fetcher
    kinds: Mapping[str, Kind]
    book: AddressBook
    harvesters: Mapping[str, Harvester]
    explore: Explore
    sitemaps: Callable[[str], Awaitable[Sequence[str]]]
    # that were made since it was last asked
    requests: Callable[[], Sequence[RequestRecord]] = tuple
    robots: Callable[[], Sequence[CachedRobots]] = tuple  # that were read since then
    recall_robots: Callable[[Iterable[CachedRobots]], None] = lambda _: None
    # of robots.txt that could not be had
    forget_troubles: Callable[[], None] = lambda: None
    browse: Browse | None = None  # what running a page adds
    # what else is open beside the fetcher
    close: Callable[[], Awaitable[None]] | None = None
    # hears what is being read, for whoever guards this process
    reading: Callable[[Job | None], None] = _nothing
    # for the bytes that one job holds
    account: Callable[[], AbstractContextManager[None]] = nullcontext
    forget: Callable[[], None] = lambda: None  # what `explore` remembers
    # headers and first bytes of a file
    fetch_start: Callable[[str, int, Follows], Awaitable[Visit]] | None = None


class LocalExaminer:
    """Examines in this process."""

    restarts = 0

    def __init__(self, plan: Plan, parts: ExaminerParts) -> None:
        self._plan = plan
        self._parts = parts
        self._catalogue_finder = CatalogueFinder(parts.harvesters.values())
        self.forget()

    def forget(self) -> None:
        self._parts.forget()
        self._seen = SeenLinks(by_depth=self._plan.counts_depths)
        self._contents = HashSet()  # marks of the pages that were read
        self._sitemaps_asked: set[str] = set()
        self._visited = HashSet()
        self._files = ResponseCache()
        self._completed: Recent[str, tuple[Service, ...]] = Recent(MAX_COMPLETED)

    async def examine(self, job: Job) -> Report:
        """A bug costs this job, not the crawl."""
        draft = ReportDraft()
        asking = self._asking(job)
        self._parts.recall_robots(job.robots)
        try:
            with self._parts.account():
                result = await self._examine(job, asking, draft)
        except Exception:
            log.exception("a bug while visiting %s", job.url)
            at = datetime.now(UTC)
            result = Failure(job.url, FailureReason.BUG, "see the log", at)
            draft = ReportDraft(draft.status)
        self._parts.reading(None)
        refusal = draft.verdict.refusal
        lists = tuple(refusal.lists) if refusal else ()
        return Report(
            result,
            draft.status,
            draft.elapsed_s,
            listed=lists,
            listed_as=refusal.detail if refusal and lists else "",
            drops=dict(draft.drops),
            asked=asking.asked,
            bytes=asking.bytes,
            hosts=frozenset(asking.hosts),
            requests=tuple(self._parts.requests()),
            robots=tuple(self._parts.robots()),
            address=asking.address,
            failed_checks=self._failed_checks(job, result, draft.verdict),
            kept=draft.kept,
            is_copy=draft.is_copy,
        )

    def _failed_checks(
        self, job: Job, result: JobResult, verdict: Verdict
    ) -> tuple[FailedCheck, ...]:
        if isinstance(result, Failure):
            verdict = replace(verdict, refusal=probe.refused_by_failure(result))
        elif isinstance(result, Redirected):
            verdict = replace(verdict, refusal=redirected(result.url))
        verdict = verdict if verdict.tried else replace(verdict, tried=(job.url,))
        return health.failed_checks(
            job.known, verdict, self._parts.kinds, self._parts.book
        )

    async def _examine(
        self, job: Job, asking: CountingFetcher, draft: ReportDraft
    ) -> JobResult:
        match job.purpose:
            case Purpose.HARVEST:
                return await self._harvest(job, asking, draft)
            case Purpose.PAGE:
                return await self._visit(job, asking, draft)
            case Purpose.FILE:
                return await self._look_at_file(job, asking, draft)
            case Purpose.WATCHER:
                return await self._read_watcher(job, asking, draft)
            case _:
                return await self._test(job, asking, draft)

    async def refresh(self) -> None:
        self._parts.forget_troubles()

    async def close(self) -> None:
        if self._parts.close is not None:
            await self._parts.close()
        await self._parts.fetcher.close()

    async def _visit(
        self, job: Job, asking: CountingFetcher, draft: ReportDraft
    ) -> JobResult:
        """A page: fetch, recognise, mine."""
        if job.is_file and self._files.was_had(job.url):  # with the page it belongs to
            return PageRead(objection=FailureReason.DUPLICATE_CONTENT)
        visit = await self._page_of(job, draft, asking)
        self._parts.reading(job)
        draft.elapsed_s = visit.elapsed_s
        if isinstance(visit, Failure):
            return visit
        # what was not asked has no status
        draft.status = 0 if draft.is_copy else visit.status
        if visit.status in BUSY_STATUSES:
            return busy(visit)
        if job.past is not None and visit.status == _UNCHANGED:
            return PageRead()
        if target := _redirect(visit):
            return Redirected(target)
        draft.validators = Validators.of(visit) if job.past is not None else None
        draft.final = urls.canonical(visit.final_url) or "" if visit.chain else ""
        self._visited.add(hash(job.url))
        self._visited.add(hash(draft.final or job.url))
        document = Document(visit)
        verdict = probe.recognise(document, self._parts.kinds)
        if deserves_more(verdict) or self._may_serve(job, document):
            verdict = await self._identify(job, asking, document)
            cut_off = None if verdict.services else broken_off(asking.last)
            if cut_off is not None:
                return cut_off
        draft.verdict = verdict
        if not verdict.services:
            draft.objection = objection_to(
                verdict.refusal.reason if verdict.refusal else None, document
            )
        if draft.objection is None:
            draft.catalogues = self._catalogue_finder.of(document)
        if draft.objection is None and job.is_file:
            self._files.put(job.url, visit)
        if draft.objection is None or may_be_no_wall(draft.objection, visit.status):
            seen = await self._mine(document, job, asking, draft)
            await self._browse(document, job, asking, draft, seen)
            self._keep_links(seen, draft)
            await self._add_sitemaps(job, draft)
        return draft.page_read()

    async def _page_of(
        self, job: Job, draft: ReportDraft, asking: CountingFetcher
    ) -> Visit:
        """The page itself, unless it was read of late, with another page or by another task."""
        had = self._files.take_service(job.url) or _copied(job, draft)
        if had is not None:
            return had
        return await asking.fetch(
            job.url,
            max_bytes=self._plan.max_page_bytes,
            follows=self._is_new_here,
            known=job.past,
        )

    def _may_serve(self, job: Job, document: Document) -> bool:
        """Is it a page at an address such as …/service, where OGC services live that greet visitors with a page?"""
        is_page = document.is_html and document.response.status < 400
        return is_page and probe.is_neutral(job.url, self._parts.kinds)

    def _asking(self, job: Job) -> CountingFetcher:
        return CountingFetcher(
            self._parts.fetcher,
            partial(self._parts.reading, job),
            self._parts.reading,
        )

    def _is_new_here(self, url: str, target: str) -> bool:
        """Redirects within a host are followed at once, but not to a page that was read before."""
        return (
            bare_host(url) == bare_host(target)
            and hash(urls.canonical(target)) not in self._visited
        )

    async def _test(
        self, job: Job, asking: CountingFetcher, draft: ReportDraft
    ) -> JobResult:
        """What looks like a service: ask it what it is; if it is none, it is a page like any other."""
        verdict = draft.verdict = await self._identify(job, asking)
        last = asking.last
        draft.elapsed_s = last.elapsed_s if last else 0.0
        if verdict.services:
            draft.status = 200
            return draft.page_read()
        draft.in_vain = failed_test(verdict.refusal.reason if verdict.refusal else None)
        if last is None:
            return draft.page_read()
        if isinstance(last, Failure):
            return last
        draft.status = last.status
        if last.status in BUSY_STATUSES:
            return busy(last)
        if target := _redirect(last):
            return Redirected(target)
        document = Document(last)
        refusal = probe.recognise(document, {}).refusal
        draft.objection = objection_to(refusal.reason if refusal else None, document)
        if draft.objection is None or may_be_no_wall(draft.objection, last.status):
            seen = await self._mine(document, job, asking, draft)
            self._keep_links(seen, draft)
        return draft.page_read()

    async def _identify(
        self, job: Job, fetcher: Fetcher, known: Document | None = None
    ) -> Verdict:
        cache = probe.ProbeCache(job.known, self._completed, job.is_guess)
        return await probe.identify(
            job.url,
            fetcher,
            self._parts.kinds,
            self._plan.max_service_bytes,
            known,
            cache,
        )

    async def _mine(
        self,
        document: Document,
        job: Job,
        asking: CountingFetcher,
        draft: ReportDraft,
    ) -> PageLinks:
        seen = EachOnce() if self._plan.counts_links else self._seen.page()
        page = await self._parts.explore(
            document,
            lambda url: self._file(url, asking, draft),
            seen.spelled(job.depth + 1),
        )
        draft.links = self._follow(page, job, draft, seen)
        draft.sketch = draw(job.url, document.body, page, draft.links, self._parts.book)
        draft.kept = self._page_to_keep(document, page, job, draft)
        document.let_go()
        if any(link.url not in (job.url, draft.final) for link in draft.links):
            draft.objection = None  # a wall that lets links through is none
        draft.page = replace(
            page, url=job.url, links=(), script_files=(), depth=job.depth, services=len(draft.verdict.services),
            text=page.text if draft.links else "",  # by which orders weigh the links
        )  # fmt: skip
        return seen

    def _page_to_keep(
        self, document: Document, page: Page, job: Job, draft: ReportDraft
    ) -> KeptPage | None:
        """Pages with the words of map services may hold one another time (LI-6).

        Others are kept only for as long as no task need read them again (PH-5).
        """
        room = self._plan.page_room
        group = NO_KEYWORDS if page.keyword_group is None else page.keyword_group
        days = room.other_days if group == NO_KEYWORDS else room.days
        is_whole = (
            job.purpose is Purpose.PAGE
            and not draft.verdict.services
            and _says_all(document.response)
        )
        is_wanted = group != NO_KEYWORDS or is_whole
        if draft.is_copy or not is_wanted or not room.is_there or days <= 0:
            return None
        packed = isal_zlib.compress(document.body, _PACKING_LEVEL)
        content_type = document.response.content_type[:MAX_TYPE_CHARS]
        return KeptPage(job.url, group, content_type, packed, days, is_whole)

    def _follow(
        self, page: Page, job: Job, draft: ReportDraft, seen: PageLinks
    ) -> list[Link]:
        followed = follow(
            page, job.depth + 1, self._plan.scope, self._parts.book, draft.drops, seen
        )
        found, files = split_files(followed, self._parts.book)
        draft.data_files += files
        return (
            main_pages(found, self._parts.book) if self._plan.main_pages_only else found
        )

    def _keep_links(self, seen: PageLinks, draft: ReportDraft) -> None:
        """Report the links of this page only once, unless the engine may drop the page: others may report them then."""
        draft.is_cached = draft.sketch is not None and self._is_first(draft.sketch)
        if draft.is_cached:
            seen.keep()

    def _is_first(self, sketch: Sketch) -> bool:
        """Has no page been read before with the same bytes, nor with the same words?"""
        has_new_body = self._contents.add(sketch.body)
        has_new_words = not sketch.words or self._contents.add(sketch.words)
        return has_new_body and has_new_words

    async def _browse(
        self,
        document: Document,
        job: Job,
        asking: CountingFetcher,
        draft: ReportDraft,
        seen: PageLinks,
    ) -> None:
        """Run the page where reading it is not enough, and follow what that shows."""
        if self._parts.browse is None or draft.page is None:
            return
        self._parts.reading(None)  # the browser has processes of its own to break
        with asking.read_elsewhere():
            shown = await self._parts.browse(document, draft.page, asking, job.events)
        page = Page(document.url, links=tuple(shown))
        draft.links += self._follow(page, job, draft, seen)

    async def _file(
        self, url: str, asking: CountingFetcher, draft: ReportDraft
    ) -> Response | None:
        """A script or configuration file of the page being read: once for all pages."""
        if self._files.was_had(url) or not self._plan.scope.holds(url):
            return self._files.get(url)
        answer = await asking.fetch(url, max_bytes=self._plan.max_page_bytes)
        if (
            isinstance(answer, Failure)
            or answer.status in BUSY_STATUSES
            or answer.status in _REDIRECTS
        ):
            return None  # left to the frontier, which tries again
        if self._is_service(answer):
            self._files.put_service(url, answer)
            return None  # a candidate of its own, which then needs no second request
        self._files.put(url, answer)
        draft.files.append(url)
        return answer

    def _is_service(self, answer: Response) -> bool:
        """Is a file of a page a service, or a list of services, that has to be catalogued as such?"""
        if answer.status >= 400 or not any(
            word in answer.content_type.lower() for word in ("json", "xml")
        ):
            return False
        verdict = probe.recognise(Document(answer), self._parts.kinds)
        return bool(verdict.services or (verdict.refusal and verdict.refusal.lists))

    async def _add_sitemaps(self, job: Job, draft: ReportDraft) -> None:
        """The sitemaps that the host's robots.txt names, once for each host."""
        host = urls.host(job.url)
        if host in self._sitemaps_asked or not host:
            return
        self._sitemaps_asked.add(host)
        self._parts.reading(None)
        for named in await self._parts.sitemaps(job.url):
            address = urls.canonical(named, job.url)
            if address and self._plan.scope.holds(address):
                draft.links.append(Link(address, "robots.txt", place=LinkPlace.SITEMAP))

    async def _mine_archived(self, found: HarvestPage) -> HarvestPage:
        """Archived pages are mined as live ones, without any request: what they need is in the archive or gone."""

        async def no_file(_: str) -> Response | None:
            return None

        async def mine(document: Document) -> Page:
            return await self._parts.explore(document, no_file, None)

        return await mine_archived(found, mine, self._parts.kinds, self._parts.book)

    async def _look_at_file(
        self, job: Job, asking: CountingFetcher, draft: ReportDraft
    ) -> JobResult:
        """A data file: its headers and first bytes, and no more of it."""
        if self._parts.fetch_start is None:
            return PageRead()
        visit = await asking.ask(
            job.url, partial(self._parts.fetch_start, job.url, START_BYTES, stays)
        )
        draft.elapsed_s = visit.elapsed_s
        if isinstance(visit, Failure):
            return visit
        draft.status = visit.status
        if visit.status in BUSY_STATUSES:
            return busy(visit)
        if target := _redirect(visit):
            return Redirected(target)
        return recognise(job.format, visit)

    async def _read_watcher(
        self, job: Job, asking: CountingFetcher, draft: ReportDraft
    ) -> JobResult:
        """The report of a site's watcher; it counts only from the site's own origin."""
        visit = await asking.fetch(
            job.url, max_bytes=watcher_report.MAX_BYTES, follows=_stays_at_origin
        )
        draft.elapsed_s = visit.elapsed_s
        if isinstance(visit, Failure):
            return visit
        draft.status = visit.status
        try:
            if visit.status != 200:
                raise watcher_report.BadReportError(f"the site answers {visit.status}")
            return watcher_report.read(visit, self._plan.watchers.key)
        except watcher_report.BadReportError as error:
            reason = (
                FailureReason.HTTP_ERROR
                if visit.status != 200
                else FailureReason.MALFORMED
            )
            return Failure(
                job.url, reason, f"the watcher's report is not used: {error}", visit.at
            )

    async def _harvest(
        self, job: Job, asking: CountingFetcher, draft: ReportDraft
    ) -> JobResult:
        """One page of a catalogue: the addresses it holds, and where the next one begins."""
        harvester = self._parts.harvesters[job.harvester]
        found = await harvester.page(job.url, job.cursor, asking)
        last = asking.last
        draft.elapsed_s = last.elapsed_s if last else 0.0
        draft.status = last.status if isinstance(last, Response) else 0
        if isinstance(found, Failure) or not found.documents:
            return found
        return await self._mine_archived(found)


def _copied(job: Job, draft: ReportDraft) -> Response | None:
    """The page as another task read it, where it need not be asked for again."""
    if job.copy is None:
        return None
    draft.is_copy = True
    headers = {"content-type": job.copy.content_type}
    return Response(job.url, job.url, 200, headers, job.copy.body, job.copy.at)


def _says_all(response: Response) -> bool:
    """Is the body all that counts: no redirect before it, nothing cut off, no rules for robots in the headers?"""
    is_plain = response.status == 200 and not response.chain and not response.truncated
    return is_plain and "x-robots-tag" not in response.headers


def _stays_at_origin(url: str, target: str) -> bool:
    return urls.origin(url) == urls.origin(target)


def _redirect(visit: Response) -> str:
    """Another site, whose pace somebody else keeps, or a page where we have been: where the answer sends us."""
    location = visit.headers.get("location", "") if visit.status in _REDIRECTS else ""
    return (urls.canonical(location, visit.final_url) or "") if location else ""
