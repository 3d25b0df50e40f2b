"""`geohound check`: one deep look at a service now, with the command that repeats each request."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from typing import Annotated

import typer

from geohound import app, probe, urls
from geohound.contracts import CatalogueStore, Fetcher, StoreError
from geohound.model.health import Check
from geohound.model.service import Service
from geohound.model.user_error import MissingError
from geohound.monitor.looking import Look, RecordingFetcher, failed_look
from geohound.settings import Settings
from geohound.tasks.checking import check_known, look_deeper, look_record
from geohound.views.looks import LookRecord

from . import hints, options, printing
from .values import text, whole

_LAYERS = 20


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound check https://example.org/geoserver/ows --layers 50"
    )(check)


def check(
    name: Annotated[
        str,
        typer.Argument(
            parser=text, metavar="ID|URL", help="Service id, or the URL of a service."
        ),
    ],
    layers: Annotated[
        int,
        typer.Option(
            parser=whole(0, 10_000),
            metavar="N",
            help="Number of layers to ask for content; 0 = none.",
        ),
    ] = _LAYERS,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Check one service now, its layers too, and print the curl command of every request."""
    settings = options.gather(
        config, catalogue=catalogue, connect_to=connect_to, allow_nets=allow_net
    )
    with ExitStack() as stack:
        known = _open(settings, stack)
        services = _services(known, name)
        records = asyncio.run(_check_all(settings, known, services, name, layers))
    for record in records:
        if json:
            printing.line(record)
        else:
            _print(record, quiet=quiet, verbose=verbose)
    if not all(record.ok for record in records):
        raise typer.Exit(1)


def _open(settings: Settings, stack: ExitStack) -> CatalogueStore | None:
    """The catalogue; None where there is none: an address can be checked without one."""
    with suppress(StoreError, OSError):
        if app.has_catalogue(settings):
            return stack.enter_context(app.open_catalogue(settings)).catalogue
    return None


def _services(catalogue: CatalogueStore | None, name: str) -> list[Service]:
    """Those of the catalogue that are meant; none where an address is not in it."""
    if "://" in name:
        clean = urls.canonical(name)
        if clean is None:
            raise typer.BadParameter(
                f"{name!r} is not a valid URL; give one such as https://example.org/wms."
            )
        return list(catalogue.at(clean)) if catalogue else []
    found = catalogue.get(name) if catalogue else None
    if found is None:
        raise MissingError(
            f"{name!r} is not in the catalogue. Give the URL of a service, or search: {hints.command('search WORDS')}"
        )
    return [found]


async def _check_all(
    settings: Settings,
    catalogue: CatalogueStore | None,
    services: list[Service],
    name: str,
    layers: int,
) -> list[LookRecord]:
    fetcher, kinds = app.fetcher(settings), app.kinds()
    try:
        if not services:
            return await _check_stranger(settings, fetcher, name, layers)
        return [
            await check_known(settings, kinds, catalogue, fetcher, each, layers)
            for each in services
        ]
    finally:
        await fetcher.close()


async def _check_stranger(
    settings: Settings, fetcher: Fetcher, name: str, layers: int
) -> list[LookRecord]:
    """An address that the catalogue does not have: whatever lives there is checked, and not kept."""
    asking = RecordingFetcher(fetcher)
    url = urls.canonical(name) or name
    verdict = await probe.identify(url, asking, app.kinds(), settings.max_service_bytes)
    now = datetime.now(UTC)
    if not verdict.services:
        look = failed_look("", verdict, now, asking.asked)
        return [look_record(settings, Service("", url), look)]
    looks = []
    for service in verdict.services:
        last = asking.last.elapsed_s if asking.last else 0.0
        good = Look(
            Check(service.id, now, True, service.tls_fault, last, service.fingerprint),
            asked=asking.asked,
        )
        look = await look_deeper(good, service, fetcher, app.kinds(), layers)
        looks.append(look_record(settings, service, look))
    return looks


_MARKS = {True: "✓", False: "✗", None: "?"}


def _print(record: LookRecord, *, quiet: bool, verbose: bool) -> None:
    state = (
        f"  {record.was} → {record.state}"
        if record.state and record.was != record.state
        else ""
    )
    kind = f"{record.kind} " if record.kind else ""
    printing.say(
        f"{_MARKS[record.ok]} {kind}{record.endpoint}{state}  {record.elapsed_ms:.0f} ms"
    )
    if record.reason:
        printing.say(f"  {record.reason}{printing.advice(record.reason)}")
    for layer in record.layers:
        why = f": {layer.reason}" if layer.reason else ""
        printing.say(
            f"  {_MARKS[layer.ok]} {layer.name}  {layer.request}  {layer.elapsed_ms:.0f} ms{why}"
        )
    untested = record.layer_count - len(record.layers)
    if record.layers and untested > 0:
        printing.say(
            f"  {printing.count(untested, 'layer')} not asked; --layers N asks more"
        )
    if quiet:
        return
    printing.say("\n  requests")
    for asked in record.requests:
        ended = asked.problem or f"HTTP {asked.status}, {asked.bytes:,} bytes"
        printing.say(
            f"  · {ended}, {asked.elapsed_ms:.0f} ms" if verbose else f"  · {ended}"
        )
        printing.say(f"    {asked.curl}")
