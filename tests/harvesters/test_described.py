"""Dedicated crawlers of data centres without a protocol: PH-11; PolarHub (Li, Wang & Bhatia 2016), Fig. 1."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from pathlib import Path

import pytest
from harvest_rig import Answer, Answering, response

from geohound.harvesters._described import (
    HarvestRecipe,
    RecipeError,
    described,
    read_recipe,
)
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.visit import Failure, Visit

CENTRE = """
id = "polar"
title = "Polar Data Centre"
url = "https://data.test/api?from={offset}&count={size}"
size = 2
records = "answer.sets"
address = ["links.href", "map"]
name = "title"
protocol = "type"
total = "answer.count"
changed = "updated"
"""


def recipe(folder: Path, text: str) -> HarvestRecipe:
    file = folder / "centre.toml"
    file.write_text(text, "utf-8")
    return read_recipe(file)


def read_all(
    made: HarvestRecipe, answer: Answer, source: str = "", since: date | None = None
) -> tuple[list[str], list[HarvestPage]]:
    """All pages of a data centre, those that it leads to included, and what was asked."""
    part, web = described(made), Answering(answer)
    waiting = [(source or made.first, part.start(since))]
    pages = []
    while waiting:
        at, cursor = waiting.pop(0)
        page = asyncio.run(part.page(at, cursor, web))
        assert isinstance(page, HarvestPage), page
        pages.append(page)
        waiting += [(at, page.next)] if page.next else []
        waiting += [(further, part.start(since)) for further in page.sources]
    return web.asked, pages


def centre(url: str) -> Visit:
    """Three data sets, two a page."""
    sets = [
        {
            "title": "Ice",
            "type": "OGC:WMS",
            "links": [{"href": "https://a.test/wms"}],
            "updated": "2026-03-01",
        },
        {"title": "Snow", "type": "WFS", "map": "/wfs", "updated": "2025-03-01"},
        {"title": "Paper", "links": []},
    ]
    first = int(url.partition("from=")[2].partition("&")[0])
    return response(
        url,
        json.dumps({"answer": {"count": 3, "sets": sets[first : first + 2]}}),
        "application/json",
    )


def test_a_data_centre_is_read_page_by_page_as_its_recipe_says(tmp_path: Path) -> None:
    asked, pages = read_all(recipe(tmp_path, CENTRE), centre)
    assert asked == [
        "https://data.test/api?from=0&count=2",
        "https://data.test/api?from=2&count=2",
    ]
    assert [found for page in pages for found in page.listed] == [
        Listed("https://a.test/wms", "Ice", "OGC:WMS"),
        Listed("https://data.test/wfs", "Snow", "OGC:WFS"),
    ]
    assert [page.records for page in pages] == [2, 1]


def test_only_records_that_changed_since_are_taken(tmp_path: Path) -> None:
    _, pages = read_all(recipe(tmp_path, CENTRE), centre, since=date(2026, 1, 1))
    assert [found.title for page in pages for found in page.listed] == ["Ice"]


def test_a_page_may_name_the_next_one_and_records_may_be_xml(tmp_path: Path) -> None:
    made = recipe(
        tmp_path,
        'id = "x"\nurl = "https://data.test/1.xml"\nrecords = "list.set"\naddress = "map.@href"\nnext = "list.@next"',
    )

    def answer(url: str) -> Visit:
        following = ' next="2.xml"' if url.endswith("/1.xml") else ""
        name = url.rpartition("/")[2]
        return response(
            url,
            f'<list{following}><set><map href="https://a.test/{name}/wms"/></set></list>',
            "text/xml",
        )

    asked, pages = read_all(made, answer)
    assert asked == ["https://data.test/1.xml", "https://data.test/2.xml"]
    assert [page.listed[0].url for page in pages] == [
        "https://a.test/1.xml/wms",
        "https://a.test/2.xml/wms",
    ]


def test_pages_for_people_are_followed_to_the_links_that_look_like_services(
    tmp_path: Path,
) -> None:
    made = recipe(
        tmp_path,
        'id = "x"\nurl = "https://data.test/list?page={page}"\n'
        'follow = ["https://data.test/set/*"]\ntake = ["*service=wms*", "*/wfs"]',
    )
    web = {
        "https://data.test/list?page=1": '<a href="/set/1">One</a> <a href=/about>We</a> <a href="http://b.test/set/9">',
        "https://data.test/list?page=2": '<a href="/help">Nothing more</a>',
        "https://data.test/set/1": '<a href="https://a.test/ows?SERVICE=WMS&amp;x=1">Map</a><a href="/set/1/wfs"></a>',
    }
    asked, pages = read_all(
        made, lambda url: response(url, f"<html>{web[url]}</html>", "text/html")
    )
    assert sorted(asked) == sorted(web)
    found = [each.url for page in pages for each in page.listed]
    assert found == [
        "https://a.test/ows?SERVICE=WMS&x=1",
        "https://data.test/set/1/wfs",
    ]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("", ""), ("null", "application/json"), ("[1", "application/json"), ("<a>" * 3000, "text/xml"),
        ("<html><form><input type=password></form></html>", "text/html"), (b"\xff\xfe" * 50, "application/json"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_page_of_the_centre_is_a_reason(
    tmp_path: Path, body: str, content_type: str
) -> None:
    part = described(recipe(tmp_path, CENTRE))
    page = asyncio.run(
        part.page(
            "https://data.test/api",
            b"",
            Answering(lambda url: response(url, body, content_type)),
        )
    )
    assert isinstance(page, Failure)
    assert "Polar Data Centre" in page.detail


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id = 3", "wrong type: id"),
        ('id = "x"', "lacks address"),
        ('address = "url"', "lacks id"),
        ('id = "x"\naddress = "u"\ncolour = 1', "unknown entry: colour"),
        ('id = "x"\naddress = "u"\nurl = "https://a.test/{name}"', "other places"),
        ('id = "x"\naddress = "u"\nurl = "https://a.test/{"', "other places"),
        ('id = "x"\naddress = "u"\nurl = "ftp://a.test/"', "https://"),
        ('id = "x"\naddress = "u"\nsize = 0', "wrong type: size"),
        ("id = ", "not valid TOML"),
    ],
)
def test_a_recipe_that_cannot_be_used_says_why(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(RecipeError, match=said):
        recipe(tmp_path, text)
    with pytest.raises(RecipeError, match="cannot be read"):
        read_recipe(tmp_path / "nowhere.toml")
