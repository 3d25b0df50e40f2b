"""`geohound search`: find layers that work in the catalogue."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import msgspec
import typer

from geohound import app
from geohound.model.bbox import Relation
from geohound.model.search.query import Hit, Results
from geohound.views.encoding import plain
from geohound.views.params import COMMAND_LINE, read_query
from geohound.views.records import ResultsRecord, results_record

from . import hints, options, printing, search_options
from .search_options import SearchCommand, given_texts, known_topics


def register(program: typer.Typer) -> None:
    program.command(
        cls=SearchCommand,
        epilog="Example: geohound search land cover --bbox -75,-34,-34,6 --kind wms",
    )(search)


def search(
    words: search_options.WORDS = None,
    bbox: search_options.BBOX = None,
    relation: search_options.RELATION = Relation.OVERLAPS,
    kind: search_options.KIND = None,
    topic: search_options.TOPIC = None,
    class_: search_options.CLASS = None,
    state: search_options.STATE = None,
    country: search_options.COUNTRY = None,
    where: search_options.WHERE = None,
    years: search_options.YEARS = None,
    synonyms: search_options.SYNONYMS = True,
    limit: Annotated[
        str, typer.Option(metavar="N", help="Number of results, at most 1000.")
    ] = "10",
    offset: Annotated[
        str, typer.Option(metavar="N", help="Number of results to skip.")
    ] = "0",
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Search the catalogue by words, by bounding box, or both."""
    settings = options.gather(config, catalogue=catalogue)
    single = {
        "bbox": bbox,
        "relation": relation,
        "years": years,
        "expand": str(synonyms).lower(),
    }
    single |= {"limit": limit, "offset": offset}
    lists = {
        "kind": kind,
        "topic": topic,
        "class": class_,
        "state": state,
        "country": country,
    }
    given = given_texts(words, single, lists, where)
    kinds = {"kind": list(app.kinds())} if "kind" in given else {}
    query = read_query(given, COMMAND_LINE, kinds)
    with app.open_catalogue(settings) as opened:
        results = opened.index.search(replace(query, related=True))
        if not results.total and query.topics:
            read_query(
                given,
                COMMAND_LINE,
                {**kinds, "topic": known_topics(opened.index, settings)},
            )
    with printing.to_a_reader():
        if json:
            _print_json(results_record(results))
            return
        for rank, found in enumerate(results.hits, start=query.offset + 1):
            _show(rank, found, verbose)
        if not quiet:
            printing.say(
                _closing(results, is_filtered=bool(query.filters() or query.years))
            )


def _print_json(record: ResultsRecord) -> None:
    for hit in record.hits:
        printing.line(hit)
    summary = plain(msgspec.structs.replace(record, hits=[]))
    del summary["hits"], summary["next"]
    printing.line({"summary": summary})


def _show(rank: int, found: Hit, verbose: bool) -> None:
    service = found.service
    kind = f"{service.kind} {service.version}".strip()
    printing.say(
        f"{rank:>3}. {service.title or service.endpoint}  [{kind}, {found.state}]"
    )
    printing.say(f"     {service.endpoint}")
    shown = found.layers if verbose else found.layers[:3]
    for layer in shown:
        printing.say(f"     · {layer.title or layer.name}  ({layer.name})")
    if found.match_count > len(shown):
        printing.say(
            f"     · and {printing.count(found.match_count - len(shown), 'more layer')}"
        )
    if found.also:
        printing.say(f"     same service at: {', '.join(found.also)}")
    printing.say(f"     {service.id}  {found.why}")


def _closing(results: Results, *, is_filtered: bool) -> str:
    meant = f"Did you mean: {results.suggestion}" if results.suggestion else ""
    if results.related:
        meant = f"{meant} Related: {', '.join(results.related)}".strip()
    if not results.total:
        fewer = "fewer words, fewer filters" if is_filtered else "fewer words"
        return (
            meant
            or f"No results. Try {fewer} or a larger box, or crawl more: {hints.command('crawl URL')}"
        )
    shown = f"{len(results.hits):,} of {printing.count(results.total, 'service')}, {results.elapsed_ms:.0f} ms"
    if results.partial:
        shown = f"No result matches all words; showing partial matches. {shown}"
    return f"{shown}. {meant}" if meant else shown
