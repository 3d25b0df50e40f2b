"""`geohound demo`: start the geoweb, crawl it, compare with its truth, open the portal."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any

import typer

from geohound import assembly, urls
from geohound.contracts import Catalogue
from geohound.geoweb import Shares, World, serve, truth
from geohound.settings import Settings

from . import options, printing
from .crawl import run
from .live import Live
from .serve import listen, run_portal

HOSTS = 60
PAGES = 3_000
# All the trouble there is, but for the hosts that ask to be read slowly: they would only keep a visitor waiting.
TROUBLE = Shares(crawl_delay=0.0, slow=0.0)


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: geohound demo --once --json")(demo)


def demo(
    once: Annotated[bool, typer.Option("--once", help="End with the summary instead of the portal.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal webs.")] = 7,
    port: options.PORT = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Show the whole journey on a small web of our own: nothing leaves this machine."""
    world = World(seed, HOSTS, PAGES, TROUBLE)
    live = Live(json, quiet, verbose)
    with tempfile.TemporaryDirectory(prefix="geohound-demo-") as folder:
        file = catalogue or str(Path(folder) / "catalogue.db")
        settings = options.gather(config, catalogue=file, web_port=port)
        listener = None if once else listen(settings)
        with geoweb_running(world) as bound:
            if not (json or quiet):
                printing.say(
                    f"A web of {world.hosts} hosts and {PAGES:,} pages is up on 127.0.0.1:{bound}. Crawling it …"
                )
            swift = for_geoweb(settings, bound)
            task = assembly.new_task(swift, assembly.crawl_spec(swift, tuple(world.seeds)))
            summary = run(swift, task, live)
        with assembly.open_catalogue(settings) as found_in:
            verdict = compare(world, found_in, assembly.kinds())
        if json:
            printing.line({"truth": verdict})
        live.close(summary)
        if not json:
            _tell(verdict, summary["services"])
        if listener is not None:
            if not (json or quiet):
                kept = f"stays in {catalogue}" if catalogue else "goes when you end this; --catalogue FILE keeps it"
                printing.say(
                    f"The names end in .test and live only here: links to them do not open. The catalogue {kept}."
                )
            run_portal(listener, settings, json=json, quiet=quiet, verbose=verbose)
    if verdict["missed"]:
        raise typer.Exit(1)


def for_geoweb(settings: Settings, port: int) -> Settings:
    """Settings for a crawl of the geoweb: its own address, and the haste that only one's own machine allows."""
    return replace(
        settings,
        connect_to=(f"*.test=127.0.0.1:{port}",),
        allow_nets=("127.0.0.0/8",),
        host_delay_s=0.02,
        first_byte_timeout_s=3.0,
        total_timeout_s=15.0,
        slow_host_factor=0.0,
        retry_after_s=1.5,
        max_retry_after_s=3.0,
        max_pages_per_pattern=300,
    )


@contextmanager
def geoweb_running(world: World, processes: int = 1) -> Iterator[int]:
    """The geoweb in a process of its own; gives the port."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_serve, args=(world, theirs, processes), daemon=processes == 1)
    child.start()
    theirs.close()
    try:
        yield int(ours.recv())
    finally:
        child.terminate()
        child.join()


def _serve(world: World, told: Connection, processes: int) -> None:
    serve(world, 0, processes, on_ready=lambda address: told.send(address[1]))


def compare(world: World, catalogue: Catalogue, kinds: Mapping[str, Any]) -> dict[str, Any]:
    """What the truth says could be found, and what of it the catalogue has."""
    findable = [s for s in truth.tell(world, with_depth=False)["services"] if s["alive"] and s["kind"] in kinds]
    missed = [s for s in findable if not any(_has(catalogue, u, s["kind"]) for u in (s["endpoint"], *s["aliases"]))]
    how: dict[str, list[int]] = {}
    for service in findable:
        counts = how.setdefault(service["how"], [0, 0])
        counts[0] += service not in missed
        counts[1] += 1
    return {
        "findable": len(findable),
        "found": len(findable) - len(missed),
        "missed": [{"endpoint": s["endpoint"], "kind": s["kind"], "how": s["how"]} for s in missed],
        "how": {name: f"{found}/{of}" for name, (found, of) in sorted(how.items())},
    }


def _has(catalogue: Catalogue, endpoint: str, kind: str) -> bool:
    clean = urls.canonical(endpoint)
    return bool(clean) and any(s.kind == kind for s in catalogue.at(clean or ""))


def _tell(verdict: dict[str, Any], services: int) -> None:
    hidden = ", ".join(f"{name} {share}" for name, share in verdict["how"].items())
    printing.say(f"\nThe truth: {verdict['found']} of {verdict['findable']} services found ({hidden})")
    within = services - verdict["found"]
    if within > 0:
        printing.say(f"{within} more were found inside those: data sets and feeds that a service lists as its own.")
    for missed in verdict["missed"]:
        printing.say(f"  missed: {missed['kind']} {missed['endpoint']} ({missed['how']})")
