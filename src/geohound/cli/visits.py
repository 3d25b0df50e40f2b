"""`geohound visits` and `geohound requests`: what a crawl went to see, and what it asked of a host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from geohound import assembly

from . import options, printing

LIMIT = Annotated[int, typer.Option("--limit", min=0, help="How many lines at most; 0 for all.")]


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: geohound visits --why --json > visits.jsonl")(visits)
    app.command(epilog="Example: geohound requests www.example.org")(requests)


def visits(
    task: Annotated[int | None, typer.Argument(help="The task's number; the last one by default.")] = None,
    limit: LIMIT = 0,
    why: Annotated[bool, typer.Option("--why", help="Tell what spoke for each link and against it.")] = False,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List every URL that a crawl visited or dropped: where it was found, and what became of it."""
    del quiet, verbose  # what is asked for is printed either way
    settings = options.gather(config, catalogue=catalogue)
    for count, visit in enumerate(assembly.visits(settings, task, why=why), 1):
        if json:
            printing.line(visit)
        else:
            result = visit["reason"] or _met(visit)
            told = f"{visit['status'] or '---'}  {visit['url']}  {result}  from {visit['parent'] or 'the seeds'}"
            printing.say(printing.printable(told))
            if why:
                parts = "  ".join(f"{part['what']} {part['weight']:+.2f}" for part in visit["why"])
                printing.say(printing.printable(f"     {parts}"))
        if count == limit:
            break


def _met(visit: Mapping[str, Any]) -> str:
    """How many services a visit proved, and of which kinds."""
    kinds = ", ".join(dict.fromkeys(met["kind"] for met in visit["met"]))
    told = printing.count(visit["services"], "service") if visit["services"] else ""
    return f"{told} ({kinds})" if kinds else told


def requests(
    host: Annotated[str, typer.Argument(metavar="HOST", help="A host, as in its address: www.example.org.")],
    limit: LIMIT = 0,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List every request that was made to a host, the latest first."""
    del quiet, verbose  # what is asked for is printed either way
    settings = options.gather(config, catalogue=catalogue)
    found = assembly.requests(settings, host.strip().lower(), limit)
    for made in found:
        if json:
            printing.line(made)
        else:
            ending = made["status"] or made["reason"]
            told = f"{made['at']}  {ending}  {made['bytes']:,} bytes  {made['elapsed_s']:.2f} s  {made['url']}"
            printing.say(printing.printable(told))
    if not found:
        printing.err.print(f"No request to {host} is on record in this catalogue.", markup=False)
        raise typer.Exit(1)
