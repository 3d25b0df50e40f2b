"""Asks search providers for pages of results, within the budget; pages that were had of late are used again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from geohound.agent.query_sets import in_url
from geohound.contracts import Clock, Fetcher, SearchCache, Searcher
from geohound.model.crawl.event import Event, QueryAnswered
from geohound.model.crawl.task import TaskId
from geohound.model.crawl.web_search import SearchPage, SearchRequest
from geohound.model.visit import Failure
from geohound.tasks.source_yields import SourceYields

MAX_PAUSE_S = 60.0  # that a provider may ask for before it is given up for this run
_IMPATIENT = 5.0
LOST = (
    "The hunt was killed while this page was on its way; nobody is asked for it again"
)
_PERIODS_S = {"day": 86_400.0, "month": 30 * 86_400.0}


class AskedSearcher(NamedTuple):
    """A provider as the user named it: by its id, or by id=address."""

    name: str
    searcher: Searcher
    address: str


def read_sources(
    names: tuple[str, ...], known: Mapping[str, Searcher]
) -> list[AskedSearcher]:
    """The providers of a hunt; those that this installation does not know are left out."""
    split = [(name, *name.partition("=")[::2]) for name in names]
    return [
        AskedSearcher(name, known[which], address)
        for name, which, address in split
        if which in known
    ]


class PageAsked(NamedTuple):
    """One page of results of one provider, from 1."""

    source: AskedSearcher
    text: str
    number: int


class PageHad(NamedTuple):
    """A page if it was to be had, how many requests it took, and what these cost: none where it had been kept."""

    page: SearchPage | None
    requests: int = 0
    cost_usd: float = 0.0
    reason: str = ""  # why the page is empty although it was asked for


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """What a hunt may ask and pay for, over all its runs."""

    max_requests: int
    max_cost_usd: float = 0.0  # 0: no limit
    refresh_s: float = 150 * 3600.0  # younger pages are used again


@dataclass(slots=True)
class Providers:
    """The providers of one hunt; one that fails twice, or refuses, is left alone for the rest of the run."""

    sources: list[AskedSearcher]
    cache: SearchCache
    fetcher: Fetcher
    clock: Clock
    yields: SourceYields
    emit: Callable[[Event], None]
    budget: SearchBudget
    task: TaskId = 0
    stopped: bool = False
    # a sentence for each that is left alone
    failures: dict[str, str] = field(default_factory=dict)
    # requests of this period, where a provider counts them by period
    _used: dict[str, int] = field(default_factory=dict)

    @property
    def usable(self) -> list[AskedSearcher]:
        return [source for source in self.sources if source.name not in self.failures]

    @property
    def is_spent(self) -> bool:
        if self.stopped or self.yields.requests >= self.budget.max_requests:
            return True
        return 0 < self.budget.max_cost_usd <= self.yields.cost_usd

    @property
    def is_unable(self) -> bool:
        """Can nobody be asked any more?"""
        return self.is_spent or not self.usable

    def kept(self, asked: PageAsked) -> SearchPage | None:
        """A page that was had of late."""
        cached = self.cache.cached(asked.source.name, asked.text, asked.number)
        return (
            cached.page
            if cached is not None and cached.age_s < self.budget.refresh_s
            else None
        )

    async def page(self, asked: PageAsked) -> PageHad:
        """The page, from what was kept or by a request, as far as the budget and the quota of the provider go."""
        kept = self.kept(asked)
        if kept is not None:
            return PageHad(kept)
        if self.is_spent or asked.source.name in self.failures:
            return PageHad(None)
        if self.cache.has_begun(asked.source.name, asked.text, asked.number, self.task):
            return PageHad(SearchPage(), reason=LOST)
        used_up = self._used_up(asked.source)
        if used_up:
            self._give_up(asked, used_up, 0.0)
            return PageHad(None)
        before = self.yields.cost_usd
        place = asked.source.name, asked.text, asked.number
        await self.cache.begin(*place, self.task)
        answer, requests = await self._request(asked)
        cost = self.yields.cost_usd - before
        if isinstance(answer, Failure):
            await self.cache.withdraw(*place)
            self._give_up(asked, answer.detail, cost)
            return PageHad(None, requests, cost)
        await self.cache.keep(*place, answer, self.task)
        return PageHad(answer, requests, cost)

    def _give_up(self, asked: PageAsked, why: str, cost_usd: float) -> None:
        name = asked.source.name
        self.failures[name] = why
        self.emit(
            QueryAnswered(name, asked.text, asked.number, 0, 0, cost_usd, reason=why)
        )

    def _used_up(self, source: AskedSearcher) -> str:
        """Why no further request may be made of a provider in this period; empty: one may be made."""
        terms, title = source.searcher.terms, source.searcher.title
        used = self._used_of(source)
        if used is None:
            return ""
        if 0 < terms.most_requests <= used:
            return f"{title}: it answers {terms.most_requests:,} requests a {terms.period}, and these are used up"
        if self.budget.max_cost_usd or not 0 < terms.free_requests <= used:
            return ""
        free = f"{title}: the {terms.free_requests:,} free requests of this {terms.period} are used up"
        return f"{free}; set max_search_cost_usd to pay for more"

    def _used_of(self, source: AskedSearcher) -> int | None:
        """Requests of this period, by all hunts; None where the provider publishes no period."""
        period_s = _PERIODS_S.get(source.searcher.terms.period)
        if period_s is None:
            return None
        if source.name not in self._used:
            kept = self.cache.kept(period_s)
            self._used[source.name] = sum(each.source == source.name for each in kept)
        return self._used[source.name]

    async def _request(self, asked: PageAsked) -> tuple[SearchPage | Failure, int]:
        """One request; a second one after a short pause where the first one failed for a while; how many were made."""
        searcher = asked.source.searcher
        text = (
            in_url(asked.text, searcher.terms.url_operator)
            if searcher.terms.url_operator
            else asked.text
        )
        request = SearchRequest(text, asked.number, asked.source.address)
        for earlier in range(2):
            answer = await searcher.page(request, self.fetcher)
            if isinstance(answer, Failure) and not answer.reason.means.is_asked:
                return answer, earlier
            self._count(asked.source)
            if not isinstance(answer, Failure) or not answer.reason.means.is_passing:
                return answer, earlier + 1
            pause_s = answer.retry_after_s or _IMPATIENT
            if self.is_spent or pause_s > MAX_PAUSE_S:
                return answer, earlier + 1
            await self.clock.sleep(pause_s)
        return answer, 2

    def _count(self, source: AskedSearcher) -> None:
        """One request more, which costs nothing while free ones are left."""
        terms = source.searcher.terms
        used = self._used_of(source)
        is_free = used is not None and used < terms.free_requests
        self.yields.count_request(source.name, 0.0 if is_free else terms.cost_usd)
        if used is not None:
            self._used[source.name] = used + 1
