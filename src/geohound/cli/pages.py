"""`geohound pages`: the pages kept for a second look, and that look."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from geohound import app
from geohound.mining import charset
from geohound.mining.application import Fetched
from geohound.mining.mine_page import mine_files
from geohound.model.crawl.kept_page import KeptPage
from geohound.model.user_error import MissingError
from geohound.text.keyword_groups import GROUPS

from . import options, printing


def register(program: typer.Typer) -> None:
    program.command(epilog="Example: geohound pages --again --json")(pages)


def pages(
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="List the service endpoints in them; nothing is fetched."
        ),
    ] = False,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List the pages kept for a second look, or look for services in them again."""
    del quiet, verbose  # what is asked for is printed either way
    settings = options.gather(config, catalogue=catalogue)
    count = 0
    with app.open_catalogue(settings) as opened:
        for page in opened.kept_pages():
            count += 1
            if again:
                asyncio.run(_look_again(page, json=json))
            else:
                _list(page, json=json)
    if not count:
        raise MissingError("No pages are kept in this catalogue.")


def _list(page: KeptPage, *, json: bool) -> None:
    at, words = page.at.isoformat(timespec="seconds"), GROUPS[page.group]
    if json:
        printing.line(
            {
                "page": page.url,
                "at": at,
                "task": page.task,
                "words": words,
                "bytes": len(page.packed),
            }
        )
    else:
        printing.say(
            printing.printable(f"{at}  {words}  {len(page.packed):,} bytes  {page.url}")
        )


async def _look_again(page: KeptPage, *, json: bool) -> None:
    async def fetch(url: str) -> Fetched | None:
        """Only what is kept: the network is not asked."""
        if url != page.url:
            return None
        body = page.body
        return Fetched(
            url, charset.decode(body, page.content_type, len(body)), page.content_type
        )

    mined = await mine_files(page.url, fetch, options.Rules.STATIC, app.address_book())
    for found in mined.endpoints:
        if json:
            printing.line(
                {
                    "page": page.url,
                    "endpoint": found.endpoint,
                    "url": found.url,
                    "kind": found.kind,
                    "how": found.how,
                }
            )
        else:
            printing.say(
                printing.printable(
                    f"{found.kind or '?'}  {found.endpoint}  on {page.url}"
                )
            )
