"""Deep checks: a small map, a feature, a tile or a value of each layer, inside its box; confirmed before it is said.

A blank picture may be true: it counts only where another box of the layer is blank too. What is drawn outside the box
that the layer declares, and nothing inside it, is a wrong projection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from geohound.contracts import Fetcher, Kind
from geohound.model.bbox import WORLD, BBox
from geohound.model.failure import FailureReason, reason_in
from geohound.model.health import Check, outcome_of
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.monitoring.layer_check import LayerCheck
from geohound.model.service import Layer, RefusalReason, Service

from .content import fault_of
from .looking import Asked, RecordingFetcher

_WALLS: Final = (RefusalReason.LOGIN_WALL, RefusalReason.BOT_WALL)
NO_NAME: Final = "(no name)"
MAX_BYTES: Final = 2_000_000  # of one answer


async def check_layers(
    service: Service,
    layers: Sequence[Layer],
    fetcher: Fetcher,
    kinds: Mapping[str, Kind],
    now: datetime,
) -> tuple[list[LayerCheck], list[Asked]]:
    """A look at each of these layers; ends early where the host does not want to be asked."""
    kind = kinds.get(service.kind)
    asking = RecordingFetcher(fetcher)
    checks: list[LayerCheck] = []
    for layer in layers if kind is not None else ():
        check = (
            await _check(service, layer, kind, asking, now)
            if kind is not None
            else None
        )
        if check is None:
            continue
        checks.append(check)
        if check.reason.startswith(str(FailureReason.RATE_LIMITED)):
            break
    return checks, asking.asked


async def _check(
    service: Service, layer: Layer, kind: Kind, asking: RecordingFetcher, now: datetime
) -> LayerCheck | None:
    request = _request(kind, service, layer, None)
    if request is None:
        return None
    declared = layer.extent.box if layer.extent else None
    reason, elapsed_s = await _ask(request, asking, declared)
    if reason and _may_be_chance(reason):
        reason = await _confirmed(reason, service, layer, kind, asking, declared)
    at = asking.last.at if asking.last is not None else now
    ok = True if not reason else outcome_of(reason)
    return LayerCheck(
        layer.name or layer.title or NO_NAME,
        at,
        ok,
        reason[:500],
        elapsed_s,
        request.title,
    )


async def _ask(
    request: LayerRequest, asking: RecordingFetcher, declared: BBox | None
) -> tuple[str, float]:
    asking.accept = request.media_type or "*/*"
    visit = await asking.fetch(request.url, accept=asking.accept, max_bytes=MAX_BYTES)
    return fault_of(request, visit, declared), visit.elapsed_s


def _may_be_chance(reason: str) -> bool:
    """Is it worth asking again? Not where somebody keeps us out, or where each attempt costs half a minute."""
    failure = reason_in(reason)
    is_late = (
        failure is not None
        and failure.means.is_strain
        and failure is not FailureReason.RESET
    )
    return outcome_of(reason) is False and not is_late


async def _confirmed(
    reason: str,
    service: Service,
    layer: Layer,
    kind: Kind,
    asking: RecordingFetcher,
    declared: BBox | None,
) -> str:
    """The reason, if the middle of the layer fails too; empty where it does not."""
    is_blank = reason.startswith(RefusalReason.BLANK_IMAGE)
    box = _middle(declared) if declared and is_blank else None
    again = _request(kind, service, layer, box)
    if again is None:
        return reason
    second, _ = await _ask(again, asking, declared)
    if not is_blank or not second.startswith(RefusalReason.BLANK_IMAGE):
        return second
    return await _elsewhere(second, service, layer, kind, asking)


async def _elsewhere(
    reason: str, service: Service, layer: Layer, kind: Kind, asking: RecordingFetcher
) -> str:
    """Blank inside its box: is it drawn anywhere else?"""
    everywhere = Layer(
        layer.name,
        layer.title,
        crs=layer.crs,
        formats=layer.formats,
        styles=layer.styles,
    )
    # else cut to what the service declares
    request = _request(kind, replace(service, extent=None), everywhere, WORLD)
    if request is None or request.rel is not Rel.MAP:
        return reason
    fault, _ = await _ask(request, asking, None)
    if fault:
        return reason
    return f"{RefusalReason.WRONG_PROJECTION}: nothing is drawn inside the box of the layer, but elsewhere"


def _middle(box: BBox) -> BBox:
    part = max(box.parts(), key=lambda each: each.width)
    x, y = (part.west + part.east) / 2, (part.south + part.north) / 2
    return BBox(
        x - part.width / 4, y - part.height / 4, x + part.width / 4, y + part.height / 4
    )


def _request(
    kind: Kind, service: Service, layer: Layer, box: BBox | None
) -> LayerRequest | None:
    """The first request of the kind for content of the layer."""
    # a kind of others need not know of checks
    asks = getattr(kind, "checks", kind.requests)
    content = {Rel.MAP, Rel.FEATURES, Rel.COVERAGE, Rel.TILE, Rel.RECORDS, Rel.DATA}
    found: Sequence[LayerRequest] = asks(service, layer, box)
    return next((each for each in found if each.rel in content), None)


def chosen_layers(service: Service, count: int, turn: int = 0) -> list[Layer]:
    """Layers with a name, so many; the next turn takes the next ones. Tiles may have no name: then all layers."""
    named = [layer for layer in service.layers if layer.name] or list(service.layers)
    if len(named) <= count or count <= 0:
        return named[: max(count, 0)]
    start = turn * count % len(named)
    return (named + named)[start : start + count]


def summed_up(checks: Sequence[LayerCheck]) -> tuple[bool | None, str]:
    """What the looks at layers say of their service: fine, some fail, none works, or nothing but who keeps us out."""
    failed = [check for check in checks if check.ok is False]
    good = [check for check in checks if check.ok]
    if not failed:
        hindered = next(
            (check for check in checks if check.reason.startswith(_WALLS)), None
        )
        kept_out = (
            f"{hindered.reason} (layer {hindered.layer})"[:500]
            if hindered and not good
            else ""
        )
        return (True, "") if good else (None, kept_out)
    example = f"{failed[0].layer}: {failed[0].reason}"
    if good:
        return (
            True,
            f"{RefusalReason.SOME_LAYERS}: {len(failed)} of {len(checks)}, {example}"[
                :500
            ],
        )
    return False, f"{RefusalReason.BROKEN_LAYERS}: {example}"[:500]


def deepened(check: Check, checks: Sequence[LayerCheck]) -> Check:
    """A good check with what the layers say: a service whose layers fail does not work; one that guards them does."""
    ok, reason = summed_up(checks)
    return (
        replace(check, ok=check.ok if ok is None else ok, reason=reason)
        if reason
        else check
    )
