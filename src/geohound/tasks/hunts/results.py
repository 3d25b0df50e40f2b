"""What the queries of a hunt have brought: addresses with their ranks, the query of each, and the steps one by one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from geohound import urls
from geohound.agent.seed_selection import best_seeds
from geohound.contracts import Order, SearchCache
from geohound.model.crawl.frontier import VisitRecord
from geohound.model.crawl.web_search import KEPT_PAGES_H, SearchPage
from geohound.model.visit import Candidate, Link, Page, Purpose, Via
from geohound.urls.address_book import AddressBook

MAX_STEPS = 2_000  # that the record of a task holds


@dataclass(slots=True)
class HuntStep:
    """One query to one provider, as the spreadsheet of a run has it (OSS-19)."""

    step: int
    round: int
    phase: str
    query: str
    explores: bool = False
    requests: int = 0
    results: int = 0
    seeds: int = 0  # of them new
    services: int = 0  # new, at the results and what they name
    cost_usd: float = 0.0
    elapsed_s: float = 0.0  # since the task began
    pages: int = 0  # of results that were had
    read: int = 0  # of them, whose results were read: services are counted from these
    has_more: bool = True  # another page may be worth a request
    last_new: float = 1.0  # share of new addresses on the last page
    source: str = ""  # the provider
    on_subject: int = 0  # of the services, those about what the user looks for

    faded_services: float = 0.0  # of earlier rounds, by as much as they count less
    faded_on_subject: float = 0.0
    faded_seeds: float = 0.0

    def worth(self, off_subject: float) -> float:
        """What its services count; those of the round before half, and so on."""
        about = self.on_subject - self.faded_on_subject
        others = self.services - self.faded_services - about
        return about + off_subject * others

    @property
    def new(self) -> float:
        """Its new results, counted in the same way."""
        return self.seeds - self.faded_seeds

    def fade(self) -> None:
        """Another round asks for more: the best pages came first, so the latest say most about the next."""
        self.faded_services += (self.services - self.faded_services) / 2
        self.faded_on_subject += (self.on_subject - self.faded_on_subject) / 2
        self.faded_seeds += (self.seeds - self.faded_seeds) / 2


@dataclass(slots=True)
class ResultBook:
    """The results of one task."""

    steps: list[HuntStep] = field(default_factory=list)
    # address → "source: query" that named it first
    found_by: dict[str, str] = field(default_factory=dict)
    # by provider and query
    _steps_of: dict[tuple[str, str], HuntStep] = field(default_factory=dict)
    _ranks: dict[str, int] = field(default_factory=dict)
    # address → rank, since seeds were last taken
    _fresh: dict[str, int] = field(default_factory=dict)
    _admitted: int = 0

    @classmethod
    def going_on(
        cls, counters: Mapping[str, Any], visits: Iterable[VisitRecord]
    ) -> ResultBook:
        """As an earlier run left it."""
        made = cls([HuntStep(**row) for row in counters.get("steps", ())])
        made._steps_of = {(step.source, step.query): step for step in made.steps}
        for visit in visits:
            if visit.via is Via.SEARCH:
                made.found_by[visit.url] = visit.clue
        made._admitted = len(made.found_by)
        return made

    def step(self, source: str, text: str) -> HuntStep | None:
        return self._steps_of.get((source, text))

    def open_step(self, step: HuntStep) -> HuntStep:
        """The step of a query to a provider; that of the first time where it was asked before."""
        found = self._steps_of.setdefault((step.source, step.query), step)
        if found is step and len(self.steps) < MAX_STEPS:
            self.steps.append(step)
        return found

    def note(self, source: str, text: str, page: SearchPage, first_rank: int) -> int:
        """The results of one page; how many are new."""
        new = 0
        for rank, result in enumerate(page.results, first_rank):
            url = urls.canonical(result.url)
            if url is None or urls.looks_like_media(url):
                continue
            if url not in self.found_by:
                self.found_by[url] = f"{source}: {text}"
                self._fresh[url] = rank
                new += 1
            self._ranks[url] = min(rank, self._ranks.get(url, rank))
        return new

    @staticmethod
    def hosts_by_query(
        cache: SearchCache, names: AbstractSet[str]
    ) -> dict[str, frozenset[str]]:
        """Of all queries that are kept, the hosts of their results; for S_Aq."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for kept in cache.kept(3600 * KEPT_PAGES_H):
            if kept.source in names:
                found[kept.query] |= {
                    urlsplit(result.url).hostname or "" for result in kept.page.results
                }
        return {query: frozenset(hosts) for query, hosts in found.items() if hosts}

    def query_of(self, candidate: Candidate) -> tuple[str, str] | None:
        """Provider and query of a result, or of a request to a service that a result names.

        None where the crawl found it: pages that a result links to are its work.
        """
        if candidate.via is Via.SEARCH:
            clue = self.found_by.get(candidate.url)
        elif candidate.purpose is not Purpose.PAGE:
            clue = self.found_by.get(candidate.found_on)
        else:
            clue = None
        source, _, query = clue.partition(": ") if clue else ("", "", "")
        return (source, query) if query else None

    def take_seeds(self, order: Order, book: AddressBook) -> list[Candidate]:
        """The new results as candidates: the best of each host first (S_A1), then the others by rank."""
        fresh, self._fresh = self._fresh, {}
        ranked = sorted(self._ranks.items(), key=lambda item: item[1])
        best = best_seeds(ranked, len(ranked))
        chosen = list(
            dict.fromkeys(
                [url for url in best if url in fresh]
                + sorted(fresh, key=fresh.__getitem__)
            )
        )
        made = []
        for url in chosen:
            position = fresh[url] - 1 if order.seeds_by_rank else self._admitted
            score = order.seed(url, position)
            if score > -math.inf:
                self._admitted += 1
                purpose = (
                    Purpose.PROBE if book.looks_like_service(url) else Purpose.PAGE
                )
                made.append(
                    Candidate(
                        url,
                        Via.SEARCH,
                        clue=self.found_by[url],
                        score=score,
                        purpose=purpose,
                    )
                )
        return made

    def end_round(self) -> None:
        """The results of all pages so far have been read, as far as they are waited for."""
        for step in self.steps:
            step.read = step.pages

    def rows(self) -> list[dict[str, Any]]:
        return [asdict(step) for step in self.steps]


def root_pages(seeds: Iterable[Candidate], order: Order) -> Iterator[Candidate]:
    """The root page of each seed, as a link of it (Sidsten 2012, appendix B.3.4)."""
    for seed in seeds:
        parts = urlsplit(seed.url)
        root = f"{parts.scheme}://{parts.netloc}/"
        if root == seed.url:
            continue
        score = order.score(Link(root), Page(seed.url))
        if score > -math.inf:
            yield Candidate(root, Via.LINK, seed.url, "root page", score, depth=1)
