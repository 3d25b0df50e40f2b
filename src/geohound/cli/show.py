"""`geohound show`: all that is known of one service."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from geohound import assembly, urls
from geohound.contracts import Catalogue
from geohound.model.health import assess
from geohound.model.service import Service

from . import options, printing


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: geohound show 3f2a9c0d1e4b5a67")(show)


def show(
    name: Annotated[str, typer.Argument(metavar="ID|URL", help="The id that search prints, or an address.")],
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Show all that is known of one service: layers, health, where it was found."""
    del quiet
    with assembly.open_catalogue(options.gather(config, catalogue=catalogue)) as found_in:
        services = _find(found_in, name)
        if not services:
            printing.err.print(
                f"Nothing is known of {printing.printable(name)!r}. Search for it, or test it: geohound identify URL",
                markup=False,
            )
            raise typer.Exit(1)
        for service in services:
            report = _report(found_in, service)
            if json:
                printing.line(report)
            else:
                _print(report, verbose)


def _find(catalogue: Catalogue, name: str) -> list[Service]:
    if "://" in name:
        clean = urls.canonical(name)
        return list(catalogue.at(clean)) if clean else []
    service = catalogue.get(name)
    return [service] if service else []


def _report(catalogue: Catalogue, service: Service) -> dict[str, Any]:
    health = assess(catalogue.checks(service.id))
    return {
        "id": service.id,
        "kind": service.kind,
        **printing.described(service),
        "doors": list(service.doors),
        "operations": [{"name": o.name, "get": o.get, "post": o.post} for o in service.operations],
        "health": {
            "state": str(health.state),
            "availability": health.availability,
            "median_elapsed_s": health.median_elapsed_s,
            "since": health.since.isoformat() if health.since else None,
            "checks": health.checks,
        },
        "sightings": [
            {
                "url": s.url,
                "found_on": s.found_on,
                "via": str(s.via),
                "evidence": s.evidence,
                "at": s.at.isoformat(),
            }
            for s in catalogue.sightings(service.id)
        ],
    }


def _print(report: dict[str, Any], verbose: bool) -> None:
    printing.say(report["title"] or "(no title)")
    for label in ("id", "kind", "version", "endpoint", "software", "language"):
        if report[label]:
            printing.say(f"  {label:<10} {report[label]}")
    health = report["health"]
    printing.say(
        f"  {'health':<10} {health['state']} since {(health['since'] or '?')[:19]}, checked {health['checks']} ×"
    )
    for label, value in (("provider", report["provider"]["name"]), ("licence", report["access"]["licence"])):
        if value:
            printing.say(f"  {label:<10} {value}")
    for door in report["doors"]:
        printing.say(f"  {'door':<10} {door}")
    if report["abstract"]:
        printing.say(f"\n  {report['abstract']}")
    layers = report["layers"] if verbose else report["layers"][:20]
    printing.say(f"\n  {printing.count(len(report['layers']), 'layer')}")
    for layer in layers:
        printing.say(f"  · {layer['title'] or layer['name']}  ({layer['name']})  {layer['bbox'] or ''}")
    if len(layers) < len(report["layers"]):
        printing.say(f"  · and {len(report['layers']) - len(layers)} more (--verbose shows all)")
    printing.say("\n  found")
    for seen in report["sightings"][:20]:
        printing.say(f"  · {seen['at'][:19]} {seen['via']}: {seen['url']} on {seen['found_on'] or 'the seed list'}")
