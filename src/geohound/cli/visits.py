"""`geohound visits` and `geohound requests`: the URLs that a crawl visited, and the requests to a host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from geohound import app, urls
from geohound.model.user_error import MissingError
from geohound.tasks.visits import HostLeft

from . import options, printing
from .values import text, whole

MAX_HOSTS_SHOWN = 20
_ROLES = {
    "best": "host asked as one of the best",
    "explored": "host explored: nothing of it had been read",
}
LIMIT = Annotated[
    int,
    typer.Option(
        "--limit",
        parser=whole(0),
        metavar="N",
        help="Maximum number of lines; 0 = all.",
    ),
]


def register(program: typer.Typer) -> None:
    program.command(epilog="Example: geohound visits --why --json > visits.jsonl")(
        visits
    )
    program.command(epilog="Example: geohound requests www.example.org")(requests)


def visits(
    task: Annotated[
        int | None,
        typer.Argument(
            parser=whole(1), help="Task number; by default the latest crawl."
        ),
    ] = None,
    limit: LIMIT = 0,
    why: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Show each link's score breakdown, and why its host was crawled or left for later.",
        ),
    ] = False,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List every URL that a crawl visited or dropped, with its parent page and result."""
    del quiet, verbose  # what is asked for is printed either way
    settings = options.gather(config, catalogue=catalogue)
    for count, visit in enumerate(app.visits(settings, task, why=why), 1):
        if json:
            printing.line(visit)
        else:
            _show(visit, why=why)
        if count == limit:
            break
    if why and not json:
        left = app.hosts_left(settings, task)
        _show_left("To be asked next", [host for host in left if host.is_next])
        _show_left("Left for later", [host for host in left if not host.is_next])


def _show(visit: dict[str, Any], *, why: bool) -> None:
    result = visit["reason"] or _met(visit)
    parent = visit["parent"] or "seed list"
    row = f"{visit['status'] or '---'}  {visit['url']}  {result}  from {parent}"
    printing.say(printing.printable(row))
    if why:
        role = [_ROLES[visit["host_role"]]] if visit["host_role"] else []
        parts = [f"{part['what']} {part['weight']:+.2f}" for part in visit["why"]]
        printing.say(printing.printable(f"     {'  '.join(role + parts)}"))


def _show_left(title: str, hosts: Sequence[HostLeft]) -> None:
    """Hosts that have pages queued, and what is known of them."""
    if not hosts:
        return
    pages = printing.count(sum(host.pages for host in hosts), "page")
    printing.say(
        f"{title}: {pages} on {printing.count(len(hosts), 'host')}, the most promising first:"
    )
    for host in hosts[:MAX_HOSTS_SHOWN]:
        read = f"{host.read:,} read" if host.read else "none read yet"
        row = f"     {host.host}  {printing.count(host.pages, 'page')} queued; {host.why or read}"
        printing.say(printing.printable(row))


def _met(visit: Mapping[str, Any]) -> str:
    """How many services a visit proved, and of which kinds."""
    kinds = ", ".join(dict.fromkeys(met["kind"] for met in visit["met"]))
    found = printing.count(visit["services"], "service") if visit["services"] else ""
    return f"{found} ({kinds})" if kinds else found


def requests(
    host: Annotated[
        str,
        typer.Argument(
            parser=text, metavar="HOST", help="Host name, such as www.example.org."
        ),
    ],
    limit: LIMIT = 0,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List every request to a host, latest first."""
    del quiet, verbose  # what is asked for is printed either way
    settings = options.gather(config, catalogue=catalogue)
    name = host.strip().lower()
    with app.open_catalogue(settings) as opened:
        found = opened.requests(urls.host(name) if "://" in name else name, limit)
    for made in found:
        at = made.at.isoformat(timespec="milliseconds")
        if json:
            printing.line(made._asdict() | {"at": at})
        else:
            ending = made.status or made.reason
            row = f"{at}  {ending}  {made.bytes:,} bytes  {made.elapsed_s:.2f} s  {made.url}"
            printing.say(printing.printable(row))
    if not found:
        raise MissingError(f"No requests to {host} in this catalogue.")
