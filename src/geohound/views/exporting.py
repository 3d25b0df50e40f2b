"""Exports the results of a search: reads all hits page by page and passes them to an exporter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from geohound.contracts import CatalogueStore, Exporter, Kind, SearchIndex
from geohound.model.export import ExportedService
from geohound.model.health import HealthState
from geohound.model.layer_request import LayerRequest
from geohound.model.search.query import Hit, Query
from geohound.model.service import Layer, Service
from geohound.urls import canonical

from .encoding import plain
from .records import brief_service

_PAGE = 100


def _as_it_is(service: Service) -> Service:
    return service


@dataclass(slots=True)
class Exporting:
    """What an export is made from."""

    catalogue: CatalogueStore
    index: SearchIndex
    kinds: Mapping[str, Kind]
    # The service with its addresses as who gets the file reaches them.
    reached: Callable[[Service], Service] = _as_it_is
    written: int = 0  # services so far

    def write(self, exporter: Exporter, query: Query, most: int = 0) -> Iterable[bytes]:
        """All results of a search, or at most so many, in this format."""
        return exporter.write(self._services(query, exporter.needs_layers, most))

    def write_one(
        self, exporter: Exporter, service: Service, state: HealthState
    ) -> Iterable[bytes]:
        return exporter.write([self._exported(service, state, len(service.layers))])

    def _services(
        self, query: Query, needs_layers: bool, most: int
    ) -> Iterator[ExportedService]:
        for number, hit in enumerate(all_hits(self.index, query)):
            if most and number >= most:
                return
            service = (
                self.catalogue.get(hit.service.id) if needs_layers else None
            ) or hit.service
            self.written += 1
            yield self._exported(service, hit.state, hit.layer_count)

    def _exported(
        self, service: Service, state: HealthState, layer_count: int
    ) -> ExportedService:
        kind = self.kinds.get(service.kind)
        record = plain(brief_service(service, state, layer_count))
        service = self.reached(service)
        record["endpoint"] = service.endpoint

        def requests(layer: Layer) -> tuple[LayerRequest, ...]:
            if kind is None or canonical(service.endpoint) is None:
                return ()
            return tuple(
                request
                for request in kind.requests(service, layer, None)
                if canonical(request.url)
            )

        return ExportedService(service, record, requests)


def all_hits(index: SearchIndex, query: Query) -> Iterator[Hit]:
    """Every hit, a page at a time; the offset counts, the limit does not."""
    page = replace(query, limit=_PAGE)
    while True:
        results = index.search(page)
        yield from results.hits
        if not results.next:
            return
        page = replace(page, after=results.next)
