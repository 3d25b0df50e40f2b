"""The search agent at work: rounds of queries, each followed by reading what they brought and learning from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

from geohound.agent.choosing import next_queries, renew_correlations, words_to_count
from geohound.agent.evolution import Phase, PhaseProgress, StayLimits, expected_gain, next_phase
from geohound.agent.knowledge import Knowledge, Query
from geohound.agent.queries import DAY_S, daily_queries
from geohound.agent.rules import AgentRules, limit_for
from geohound.agent.seed_selection import fewest_queries
from geohound.contracts import Clock, Fetcher, Order, Searcher
from geohound.model.event import QueryAnswered
from geohound.model.task import TaskId
from geohound.model.visit import Candidate
from geohound.model.web_search import SearchPage
from geohound.politeness import Turns
from geohound.settings import Settings
from geohound.urls.address_book import AddressBook

from .learning import HuntObserver
from .providers import AskedSearcher, PageAsked, Providers
from .results import HuntStep, ResultBook, root_pages

SEED_ROUND = 5  # queries of the plan in the first round, and wherever nothing was learned
ROUND_WAIT_S = 30.0  # at most, for the results of a round to be read
LOOK_S = 0.05
MIN_CRAWL_REQUESTS = 50  # before the crawl's own gain counts
MIN_NEW_SHARE = 0.2  # of a page of results, for the next page to be worth a request


@dataclass(frozen=True, slots=True)
class HuntParts:
    """What hunts are built from."""

    searchers: Callable[[Settings], Mapping[str, Searcher]]
    fetcher: Callable[[Settings, Turns], Fetcher]  # for requests to search providers


@dataclass(frozen=True, slots=True)
class HuntPlan:
    """What a hunt is asked for."""

    queries: tuple[str, ...]  # to begin with, and to come back to
    rules: AgentRules
    subject: Query = ()  # the words that the user gave
    max_rounds: int = 0  # 0: no limit
    max_results: int = 0  # of one query
    stays: Mapping[Phase, StayLimits] = field(default_factory=dict)
    searches: bool = True  # False: only what was kept of earlier queries is used
    crawls: bool = True  # False: links are not followed


@dataclass(slots=True)
class AgentState:
    """How far the agent is; kept with the task."""

    phase: Phase = Phase.SEARCH
    rounds: int = 0
    phase_rounds: int = 0
    phase_s: float = 0.0
    steps: int = 0  # queries that were asked until the last round
    pool_at: int = 0  # queries of the plan that were asked
    gains: list[tuple[int, int]] = field(default_factory=list)  # new services and requests of each round

    @classmethod
    def read(cls, counters: Mapping[str, Any]) -> AgentState:
        said = counters.get("agent")
        if not said:
            return cls()
        gains = [(services, requests) for services, requests in said["gains"]]
        return cls(**{**said, "phase": Phase(said["phase"]), "gains": gains})


class FedCrawl(Protocol):
    """The crawl that reads what a hunt finds."""

    def admit(self, found: Sequence[Candidate]) -> set[str]:
        """Have these visited; the addresses of those that were taken in, and were not known before."""

    async def flush(self) -> None:
        """Return when what was admitted is on disk."""

    @property
    def is_idle(self) -> bool:
        """Is nothing under way, and nothing due within the next seconds?"""

    @property
    def is_over(self) -> bool: ...

    def release(self) -> None:
        """Links may be followed from now on."""


class _Asked(NamedTuple):
    text: str
    query: Query
    explores: bool = False
    is_count: bool = False  # only its number of results is wanted


@dataclass(slots=True)
class Hunt:
    """One task's agent."""

    plan: HuntPlan
    providers: Providers
    known: Knowledge
    results: ResultBook
    observer: HuntObserver
    clock: Clock
    keep: Callable[[bytes], Awaitable[None]]
    state: AgentState = field(default_factory=AgentState)
    known_seeds: Sequence[Candidate] = ()  # from the catalogue
    is_done: bool = False  # by an earlier run, or by this one
    began: float = 0.0
    _gained: tuple[int, int] = (0, 0)  # what was spent until the last round
    _next_page: dict[tuple[str, str], int] = field(default_factory=dict)  # 0: there is none
    _seen: dict[tuple[str, str], int] = field(default_factory=dict)  # results of a query so far

    def stop(self) -> None:
        self.providers.stopped = True

    async def run(self, crawl: FedCrawl, order: Order, book: AddressBook) -> bool:
        """Ask, read and learn until a limit is reached; False: stopped."""
        self.began = self.clock.monotonic()
        self._gained = self._spent
        crawl.admit(self.known_seeds)
        if not self.plan.searches:
            self._take_kept(None)
            self._admit_results(crawl, order, book)
        elif self.results.found_by or self.state.pool_at:
            self._take_kept(self.providers.task)  # what was asked before a kill, and not yet read
        if self.state.phase is not Phase.SEARCH:
            crawl.release()
        while self.plan.searches and not self._is_over(crawl):
            asked = await self._ask_round()
            if not asked:
                break
            await self._read_round(crawl, order, book)
            if not self.providers.stopped and not crawl.is_over:
                await self._end_round(crawl)
        self.observer.is_learning = False
        await self.keep(self.known.encode())
        await crawl.flush()
        crawl.release()
        self.is_done = not self.providers.stopped
        return self.is_done

    def _is_over(self, crawl: FedCrawl) -> bool:
        is_last = 0 < self.plan.max_rounds <= self.state.rounds
        is_spent = self.providers.is_spent or not self.providers.usable
        return is_last or is_spent or crawl.is_over or self.state.phase is Phase.CRAWL

    @property
    def _now(self) -> float:
        return self.clock.now().timestamp()

    async def _ask_round(self) -> int:
        """The queries of one round; how many pages were had."""
        if self.state.rounds == 0:
            return await self._ask_all(self._first_queries())
        renew_correlations(self.known, self.plan.rules, self._now)
        had = await self._deepen() if self.plan.rules.deepens else 0
        room = self.plan.rules.queries_per_round * self.plan.rules.counted_per_query - had
        had += await self._ask_all([_Asked(w, (w,), is_count=True) for w in self._uncounted()[: max(0, room)]])
        chosen = next_queries(self.known, self.plan.rules, self._now, self._limit, self.plan.subject)
        learned = [_Asked(each.text, each.query, each.explores) for each in chosen]
        return had + await self._ask_all([*learned, *self._from_pool(max(1, len(learned)) if learned else SEED_ROUND)])

    def _uncounted(self) -> list[str]:
        return words_to_count(self.known, self.plan.rules, self._now)

    @property
    def _limit(self) -> float:
        """Estimated results that are too many for one word."""
        most = max((source.searcher.terms.max_results for source in self.providers.usable), default=0)
        shown = min(most, self.plan.max_results or most, self.known.shown or most)
        return limit_for(self.plan.rules.score, shown)

    def _first_queries(self) -> list[_Asked]:
        """Those of the plan; of what earlier hunts have asked, the few that covered most hosts (S_Aq)."""
        return [*self._from_pool(SEED_ROUND), *(_asked(text) for text in self._covering())]

    def _covering(self) -> list[str]:
        hosts = self.results.hosts_by_query(self.providers.cache, {source.name for source in self.providers.sources})
        known = {" ".join(query) for query in self.known.asked}
        again = {text: found for text, found in hosts.items() if text.lower() in known}
        return fewest_queries(again)[:SEED_ROUND] if again else []

    def _from_pool(self, count: int) -> list[_Asked]:
        """The next queries of the plan; once a day, those that the terms of fetched pages make (LC-8)."""
        now = self._now
        if self.known.terms and now - self.known.daily_at >= DAY_S:
            if self.known.daily_at:
                asked = [" ".join(query) for query in self.known.asked]
                return [_asked(text) for text in self._note_daily(now, asked)]
            self.known.daily_at = now
        start = self.state.pool_at
        some = self.plan.queries[start : start + count]
        self.state.pool_at += len(some)
        return [_asked(text) for text in some]

    def _note_daily(self, now: float, asked: list[str]) -> list[str]:
        self.known.daily_at = now
        return daily_queries(self.known.terms, asked)

    async def _ask_all(self, queries: Sequence[_Asked]) -> int:
        """The first pages of all; where the rules take every page, the further ones after them."""
        had = 0
        left = list(queries)
        while left:
            going_on = []
            for each in left:
                pages = [await self._ask(each, source) for source in self.providers.usable]
                had += sum(page is not None for page in pages)
                if any(page is not None and page.has_more for page in pages) and not each.is_count:
                    going_on.append(each)
            left = going_on if not self.plan.rules.deepens else []
        return had

    async def _ask(self, asked: _Asked, source: AskedSearcher) -> SearchPage | None:
        """The next page of a query from one provider."""
        number = self._number_of(source, asked.text)
        if not number:
            return None
        answer = await self.providers.page(PageAsked(source, asked.text, number))
        if answer is None:
            return None
        page, is_cached = answer
        if asked.is_count and not self.plan.rules.deepens:
            self.known.note_count(asked.query[0], page.estimate or 0, self._now)
            cost = 0.0 if is_cached else source.searcher.terms.cost_usd
            self.providers.emit(QueryAnswered(source.name, asked.text, number, len(page.results), 0, cost, is_cached))
            return page
        self._note(asked, source, number, page, is_cached=is_cached)
        return page

    def _number_of(self, source: AskedSearcher, text: str) -> int:
        """The page that comes next, as far as it is worth a request; 0 where there is none."""
        key = source.name, text
        if key not in self._next_page:
            step = self.results.step(text)
            self._next_page[key] = 1 if step is None else step.pages + 1 if step.has_more else 0
        return self._next_page[key]

    def _note(self, asked: _Asked, source: AskedSearcher, number: int, page: SearchPage, *, is_cached: bool) -> None:
        terms, now, key = source.searcher.terms, self._now, (source.name, asked.text)
        new = self.results.note(source.name, asked.text, page, 1 + (number - 1) * terms.page_size)
        cost = 0.0 if is_cached else terms.cost_usd
        self.providers.emit(QueryAnswered(source.name, asked.text, number, len(page.results), new, cost, is_cached))
        seen = self._seen[key] = self._seen.get(key, 0) + len(page.results)
        most = min(terms.max_results, self.plan.max_results or terms.max_results)
        has_more = page.has_more and new > 0 and number * terms.page_size < most  # pages that only repeat have no end
        self._next_page[key] = number + 1 if has_more else 0
        step = self.results.open_step(self._new_step(asked))
        step.requests += not is_cached
        step.results += len(page.results)
        step.seeds += new
        step.cost_usd += cost
        step.pages = max(step.pages, number)
        step.has_more = has_more
        step.last_new = new / len(page.results) if page.results else 0.0
        self._learn_asked(asked, page, seen, now)

    def _new_step(self, asked: _Asked) -> HuntStep:
        elapsed_s = round(self.state.phase_s + self.clock.monotonic() - self.began, 2)
        place = len(self.results.steps) + 1
        return HuntStep(
            place, self.state.rounds, str(self.state.phase), asked.text, asked.explores, elapsed_s=elapsed_s
        )

    def _learn_asked(self, asked: _Asked, page: SearchPage, seen: int, now: float) -> None:
        known = self.known
        known.note_asked(asked.query, now)
        known.note_brought(asked.query, results=len(page.results))
        if len(asked.query) == 1:
            known.note_count(asked.query[0], page.estimate or 0, now)
        if page.estimate and not page.has_more:
            known.note_exhausted(page.estimate, seen)

    async def _deepen(self) -> int:
        """Further pages of queries while they promise more services than the first page of a new query does."""
        steps = [step for step in self.results.steps if step.read]
        once = [step for step in steps if step.read == 1 and step.round]
        usual = sum(step.services for step in steps) / max(1, sum(step.read for step in steps))
        of_new = (sum(step.services for step in once) + usual) / (len(once) + 1)
        had = 0
        for _ in range(self.plan.rules.queries_per_round * self.plan.rules.counted_per_query):
            worth = [
                (step.services / step.read * step.last_new, step)
                for step in steps
                if step.has_more and step.last_new >= MIN_NEW_SHARE
            ]
            best = max(worth, key=lambda each: each[0], default=None)
            if best is None or best[0] <= of_new:
                break
            asked = await self._ask_all([_asked(best[1].query)])
            had += asked
            if not asked:
                break
        return had

    def _take_kept(self, task: TaskId | None) -> None:
        """The results of earlier queries, of all tasks or of one, as far as they are young enough."""
        names = {source.name for source in self.providers.sources}
        for kept in self.providers.cache.kept(self.providers.budget.refresh_s, task):
            if not names or kept.source in names:
                self.results.note(kept.source, kept.query, kept.page, 1 + (kept.number - 1) * 10)

    def _admit_results(self, crawl: FedCrawl, order: Order, book: AddressBook) -> set[str]:
        """The new results, with the root pages of their hosts; the addresses of those that will be read."""
        seeds = self.results.take_seeds(order, book)
        for seed in seeds:
            self.providers.yields.count_seed(seed.clue)
        taken = crawl.admit(seeds)
        crawl.admit(list(root_pages(seeds, order)) if self.plan.crawls else [])
        return taken

    async def _read_round(self, crawl: FedCrawl, order: Order, book: AddressBook) -> None:
        """Have the new results read; what is slow is not waited for."""
        seeds = self._admit_results(crawl, order, book)
        await crawl.flush()
        until = self.clock.monotonic() + ROUND_WAIT_S
        while seeds and not self.providers.stopped and not crawl.is_over and self.clock.monotonic() < until:
            await self.clock.sleep(LOOK_S)
            is_enough = self.state.phase is not Phase.SEARCH and len(seeds - self.observer.read) <= len(seeds) // 10
            if crawl.is_idle or is_enough:
                break

    @property
    def _spent(self) -> tuple[int, int]:
        """New services of all results, and what they cost in requests; of this run, but for those to providers."""
        gains = self.observer.gains
        return gains.services["search"], gains.requests["search"] + self.providers.yields.requests

    async def _end_round(self, crawl: FedCrawl) -> None:
        """What the round has brought, and what follows from it."""
        state = self.state
        before, now = self._gained, self._spent
        self._gained = now
        state.gains.append((now[0] - before[0], now[1] - before[1]))
        state.rounds += 1
        state.phase_rounds += 1
        asked = len(self.results.steps) - state.steps
        self.known.rounds += max(1, asked // self.plan.rules.queries_per_round)
        state.steps += asked
        self.results.end_round()
        await self.keep(self.known.encode())
        limits = self.plan.stays.get(state.phase, StayLimits())
        following = next_phase(state.phase, limits, self._progress())
        if following is not state.phase:
            state.phase, state.phase_rounds, state.phase_s = following, 0, 0.0
            self.began = self.clock.monotonic()
            crawl.release()

    def _progress(self) -> PhaseProgress:
        gains, is_both = self.observer.gains, self.state.phase is Phase.BOTH
        has_crawled = is_both and gains.requests["crawl"] >= MIN_CRAWL_REQUESTS
        seconds = self.state.phase_s + self.clock.monotonic() - self.began
        own = gains.per_request("crawl") if has_crawled else 0.0
        return PhaseProgress(seconds, self.state.phase_rounds, expected_gain(self.state.gains), own)

    def record(self) -> dict[str, Any]:
        """For the counters of the task: how far the agent is, and its steps."""
        seconds = self.state.phase_s + (self.clock.monotonic() - self.began if self.began else 0.0)
        return {
            "agent": {**asdict(self.state), "phase_s": round(seconds, 2)},
            "steps": self.results.rows(),
            "queries_done": self.is_done,
        }


def _asked(text: str) -> _Asked:
    return _Asked(text, tuple(text.lower().split()))
