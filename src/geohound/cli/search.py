"""`geohound search`: find layers that work in the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from geohound import assembly
from geohound.model.bbox import Relation
from geohound.model.health import State
from geohound.model.query import Hit, Query

from . import options, printing


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: geohound search land cover --bbox -75,-34,-34,6 --kind wms")(search)


def search(
    words: Annotated[list[str] | None, typer.Argument(help="What it is about; may be left out with --bbox.")] = None,
    bbox: Annotated[str | None, typer.Option(metavar="W,S,E,N", help="Where, in degrees.")] = None,
    relation: Annotated[
        Relation, typer.Option(help="How the layer's box stands to the one asked for.")
    ] = Relation.OVERLAPS,
    kind: Annotated[str | None, typer.Option(metavar="ID,…", help="Kinds of service, such as wms,wfs.")] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE,…", help="alive, dead, unsure or unknown.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Hits to show.")] = 10,
    offset: Annotated[int, typer.Option(min=0, help="Hits to leave out at the beginning.")] = 0,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Search the catalogue by words, by a box, or by both."""
    settings = options.gather(config, catalogue=catalogue)
    query = Query(
        text=" ".join(words or ()),
        bbox=options.bbox(bbox),
        relation=relation,
        kinds=options.choices(kind, list(assembly.kinds()), "--kind"),
        states=tuple(State(s) for s in options.choices(state, [str(s) for s in State], "--state")),
        limit=limit,
        offset=offset,
    )
    with assembly.open_catalogue(settings) as found_in:
        results = found_in.search(query)
    if json:
        for found in results.hits:
            printing.line(printing.hit(found))
        facets = {name: dict(values) for name, values in results.facets.items()}
        printing.line(
            {
                "summary": {
                    "total": results.total,
                    "elapsed_ms": round(results.elapsed_ms, 2),
                    "facets": facets,
                }
            }
        )
        return
    for rank, found in enumerate(results.hits, start=offset + 1):
        _show(rank, found, verbose)
    if not quiet:
        printing.say(_closing(results.total, len(results.hits), results.elapsed_ms))


def _show(rank: int, found: Hit, verbose: bool) -> None:
    service = found.service
    kind = f"{service.kind} {service.version}".strip()
    printing.say(f"{rank:>3}. {service.title or service.endpoint}  [{kind}, {found.state}]")
    printing.say(f"     {service.endpoint}")
    shown = found.layers if verbose else found.layers[:3]
    for layer in shown:
        printing.say(f"     · {layer.title or layer.name}  ({layer.name})")
    if len(found.layers) > len(shown):
        printing.say(f"     · and {len(found.layers) - len(shown)} more layers")
    printing.say(f"     {service.id}  {found.why}")


def _closing(total: int, shown: int, elapsed_ms: float) -> str:
    if not total:
        return "Nothing found. Try fewer words or a larger box, or crawl more: geohound crawl URL"
    return f"{shown} of {total} services, {elapsed_ms:.0f} ms"
