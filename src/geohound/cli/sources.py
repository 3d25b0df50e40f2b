"""`geohound sources`: search providers and harvesters, their state and cost, and what they have brought."""

from __future__ import annotations

from typing import Any

import typer

from geohound import app
from geohound.contracts import Searcher
from geohound.reports.sources import PER_1000, per_1000, yields
from geohound.settings import Settings
from geohound.tasks.source_yields import sources_of

from . import options, printing
from .hunt import missing_keys


def register(program: typer.Typer) -> None:
    program.command(epilog="Example: geohound sources --json")(sources)


def sources(
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List search providers and harvesters: state, cost, and what they brought so far in this catalogue."""
    del quiet, verbose  # what is asked for is printed either way
    settings = options.gather(config, catalogue=catalogue)
    is_there = app.has_catalogue(settings)
    brought = _brought(settings) if catalogue or is_there else {}
    rows = [
        _searcher_row(part) for part in app.searchers(settings.searcher_files).values()
    ]
    rows += [{"id": each.id, "title": each.title, "type": "harvester", "state": "ready"}
             for each in app.harvesters(settings.harvester_files).values()]  # fmt: skip
    for row in rows:
        _show(row | brought.get(row["id"], {}), json=json)
    for name in sorted(set(brought) - {row["id"] for row in rows}):
        kind = "catalogue" if "://" in name else "seed list"
        _show(
            {"id": name, "title": name, "type": kind, "state": "used"} | brought[name],
            json=json,
        )


def _searcher_row(part: Searcher) -> dict[str, Any]:
    missing = missing_keys(part)
    state = (
        f"set {', '.join(missing)}"
        if missing
        else "ready"
        if part.address
        else f"use --searcher {part.id}=URL"
    )
    terms = part.terms
    cost = {
        "cost_usd": terms.cost_usd,
        "free_requests": terms.free_requests,
        "period": terms.period,
    }
    return {
        "id": part.id,
        "title": part.title,
        "type": "searcher",
        "state": state,
        **cost,
        "note": terms.note,
    }


def _brought(settings: Settings) -> dict[str, dict[str, Any]]:
    with app.open_catalogue(settings) as opened:
        brought = yields(sources_of(opened.tasks.tasks()))
    return {
        source: {**counts, PER_1000: per_1000(counts)}
        for source, counts in brought.items()
    }


def _show(row: dict[str, Any], *, json: bool) -> None:
    if json:
        printing.line(row)
        return
    cost = f"{row['cost_usd']:g} USD per request" if row.get("cost_usd") else ""
    free = (
        f"{row['free_requests']} free a {row['period']}"
        if row.get("free_requests")
        else ""
    )
    used = ""
    if row.get("requests") or row.get("services"):
        used = ", ".join(
            printing.count(row[name], name[:-1])
            for name in ("requests", "seeds", "services")
        )
        used += (
            f", {row[PER_1000]:g} services per 1,000 requests to it"
            if row[PER_1000]
            else ""
        )
    about = "; ".join(
        part for part in (row["state"], cost, free, row.get("note", ""), used) if part
    )
    printing.say(f"{row['id']:<16} {row['type']:<10} {about}")
