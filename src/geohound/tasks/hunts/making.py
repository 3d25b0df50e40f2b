"""Makes the agent of a hunt from its task, the settings of today, and what earlier runs have left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

from geohound.agent.evolution import Phase, StayLimits
from geohound.agent.knowledge import read_knowledge
from geohound.agent.rules import AgentRules, ScoreRules
from geohound.agent.seed_selection import known_seeds
from geohound.agent.subject import Subject
from geohound.contracts import (
    CatalogueStore,
    Clock,
    Fetcher,
    KnowledgeStore,
    Order,
    SearchCache,
    Searcher,
)
from geohound.crawler.observer import CrawlObserver
from geohound.model.crawl.frontier import VisitRecord
from geohound.model.crawl.task import SEEDS_PER_SEGMENT, CrawlGoal, TaskId
from geohound.model.visit import Candidate, Purpose, Via
from geohound.settings import Settings
from geohound.tasks.event_feed import EventFeed
from geohound.tasks.source_yields import CATALOGUE, SourceYields
from geohound.urls.address_book import AddressBook

from . import CRAWL, SEARCH, STEPS
from .hunt import Hunt
from .hunt_plan import AgentState, HuntPlan
from .learning import HuntObserver
from .providers import Providers, SearchBudget, read_sources
from .results import ResultBook

MAX_RECALLED = 100_000  # addresses of services that the catalogue has


class HuntStore(Protocol):
    """What a hunt needs of a store."""

    @property
    def clock(self) -> Clock: ...
    @property
    def searches(self) -> SearchCache: ...
    @property
    def knowledge(self) -> KnowledgeStore: ...
    @property
    def catalogue(self) -> CatalogueStore: ...


@dataclass(frozen=True, slots=True)
class HuntAround:
    """Where a hunt works."""

    store: HuntStore
    book: AddressBook
    order: Order
    inner: CrawlObserver
    feed: EventFeed


class Asking(NamedTuple):
    """Whom a hunt can ask, and how requests get there."""

    searchers: Mapping[str, Searcher]
    fetcher: Fetcher


class HuntLeft(NamedTuple):
    """What earlier runs of the task have left."""

    task: TaskId
    counters: Mapping[str, Any]
    visits: Sequence[VisitRecord]


def make_hunt(
    settings: Settings,
    goal: CrawlGoal,
    around: HuntAround,
    left: HuntLeft,
    asking: Asking,
) -> Hunt:
    """The agent of one task, as it was left."""
    store, counters = around.store, left.counters
    sources = read_sources(goal.searchers, asking.searchers)
    names = [
        *(source.name for source in sources),
        *([CATALOGUE] if goal.catalogue_hosts else []),
    ]
    yields = SourceYields.going_on(names, counters, left.visits)
    refresh_s = 3600 * settings.agent_refresh_pages_h
    budget = SearchBudget(settings.max_queries, settings.max_search_cost_usd, refresh_s)
    for name, pages in store.searches.asked_by(left.task).items():
        # a kill may cost the last seconds of the counters
        yields.count_at_least(name, pages)
    providers = Providers(
        sources,
        store.searches,
        asking.fetcher,
        store.clock,
        yields,
        around.feed.add,
        budget,
        left.task,
    )
    known = read_knowledge(store.knowledge.find(goal.knowledge))
    results = ResultBook.going_on(counters, left.visits)
    observer = HuntObserver(around.inner, yields, results, known, around.book)
    observer.learns_from_live = settings.agent_learns_from != "links"
    plan = hunt_plan(settings, goal)
    if not goal.topic:  # with one, all that is kept is about it
        observer.subject, observer.off_subject = plan.subject, plan.rules.off_subject
    keep = partial(store.knowledge.keep, goal.knowledge)
    is_done = bool(counters.get("queries_done"))
    begins = not is_done and not left.visits
    return Hunt(
        plan, providers, known, results, observer, store.clock, keep, AgentState.read(counters),
        _known(goal, around, yields) if begins and goal.catalogue_hosts else (), is_done,
    )  # fmt: skip


def _known(
    goal: CrawlGoal, around: HuntAround, yields: SourceYields
) -> list[Candidate]:
    """Seeds from the services of the catalogue and from hosts that had some (LI-13)."""
    met = around.store.catalogue.met_at(MAX_RECALLED)
    made = []
    for place, url in enumerate(known_seeds(met, goal.catalogue_hosts)):
        purpose = Purpose.PROBE if around.book.looks_like_service(url) else Purpose.PAGE
        clue = f"{CATALOGUE}: known host"
        yields.count_seed(clue)
        made.append(
            Candidate(
                url,
                Via.SEARCH,
                clue=clue,
                score=around.order.seed(url, place),
                purpose=purpose,
            )
        )
    return made


def hunt_plan(settings: Settings, goal: CrawlGoal) -> HuntPlan:
    """What the settings of today and the task ask of the agent."""
    steps = goal.steps or STEPS
    most = settings.agent_max_results
    width = settings.max_width * SEEDS_PER_SEGMENT if settings.max_width else most
    return HuntPlan(
        queries=goal.queries,
        rules=agent_rules(settings),
        subject=Subject(goal.words),
        max_rounds=settings.agent_max_rounds,
        max_results=min(most, width),
        stays={
            Phase.SEARCH: StayLimits(
                settings.agent_search_time_s,
                settings.agent_search_rounds,
                settings.agent_search_gain,
            ),
            Phase.BOTH: StayLimits(
                settings.agent_both_time_s,
                settings.agent_both_rounds,
                settings.agent_both_gain,
            ),
        }
        if CRAWL in steps
        else {},
        searches=SEARCH in steps,
        crawls=CRAWL in steps,
    )


def agent_rules(settings: Settings) -> AgentRules:
    """The rules of the agent as the settings say."""
    score = ScoreRules(
        url_weight=settings.agent_url_weight,
        text_weight=settings.agent_text_weight,
        title_weight=settings.agent_title_weight,
        half_life_h=max(settings.agent_half_life_h, 1e-6),
        too_many=settings.agent_too_many,
        pair_divisor=max(settings.agent_pair_divisor, 1e-6),
        uses_correlation=settings.agent_correlation,
        pair_correlation=settings.agent_pair_correlation,
        least_correlation=settings.agent_min_correlation,
        least_score=settings.agent_min_score,
    )
    return AgentRules(
        score=score,
        queries_per_round=max(1, settings.agent_queries),
        refresh_counts_h=settings.agent_refresh_counts_h,
        correlation_rounds=max(1, settings.agent_correlation_rounds),
        deepens=settings.agent_weighs_results,
        learns_from_live=settings.agent_learns_from != "links",
        weighs_results=settings.agent_weighs_results,
        explores_every=settings.agent_explores_every,
        drift=settings.agent_drift,
        off_subject=settings.agent_off_subject,
    )
