"""What searching, identifying and crawling bring, made to be printed, shown in a notebook, and handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, overload

from geohound.model.health import State
from geohound.model.query import Hit, Query, Results
from geohound.model.service import Refusal, Service, Verdict

from .handing import Handed, service_record
from .showing import html_table, map_svg, text_table

_ROWS_SHOWN, _BOXES_SHOWN = 20, 200  # of a crawl
_CRAWLED_COLUMNS = ("kind", "title", "layers", "endpoint")
_COLUMNS = ("kind", "title", "layers", "state", "endpoint")


class Found(Handed, Sequence[Hit]):
    """The hits of one search, best first, with their total and facets."""

    also = ("score", "why")

    def __init__(self, query: Query, results: Results) -> None:
        self.query = query
        self.total = results.total
        self.elapsed_ms = results.elapsed_ms
        self.suggestion = results.suggestion
        self.facets: Mapping[str, Mapping[str, int]] = results.facets
        self._hits = results.hits

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self._hits[index]

    def __len__(self) -> int:
        return len(self._hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def to_records(self) -> list[dict[str, Any]]:
        """A plain dictionary for each hit."""
        return [
            service_record(hit.service, str(hit.state), hit.layers, hit.layer_count)
            | {"score": hit.score, "why": hit.why}
            for hit in self
        ]

    def __repr__(self) -> str:
        return f"{self._heading()}\n{text_table(_COLUMNS, self._rows())}" if self._hits else self._heading()

    def _repr_html_(self) -> str:
        boxes = [hit.service.extent.box if hit.service.extent else None for hit in self]
        return map_svg(boxes, self.query.bbox) + html_table(self._heading(), _COLUMNS, self._rows())

    def _heading(self) -> str:
        shown = f", {len(self)} of them here" if len(self) < self.total else ""
        hint = f" Did you mean “{self.suggestion}”?" if self.suggestion else ""
        return f"{self.total:,} {'service' if self.total == 1 else 'services'}{shown}.{hint}"

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (h.service.kind, h.service.title or "(no title)", str(h.layer_count), str(h.state), h.service.endpoint)
            for h in self
        ]


@dataclass(frozen=True, slots=True, repr=False)
class Identified(Handed):
    """What an address is: the services that live there, or why there is none."""

    url: str
    verdict: Verdict

    @property
    def services(self) -> tuple[Service, ...]:
        return self.verdict.services

    @property
    def refusal(self) -> Refusal | None:
        return None if self.services else self.verdict.refusal

    def __bool__(self) -> bool:
        return bool(self.services)

    def __len__(self) -> int:
        return len(self.services)

    def __iter__(self) -> Iterator[Service]:
        return iter(self.services)

    def to_records(self) -> list[dict[str, Any]]:
        """A plain dictionary for each service; who answers is alive."""
        return [service_record(s, str(State.ALIVE), s.layers, len(s.layers)) for s in self.services]

    def __repr__(self) -> str:
        return f"{self._heading()}\n{text_table(_COLUMNS[:3], self._rows())}" if self else self._heading()

    def _repr_html_(self) -> str:
        boxes = [s.extent.box if s.extent else None for s in self.services]
        return (map_svg(boxes) if self else "") + html_table(self._heading(), _COLUMNS[:3], self._rows())

    def _heading(self) -> str:
        if self:
            return f"{self.url} is {', '.join(service.kind for service in self.services)}."
        refusal = self.verdict.refusal
        reason = (
            f"{refusal.reason}{f' ({refusal.detail})' if refusal.detail else ''}" if refusal else "nothing answered"
        )
        return f"{self.url} is no service: {reason}."

    def _rows(self) -> list[tuple[str, ...]]:
        return [(f"{s.kind} {s.version}".strip(), s.title or "(no title)", str(len(s.layers))) for s in self.services]


@dataclass(frozen=True, slots=True, repr=False)
class Crawled(Handed):
    """How a crawl went, and what it found, which is read from the catalogue as one goes over it."""

    catalogue: str
    summary: Mapping[str, Any]
    read: Callable[[], Iterator[Service]] = field(default=lambda: iter(()), compare=False)

    def __iter__(self) -> Iterator[Service]:
        """Every service that this crawl met, in the order in which the catalogue came to know them."""
        return self.read()

    def to_records(self) -> list[dict[str, Any]]:
        """A plain dictionary for each service; it answered while the crawl was there."""
        return [service_record(s, str(State.ALIVE), s.layers, len(s.layers)) for s in self]

    def __repr__(self) -> str:
        shown = list(islice(self, _ROWS_SHOWN))
        return f"{self._heading()}\n{text_table(_CRAWLED_COLUMNS, _rows(shown))}" if shown else self._heading()

    def _repr_html_(self) -> str:
        shown = list(islice(self, _BOXES_SHOWN))
        boxes = [s.extent.box if s.extent else None for s in shown]
        table = html_table(self._heading(), _CRAWLED_COLUMNS, _rows(shown[:_ROWS_SHOWN]))
        return (map_svg(boxes) if shown else "") + table

    def _heading(self) -> str:
        told = self.summary
        end = "finished" if told["finished"] else f"{told['queue']:,} addresses left"
        return (
            f"{told['services']:,} services with {told['layers']:,} layers on {told['hosts']:,} hosts, "
            f"{told['pages']:,} pages in {told['elapsed_s']:.1f} s, {end}. Catalogue: {self.catalogue}"
        )


def _rows(services: Sequence[Service]) -> list[tuple[str, ...]]:
    return [(s.kind, s.title or "(no title)", str(len(s.layers)), s.endpoint) for s in services]
