"""One round's queries: each provider is asked page by page, and what it answers is noted for its query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from geohound.agent.deepening import (
    PagesHad,
    first_page_worth,
    next_page_worth,
    usual_worth,
)
from geohound.agent.knowledge import MANY_RESULTS, Knowledge, Query
from geohound.contracts import Clock
from geohound.model.compact_sets import HashSet
from geohound.model.crawl.event import QueryAnswered
from geohound.model.crawl.web_search import SearchPage

from .hunt_plan import AgentState, HuntPlan
from .providers import AskedSearcher, PageAsked, Providers
from .results import HuntStep, ResultBook

SURE_ENDS = 2  # queries of many results that end after the same page: all do, with this provider


class AskedQuery(NamedTuple):
    """A query, and why it is asked."""

    text: str
    query: Query
    explores: bool = False
    is_count: bool = False  # only its number of results is wanted


def plain_query(text: str) -> AskedQuery:
    return AskedQuery(text, tuple(text.lower().split()))


@dataclass(slots=True)
class Asker:
    """Asks the providers of one hunt. Which page comes next is a matter of query and provider."""

    plan: HuntPlan
    providers: Providers
    known: Knowledge
    results: ResultBook
    state: AgentState
    clock: Clock
    elapsed_s: Callable[[], float]  # since the hunt began
    # queries of many results that had none after this page, by provider
    _ends: Counter[tuple[str, int]] = field(default_factory=Counter)
    _named: HashSet = field(default_factory=HashSet)  # provider and address

    async def ask_all(self, queries: Sequence[AskedQuery]) -> int:
        """The first pages of all; where the rules take every page, the further ones after them. How many were had."""
        had = 0
        left = list(queries)
        while left:
            going_on = []
            for each in left:
                pages = await self._ask_everybody(each)
                had += len(pages)
                if not pages and not each.is_count and self.providers.is_unable:
                    self.state.put_back.append(each.text)
                if any(page.has_more for page in pages) and not each.is_count:
                    going_on.append(each)
            left = going_on if not self.plan.rules.deepens else []
        return had

    async def deepen(self) -> int:
        """Further pages of queries while they promise more services than the first page of a new query does."""
        steps = [step for step in self.results.steps if step.read]
        had = {id(step): self._pages_had(step) for step in steps}
        usual = usual_worth(list(had.values()))
        once = [had[id(step)] for step in steps if step.read == 1 and step.round]
        of_new = first_page_worth(list(had.values()), once)
        asked = 0
        rules = self.plan.rules
        for _ in range(rules.queries_per_round * rules.deepened):
            usable = {source.name: source for source in self.providers.usable}
            going_on = [
                step for step in steps if step.has_more and step.source in usable
            ]
            best = max(
                going_on,
                key=lambda step: next_page_worth(had[id(step)], usual),
                default=None,
            )
            if best is None or next_page_worth(had[id(best)], usual) <= of_new:
                break
            page = await self._ask(plain_query(best.query), usable[best.source])
            if page is None:
                break
            asked += 1
            had[id(best)] = had[id(best)]._replace(last_new=best.last_new)
        return asked

    def _pages_had(self, step: HuntStep) -> PagesHad:
        return PagesHad(
            self._worth(step), step.results, step.new, step.last_new, step.pages
        )

    def _worth(self, step: HuntStep) -> float:
        """What the services of a query count, those of one without the words of the user less."""
        rules = self.plan.rules
        is_drifting = not self.plan.subject.is_asked_in(step.query.lower().split())
        return step.worth(rules.off_subject) * (rules.drift if is_drifting else 1.0)

    async def _ask_everybody(self, asked: AskedQuery) -> list[SearchPage]:
        """The next page of a query from each provider that has one."""
        answers = [await self._ask(asked, source) for source in self.providers.usable]
        pages = [page for page in answers if page is not None]
        if len(asked.query) == 1 and pages:
            most = max(page.estimate or 0 for page in pages)
            self.known.note_count(asked.query[0], most, self._now)
        return pages

    async def _ask(self, asked: AskedQuery, source: AskedSearcher) -> SearchPage | None:
        """The next page of a query from one provider."""
        number = self._number_of(source, asked.text)
        if not number:
            return None
        had = await self.providers.page(PageAsked(source, asked.text, number))
        page, requests = had.page, had.requests
        is_cached = page is not None and not requests
        is_thrown_away = asked.is_count and not self.plan.rules.deepens
        if requests and not is_thrown_away:  # also those in vain
            step = self.results.open_step(self._new_step(asked, source))
            step.requests += requests
            step.cost_usd += had.cost_usd
        if page is None:
            return None
        new = 0 if is_thrown_away else self._note(asked, source, number, page)
        self.providers.emit(
            QueryAnswered(
                source.name,
                asked.text,
                number,
                len(page.results),
                new,
                had.cost_usd,
                is_cached,
                had.reason,
            )
        )
        return page

    def _number_of(self, source: AskedSearcher, text: str) -> int:
        """The page that this provider is to be asked for next, as far as it is worth a request; 0: there is none."""
        step = self.results.step(source.name, text)
        if step is None:
            return 1
        return step.pages + 1 if step.has_more else 0

    def _note(
        self,
        asked: AskedQuery,
        source: AskedSearcher,
        number: int,
        page: SearchPage,
    ) -> int:
        """What a page has brought; how many of its addresses nobody has named before."""
        terms = source.searcher.terms
        first_rank = 1 + (number - 1) * terms.page_size
        new = self.results.note(source.name, asked.text, page, first_rank)
        repeats = not self._note_named(source, page)
        most = min(terms.max_results, self.plan.max_results or terms.max_results)
        step = self.results.open_step(self._new_step(asked, source))
        if step.pages and step.read == step.pages:
            step.fade()
        if not page.results and step.results >= MANY_RESULTS:
            self._ends[source.name, number - 1] += 1
        step.results += len(page.results)
        step.seeds += new
        step.pages = max(step.pages, number)
        step.has_more = (
            page.has_more
            and not repeats
            and number * terms.page_size < most
            and self._ends[source.name, number] < SURE_ENDS
        )
        step.last_new = new / len(page.results) if page.results else 0.0
        self._learn(asked, page, step.results)
        return new

    def _note_named(self, source: AskedSearcher, page: SearchPage) -> int:
        """How many addresses of a page its provider has not named before: where it repeats itself, there is no end."""
        return sum(
            self._named.add(hash((source.name, result.url))) for result in page.results
        )

    def _new_step(self, asked: AskedQuery, source: AskedSearcher) -> HuntStep:
        return HuntStep(
            len(self.results.steps) + 1, self.state.rounds, str(self.state.phase), asked.text, asked.explores,
            source=source.name, elapsed_s=round(self.elapsed_s(), 2),
        )  # fmt: skip

    def _learn(self, asked: AskedQuery, page: SearchPage, seen: int) -> None:
        self.known.note_asked(asked.query, self._now)
        self.known.note_brought(asked.query, results=len(page.results))
        if page.estimate and not page.has_more:
            self.known.note_exhausted(page.estimate, seen)

    @property
    def _now(self) -> float:
        return self.clock.now().timestamp()
