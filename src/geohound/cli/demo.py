"""`geohound demo`: start the geoweb, hunt and crawl on it, compare with its ground truth, open the portal."""

from __future__ import annotations

import csv
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Annotated, Any

import typer

from geohound import app, urls
from geohound.agent.queries import planned_queries, with_other_names
from geohound.contracts import CatalogueStore
from geohound.settings import Settings
from geohound.tasks.hunts import SEARCH
from geohound.tasks.spec import crawl_spec, hunt_spec
from geoweb import Shares, World, serve, truth
from geoweb.host_places import HostPlace, host_places
from geoweb.server import holding_back_ctrl_c
from geoweb.visitors import program_address

from . import options, printing
from .live_display import LiveDisplay
from .serve import listen, run_portal, running_tasks
from .task_run import INTERRUPTED, run
from .values import whole

HOSTS = 60
PAGES = 3_000
HUNT_WORDS = "map services"
HUNT_QUERIES = 10
HUNT_PAGES = 120  # a bound of work, not of time: a busy machine reads as much as an idle one, later
HUNT_PATIENCE_S = 30.0  # the search engine reads its web when it is first asked
SEARCHER = "searxng=http://search.test/"
# All the trouble there is, but for the hosts that ask to be read slowly: they would only keep a visitor waiting.
TROUBLE = Shares(crawl_delay=0.0, slow=0.0)


def register(program: typer.Typer) -> None:
    program.command(epilog="Example: geohound demo --once --json")(demo)


