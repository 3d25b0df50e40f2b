"""`geohound show`: one service in full."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import chain
from typing import Annotated

import typer

from geohound import app, urls
from geohound.contracts import CatalogueStore, SnippetWriter
from geohound.model.score import NO_CAP
from geohound.model.service import Layer, Service
from geohound.model.user_error import MissingError
from geohound.views.encoding import plain
from geohound.views.known import (
    Criteria,
    HealthRecord,
    InspireRecord,
    KnownService,
    known_service,
)
from geohound.views.opening import Opener, Opening, opening_record
from geohound.views.parsing import read_box

from . import hints, options, printing
from .values import text

_SHOWN = 20  # layers and sightings, where not all are asked for


def register(program: typer.Typer) -> None:
    program.command(epilog="Example: geohound show 3f2a9c0d1e4b5a67 --open qgis")(show)


def show(
    name: Annotated[
        str,
        typer.Argument(
            parser=text,
            metavar="ID|URL",
            help="Service id, as printed by search, or its URL.",
        ),
    ],
    program: Annotated[
        str | None,
        typer.Option(
            "--open",
            metavar="PROGRAM",
            help="Print only the code that opens it in this program: qgis, python, curl …",
        ),
    ] = None,
    layer: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Layer to open; by default the first."),
    ] = None,
    bbox: Annotated[
        str | None,
        typer.Option(metavar="W,S,E,N", help="Bounding box to open, in degrees."),
    ] = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Show one service: metadata, layers, health, and where it was found."""
    del quiet
    settings = options.gather(config, catalogue=catalogue)
    box = read_box(bbox or "", "--bbox")
    started = time.perf_counter()
    writers = _writers(program) if program is not None else {}
    with app.open_catalogue(settings) as opened:
        services = _find(opened.catalogue, name)
        if not services:
            raise MissingError(
                f"{printing.printable(name)!r} is not in the catalogue. To test it: {hints.command('identify URL')}"
            )
        if program is not None:
            opener = Opener(app.kinds(), writers)
            for service in services:
                _open(opener.open(service, _layer(service, layer), box), json)
            return
        classifier = app.classifier(settings.topic_files, settings.topic_match)
        criteria = Criteria(classifier.classify, app.address_book().response_limit_s)
        for service in services:
            known = known_service(
                opened.catalogue,
                service,
                criteria,
                datetime.now(UTC),
                None,
                opened.past.of(service.id),
            )
            if json:
                spent_ms = round((time.perf_counter() - started) * 1000, 1)
                fields = {"input": name, "refusal": None, "elapsed_ms": spent_ms}
                printing.line(plain(known) | fields)
            else:
                _print(known, verbose)


def _find(catalogue: CatalogueStore, name: str) -> list[Service]:
    if "://" in name:
        clean = urls.canonical(name)
        return list(catalogue.at(clean)) if clean else []
    service = catalogue.get(name)
    return [service] if service else []


def _writers(program: str) -> dict[str, SnippetWriter]:
    known = app.snippets()
    if program.lower() not in known:
        raise typer.BadParameter(
            f"Unknown program {program!r}; choose from {', '.join(known)}.",
            param_hint="--open",
        )
    return {program.lower(): known[program.lower()]}


def _layer(service: Service, name: str | None) -> Layer | None:
    found = next((layer for layer in service.layers if layer.name == name), None)
    if name is not None and found is None:
        raise typer.BadParameter(
            f"The service {service.id} has no layer {name!r}.", param_hint="--layer"
        )
    return found


def _open(opening: Opening, json: bool) -> None:
    """The code alone, so that it can be handed on to the program."""
    if json:
        printing.line(opening_record(opening))
        return
    for snippet in opening.snippets:
        for part in snippet.code.splitlines():
            printing.say(part)
    if not opening.snippets:
        printing.complain(
            opening.reason or "This program cannot open the service; try another one."
        )
        raise typer.Exit(1)


