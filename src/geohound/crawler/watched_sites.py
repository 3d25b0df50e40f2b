"""Sites with a watcher in a crawl: asked for their report first, taken by one crawler, read where they changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from secrets import token_hex
from urllib.parse import parse_qs, urlencode, urlsplit

from geohound import urls
from geohound.contracts import Clock, WatchedSiteStore
from geohound.frontier.url_keys import url_key
from geohound.model.crawl.browsed import EventRow
from geohound.model.crawl.watched import (
    REPORT_PATH,
    AskWatchers,
    FlagReset,
    WatchedSite,
    WatcherPolicy,
    WatcherReport,
)
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Purpose, Via

CONFIRM_S = 3.0  # after which the watcher may have seen in its log who took the site
MAX_CONFIRMS = 4  # then it has no log, or does not read it: the flag says nothing
HOLD_S = 1.0  # for pages of a site whose report is being asked for
MAX_EVENT_PAGES = 20_000
MAX_STRANGERS = 20  # sites of seeds that are asked though no watcher is known there: each costs a request and a pause
_FIRST = 1e6  # a report comes before everything else of its site


class SiteState(Enum):
    """How the pages of a site are treated."""

    ASKED = "asked"  # they wait for the report
    OPEN = "open"  # no watcher, or nothing that it says spares a request: crawled as any other site
    CHANGED_ONLY = "changed only"  # of pages that were read before, those in the report
    TAKEN = "taken"  # by another crawler, and left to it
    RESTING = "resting"  # by us, less than its period ago


@dataclass(slots=True)
class _Site:
    state: SiteState
    holder: str
    kept: WatchedSite | None = None
    report: WatcherReport | None = None
    confirms: int = 0
    # hashes of pages in the report, or owed since an earlier one
    reported: set[int] = field(default_factory=set)
    # of pages that a report had and that were read
    known: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class WatcherNews:
    """What follows from a report: pages to be visited, another request for it, and how long the host waits."""

    candidates: tuple[Candidate, ...] = ()
    pause_s: float = 0.0
    again_in_s: float | None = None  # the same request is to be made again


class WatchedSites:
    """The sites of one crawl, as far as watchers matter."""

    def __init__(
        self,
        policy: WatcherPolicy,
        store: WatchedSiteStore | None,
        clock: Clock,
        task: int,
    ) -> None:
        self._policy = policy
        self._store = store
        self._clock = clock
        self._task = task
        self._sites: dict[str, _Site] = {}
        self._events: dict[str, tuple[EventRow, ...]] = {}
        self._with_watcher = (
            set(store.origins()) if store is not None and self.is_on else set()
        )

    @property
    def is_on(self) -> bool:
        return self._store is not None and self._policy.ask is not AskWatchers.NEVER

    def events(self, url: str) -> tuple[EventRow, ...]:
        """The events of a page, as the report of its site has them."""
        return self._events.get(url, ())

    def is_reported(self, url: str) -> bool:
        """Does the report of its site say that this page is new or has changed?"""
        site = self._sites.get(urls.origin(url)) if self._sites else None
        return site is not None and url_key(url) in site.reported

    def ask_first(self, candidate: Candidate) -> Candidate | None:
        """The request for the report of this page's site, where it has to be made before the page is read."""
        origin = urls.origin(candidate.url)
        if not self.is_on or not candidate.is_page or origin in self._sites:
            return None
        is_wanted = (
            self._policy.ask is AskWatchers.ALWAYS or origin in self._with_watcher
        )
        if not is_wanted and (
            candidate.via is not Via.SEED or len(self._sites) >= MAX_STRANGERS
        ):
            return None
        kept = self._store.site(origin) if self._store is not None else None
        is_ours = kept is not None and kept.task == self._task
        holder = kept.holder if kept is not None and is_ours else token_hex(8)
        site = self._sites[origin] = _Site(SiteState.ASKED, holder, kept)
        if kept is not None and not is_ours and self._rests(kept):
            site.state = SiteState.RESTING
            return None
        query = {"crawler": holder, "reset": str(self._policy.reset)}
        if self._policy.reset is FlagReset.TIME:
            query["period"] = f"{self._policy.period_s:.0f}"
        if is_ours:  # an earlier run made this request, and no URL is visited twice
            query["resumed"] = token_hex(4)
        return _request(origin, query, candidate.url)

    def _rests(self, kept: WatchedSite) -> bool:
        """Was it taken so lately that it is not asked again, where the reset goes by time?"""
        since = self._clock.now() - kept.asked_at
        return self._policy.reset is FlagReset.TIME and since < timedelta(
            seconds=self._policy.period_s
        )

    def objection(self, candidate: Candidate) -> FailureReason | float | None:
        """Why a page is not read, or for how many seconds it has to wait; None if it may be read now."""
        site = self._sites.get(urls.origin(candidate.url)) if self._sites else None
        if site is None or not candidate.is_page:
            return None
        match site.state:
            case SiteState.ASKED:
                return HOLD_S
            case SiteState.TAKEN:
                return FailureReason.TAKEN
            case SiteState.RESTING:
                return FailureReason.UNCHANGED
            case SiteState.CHANGED_ONLY if (
                candidate.via is not Via.WATCHER and "?" not in candidate.url
            ):
                return (
                    FailureReason.UNCHANGED
                    if url_key(candidate.url) in site.known
                    else None
                )
        return None

    def failed(self, candidate: Candidate) -> None:
        """There is no report, or none to be believed."""
        self._open(urls.origin(candidate.url))

    def _open(self, origin: str) -> None:
        site = self._sites.get(origin)
        if site is not None:
            site.state = SiteState.OPEN

    def take(self, candidate: Candidate, report: WatcherReport) -> WatcherNews:
        """What follows from a report."""
        origin = urls.origin(candidate.url)
        asked = {
            name: values[-1]
            for name, values in parse_qs(urlsplit(candidate.url).query).items()
        }
        site = self._sites.setdefault(
            origin, _Site(SiteState.ASKED, asked.get("crawler", ""))
        )
        if site.report is None:  # a run that was killed may have asked by another name
            site.holder = asked.get("crawler", "")
        is_ours = report.is_taken and report.holder == site.holder
        is_confirming = "read" in asked
        if report.is_taken and not is_ours:
            return self._lost(origin, site, report)
        if is_confirming and not is_ours and self._policy.leaves_taken:
            site.confirms += 1
            if site.confirms < MAX_CONFIRMS:
                return WatcherNews(again_in_s=CONFIRM_S * site.confirms)
        if is_confirming:
            first = site.report or report
            return WatcherNews(
                self._begin(origin, site, first)
                if site.state is SiteState.ASKED
                else ()
            )
        site.report = report
        confirm = {**asked, "read": _iso(report)}
        found = (_request(origin, confirm, candidate.url),)
        if self._policy.leaves_taken and not is_ours:
            return WatcherNews(found, CONFIRM_S)
        return WatcherNews(found + self._begin(origin, site, report))

    def _lost(self, origin: str, site: _Site, report: WatcherReport) -> WatcherNews:
        """Another crawler has taken the site."""
        if self._policy.leaves_taken:
            site.state = SiteState.TAKEN
            return WatcherNews()
        if site.state is not SiteState.ASKED:
            return WatcherNews()
        return WatcherNews(self._begin(origin, site, report))

    def _begin(
        self, origin: str, site: _Site, report: WatcherReport
    ) -> tuple[Candidate, ...]:
        """The pages to be read, and from now on which others need not be."""
        now = self._clock.now()
        kept, store = site.kept, self._store
        whole_at = (
            kept.whole_at
            if kept is not None and self._is_complete(kept, report)
            else now
        )
        site.state = SiteState.CHANGED_ONLY if whole_at != now else SiteState.OPEN
        owed = store.owed(origin) if store is not None else ()
        site.reported = {
            url_key(url) for url in (*owed, *(page.url for page in report.pages))
        }
        for page in report.pages:
            if page.events and len(self._events) < MAX_EVENT_PAGES:
                self._events[page.url] = page.events
        if store is not None:
            if site.state is SiteState.CHANGED_ONLY:
                site.known = set(store.pages(origin)) - site.reported
            store.owe(origin, {url_key(page.url): page.url for page in report.pages})
            store.keep(
                WatchedSite(
                    origin, self._task, site.holder, report.written, now, whole_at
                )
            )
        where = f"{origin}{REPORT_PATH}"
        ranks = {
            **dict.fromkeys(owed, 0.0),
            **{page.url: page.rank for page in report.pages},
        }
        return tuple(
            Candidate(url, Via.WATCHER, where, f"rank {r:g}", r, depth=1)
            for url, r in ranks.items()
        )

    def _is_complete(self, kept: WatchedSite, report: WatcherReport) -> bool:
        """Does the report have everything that changed since we took the site the last time?"""
        is_young = self._clock.now() - kept.whole_at < timedelta(
            seconds=self._policy.full_after_s
        )
        if (
            kept.read_to is None
            or report.since is None
            or not report.is_whole
            or not is_young
        ):
            return False
        return report.since <= kept.read_to

    def note_read(self, candidate: Candidate) -> None:
        """A page was read: where a watcher watches it, it need not be read again until it changes."""
        if self._store is None or not self.is_reported(candidate.url):
            return
        self._store.keep_page(urls.origin(candidate.url), url_key(candidate.url))


def _request(origin: str, query: dict[str, str], found_on: str) -> Candidate:
    url = f"{origin}{REPORT_PATH}?{urlencode(query)}"
    return Candidate(
        urls.canonical(url) or url,
        Via.WATCHER,
        found_on,
        score=_FIRST,
        purpose=Purpose.WATCHER,
    )


def _iso(report: WatcherReport) -> str:
    return report.written.isoformat(timespec="milliseconds").replace("+00:00", "Z")
