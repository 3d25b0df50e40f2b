"""`geohound search`: find layers that work in the catalogue."""

from __future__ import annotations

import re
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from geohound import assembly
from geohound.model.bbox import Relation
from geohound.model.health import State
from geohound.model.query import Hit, Query, Results

from . import options, printing

_UNWANTED = re.compile(r'-(?:[^\W\d_]\w|")')


def register(app: typer.Typer) -> None:
    app.command(cls=_Search, epilog="Example: geohound search land cover --bbox -75,-34,-34,6 --kind wms")(search)


class _Search(TyperCommand):
    """-lakes is a word that is not wanted, not an option; a space before it tells the parser so."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        return super().parse_args(ctx, [f" {word}" if _UNWANTED.match(word) else word for word in args])


def search(
    words: Annotated[
        list[str] | None,
        typer.Argument(help="What it is about: words, '\"a phrase\"', begin*, -unwanted; may be left out with --bbox."),
    ] = None,
    bbox: Annotated[str | None, typer.Option(metavar="W,S,E,N", help="Where, in degrees.")] = None,
    relation: Annotated[
        Relation, typer.Option(help="How the layer's box stands to the one asked for.")
    ] = Relation.OVERLAPS,
    kind: Annotated[str | None, typer.Option(metavar="ID,…", help="Kinds of service, such as wms,wfs.")] = None,
    topic: Annotated[str | None, typer.Option(metavar="ID,…", help="Topics, such as land_cover.")] = None,
    class_: Annotated[str | None, typer.Option("--class", metavar="ID,…", help="Classes of a topic.")] = None,
    state: Annotated[str | None, typer.Option(metavar="STATE,…", help="alive, dead, unsure or unknown.")] = None,
    country: Annotated[str | None, typer.Option(metavar="CODE,…", help="Countries of the host, such as de,br.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="FACET=VALUE", help="Any other facet: provider, language, crs, format, licence …"),
    ] = None,
    years: Annotated[str | None, typer.Option(metavar="YEAR[-YEAR]", help="Time that the layers cover.")] = None,
    synonyms: Annotated[bool, typer.Option(help="Also find synonyms and translations.")] = True,
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
        topics=options.values(topic),
        classes=options.values(class_),
        countries=options.values(country),
        where=options.facets(where or []),
        years=options.years(years),
        expand=synonyms,
        limit=limit,
        offset=offset,
    )
    with assembly.open_shelf(settings) as shelf:
        results = shelf.index.search(query)
        if not results.total and query.topics:
            held = shelf.index.search(Query(limit=0)).facets["topic"]
            options.choices(topic, sorted({*assembly.topics(settings.topic_files), *held}), "--topic")
    with printing.to_a_reader():
        if json:
            for found in results.hits:
                printing.line(printing.hit(found))
            printing.line({"summary": _summary(results)})
            return
        for rank, found in enumerate(results.hits, start=offset + 1):
            _show(rank, found, verbose)
        if not quiet:
            printing.say(_closing(results, is_filtered=bool(query.filters() or query.years)))


def _show(rank: int, found: Hit, verbose: bool) -> None:
    service = found.service
    kind = f"{service.kind} {service.version}".strip()
    printing.say(f"{rank:>3}. {service.title or service.endpoint}  [{kind}, {found.state}]")
    printing.say(f"     {service.endpoint}")
    shown = found.layers if verbose else found.layers[:3]
    for layer in shown:
        printing.say(f"     · {layer.title or layer.name}  ({layer.name})")
    if found.match_count > len(shown):
        printing.say(f"     · and {printing.count(found.match_count - len(shown), 'more layer')}")
    if found.also:
        printing.say(f"     the same elsewhere: {', '.join(found.also)}")
    printing.say(f"     {service.id}  {found.why}")


def _summary(results: Results) -> dict[str, Any]:
    return {
        "total": results.total,
        "elapsed_ms": round(results.elapsed_ms, 2),
        "facets": {name: dict(values) for name, values in results.facets.items()},
        "suggestion": results.suggestion or None,
        "partial": results.partial,
    }


def _closing(results: Results, *, is_filtered: bool) -> str:
    meant = f"Did you mean: {results.suggestion}" if results.suggestion else ""
    if not results.total:
        fewer = "fewer words, fewer filters" if is_filtered else "fewer words"
        return meant or f"Nothing found. Try {fewer} or a larger box, or crawl more: geohound crawl URL"
    told = f"{len(results.hits):,} of {printing.count(results.total, 'service')}, {results.elapsed_ms:.0f} ms"
    if results.partial:
        told = f"Nothing holds all of the words; these hold some. {told}"
    return f"{told}. {meant}" if meant else told
