"""`geohound identify`: finds out which service each input is, whether it is alive, or why not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from geohound import app, health, probe
from geohound.contracts import CatalogueStore, Fetcher, Kind, StoreError
from geohound.document import Document
from geohound.fetcher_wrapper import FetcherWrapper, NextFetch
from geohound.health import Timed
from geohound.model.service import Refusal, RefusalReason, Verdict
from geohound.model.visit import Response, Visit
from geohound.settings import Settings
from geohound.views.records import identified, web_endpoint

from . import options, printing
from .inputs import Input, read_input
from .values import text


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound identify https://example.org/geoserver/ows saved-capabilities.xml"
    )(identify)


def identify(
    inputs: Annotated[
        list[str],
        typer.Argument(
            parser=text,
            metavar="URL|FILE…",
            help="URLs, or files with saved responses.",
        ),
    ],
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Identify each URL or file: service kind, version and layers, or why it is not a service."""
    del quiet
    settings = options.gather(
        config,
        catalogue=catalogue,
        connect_to=connect_to,
        allow_nets=allow_net,
        host_delay_s=0.0,
    )
    meant = [(text, read_input(text)) for text in inputs]
    with ExitStack() as stack:
        known = _open_existing(settings, stack)
        all_known = asyncio.run(_identify_all(meant, settings, json, verbose, known))
    options.close(meant, all_done=all_known)


def _open_existing(settings: Settings, stack: ExitStack) -> CatalogueStore | None:
    """The catalogue; None where there is none, or where it cannot be opened: nothing here depends on it."""
    with suppress(StoreError, OSError):
        if app.has_catalogue(settings):
            return stack.enter_context(app.open_catalogue(settings)).catalogue
    return None


class _Timing(FetcherWrapper):
    """A fetcher that remembers when the last answer came."""

    last: Timed | None = None

    async def ask(self, url: str, onward: NextFetch) -> Visit:  # noqa: ARG002 - `onward` knows it
        visit = await onward()
        self.last = Timed(visit.at, visit.elapsed_s)
        return visit


async def _identify_all(
    inputs: list[tuple[str, Input]],
    settings: Settings,
    as_json: bool,
    verbose: bool,
    catalogue: CatalogueStore | None,
) -> bool:
    kinds = app.kinds()
    network = app.fetcher(settings)
    fetcher = _Timing(network)
    known = True
    try:
        for source, meant in inputs:
            began = time.perf_counter()
            verdict = await _identify(meant, fetcher, kinds, settings)
            await _record_checks(catalogue, meant, verdict, fetcher.last)
            elapsed_ms = (time.perf_counter() - began) * 1000
            known = known and bool(verdict.services)
            if as_json:
                printing.line(identified(source, verdict, elapsed_ms))
            elif meant.wrong:
                printing.say(f"✗ {source}\n  {meant.wrong}")
            else:
                _show(source, verdict, verbose)
    finally:
        await network.close()
    return known


async def _record_checks(
    catalogue: CatalogueStore | None, meant: Input, verdict: Verdict, last: Timed | None
) -> None:
    """What was found out about services of the catalogue goes into it; one that cannot be written stays as it is."""
    if catalogue is None or not meant.url or last is None:
        return
    with suppress(StoreError):
        known = catalogue.known_at(meant.url)
        await catalogue.record(
            health.checks_of(known, verdict, app.kinds(), app.address_book(), last)
        )


async def _identify(
    meant: Input, fetcher: Fetcher, kinds: Mapping[str, Kind], settings: Settings
) -> Verdict:
    if meant.wrong:
        return Verdict(refusal=Refusal(RefusalReason.INCONCLUSIVE, meant.wrong))
    if meant.path is not None:
        return probe.recognise(
            _read_saved(meant.path, settings.max_service_bytes), kinds
        )
    return await probe.identify(meant.url, fetcher, kinds, settings.max_service_bytes)


def _show(source: str, verdict: Verdict, verbose: bool) -> None:
    if verdict.refusal and not verdict.services:
        detail = f" ({verdict.refusal.detail})" if verdict.refusal.detail else ""
        hint = printing.advice(verdict.refusal.detail)
        printing.say(
            f"✗ {source}\n  no service: {verdict.refusal.reason}{detail}{hint}"
        )
    for service in verdict.services:
        title = service.title or "(no title)"
        printing.say(f"✓ {source}\n  {service.kind} {service.version}  {title}")
        printing.say(f"  endpoint {web_endpoint(service) or '(not in the file)'}")
        names = ", ".join(layer.title or layer.name for layer in service.layers[:5])
        more = f" and {len(service.layers) - 5} more" if len(service.layers) > 5 else ""
        printing.say(
            f"  {printing.count(len(service.layers), 'layer')}{': ' + names + more if names else ''}"
        )
        if service.repairs:
            printing.say(f"  repaired: {'; '.join(service.repairs)}")
    if verbose:
        printing.say("  requested: " + ", ".join(verdict.tried))


def _read_saved(path: Path, max_bytes: int) -> Document:
    """A saved answer, read as if it had just come."""
    with path.open("rb") as file:
        body = file.read(max_bytes + 1)
    address = path.resolve().as_uri()
    return Document(
        Response(
            address,
            address,
            200,
            {},
            body[:max_bytes],
            datetime.now(UTC),
            truncated=len(body) > max_bytes,
        )
    )