def demo(
    once: Annotated[
        bool,
        typer.Option(
            "--once", help="Print the summary and exit; do not start the portal."
        ),
    ] = False,
    seed: Annotated[
        int,
        typer.Option(
            parser=whole(0),
            metavar="N",
            help="Random seed; equal seeds give equal webs.",
        ),
    ] = 7,
    port: options.PORT = None,
    catalogue: options.CATALOGUE_OF_THE_DEMO = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """Hunt and crawl a small simulated web on this machine and open the portal. No request leaves the machine."""
    world = World(seed, HOSTS, PAGES, TROUBLE)
    live = LiveDisplay(json, quiet, verbose, is_kept=False)
    with tempfile.TemporaryDirectory(prefix="geohound-demo-") as folder:
        file = catalogue or str(Path(folder) / "catalogue.db")
        settings = options.gather(config, catalogue=file, web_port=port)
        listener = None if once else listen(settings)
        places = write_places(world, Path(folder))
        with geoweb_running(world) as bound:
            swift = replace(for_geoweb(settings, bound), host_places=str(places))
            if not (json or quiet):
                web = f"{world.hosts} hosts, {PAGES:,} pages on 127.0.0.1:{bound}"
                printing.say(f"Simulated web: {web}. Hunting, then crawling …")
            hunted = _hunt(swift, LiveDisplay(json, quiet, verbose, is_kept=False))
            verdict = _crawl_and_compare(world, swift, live, hunted)
            if listener is not None:
                if not (json or quiet):
                    printing.say(_about_the_portal(catalogue, bound))
                run_portal(
                    listener,
                    swift,
                    running_tasks(swift),
                    single_user=True,
                    reach=partial(program_address, port=bound),
                    json=json,
                    quiet=quiet,
                    verbose=verbose,
                )
    if verdict["missed"]:
        raise typer.Exit(1)


def write_places(world: World, folder: Path) -> Path:
    """Simulated hosts all answer at one address: where they would stand is said by a list, as an operator may have."""
    file = folder / "places.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([HostPlace._fields, *host_places(world)])
    return file


def _hunt(settings: Settings, live: LiveDisplay) -> dict[str, Any]:
    """A short hunt by words, with the search engine of the geoweb; its summary."""
    brief = replace(
        settings,
        max_queries=HUNT_QUERIES,
        max_pages=HUNT_PAGES,
        first_byte_timeout_s=HUNT_PATIENCE_S,
        total_timeout_s=HUNT_PATIENCE_S,
    )
    queries = with_other_names(planned_queries(HUNT_WORDS), HUNT_WORDS)
    spec = hunt_spec(
        crawl_spec(brief, ()),
        tuple(queries),
        (SEARCHER,),
        words=HUNT_WORDS,
        steps=(SEARCH,),
    )
    summary = run(brief, app.new_task(brief, spec), live)
    if live.is_stopping:
        live.close(summary)
        raise typer.Exit(130)
    if live.json:
        printing.line({"hunt": {"words": HUNT_WORDS, **summary}})
    return summary


def _crawl_and_compare(
    world: World, settings: Settings, live: LiveDisplay, hunted: Mapping[str, Any]
) -> dict[str, Any]:
    task = app.new_task(settings, crawl_spec(settings, tuple(world.seeds)))
    summary = run(settings, task, live)
    if live.is_stopping:
        live.close(summary)
        raise typer.Exit(INTERRUPTED)
    with app.open_catalogue(settings) as opened:
        verdict = compare(world, opened.catalogue, app.kinds())
    if live.json:
        printing.line({"truth": verdict})
    live.close(summary)
    if not live.json:
        asked = sum(source["requests"] for source in hunted["sources"])
        found = printing.count(hunted["services"], "service")
        printing.say(
            f"\nThe hunt for “{HUNT_WORDS}” found {found} with {printing.count(asked, 'request')} to {SEARCHER}."
        )
        _print_comparison(verdict, hunted["services"] + summary["services"])
    return verdict


def _about_the_portal(catalogue: str | None, port: int) -> str:
    kept = (
        f"is stored in {catalogue}"
        if catalogue
        else "is deleted on exit; --catalogue FILE keeps it"
    )
    return (
        "The simulated web keeps running with the portal, so maps and links work in your browser, QGIS and scripts. "
        f"The portal gives http://water.test/ as http://127.0.0.1:{port}/water.test/. The catalogue {kept}."
    )


def for_geoweb(settings: Settings, port: int) -> Settings:
    """Settings for a crawl of the geoweb: its own address, and delays that only one's own machine allows."""
    return replace(
        settings,
        connect_to=(f"*=127.0.0.1:{port}",),  # every name, so that no request leaves
        allow_nets=("127.0.0.0/8",),
        host_delay_s=0.02,
        first_byte_timeout_s=3.0,
        total_timeout_s=15.0,
        slow_host_factor=0.0,
        retry_after_s=1.5,
        web_searchers=settings.web_searchers or (SEARCHER,),
        max_retry_after_s=3.0,
        max_pages_per_pattern=300,
    )


@contextmanager
def geoweb_running(world: World, processes: int = 1) -> Iterator[int]:
    """The geoweb in a process of its own; gives the port."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(
        target=_serve, args=(world, theirs, processes), daemon=processes == 1
    )
    with holding_back_ctrl_c():
        child.start()
    theirs.close()
    try:
        yield int(ours.recv())
    finally:
        child.terminate()
        child.join()


def _serve(world: World, pipe: Connection, processes: int) -> None:
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    serve(world, 0, processes, on_ready=lambda address: pipe.send(address[1]))


def _end_with(pipe: Connection) -> None:
    """Whoever started this process holds the other end, and says no more: it is gone when reading ends."""
    with suppress(EOFError, OSError):
        pipe.recv()
    os.kill(os.getpid(), signal.SIGTERM)


def compare(
    world: World, catalogue: CatalogueStore, kinds: Mapping[str, Any]
) -> dict[str, Any]:
    """What the truth says could be found, and what of it the catalogue has."""
    findable = [
        s
        for s in truth.ground_truth(world, with_depth=False)["services"]
        if s["alive"] and s["kind"] in kinds
    ]
    missed = [
        s
        for s in findable
        if not any(
            _has(catalogue, u, s["kind"]) for u in (s["endpoint"], *s["aliases"])
        )
    ]
    how: dict[str, list[int]] = {}
    for service in findable:
        counts = how.setdefault(service["how"], [0, 0])
        counts[0] += service not in missed
        counts[1] += 1
    return {
        "findable": len(findable),
        "found": len(findable) - len(missed),
        "missed": [
            {"endpoint": s["endpoint"], "kind": s["kind"], "how": s["how"]}
            for s in missed
        ],
        "how": {name: f"{found}/{of}" for name, (found, of) in sorted(how.items())},
    }


def _has(catalogue: CatalogueStore, endpoint: str, kind: str) -> bool:
    clean = urls.canonical(endpoint)
    return bool(clean) and any(s.kind == kind for s in catalogue.at(clean or ""))


def _print_comparison(verdict: dict[str, Any], services: int) -> None:
    hidden = ", ".join(f"{name} {share}" for name, share in verdict["how"].items())
    printing.say(
        f"\nFound {verdict['found']} of {verdict['findable']} services ({hidden})"
    )
    within = services - verdict["found"]
    if within > 0:
        printing.say(
            f"{within} more services were found that these list as their own: data sets and feeds."
        )
    for missed in verdict["missed"]:
        printing.say(
            f"  missed: {missed['kind']} {missed['endpoint']} ({missed['how']})"
        )
