"""Results as cards: what was found, how it fares, and the ways to use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlencode

from geohound import urls
from geohound.model.bbox import BBox
from geohound.model.health import Check, CheckResult
from geohound.model.score import described
from geohound.model.search.query import Hit, LayerHit, Query
from geohound.model.service import Layer, Service
from geohound.portal.formatting import box_text, name
from geohound.portal.maps.drawn_layers import DrawnLayer, drawn_layer
from geohound.portal.portal import Portal
from geohound.portal.recent import recent
from geohound.qgis_source import qgis_source
from geohound.views.known import (
    HealthRecord,
    Location,
    health_record,
    location_record,
)
from geohound.views.opening import Opening

_STRIP = 24  # checks shown


@dataclass(frozen=True)
class Offer:
    """The same thing in another protocol."""

    id: str
    kind: str


@dataclass
class Card:
    """One result; the same thing offered by several protocols is one."""

    service: Service
    state: str
    layers: Sequence[Layer] = ()
    match_count: int = 0
    layer_count: int = 0
    why: str = ""
    drawn: DrawnLayer | None = None
    health: HealthRecord | None = None
    strip: Sequence[str] = ()
    last_check: datetime | None = None
    open_url: str = ""
    qlr_url: str = ""
    also: list[Offer] = field(default_factory=list)

    @property
    def location(self) -> Location | None:
        return location_record(self.service)

    @property
    def box(self) -> BBox | None:
        extents = [self.layers[0].extent] if len(self.layers) == 1 else []
        boxes = [extent.box for extent in (*extents, self.service.extent) if extent]
        return next((box for box in boxes if box), None)


def service_cards(portal: Portal, hits: Iterable[Hit], query: Query) -> list[Card]:
    cards: dict[tuple[str, str], Card] = {}
    for hit in hits:
        key = _same_thing(hit.service)
        if (
            key in cards
            and all(offer.kind != hit.service.kind for offer in cards[key].also)
            and (cards[key].service.kind != hit.service.kind)
        ):
            cards[key].also.append(Offer(hit.service.id, hit.service.kind))
            continue
        best = next((layer for layer in hit.layers if layer.name), None)
        if best is None:
            best = _first_layer(portal, hit)
        card = _card(portal, hit.service, hit.state.value, best, query.bbox)
        card.layers, card.why = hit.layers, hit.why
        card.match_count, card.layer_count = hit.match_count, hit.layer_count
        known = {hit.service.kind}
        for other in portal.catalogue.at(hit.service.endpoint, with_layers=False):
            if other.id != hit.service.id and other.kind not in known:
                known.add(other.kind)
                card.also.append(Offer(other.id, other.kind))
        cards[key if key not in cards else (hit.service.id, "")] = card
    return list(cards.values())


def _first_layer(portal: Portal, hit: Hit) -> Layer | None:
    """Of a service that was found without regard to its layers, the one to begin with."""
    if hit.layers:
        return None

    def read() -> Layer | None:
        whole = portal.catalogue.get(hit.service.id)
        layers = whole.layers if whole else ()
        return next((layer for layer in layers if layer.name), None)

    # A document may have thousands of layers, and everybody's first page has the same services.
    return recent(portal.catalogue, ("first layer", hit.service.id), read)


def layer_cards(portal: Portal, hits: Iterable[LayerHit], query: Query) -> list[Card]:
    cards = []
    for hit in hits:
        card = _card(portal, hit.service, hit.state.value, hit.layer, query.bbox)
        card.layers, card.match_count, card.layer_count = (hit.layer,), 1, 0
        cards.append(card)
    return cards


def _same_thing(service: Service) -> tuple[str, str]:
    """By which offers of one thing are known: its host and its title; without a title each stands alone."""
    title = name(service).casefold() if service.title.strip() else service.id
    return urls.host(service.endpoint) or "", title


def _card(
    portal: Portal, service: Service, state: str, layer: Layer | None, box: BBox | None
) -> Card:
    checks = portal.catalogue.checks(service.id)
    opening = portal.open(service, layer, box, with_snippets=False)
    shown = {"layer": layer.name} if layer and layer.name else {}
    at = {"bbox": box_text(box)} if box else {}
    return Card(
        service,
        state,
        drawn=drawn_layer(service, layer, opening),
        health=health_record(
            checks,
            datetime.now(UTC),
            portal.response_limit_s(service.kind),
            description=described(service),
        )
        if checks
        else None,
        strip=strip(checks),
        last_check=checks[-1].at if checks else None,
        open_url=_address(f"/services/{service.id}", {**shown, **at}),
        qlr_url=_address(f"/services/{service.id}/layers.qlr", shown)
        if opens_in_qgis(portal, service, opening)
        else "",
    )


def opens_in_qgis(portal: Portal, service: Service, opening: Opening) -> bool:
    """Has QGIS a provider for what can be asked of this layer? Then it opens a file of layers."""
    if "qlr" not in portal.exporters:
        return False
    return any(qgis_source(service, each) for each in opening.links)


def strip(checks: Sequence[Check], most: int = _STRIP) -> list[str]:
    """What the latest checks found, oldest first: good, failed or unclear."""
    words = {
        CheckResult.GOOD: "good",
        CheckResult.GONE: "failed",
        CheckResult.FAILED: "failed",
    }
    return [words.get(check.result, "unclear") for check in checks[-most:]]


def _address(path: str, pairs: dict[str, str]) -> str:
    encoded = urlencode(
        [(key, value.encode("utf-8", "replace")) for key, value in pairs.items()]
    )
    return f"{path}?{encoded}" if encoded else path
