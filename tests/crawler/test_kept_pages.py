"""Which pages a crawl keeps for a second look, and what that look finds (Li, Yang & Yang 2010, sections 3 and 4.1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_web import SmallWeb, html, run
from typer.testing import CliRunner

from geohound.cli import program
from geohound.model.crawl.kept_page import NO_ROOM, PageRoom
from geohound.text.keyword_groups import GROUPS, NO_KEYWORDS

ROOM = PageRoom(30, 10**6)
SEED = "http://a.test/"
PAGES = {
    SEED: html(
        "<a href=/best>1</a> <a href=/second>2</a> <a href=/third>3</a> <a href=/none>4</a>"
    ),
    "http://a.test/best": html("Our Web Map Service is coming soon"),
    "http://a.test/second": html("A WMS, and another service"),
    "http://a.test/third": html(
        "<a href='http://gis.test/wms?map=x'>The WMS</a> server of the county"
    ),
    "http://a.test/none": html("Recipes for a good service: soup"),
}


def test_only_pages_that_may_hold_a_service_are_kept(tmp_path: Path) -> None:
    """The buffer "only caches those having the possibility of containing a WMS URL" (section 3): WP 0 to 2."""
    _, store = run(tmp_path, SmallWeb(dict(PAGES)), page_room=ROOM)
    kept = [
        (page.url, GROUPS[page.group])
        for page in store.kept_pages.pages(NO_KEYWORDS + 1)  # of every group
    ]
    assert kept == [
        ("http://a.test/best", "Web Map Service"),
        ("http://a.test/second", "WMS, Service"),
        ("http://a.test/third", "WMS, Server"),
    ]
    first = next(store.kept_pages.pages(NO_KEYWORDS))
    assert (
        first.body
        == b"<html>Our Web Map Service is coming soon http://a.test/best</html>"
    )
    store.close()


@pytest.mark.parametrize("room", [NO_ROOM, PageRoom(0, 10**6), PageRoom(30, 0)])
def test_who_wants_none_keeps_none(tmp_path: Path, room: PageRoom) -> None:
    _, store = run(tmp_path, SmallWeb(dict(PAGES)), page_room=room)
    assert list(store.kept_pages.pages(NO_KEYWORDS)) == []
    store.close()


def test_a_second_look_finds_the_addresses_again_without_a_request(
    tmp_path: Path,
) -> None:
    web = SmallWeb(dict(PAGES))
    _, store = run(tmp_path, web, page_room=ROOM)
    store.close()
    asked = len(web.asked)
    where = ["--catalogue", str(tmp_path / "c.db"), "--json"]
    listed = CliRunner().invoke(program(), ["pages", *where])
    assert [json.loads(line)["page"] for line in listed.output.splitlines()] == [
        "http://a.test/best", "http://a.test/second", "http://a.test/third",
    ]  # fmt: skip
    again = CliRunner().invoke(program(), ["pages", "--again", *where])
    (found,) = [json.loads(line) for line in again.output.splitlines()]
    assert (found["page"], found["endpoint"]) == (
        "http://a.test/third",
        "http://gis.test/wms?map=x",
    )
    assert len(web.asked) == asked


def test_a_catalogue_without_kept_pages_says_so(tmp_path: Path) -> None:
    _, store = run(tmp_path, SmallWeb({SEED: html("nothing")}), page_room=ROOM)
    store.close()
    said = CliRunner().invoke(
        program(), ["pages", "--catalogue", str(tmp_path / "c.db")]
    )
    assert said.exit_code == 1
    assert "No pages are kept" in str(said.exception)
