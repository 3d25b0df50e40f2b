"""`geohound geoweb`: serve the simulated web on loopback, or print its ground truth, or where its hosts would stand."""

from __future__ import annotations

import csv
import sys
from typing import Annotated, Any

import typer

from geoweb import World, serve, truth
from geoweb.host_places import HostPlace, host_places

from . import options, printing
from .values import whole

app = typer.Typer(
    help="A simulated web on loopback with known ground truth, for demos and tests.",
    epilog="Example: geohound geoweb serve --port 8123",
    no_args_is_help=True,
    add_completion=False,
)

SEED = Annotated[
    int,
    typer.Option(
        parser=whole(0), metavar="N", help="Random seed; equal seeds give equal webs."
    ),
]
HOSTS = Annotated[
    int, typer.Option(parser=whole(1, 1_000_000), metavar="N", help="Number of hosts.")
]
PAGES = Annotated[
    int,
    typer.Option(
        parser=whole(1, 1_000_000_000), metavar="N", help="Approximate number of pages."
    ),
]
KINDS = Annotated[
    str | None, typer.Option(metavar="ID,…", help="Only these service kinds.")
]
TROUBLE = Annotated[
    bool,
    typer.Option(
        "--trouble/--no-trouble",
        help="Include dead services, log-in walls, traps and slow hosts.",
    ),
]


AGE = Annotated[
    int,
    typer.Option(
        parser=whole(0, 1000),
        metavar="N",
        help="Age: with each, more services die, each in its own way.",
    ),
]


def register(program: typer.Typer) -> None:
    program.add_typer(app, name="geoweb")


def _world(
    seed: int, hosts: int, pages: int, kinds: str | None, *, trouble: bool, age: int
) -> World:
    wanted = tuple(k.strip() for k in kinds.split(",") if k.strip()) if kinds else None
    try:
        return World(seed, hosts, pages, trouble, wanted, age)
    except ValueError as error:
        raise typer.BadParameter(
            f"{error}; ids are such as wms, wfs, csw, stac.", param_hint="--kinds"
        ) from None


@app.command(
    "serve",
    epilog="Example: geohound geoweb serve --seed 7 --hosts 300 --pages 100000 --port 8123",
)
def serve_command(
    seed: SEED = 7,
    hosts: HOSTS = 300,
    pages: PAGES = 100_000,
    kinds: KINDS = None,
    trouble: TROUBLE = True,
    age: AGE = 0,
    port: Annotated[
        int,
        typer.Option(
            parser=whole(0, 65535),
            metavar="N",
            help="Port on 127.0.0.1; 0 for any free one.",
        ),
    ] = 8123,
    processes: Annotated[
        int,
        typer.Option(
            parser=whole(1, 64), metavar="N", help="Number of server processes."
        ),
    ] = 1,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Serve the web on loopback until interrupted."""
    del catalogue, config, verbose
    world = _world(seed, hosts, pages, kinds, trouble=trouble, age=age)

    def ready(address: tuple[str, int]) -> None:
        bound = address[1]
        seeds = world.seeds
        route, net = f"*.test=127.0.0.1:{bound}", "127.0.0.0/8"
        # its pages name real hosts too: with this no request leaves the machine
        every_name = f"*=127.0.0.1:{bound}"
        if json:
            event = {
                "event": "serving",
                "address": f"127.0.0.1:{bound}",
                "seeds": seeds,
            }
            printing.line(event | {"connect_to": route, "allow_net": net})
        elif not quiet:
            printing.say(
                f"Geoweb: {world.hosts} hosts on 127.0.0.1:{bound}  (Ctrl+C to stop)\nTo crawl it:"
            )
            printing.say(
                f"  geohound crawl '{seeds[0]}' --connect-to '{every_name}' --allow-net {net}"
            )

    try:
        serve(world, port, processes, on_ready=ready)
    except OSError as error:
        printing.complain(
            f"The geoweb cannot listen on port {port}: {error.strerror}. Choose another --port, or 0."
        )
        raise typer.Exit(1) from None


@app.command(
    "truth",
    epilog="Example: geohound geoweb truth --seed 7 --hosts 300 --pages 100000 --json",
)
def truth_command(
    seed: SEED = 7,
    hosts: HOSTS = 300,
    pages: PAGES = 100_000,
    kinds: KINDS = None,
    trouble: TROUBLE = True,
    age: AGE = 0,
    depth: Annotated[
        bool, typer.Option("--depth/--no-depth", help="Also compute link depths.")
    ] = True,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Print the ground truth: what a perfect crawler would find, and where."""
    del catalogue, config
    world = _world(seed, hosts, pages, kinds, trouble=trouble, age=age)

    def walked(count: int) -> None:
        printing.complain(
            f"{count:,} of about {pages:,} pages read for link depths (--no-depth skips them) …"
        )

    record = truth.ground_truth(
        world, with_depth=depth, walked=None if quiet else walked
    )
    if json:
        printing.line(record)
        return
    if verbose:
        for service in record["services"]:
            mark = "✓" if service["alive"] else "✗"
            printing.say(
                f"{mark} {service['kind']:<22} {service['how']:<12} {service['endpoint']}"
            )
    if not quiet or not verbose:
        _show(record)


@app.command(
    "places",
    epilog="Example: geohound geoweb places > places.csv; GEOHOUND_HOST_PLACES=places.csv geohound serve",
)
def places_command(
    seed: SEED = 7,
    hosts: HOSTS = 300,
    pages: PAGES = 100_000,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Print where the hosts would stand, as the setting host_places reads it: they all answer at one address."""
    del catalogue, config, quiet, verbose
    places = host_places(_world(seed, hosts, pages, None, trouble=True, age=0))
    with printing.to_a_reader():
        if json:
            for place in places:
                printing.line(place._asdict())
        else:
            csv.writer(sys.stdout).writerows([HostPlace._fields, *places])


def _show(record: dict[str, Any]) -> None:
    services = record["services"]
    alive = [s for s in services if s["alive"]]
    printing.say(
        f"{record['pages']:,} pages, {len(services)} services, {len(alive)} of them alive"
    )
    for label, field in (("kind", "kind"), ("where", "how")):
        counts: dict[str, int] = {}
        for service in alive:
            counts[service[field]] = counts.get(service[field], 0) + 1
        words = ", ".join(
            f"{name} {n}"
            for name, n in sorted(counts.items(), key=lambda item: -item[1])
        )
        printing.say(f"by {label}: {words}")
    printing.say("seeds: " + ", ".join(record["seeds"][:5]))
