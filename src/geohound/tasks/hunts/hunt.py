"""The search agent at work: rounds of queries, each followed by reading what they brought and learning from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from geohound.agent.choosing import next_queries, renew_correlations, words_to_count
from geohound.agent.evolution import (
    Phase,
    PhaseProgress,
    StayLimits,
    expected_gain,
    is_beaten,
    next_phase,
)
from geohound.agent.knowledge import Knowledge
from geohound.agent.queries import DAY_S, daily_queries
from geohound.agent.rules import limit_for
from geohound.agent.seed_selection import fewest_queries
from geohound.contracts import Clock, Order
from geohound.model.crawl.task import TaskId
from geohound.model.visit import Candidate
from geohound.urls.address_book import AddressBook

from .asking import AskedQuery, Asker, plain_query
from .hunt_plan import AgentState, HuntPlan
from .learning import HuntObserver
from .providers import Providers
from .results import ResultBook, root_pages

# queries of the plan in the first round, and wherever nothing was learned
SEED_ROUND = 5
ROUND_WAIT_S = 30.0  # at most, for the results of a round to be read
LOOK_S = 0.05
REST_S = 0.5
DRY_ROUNDS = 3  # in vain once the crawl has nothing left: nothing is expected of more
MIN_CRAWL_REQUESTS = 50  # before the crawl's own gain counts


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
    phase_began: float | None = None
    run_began: float | None = None
    _gained: tuple[float, int] = (0.0, 0)  # what was spent until the last round
    _dry_rounds: int = 0  # latest ones that left the crawl with nothing new
    _found: int = 0  # services, when the crawl last had nothing left

    def stop(self) -> None:
        self.providers.stopped = True

    async def run(self, crawl: FedCrawl, order: Order, book: AddressBook) -> bool:
        """Ask, read and learn until a limit is reached; False: stopped."""
        self.run_began = self.phase_began = self.clock.monotonic()
        self._gained = self._spent
        asker = Asker(
            self.plan,
            self.providers,
            self.known,
            self.results,
            self.state,
            self.clock,
            lambda: self.elapsed_s,
        )
        crawl.admit(self.known_seeds)
        if not self.plan.searches:
            self._take_kept(None)
            self._admit_results(crawl, order, book)
        elif self.results.found_by or self.state.pool_at:
            # what was asked before a kill, and not yet read
            self._take_kept(self.providers.task)
        if self.state.phase is not Phase.SEARCH:
            crawl.release()
        while self.plan.searches and not self._is_over(crawl):
            asked = await self._ask_round(asker)
            if not asked:
                break
            await self._read_round(crawl, order, book)
            if not self.providers.stopped and not crawl.is_over:
                await self._end_round(crawl)
                await self._rest(crawl)
        self.observer.is_learning = False
        await self.keep(self.known.encode())
        await crawl.flush()
        crawl.release()
        self.is_done = not self.providers.stopped and not self.has_failed
        return self.is_done

    @property
    def elapsed_s(self) -> float:
        """Since the hunt began, over all its phases and runs."""
        return self.state.total_s + self._since(self.run_began)

    @property
    def _phase_s(self) -> float:
        return self.state.phase_s + self._since(self.phase_began)

    def _since(self, began: float | None) -> float:
        return 0.0 if began is None else self.clock.monotonic() - began

    def _is_over(self, crawl: FedCrawl) -> bool:
        is_last = 0 < self.plan.max_rounds <= self.state.rounds
        return (
            is_last
            or self.providers.is_unable
            or crawl.is_over
            or self.state.phase is Phase.CRAWL
        )

    @property
    def has_failed(self) -> bool:
        """Did every provider fail before the hunt was over? Then the next run asks them again."""
        is_asking = self.plan.searches and self.state.phase is not Phase.CRAWL
        is_last = 0 < self.plan.max_rounds <= self.state.rounds
        return (
            is_asking
            and not is_last
            and bool(self.providers.failures)
            and not self.providers.usable
        )

    @property
    def _now(self) -> float:
        return self.clock.now().timestamp()

    async def _ask_round(self, asker: Asker) -> int:
        """The queries of one round; how many pages were had."""
        if self.state.rounds == 0:
            return await asker.ask_all(self._first_queries())
        renew_correlations(self.known, self.plan.rules, self._now)
        had = await asker.deepen() if self.plan.rules.deepens else 0
        had += await asker.ask_all(
            [
                AskedQuery(word, (word,), is_count=True)
                for word in self._uncounted()[: self._room_for_counts(had)]
            ]
        )
        chosen = next_queries(
            self.known, self.plan.rules, self._now, self._limit, self.plan.subject.words
        )
        self.known.chosen += len(chosen)
        learned = [AskedQuery(each.text, each.query, each.explores) for each in chosen]
        return had + await asker.ask_all(
            [
                *learned,
                *self._from_pool(max(1, len(learned)) if learned else SEED_ROUND),
            ]
        )

    def _room_for_counts(self, had: int) -> int:
        """How many words may be counted in a round: by the published rules all of the k·5 best."""
        rules = self.plan.rules
        if rules.deepens:
            return max(0, rules.queries_per_round * rules.deepened - had)
        return rules.queries_per_round * rules.counted_per_query

    def _uncounted(self) -> list[str]:
        return words_to_count(
            self.known, self.plan.rules, self._now, self.plan.subject.words
        )

    @property
    def _limit(self) -> float:
        """Estimated results that are too many for one word."""
        most = max(
            (source.searcher.terms.max_results for source in self.providers.usable),
            default=0,
        )
        shown = min(most, self.plan.max_results or most, self.known.shown or most)
        return limit_for(self.plan.rules.score, shown)

    def _first_queries(self) -> list[AskedQuery]:
        """Those of the plan; of what earlier hunts have asked, the few that covered most hosts (S_Aq)."""
        return [
            *self._from_pool(SEED_ROUND),
            *(plain_query(text) for text in self._covering()),
        ]

    def _covering(self) -> list[str]:
        hosts = self.results.hosts_by_query(
            self.providers.cache, {source.name for source in self.providers.sources}
        )
        known = {" ".join(query) for query in self.known.asked}
        again = {text: found for text, found in hosts.items() if text.lower() in known}
        return fewest_queries(again)[:SEED_ROUND] if again else []

    def _from_pool(self, count: int) -> list[AskedQuery]:
        """The next queries of the plan; once a day, those that the terms of fetched pages make (LC-8)."""
        now = self._now
        if self.known.terms and now - self.known.daily_at >= DAY_S:
            if self.known.daily_at:
                asked = [" ".join(query) for query in self.known.asked]
                return [plain_query(text) for text in self._note_daily(now, asked)]
            self.known.daily_at = now
        state = self.state
        again = list(dict.fromkeys(state.put_back))
        state.put_back = again[count:]
        room = max(0, count - len(again))
        some = self.plan.queries[state.pool_at : state.pool_at + room]
        state.pool_at += len(some)
        return [plain_query(text) for text in (*again[:count], *some)]

    def _note_daily(self, now: float, asked: list[str]) -> list[str]:
        self.known.daily_at = now
        return daily_queries(self.known.terms, asked)

    def _take_kept(self, task: TaskId | None) -> None:
        """The results of earlier queries, of all tasks or of one, as far as they are young enough."""
        names = {source.name for source in self.providers.sources}
        for kept in self.providers.cache.kept(self.providers.budget.refresh_s, task):
            if not names or kept.source in names:
                self.results.note(
                    kept.source, kept.query, kept.page, 1 + (kept.number - 1) * 10
                )

    def _admit_results(
        self, crawl: FedCrawl, order: Order, book: AddressBook
    ) -> set[str]:
        """The new results, with the root pages of their hosts; the addresses of those that will be read."""
        seeds = self.results.take_seeds(order, book)
        for seed in seeds:
            self.providers.yields.count_seed(seed.clue)
        taken = crawl.admit(seeds)
        crawl.admit(list(root_pages(seeds, order)) if self.plan.crawls else [])
        return taken

    async def _read_round(
        self, crawl: FedCrawl, order: Order, book: AddressBook
    ) -> None:
        """Have the new results read; what is slow is not waited for."""
        seeds = self._admit_results(crawl, order, book)
        await crawl.flush()
        until = self.clock.monotonic() + ROUND_WAIT_S
        while (
            seeds
            and not self.providers.stopped
            and not crawl.is_over
            and self.clock.monotonic() < until
        ):
            await self.clock.sleep(LOOK_S)
            is_enough = (
                self.state.phase is not Phase.SEARCH
                and len(seeds - self.observer.read) <= len(seeds) // 10
            )
            if crawl.is_idle or is_enough:
                break

    @property
    def _spent(self) -> tuple[float, int]:
        """What new services of all results count, and cost in requests; of this run, but for those to providers."""
        gains = self.observer.gains
        return gains.services["search"], gains.requests[
            "search"
        ] + self.providers.yields.requests

    async def _end_round(self, crawl: FedCrawl) -> None:
        """What the round has brought, and what follows from it."""
        state = self.state
        before, now = self._gained, self._spent
        self._gained = now
        state.gains.append((now[0] - before[0], now[1] - before[1]))
        state.rounds += 1
        state.phase_rounds += 1
        asked = {step.query for step in self.results.steps[state.steps :]}
        self.known.rounds += max(1, len(asked) // self.plan.rules.queries_per_round)
        state.steps = len(self.results.steps)
        self.results.end_round()
        await self.keep(self.known.encode())
        limits = self.plan.stays.get(state.phase, StayLimits())
        following = next_phase(state.phase, limits, self._progress())
        if following is not state.phase:
            state.phase, state.phase_rounds, state.phase_s = following, 0, 0.0
            self.phase_began = self.clock.monotonic()
            crawl.release()

    async def _rest(self, crawl: FedCrawl) -> None:
        """Leave it to the crawl while that brings more for each request; where it has nothing left, ask on.

        Rounds beside a busy crawl say little: it may have had their services first. Those after it count with all
        that the crawl finds beyond their results. Where nothing was found at all, there is nothing to compare with.
        """
        while is_beaten(self._progress()) and not (
            crawl.is_idle or crawl.is_over or self.providers.stopped
        ):
            await self.clock.sleep(REST_S)
        if self.state.phase is not Phase.BOTH or not crawl.is_idle:
            return
        gains = self.observer.gains
        found = gains.found
        is_dry = found == self._found and any(gains.services.values())
        self._dry_rounds = self._dry_rounds + 1 if is_dry else 0
        self._found = found
        if self._dry_rounds >= DRY_ROUNDS:
            self.state.phase = Phase.CRAWL

    def _progress(self) -> PhaseProgress:
        gains, is_both = self.observer.gains, self.state.phase is Phase.BOTH
        has_crawled = is_both and gains.requests["crawl"] >= MIN_CRAWL_REQUESTS
        own = gains.per_request("crawl") if has_crawled else 0.0
        return PhaseProgress(
            self._phase_s, self.state.phase_rounds, expected_gain(self.state.gains), own
        )

    def record(self) -> dict[str, Any]:
        """For the counters of the task: how far the agent is, and its steps."""
        seconds = {
            "phase_s": round(self._phase_s, 2),
            "total_s": round(self.elapsed_s, 2),
        }
        return {
            "agent": asdict(self.state) | seconds,
            "steps": self.results.rows(),
            "queries_done": self.is_done,
        }
