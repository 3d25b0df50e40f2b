"""What each source of seeds cost and brought: requests, seeds, and the services at the end of their links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from geohound.model.crawl.frontier import VisitRecord
from geohound.model.crawl.task import Task, TaskKind
from geohound.model.visit import Candidate, Via

HARVESTS = "harvests"  # of several catalogues at once
SEEDS = "seeds"  # the source of seeds that the user gave
CATALOGUE = "catalogue"  # the source of seeds from services that are known already
# after which what a provider has brought weighs as much as what all have
PRIOR_REQUESTS = 10


@dataclass(slots=True)
class SourceYield:
    """The numbers of one source, over all runs of a task."""

    requests: int = 0
    seeds: int = 0
    services: int = 0
    cost_usd: float = 0.0


def sources_of(tasks: Iterable[Task]) -> Iterator[Mapping[str, Any]]:
    """The rows of each task that has sources: of a hunt all that it asked, of a harvest the catalogue that it read."""
    for task in tasks:
        if task.spec.kind is TaskKind.HUNT:
            yield task.counters
        elif task.spec.kind is TaskKind.HARVEST:
            goal, counted = task.spec.goal, task.counters
            source = (
                goal.seeds[0] if len(goal.seeds) == 1 else goal.harvester or HARVESTS
            )
            numbers = {name: counted.get(name, 0) for name in ("requests", "services")}
            yield {
                "sources": [
                    {"source": source, "seeds": counted.get("tested", 0), **numbers}
                ]
            }


def learned_protocols(tasks: Iterable[Task]) -> dict[str, tuple[int, int]]:
    """By the harvester that was named: the services that its harvests have brought, and of how many sources."""
    found: dict[str, tuple[int, int]] = {}
    for task in tasks:
        goal = task.spec.goal
        if (
            task.spec.kind is TaskKind.HARVEST
            and goal.harvester
            and task.counters.get("requests")
        ):
            services, sources = found.get(goal.harvester, (0, 0))
            found[goal.harvester] = (
                services + task.counters.get("services", 0),
                sources + len(goal.seeds),
            )
    return found


def best_first(names: Sequence[str], tasks: Iterable[Task]) -> list[str]:
    """Search providers by the services for each request that they have brought; new ones count as the mean of all."""
    sums: dict[str, tuple[int, int]] = {}
    for counters in sources_of(tasks):
        for row in counters.get("sources", ()):
            services, requests = sums.get(row["source"], (0, 0))
            sums[row["source"]] = services + row["services"], requests + row["requests"]
    known = [sums[name] for name in names if name in sums]
    usual = (sum(s for s, _ in known) + 1) / (sum(r for _, r in known) + PRIOR_REQUESTS)

    def rate(name: str) -> float:
        services, requests = sums.get(name, (0, 0))
        return (services + usual * PRIOR_REQUESTS) / (requests + PRIOR_REQUESTS)

    return sorted(names, key=rate, reverse=True)


@dataclass(slots=True)
class SourceYields:
    """The sources of one hunt, and from which of them each page was reached."""

    names: Sequence[str]
    of: dict[str, SourceYield] = field(default_factory=dict)
    # of each page that was visited
    _origins: dict[str, str] = field(default_factory=dict)

    @classmethod
    def going_on(
        cls,
        names: Sequence[str],
        counters: Mapping[str, Any],
        visits: Iterable[VisitRecord],
    ) -> SourceYields:
        """As an earlier run left it, by its counters and by the log."""
        made = cls(names)
        for row in counters.get("sources", ()):
            numbers = (
                row["requests"],
                row["seeds"],
                row["services"],
                row.get("cost_usd", 0.0),
            )
            made.of[row["source"]] = SourceYield(*numbers)
        for visit in visits:
            made._note(visit.url, visit.parent, visit.via, visit.clue)
        return made

    @property
    def requests(self) -> int:
        return sum(each.requests for each in self.of.values())

    @property
    def cost_usd(self) -> float:
        return sum(each.cost_usd for each in self.of.values())

    def count_request(self, name: str, cost_usd: float) -> None:
        found = self._of(name)
        found.requests += 1
        found.cost_usd += cost_usd

    def count_at_least(self, name: str, requests: int) -> None:
        """So many requests were made, whatever the counters of an earlier run say."""
        found = self._of(name)
        found.requests = max(found.requests, requests)

    def count_seed(self, clue: str) -> None:
        self._of(self._named(clue)).seeds += 1

    def count_service(self, candidate: Candidate) -> None:
        origin = self._origin(candidate.found_on, candidate.via, candidate.clue)
        if origin:
            self._of(origin).services += 1

    def note(self, candidate: Candidate) -> None:
        """A page was visited: what it leads to is of its source."""
        self._note(candidate.url, candidate.found_on, candidate.via, candidate.clue)

    def note_services(self, endpoints: Iterable[str], candidate: Candidate) -> None:
        """Services answered: what their documents name is of the same source."""
        for endpoint in endpoints:
            self._note(endpoint, candidate.found_on, candidate.via, candidate.clue)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each source, as the summary of a hunt has them."""
        names = [*self.names, *(name for name in self.of if name not in self.names)]
        return [
            {"source": name, **asdict(self.of.get(name, SourceYield()))}
            for name in names
        ]

    def _of(self, name: str) -> SourceYield:
        return self.of.setdefault(name, SourceYield())

    def _note(self, url: str, parent: str, via: Via, clue: str) -> None:
        origin = self._origin(parent, via, clue)
        if origin:
            self._origins.setdefault(url, origin)

    def _origin(self, parent: str, via: Via, clue: str) -> str:
        if via is Via.SEARCH:
            return self._named(clue)
        return SEEDS if via is Via.SEED else self._origins.get(parent, "")

    def _named(self, clue: str) -> str:
        """The source at the beginning of a clue."""
        return next((name for name in self.names if clue.startswith(f"{name}: ")), "")
