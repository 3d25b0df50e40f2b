"""Asks search providers for pages of results, within the budget; pages that were had of late are used again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from geohound.agent.query_sets import in_url
from geohound.contracts import Clock, Fetcher, SearchCache, Searcher
from geohound.model.event import Event, QueryAnswered
from geohound.model.failure import FailureReason
from geohound.model.task import TaskId
from geohound.model.visit import Failure
from geohound.model.web_search import SearchPage, SearchRequest
from geohound.tasks.source_yields import SourceYields

MAX_PAUSE_S = 60.0  # that a provider may ask for before it is given up for this run
_IMPATIENT = 5.0


class AskedSearcher(NamedTuple):
    """A provider as the user named it: by its id, or by id=address."""

    name: str
    searcher: Searcher
    address: str


def read_sources(names: tuple[str, ...], known: Mapping[str, Searcher]) -> list[AskedSearcher]:
    """The providers of a hunt; those that this installation does not know are left out."""
    split = [(name, *name.partition("=")[::2]) for name in names]
    return [AskedSearcher(name, known[which], address) for name, which, address in split if which in known]


class PageAsked(NamedTuple):
    """One page of results of one provider, from 1."""

    source: AskedSearcher
    text: str
    number: int


@dataclass(frozen=True, slots=True)
class SearchBudget:
    """What a hunt may ask and pay for, over all its runs."""

    max_requests: int
    max_cost_usd: float = 0.0  # 0: no limit
    refresh_s: float = 150 * 3600.0  # younger pages are used again


@dataclass(slots=True)
class Providers:
    """The providers of one hunt; one that refuses is left alone for the rest of the run."""

    sources: list[AskedSearcher]
    cache: SearchCache
    fetcher: Fetcher
    clock: Clock
    yields: SourceYields
    emit: Callable[[Event], None]
    budget: SearchBudget
    task: TaskId = 0
    stopped: bool = False
    _given_up: set[str] = field(default_factory=set)

    @property
    def usable(self) -> list[AskedSearcher]:
        return [source for source in self.sources if source.name not in self._given_up]

    @property
    def is_spent(self) -> bool:
        if self.stopped or self.yields.requests >= self.budget.max_requests:
            return True
        return 0 < self.budget.max_cost_usd <= self.yields.cost_usd

    def kept(self, asked: PageAsked) -> SearchPage | None:
        """A page that was had of late."""
        cached = self.cache.cached(asked.source.name, asked.text, asked.number)
        return cached.page if cached is not None and cached.age_s < self.budget.refresh_s else None

    async def page(self, asked: PageAsked) -> tuple[SearchPage, bool] | None:
        """The page, and whether it had been kept; None where there is none to be had."""
        kept = self.kept(asked)
        if kept is not None:
            return kept, True
        if self.is_spent or asked.source.name in self._given_up:
            return None
        answer = await self._request(asked)
        if isinstance(answer, Failure):
            self._given_up.add(asked.source.name)
            cost = asked.source.searcher.terms.cost_usd
            self.emit(QueryAnswered(asked.source.name, asked.text, asked.number, 0, 0, cost, reason=answer.detail))
            return None
        await self.cache.keep(asked.source.name, asked.text, asked.number, answer, self.task)
        return answer, False

    async def _request(self, asked: PageAsked) -> SearchPage | Failure:
        """One request; a second one after a short pause that the provider asked for."""
        searcher = asked.source.searcher
        text = in_url(asked.text, searcher.terms.url_operator) if searcher.terms.url_operator else asked.text
        request = SearchRequest(text, asked.number, asked.source.address)
        for _ in range(2):
            self.yields.count_request(asked.source.name, searcher.terms.cost_usd)
            answer = await searcher.page(request, self.fetcher)
            if not isinstance(answer, Failure) or answer.reason is not FailureReason.RATE_LIMITED:
                return answer
            pause_s = answer.retry_after_s or _IMPATIENT
            if self.is_spent or pause_s > MAX_PAUSE_S:
                return answer
            await self.clock.sleep(pause_s)
        return answer