def _print(known: KnownService, verbose: bool) -> None:
    printing.say(known.title or "(no title)")
    health = known.health
    since = f" since {health.since:%Y-%m-%d %H:%M:%S}" if health.since else ""
    reason = f": {health.reason}" if health.reason else ""
    facts = {
        "id": known.id,
        "kind": known.kind,
        "version": known.version,
        "endpoint": known.endpoint,
        "software": known.software,
        "language": known.language,
        "health": f"{health.state}{since}{reason}, {printing.count(health.checks, 'check')}",
        "score": _score_text(health),
        "latency": _latency(known),
        "available": _availability(health),
        "INSPIRE": _inspire(health.inspire),
        "next look": f"{health.next_check:%Y-%m-%d %H:%M}" if health.next_check else "",
        "projections": _projections(known, verbose),
        "provider": known.provider.name,
        "licence": known.access.licence,
        "location": _location_text(known),
        "topics": ", ".join(
            dict.fromkeys(each.class_ or each.topic for each in known.topics)
        ),
    }
    for label, value in facts.items():
        if value:
            printing.say(f"  {label:<11} {value}")
    for alias in known.aliases:
        printing.say(f"  {'alias':<11} {alias}")
    if known.abstract:
        printing.say(f"\n  {known.abstract}")
    _print_layers(known, verbose)
    _print_past(known, verbose)


def _location_text(known: KnownService) -> str:
    """Where the host stands, and who says so."""
    found = known.location
    if found is None:
        return ""
    place = (
        f" {found.lat:g}, {found.lon:g}"
        if found.lat is not None and found.lon is not None
        else ""
    )
    return f"{found.country}{place} ({found.source})".strip()


def _score_text(health: HealthRecord) -> str:
    """The score, and what it is made of."""
    parts = health.score_parts
    if health.score is None or parts is None:
        return ""
    provisional = ", provisional" if health.provisional else ""
    shares = f"correct {parts.correct:.2f}, availability at least {parts.availability:.2f}, speed {parts.speed:.2f}"
    cap = f", at most {parts.cap:.0f}" if parts.cap < NO_CAP else ""
    said = "" if parts.description is None else f", description {parts.description:.2f}"
    rest = f"stability {parts.stability:.2f}{said}{cap}"
    return f"{health.score:.0f} of 100 ({health.score_band}{provisional}): {shares}, {rest}"


def _latency(known: KnownService) -> str:
    latency = known.health.latency_ms
    if latency.p50 is None:
        return ""
    slowest = f", 95 % within {latency.p95:.0f} ms" if latency.p95 is not None else ""
    return f"median {latency.p50:.0f} ms{slowest}"


def _availability(health: HealthRecord) -> str:
    """The share of good checks with its 95 % interval, over 7, 30 and 365 days."""
    parts = []
    for days in (7, 30, 365):
        share = getattr(health.availability, f"days_{days}")
        interval = getattr(health.availability_interval, f"days_{days}")
        if share is not None and interval is not None:
            parts.append(
                f"{days} days {share:.2%} ({interval[0]:.2%} to {interval[1]:.2%})"
            )
    return ", ".join(parts)


_MET = {True: "met", False: "missed", None: "too few checks to know"}


def _inspire(inspire: InspireRecord) -> str:
    if inspire.response_s is None:
        return ""
    response = f"response {inspire.response_s:.2f} s of {inspire.limit_s:g} s, {_MET[inspire.response_met]}"
    return f"availability of 99 %: {_MET[inspire.availability_met]}; {response}"


def _projections(known: KnownService, verbose: bool) -> str:
    """The reference systems of the service and of all its layers."""
    lists = {id(layer.crs): layer.crs for layer in known.layers}
    every = list(dict.fromkeys(chain(known.crs, *lists.values())))
    shown = every if verbose else every[:_SHOWN]
    more = f" and {len(every) - len(shown)} more" if len(every) > len(shown) else ""
    return ", ".join(shown) + more


def _print_layers(known: KnownService, verbose: bool) -> None:
    shown = known.layers if verbose else known.layers[:_SHOWN]
    printing.say(f"\n  {printing.count(len(known.layers), 'layer')}")
    for layer in shown:
        crs = layer.crs if verbose else layer.crs[:3]
        more = (
            f" and {len(layer.crs) - len(crs)} more"
            if len(layer.crs) > len(crs)
            else ""
        )
        printing.say(
            f"  · {layer.title or layer.name}  ({layer.name})  {layer.bbox or ''}  {', '.join(crs)}{more}".rstrip()
        )
    if len(shown) < len(known.layers):
        printing.say(
            f"  · and {len(known.layers) - len(shown)} more (--verbose shows all)"
        )


def _print_past(known: KnownService, verbose: bool) -> None:
    printing.say("\n  found")
    for seen in known.sightings[:_SHOWN]:
        printing.say(
            f"  · {seen.at:%Y-%m-%d %H:%M:%S} {seen.via}: {seen.url} on {seen.found_on or 'the seed list'}"
        )
    if len(known.history) > 1 or verbose:
        printing.say("\n  history")
        for entry in known.history:
            printing.say(
                f"  · {entry.at:%Y-%m-%d %H:%M:%S} {entry.change}: {entry.detail}"
            )
