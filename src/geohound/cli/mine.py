"""`geohound mine`: list the service endpoints in a page, its scripts and its configuration files."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from geohound import app, urls
from geohound.contracts import Fetcher
from geohound.mining.application import Mined
from geohound.mining.browser_run import RunsPages
from geohound.mining.mine_page import mine_file, mine_page
from geohound.settings import Settings

from . import options, printing
from .inputs import Input, read_input
from .values import text

_MOST_LOST = 20


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound mine https://maps.example.org/viewer/ saved/index.html --json",
        cls=options.BrowserCommand,
    )(mine)


def mine(
    inputs: Annotated[
        list[str],
        typer.Argument(
            parser=text, metavar="URL|FILE…", help="Web pages, or saved pages."
        ),
    ],
    rules: options.RULES = None,
    stood_at: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="URL",
            help="Original URL of saved pages, to resolve relative URLs.",
        ),
    ] = None,
    browser: options.BROWSER = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
    connect_to: options.CONNECT_TO = None,
    allow_net: options.ALLOW_NET = None,
) -> None:
    """List the service endpoints in pages without testing them; of a saved page, its saved files are read too."""
    if stood_at and urls.canonical(stood_at) is None:
        raise typer.BadParameter(f"{stood_at} is not a valid URL.", param_hint="--base")
    settings = options.gather(
        config,
        catalogue=catalogue,
        connect_to=connect_to,
        allow_nets=allow_net,
        host_delay_s=0.0,
        browser=browser,
    )
    how = _MineOptions(
        rules or options.Rules.STATIC, urls.canonical(stood_at or "") or "", settings
    )
    meant = [(text, read_input(text)) for text in inputs]
    all_read = asyncio.run(_mine_all(meant, how, json, quiet, verbose))
    options.close(meant, all_done=all_read)


@dataclass(frozen=True, slots=True)
class _MineOptions:
    """How inputs are read."""

    rules: str
    stood_at: str
    settings: Settings


async def _mine_all(
    inputs: list[tuple[str, Input]],
    how: _MineOptions,
    json: bool,
    quiet: bool,
    verbose: bool,
) -> bool:
    fetcher = app.fetcher(how.settings)
    browser = app.page_runner(how.settings)
    began = time.perf_counter()
    totals: Counter[str] = Counter()
    ways: Counter[str] = Counter()
    unsure: list[dict[str, Any]] = []
    try:
        for source, meant in inputs:
            mined = await _mine(source, meant, how, fetcher, browser)
            ways.update(e.how for e in mined.endpoints)
            unsure += [_doubt(source, mined)] if mined.unsure else []
            totals.update(
                endpoints=len(mined.endpoints), scripts_read=mined.scripts_read, scripts_skipped=mined.scripts_skipped,
                requests=mined.requests, unknown=len(mined.unknown), browsed=int(bool(mined.browsed)),
                failed=int(bool(mined.trouble)),
            )  # fmt: skip
            if json:
                _print_lines(source, mined)
            else:
                _show(source, mined, quiet=quiet, verbose=verbose)
    finally:
        if browser is not None:
            await browser.close()
        await fetcher.close()
    if json:
        elapsed_ms = round((time.perf_counter() - began) * 1000, 1)
        details = {"elapsed_ms": elapsed_ms, "ways": dict(ways), "unsure": unsure}
        printing.line({"summary": {**totals, **details}})
    return not totals["failed"]


async def _mine(
    source: str,
    meant: Input,
    how: _MineOptions,
    fetcher: Fetcher,
    browser: RunsPages | None,
) -> Mined:
    if meant.wrong:
        return Mined(source, trouble=meant.wrong)
    if meant.path is not None:
        return await mine_file(
            meant.path, how.rules, app.address_book(), how.stood_at, browser
        )
    limit = how.settings.max_page_bytes
    return await mine_page(
        meant.url, how.rules, fetcher, app.address_book(), limit, browser
    )


def _print_lines(source: str, mined: Mined) -> None:
    for found in mined.endpoints:
        line: dict[str, Any] = {
            "page": mined.page, "endpoint": found.endpoint, "url": found.url, "kind": found.kind, "how": found.how,
            "source": found.source, "line": found.line, "confidence": round(found.confidence, 3), "call": found.call,
        }  # fmt: skip
        printing.line(line)
    if mined.trouble:
        printing.line({"page": mined.page, "input": source, "trouble": mined.trouble})


def _doubt(source: str, mined: Mined) -> dict[str, Any]:
    """What may be missing of a page, and why."""
    lost = list(mined.unknown[:_MOST_LOST])
    reason, missing = mined.unsure, mined.missing
    return {"page": mined.page, "input": source, "reason": reason, "missing": missing, "lost": lost}  # fmt: skip


def _show(source: str, mined: Mined, *, quiet: bool, verbose: bool) -> None:
    if mined.trouble:
        _, _, why = mined.trouble.partition(": ")
        printing.say(f"✗ {source}\n  {mined.trouble}{printing.advice(why)}")
        return
    if not quiet:
        ran = f"; browser: {mined.browsed}" if mined.browsed else ""
        found = printing.count(len(mined.endpoints), "endpoint")
        read = printing.count(mined.scripts_read, "script")
        printing.say(
            f"{source}: {found}; {read} read, {mined.scripts_skipped} skipped{ran}"
        )
    rows = [
        (
            e.kind or "?",
            e.endpoint,
            e.how,
            f"{e.source.rpartition('/')[2] or e.source}{f':{e.line}' if e.line else ''}",
        )
        for e in sorted(mined.endpoints, key=lambda e: (-e.confidence, e.endpoint))
    ]
    widths = [max((len(row[n]) for row in rows), default=0) for n in range(3)]
    for row in rows:
        cells = [
            cell.ljust(min(width, 100))
            for cell, width in zip(row, widths, strict=False)
        ]
        printing.say("  " + "  ".join([*cells, row[3]]).rstrip())
    if mined.unsure and not mined.is_page:
        printing.say(f"  some may be missing: {mined.unsure}")
    for why in mined.unknown[:20] if verbose and mined.is_page else ():
        printing.say(f"  needs a browser: {why}")
