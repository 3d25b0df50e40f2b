"""One deep check of a service, for the command and for the portal: requested, judged, recorded, described."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from geohound.contracts import CatalogueStore, Fetcher, Kind, StoreError
from geohound.model.health import HealthState, assess
from geohound.model.service import Service
from geohound.monitor.deep import check_layers, chosen_layers, deepened
from geohound.monitor.looking import Look, Postponed, failed_look, look_at, target_of
from geohound.settings import Settings
from geohound.views.looks import (
    LookRecord,
    Repeating,
    layer_looks,
    milliseconds,
    requests_made,
)


async def check_known(
    settings: Settings,
    kinds: Mapping[str, Kind],
    catalogue: CatalogueStore | None,
    fetcher: Fetcher,
    service: Service,
    layers: int,
) -> LookRecord:
    """Check a service and so many of its layers, and record what was found."""
    now = datetime.now(UTC)
    target = target_of(service, catalogue)
    found = await look_at(target, fetcher, kinds, settings.max_service_bytes, now)
    look = (
        failed_look(service.id, found, now) if isinstance(found, Postponed) else found
    )
    look = await look_deeper(look, look.read or service, fetcher, kinds, layers)
    was = assess(catalogue.checks(service.id)).state if catalogue else None
    if catalogue is not None:
        with suppress(StoreError):
            await catalogue.record([look.check])
    state = assess(catalogue.checks(service.id)).state if catalogue else None
    return look_record(settings, service, look, was, state)


async def look_deeper(
    look: Look,
    service: Service,
    fetcher: Fetcher,
    kinds: Mapping[str, Kind],
    layers: int,
) -> Look:
    """Where the service answers, request content of so many of its layers too."""
    if not look.check.ok or layers == 0:
        return look
    chosen = chosen_layers(service, layers)
    checks, asked = await check_layers(service, chosen, fetcher, kinds, look.check.at)
    return replace(
        look,
        check=deepened(look.check, checks),
        asked=[*look.asked, *asked],
        layers=tuple(checks),
    )


def look_record(
    settings: Settings,
    service: Service,
    look: Look,
    was: HealthState | None = None,
    state: HealthState | None = None,
) -> LookRecord:
    """What was found, with the curl commands that repeat each request."""
    repeating = Repeating(settings.user_agent, tuple(settings.connect_to))
    return LookRecord(
        id=service.id if service.kind else "",
        kind=service.kind,
        endpoint=service.endpoint,
        title=service.title,
        ok=look.check.ok,
        reason=look.check.reason or None,
        elapsed_ms=milliseconds(look.check.elapsed_s),
        state=str(state) if state else None,
        was=str(was) if was else None,
        layer_count=len(service.layers),
        layers=layer_looks(look.layers),
        requests=requests_made(look.asked, repeating),
    )
