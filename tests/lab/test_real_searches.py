"""A real SearXNG answers the provider: Debian's searx, with an index of this machine as its only engine."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab_truth import MARKS

from geohound import app, plugins
from geohound.contracts import Fetcher
from geohound.model.crawl.web_search import SearchPage, SearchRequest
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure
from geohound.settings import Settings

pytestmark = MARKS
Address = Callable[[str], str]
Ask = Callable[..., SearchPage | Failure]


@pytest.fixture
def ask(address: Address) -> Iterator[Ask]:
    """One page of results of searx, by the fetcher that hunts use for providers."""
    searcher = plugins.discover("searchers")["searxng"]
    settings = Settings(
        allow_nets=("127.0.0.0/8",), host_delay_s=0.0, slow_host_factor=0.0
    )

    async def open_fetcher() -> Fetcher:
        return app.search_fetcher(settings)

    with asyncio.Runner() as runner:
        fetcher = runner.run(open_fetcher())

        def page(text: str, number: int = 1) -> SearchPage | Failure:
            request = SearchRequest(text, number, address("searx/"))
            return runner.run(searcher.page(request, fetcher))

        yield page
        runner.run(fetcher.close())


def addresses(page: SearchPage | Failure) -> list[str]:
    assert isinstance(page, SearchPage), page
    return [result.url for result in page.results]


def test_searx_is_read_page_by_page_to_its_end(ask: Ask, address: Address) -> None:
    pages = [ask("harbour", number) for number in range(1, 5)]
    named = [url for page in pages for url in addresses(page)]
    notes = {address(f"searx_index/notes/{number}") for number in range(1, 24)}
    assert [len(addresses(page)) for page in pages] == [10, 10, 5, 0]
    assert set(named) == {
        address("searx_index/maps"),
        address("searx_index/tides"),
        *notes,
    }
    assert [page.has_more for page in pages] == [True, True, True, False]


def test_titles_and_texts_of_searx_are_plain(ask: Ask) -> None:
    page = ask("größte fläche")
    assert isinstance(page, SearchPage)
    (result,) = page.results
    assert result.title == "Tides & currents"
    assert result.text == "Processes for harbours beside a WMS: größte Fläche, depth."
    assert page.estimate is None, "searx sends 0 where its engines do not say"


@pytest.mark.parametrize("text", ["harbours=maps & more", 'a "b', "nothing; at all"])
def test_searx_without_results_is_an_end(ask: Ask, text: str) -> None:
    assert ask(text) == SearchPage()


def test_engines_that_fail_are_a_reason_and_no_end(ask: Ask) -> None:
    came = ask("!br harbour")
    assert isinstance(came, Failure)
    assert came.reason is FailureReason.UNAVAILABLE
    assert came.detail.startswith(
        "SearXNG has no results, for its engines fail: broken"
    )


def test_a_hunt_by_words_finds_the_services_behind_the_results(
    address: Address, tmp_path: Path
) -> None:
    command = [
        *(sys.executable, "-m", "geohound", "hunt", "harbours", "--json"),
        *("--searcher", f"searxng={address('searx/')}", "--max-queries", "4"),
        *("--catalogue", str(tmp_path / "c.db"), "--allow-net", "127.0.0.0/8"),
        *("--max-pages", "60"),
    ]
    env = {**os.environ, "GEOHOUND_HOST_DELAY_S": "0"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=200, check=False, env=env
    )
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    titles = {line["title"] for line in said if line.get("event") == "service"}
    assert titles >= {"Baltic MapServer", "Baltic PyWPS"}
    assert said[-1]["summary"]["sources"][0]["services"] >= 2
