"""What a report is made from, and what it is: a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from geohound.contracts import CatalogueStore, HistoryStore
from geohound.model.addresses import DOWNLOAD_LIMIT_S
from geohound.model.catalogue import ALL, Filter, ServiceSummary
from geohound.model.crawl.frontier import EndedVisit
from geohound.model.notes import NO_VERDICTS, Verdicts
from geohound.model.topic import Topic

Cell = str | int | float


class Table(NamedTuple):
    """Named columns; in each row the first cells say what is counted."""

    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]


class TaskReport(NamedTuple):
    """A report on one task: a function from its visits, in the order in which they were admitted, to rows."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: Callable[[Sequence[EndedVisit]], list[tuple[Cell, ...]]]

    def table(self, visits: Sequence[EndedVisit]) -> Table:
        return Table(self.columns, self.rows(visits))


class CatalogueFacts(NamedTuple):
    """What the reports on a whole catalogue are made from."""

    catalogue: CatalogueStore
    topics: Sequence[Topic] = ()
    # the counters of each hunt
    hunts: Callable[[], Iterable[Mapping[str, Any]]] = tuple
    which: Filter = ALL  # of the services; those of a task, say
    history: HistoryStore | None = None
    since: datetime | None = None  # of changes
    now: datetime | None = None  # until when
    radius_miles: float = 0.0  # of the density map; 0: as usual
    listed: Sequence[str] = ()  # addresses of services in a list of somebody else's
    # of people who have looked: are they really of their class?
    judged: Verdicts = NO_VERDICTS
    # ids of services, those that a search has found; None: all
    only: Collection[str] | None = None

    # Within how many seconds a service of a kind should answer.
    limit_s: Callable[[str], float] = lambda _: DOWNLOAD_LIMIT_S

    @property
    def is_whole(self) -> bool:
        """Is it about every service of the catalogue?"""
        return self.which == ALL and self.only is None

    def services(self) -> Iterator[ServiceSummary]:
        found = self.catalogue.summaries(self.which)
        return (
            found
            if self.only is None
            else (each for each in found if each.id in self.only)
        )

    def endpoints(self) -> Iterator[tuple[str, str]]:
        """Kind and endpoint of each service."""
        if self.is_whole:
            return self.catalogue.endpoints()
        return ((each.kind, each.endpoint) for each in self.services())


class CatalogueReport(NamedTuple):
    """A report on a whole catalogue."""

    id: str
    title: str
    table: Callable[[CatalogueFacts], Table]
    shown: tuple[str, ...] = ()  # columns of a table for people; none: all of them


def new_services(visits: Sequence[EndedVisit]) -> list[int]:
    """How many services each visit proved that no visit before it had, in time."""
    known: set[str] = set()
    new = [0] * len(visits)
    for place in by_time(visits):
        found = set(visits[place].services) - known
        known |= found
        new[place] = len(found)
    return new


def by_time(visits: Sequence[EndedVisit]) -> list[int]:
    return sorted(range(len(visits)), key=lambda place: visits[place].at)
