"""`geohound hunt`: from words to services, by search providers and a crawl from their results."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer

from geohound import app, urls
from geohound.agent.queries import masked, planned_queries, with_other_names, words_of
from geohound.contracts import Searcher
from geohound.model.crawl.task import TaskSpec
from geohound.model.secrets import holds_key
from geohound.settings import Settings
from geohound.tasks.hunts import CRAWL, SEARCH, STEPS
from geohound.tasks.source_yields import CATALOGUE, best_first
from geohound.tasks.spec import crawl_spec, hunt_spec
from geohound.views.parsing import check_choice, read_box, split_ids

from . import options, printing
from .crawl import addresses, close_run
from .inputs import check_files, is_file
from .live_display import LiveDisplay
from .options import USUAL
from .task_run import run
from .values import text, whole

SHOWN_QUERIES = 20  # of a plan
DEPTH, WIDTH = 2, 8  # what Li, Wang & Bhatia 2016 recommend (PH-2)


def register(program: typer.Typer) -> None:
    example = "geohound hunt land cover --searcher searxng=https://searx.example.org --max-queries 20"
    program.command(epilog=f"Example: {example}")(hunt)


def hunt(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            parser=text, metavar="WORDS…", help="What the services are about."
        ),
    ] = None,
    searcher: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID[=URL]",
            show_default="all whose keys are set",
            help="Search provider; repeatable.",
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|URL|catalogue",
            help="Further seeds: a seed list, a catalogue, or `catalogue` = the hosts of your own; repeatable.",
        ),
    ] = None,
    bbox: options.BBOX = None,
    kinds: options.KINDS = None,
    topic: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Search for the words of this topic, and keep only services of this topic.",
        ),
    ] = None,
    depth: Annotated[
        int,
        typer.Option(
            parser=whole(), metavar="N", help="Maximum link depth from a result."
        ),
    ] = DEPTH,
    width: Annotated[
        int,
        typer.Option(
            parser=whole(),
            metavar="N",
            help="Results to take from each query, in tens: 2 = the first 20; 0 = all.",
        ),
    ] = WIDTH,
    max_pages: options.MAX_PAGES = None,
    max_time: options.MAX_TIME = None,
    max_queries: Annotated[
        int | None,
        typer.Option(
            parser=whole(),
            metavar="N",
            show_default=f"{USUAL.max_queries}",
            help="Maximum number of requests to providers.",
        ),
    ] = None,
    steps: Annotated[
        str | None,
        typer.Option(
            metavar="search,crawl",
            show_default="search,crawl",
            help="search = only query providers; crawl = only crawl, from results of earlier searches.",
        ),
    ] = None,
    knowledge: Annotated[
        str,
        typer.Option(
            parser=text,
            metavar="ID",
            help="Name under which the agent stores what it learns; later hunts with this name start from there.",
        ),
    ] = "main",
    seed_mask: Annotated[
        int | None,
        typer.Option(
            parser=whole(),
            metavar="N",
            help="Which of the first queries to use, as a binary mask: 5 = the first and the third.",
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|URL|HOST",
            help="Never visit these addresses and hosts; repeatable.",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Make no request; print the plan and what it would cost."
        ),
    ] = False,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """Ask search providers in rounds, learn from what answers, and crawl on; `geohound resume` continues it."""
    settings = options.gather(
        config, catalogue=catalogue, max_depth=depth, max_width=width, max_pages=max_pages, max_time_s=max_time,
        max_queries=max_queries, connect_to=connect_to, allow_nets=allow_net,
    )  # fmt: skip
    known = app.searchers(settings.searcher_files)
    names = _best_first(settings, _chosen(searcher or settings.web_searchers, known))
    chosen = _steps(steps)
    lists = [name for name in source or [] if name != CATALOGUE]
    crawl = _crawl(settings, lists, kinds, bbox, topic)
    asked_for = " ".join(words or [])
    queries = _queries(settings, asked_for, crawl.goal.topic, seed_mask)
    if not crawl.goal.seeds and CATALOGUE not in (source or []) and SEARCH in chosen:
        _check_words(queries, names, known)
    spec = hunt_spec(
        crawl, tuple(queries), tuple(names), words=asked_for, steps=chosen, knowledge=knowledge,
        catalogue_hosts=settings.known_hosts if CATALOGUE in (source or []) else 0, excluded=_excluded(exclude or []),
    )  # fmt: skip
    if dry_run:
        _show_plan(_plan(spec, known, settings), json=json)
        return
    live = LiveDisplay(json, quiet, verbose)
    close_run(run(settings, app.new_task(settings, spec), live), live)


_KEY_IN_ADDRESS = (
    "This address holds a password or a key, which would be stored in the catalogue and stand in process lists; "
    "describe the provider in a TOML file (setting searcher_files) whose `key` names an environment variable."
)


def _chosen(given: Sequence[str], known: Mapping[str, Searcher]) -> list[str]:
    """The providers that are asked; without any named, all that need nothing more than what is set."""
    for name in given:
        check_choice("--searcher", name.partition("=")[0], known)
        if not known[name.partition("=")[0]].address and "=" not in name:
            raise typer.BadParameter(
                f"{name} needs an address: {name}=https://…", param_hint="--searcher"
            )
        address = name.partition("=")[2]
        if "=" in name and not (
            address.startswith(("http://", "https://")) and urls.canonical(address)
        ):
            message = f"{address!r} is no address of a search provider; give one such as https://searx.example.org."
            raise typer.BadParameter(message, param_hint="--searcher")
        if holds_key(address):
            raise typer.BadParameter(_KEY_IN_ADDRESS, param_hint="--searcher")
    ready = [
        part.id
        for part in known.values()
        if part.address and part.keys and not missing_keys(part)
    ]
    return list(dict.fromkeys(given)) if given else ready


def _best_first(settings: Settings, names: list[str]) -> list[str]:
    """The providers that have brought most for their requests in this catalogue come first."""
    if len(names) < 2 or not app.has_catalogue(settings):
        return names
    with app.open_catalogue(settings) as opened:
        return best_first(names, opened.tasks.tasks())


def ready_searchers(settings: Settings) -> list[str]:
    """The providers that hunts ask where nobody names any."""
    return _chosen(settings.web_searchers, app.searchers(settings.searcher_files))


def missing_keys(searcher: Searcher) -> list[str]:
    """The environment variables that it needs and that are not set."""
    return [name for name in searcher.keys if not os.environ.get(name, "").strip()]


def _crawl(
    settings: Settings,
    sources: Sequence[str],
    kinds: str | None,
    bbox: str | None,
    topic: str | None,
) -> TaskSpec:
    wanted = split_ids([kinds]) if kinds else []
    for kind in wanted:
        check_choice("--kinds", kind, app.kinds())
    if topic:
        check_choice("--topic", topic, app.topics(settings.topic_files))
    box = read_box(bbox or "", "--bbox")
    check_files(sources, "--source")
    files = [name for name in sources if is_file(name)]
    named = [name for name in sources if name not in files]
    seeds = addresses(named, None) if named else []
    for name in files:
        seeds += addresses([], name, settings)
    area = box.as_tuple() if box else None
    spec = crawl_spec(
        settings,
        tuple(dict.fromkeys(seeds)),
        kinds=tuple(wanted),
        bbox=area,
        topic=topic or "",
    )
    return replace(
        spec, goal=replace(spec.goal, relevance_topic=settings.relevance_topic)
    )


def _queries(settings: Settings, words: str, topic: str, mask: int | None) -> list[str]:
    about = words_of(app.topics(settings.topic_files)[topic]) if topic else []
    found = (
        with_other_names(planned_queries(words, about), words)
        if words.strip() or about
        else []
    )
    return found if mask is None else masked(found, mask)


def _steps(given: str | None) -> tuple[str, ...]:
    chosen = tuple(split_ids([given])) if given else STEPS
    for step in chosen:
        check_choice("--steps", step, STEPS)
    return chosen


def _excluded(given: Sequence[str]) -> tuple[str, ...]:
    """Addresses in canonical form, and hosts as they are, from the command line or from files."""
    files = [name for name in given if is_file(name)]
    named = [name for name in given if name not in files]
    for name in files:
        text = Path(name).read_text("utf-8", "replace")
        lines = [
            line.partition("#")[0].strip() if "://" not in line else line.strip()
            for line in text.splitlines()
        ]
        named += [line for line in lines if line and not line.startswith("#")]
    return tuple(
        dict.fromkeys(
            addresses([name], None)[0] if "://" in name else name.lower()
            for name in named
        )
    )


def _check_words(
    queries: Sequence[str], names: Sequence[str], known: Mapping[str, Searcher]
) -> None:
    if not queries:
        raise typer.BadParameter(
            "Give words to look for, a --topic, or a --source.", param_hint="WORDS"
        )
    if not names:
        keys = ", ".join(name for part in known.values() for name in part.keys[:1])
        message = f"No search provider is set up: give --searcher searxng=URL, or set a key in one of {keys}."
        raise typer.BadParameter(message, param_hint="--searcher")


def _plan(
    spec: TaskSpec, known: Mapping[str, Searcher], settings: Settings
) -> dict[str, Any]:
    """What would be asked, and what it costs at most: as if every request went to the dearest provider."""
    parts = [(name, known[name.partition("=")[0]]) for name in spec.goal.searchers]
    rows = [
        {
            "searcher": name,
            "cost_usd": part.terms.cost_usd,
            "free_requests": part.terms.free_requests,
            "period": part.terms.period,
            "missing_keys": missing_keys(part),
        }
        for name, part in parts
    ]
    pays = settings.max_search_cost_usd > 0  # else no more than what is free
    dearest = max(
        (p.terms.cost_usd for _, p in parts if pays or not p.terms.free_requests),
        default=0.0,
    )
    asks = parts and spec.goal.queries and SEARCH in spec.goal.steps
    most = settings.max_queries if asks else 0
    paid = most * dearest
    cost = (
        min(paid, settings.max_search_cost_usd)
        if settings.max_search_cost_usd
        else paid
    )
    return {
        "queries": list(spec.goal.queries),
        "searchers": rows,
        "seeds": list(spec.goal.seeds),
        "steps": list(spec.goal.steps),
        "max_queries": most,
        "max_cost_usd": round(cost, 4),
        "depth": spec.goal.max_depth,
        "width": spec.goal.max_width,
        "knowledge": spec.goal.knowledge,
        "excluded": list(spec.goal.excluded),
        "agent": {
            name: value
            for name, value in asdict(settings).items()
            if name.startswith("agent_")
        },
    }


def _show_plan(plan: dict[str, Any], *, json: bool) -> None:
    """What would be done, what it costs, and at the end the settings that decide it."""
    if json:
        printing.line({"plan": plan})
        return
    asked, queries = plan["searchers"], plan["queries"]
    printing.say(f"Plan: {', then '.join(_done(plan))}.")
    for number, query in enumerate(queries[:SHOWN_QUERIES], 1):
        printing.say(f"{number:>4}. {query}")
    if len(queries) > SHOWN_QUERIES:
        printing.say(
            f"      … and {len(queries) - SHOWN_QUERIES} more (--json has all)"
        )
    most = printing.count(plan["max_queries"], "request")
    printing.say(
        f"Cost: at most {most} to search providers, {plan['max_cost_usd']:g} USD."
    )
    for row in asked:
        printing.say(f"      {row['searcher']}: {_price(row)}")
    settings = ", ".join(
        f"{name.removeprefix('agent_')} {_plain(value)}"
        for name, value in plan["agent"].items()
    )
    said = f"Settings (agent_…): {settings}; knowledge base {plan['knowledge']}."
    for line in wrap(said, width=88, subsequent_indent="      "):
        printing.say(line)
    printing.say("Nobody was asked.")


def _done(plan: Mapping[str, Any]) -> list[str]:
    """The steps of the hunt, each in a few words."""
    said, read = [], []
    if plan["max_queries"]:
        most = f"up to {plan['width'] * 10}" if plan["width"] else "all"
        said.append(
            f"take {most} results of each query below, and of those that the agent learns"
        )
        read.append("the results")
    if plan["seeds"]:
        read.append(printing.count(len(plan["seeds"]), "own seed"))
    begun = " and ".join(read) or "what is known"
    if CRAWL in plan["steps"]:
        said.append(f"crawl from {begun} to depth {plan['depth']}")
    else:
        said.append(f"read {begun}, without following links")
    return said


def _price(row: Mapping[str, Any]) -> str:
    cost = f"{row['cost_usd']:g} USD per request" if row["cost_usd"] else "free"
    free = (
        f", the first {row['free_requests']:,} of a {row['period']} free"
        if row["free_requests"]
        else ""
    )
    missing = (
        f"; not set: {', '.join(row['missing_keys'])}" if row["missing_keys"] else ""
    )
    return f"{cost}{free}{missing}"


def _plain(value: object) -> str:
    """A setting as it is written in TOML, without zeros behind the point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
