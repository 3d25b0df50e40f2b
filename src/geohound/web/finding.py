"""Asks the catalogue by words and box, or for the service at an address where the words are one."""

from __future__ import annotations

from time import perf_counter

from geohound.model.contracts import Catalogue
from geohound.model.query import Hit, Query, Results
from geohound.model.service import Service
from geohound.model.url import canonical


def find(catalogue: Catalogue, query: Query) -> Results:
    """What the catalogue holds for this query."""
    return _find_address(catalogue, query) or catalogue.search(query)


def _find_address(catalogue: Catalogue, query: Query) -> Results | None:
    """Who pastes an endpoint wants to know whether that service is known, not what resembles its letters."""
    if not query.text.lower().startswith(("http://", "https://")):
        return None
    address = canonical(query.text)
    if address is None:
        return None
    started = perf_counter()
    services = [s for s in catalogue.find_endpoint(address) if not query.kinds or s.kind in query.kinds]
    if not services:
        return None
    hits = [_hit(catalogue, service) for service in services]
    hits = [h for h in hits if not query.states or h.state in query.states]
    end = query.offset + query.limit
    following = f"o{end}" if end < len(hits) else ""
    return Results(tuple(hits[query.offset : end]), len(hits), (perf_counter() - started) * 1000, next=following)


def _hit(catalogue: Catalogue, service: Service) -> Hit:
    state = catalogue.health(service.id).state
    return Hit(service, (), 1.0, "this is the address you asked for", state, layer_count=len(service.layers))
