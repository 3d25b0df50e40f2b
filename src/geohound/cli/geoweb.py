"""`geohound geoweb`: serve a lifelike web on loopback, or tell its truth."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from geohound.geoweb import World, serve, truth

from . import options, printing

app = typer.Typer(
    help="A lifelike web on loopback with known truth, for trying and testing.",
    epilog="Example: geohound geoweb serve --port 8123",
    no_args_is_help=True,
    add_completion=False,
)

SEED = Annotated[int, typer.Option(min=0, help="Equal seeds give equal webs.")]
HOSTS = Annotated[int, typer.Option(min=1, max=1_000_000, help="Hosts of the web.")]
PAGES = Annotated[int, typer.Option(min=1, max=1_000_000_000, help="Pages of the web, about.")]
KINDS = Annotated[str | None, typer.Option(metavar="ID,…", help="Only these kinds of service.")]
TROUBLE = Annotated[bool, typer.Option("--trouble/--no-trouble", help="Dead services, walls, traps and the like.")]


def register(program: typer.Typer) -> None:
    program.add_typer(app, name="geoweb")


def _world(seed: int, hosts: int, pages: int, kinds: str | None, trouble: bool) -> World:
    wanted = tuple(k.strip() for k in kinds.split(",") if k.strip()) if kinds else None
    try:
        return World(seed, hosts, pages, trouble, wanted)
    except ValueError as error:
        raise typer.BadParameter(f"{error}; ids are such as wms, wfs, csw, stac.", param_hint="--kinds") from None


@app.command("serve", epilog="Example: geohound geoweb serve --seed 7 --hosts 300 --pages 100000 --port 8123")
def serve_command(
    seed: SEED = 7,
    hosts: HOSTS = 300,
    pages: PAGES = 100_000,
    kinds: KINDS = None,
    trouble: TROUBLE = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 for any free one.")] = 8123,
    processes: Annotated[int, typer.Option(min=1, max=64, help="Processes that answer.")] = 1,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Serve the web on loopback until interrupted."""
    del catalogue, config, verbose
    world = _world(seed, hosts, pages, kinds, trouble)

    def ready(address: tuple[str, int]) -> None:
        bound = address[1]
        seeds = world.seeds
        route, net = f"*.test=127.0.0.1:{bound}", "127.0.0.0/8"
        if json:
            event = {"event": "serving", "address": f"127.0.0.1:{bound}", "seeds": seeds}
            printing.line(event | {"connect_to": route, "allow_net": net})
        elif not quiet:
            printing.say(f"Geoweb: {world.hosts} hosts on 127.0.0.1:{bound}  (Ctrl+C ends it)\nCrawl it with:")
            printing.say(f"  geohound crawl '{seeds[0]}' --connect-to '{route}' --allow-net {net}")

    try:
        serve(world, port, processes, on_ready=ready)
    except OSError as error:
        printing.err.print(f"The geoweb cannot listen on port {port}: {error.strerror}. Choose another --port, or 0.")
        raise typer.Exit(1) from None


@app.command("truth", epilog="Example: geohound geoweb truth --seed 7 --hosts 300 --pages 100000 --json")
def truth_command(
    seed: SEED = 7,
    hosts: HOSTS = 300,
    pages: PAGES = 100_000,
    kinds: KINDS = None,
    trouble: TROUBLE = True,
    depth: Annotated[bool, typer.Option("--depth/--no-depth", help="Also work out link depths.")] = True,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Tell what a perfect crawler would find, and how it is hidden."""
    del catalogue, config
    world = _world(seed, hosts, pages, kinds, trouble)

    def walked(count: int) -> None:
        printing.err.print(f"{count:,} of about {pages:,} pages walked for link depths (--no-depth leaves them out) …")

    told = truth.tell(world, with_depth=depth, walked=None if quiet else walked)
    if json:
        printing.line(told)
        return
    if verbose:
        for service in told["services"]:
            mark = "✓" if service["alive"] else "✗"
            printing.say(f"{mark} {service['kind']:<22} {service['how']:<12} {service['endpoint']}")
    if not quiet or not verbose:
        _show(told)


def _show(told: dict[str, Any]) -> None:
    services = told["services"]
    alive = [s for s in services if s["alive"]]
    printing.say(f"{told['pages']:,} pages, {len(services)} services, {len(alive)} of them alive")
    for label, field in (("kind", "kind"), ("hiding place", "how")):
        counts: dict[str, int] = {}
        for service in alive:
            counts[service[field]] = counts.get(service[field], 0) + 1
        words = ", ".join(f"{name} {n}" for name, n in sorted(counts.items(), key=lambda item: -item[1]))
        printing.say(f"by {label}: {words}")
    printing.say("seeds: " + ", ".join(told["seeds"][:5]))
