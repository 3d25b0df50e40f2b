"""Catalogues are read a page at a time; those that lie, repeat themselves or change meanwhile come to an end."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from books import BOOK
from harvest_examples import PER_PAGE, asked_for, csw_page
from harvest_rig import harvest, read_page, response
from plans import any_plan

from geohound import plugins
from geohound.crawler.harvesting import begin, harvests_of, named_by, next_page
from geohound.model.crawl.harvest import MAX_CURSOR_BYTES, HarvestPage, Listed
from geohound.model.failure import FailureReason
from geohound.model.service import Service
from geohound.model.visit import Candidate, Purpose, Via, Visit

SOURCE = "http://cat.test/csw"
FIRST = Candidate(
    SOURCE,
    Via.HARVEST,
    SOURCE,
    "listed by it",
    1000.0,
    2,
    Purpose.HARVEST,
    "csw",
    b"here",
)


def position(url: str) -> int:
    return int(asked_for(url)["startposition"])


def catalogue(page_at):
    """A CSW whose page from a position is `page_at(position)`; other hosts are not there."""

    def answer(url: str) -> Visit | None:
        return (
            response(url, page_at(position(url)), "application/xml")
            if url.startswith(SOURCE)
            else None
        )

    return answer


def hosts(numbers) -> set[str]:
    return {
        f"http://h{number}.test/wms?service=WMS&request=GetCapabilities"
        for number in numbers
    }


def test_pages_are_leases_of_their_own_and_end_where_the_server_says_so(
    tmp_path: Path,
) -> None:
    def page(first: int) -> str:
        count = min(PER_PAGE, 121 - first)
        return csw_page(first, count, 0 if first + count > 120 else first + count, 120)

    done = harvest(tmp_path, "csw", SOURCE, catalogue(page))
    assert [visit.status for visit in done.pages] == [200, 200, 200]
    assert done.found == hosts(range(1, 121))
    assert [position(url) for url in done.asked if url.startswith(SOURCE)] == [
        1,
        51,
        101,
    ]


@pytest.mark.parametrize(
    ("following", "total"),
    [(0, 120), (51, 10), (9_999_999, 5_000_000_000)],
    ids=[
        "says that each page is the last",
        "says that it has less than it sends",
        "jumps beyond its end",
    ],
)
def test_a_server_that_lies_about_its_numbers_is_read_and_ended(
    tmp_path: Path, following: int, total: int
) -> None:
    def page(first: int) -> str:
        count = max(0, min(PER_PAGE, 121 - first))
        return csw_page(first, count, following, total)

    done = harvest(tmp_path, "csw", SOURCE, catalogue(page))
    assert hosts(range(1, 51)) <= done.found
    if following == 0:
        assert done.found == hosts(range(1, 121)), "its total says that there is more"
    assert len(done.pages) <= 4


def test_a_page_that_was_read_before_ends_the_harvest_with_a_reason(
    tmp_path: Path,
) -> None:
    pages = {1: csw_page(1, PER_PAGE, 51, 900), 51: csw_page(51, PER_PAGE, 101, 900)}
    done = harvest(
        tmp_path, "csw", SOURCE, catalogue(lambda first: pages.get(first, pages[1]))
    )
    assert [visit.reason for visit in done.pages] == [
        None,
        None,
        FailureReason.DUPLICATE_CONTENT,
    ]
    assert done.found == hosts(range(1, 101))


def test_records_that_come_in_between_pages_move_others_and_none_is_proposed_twice(
    tmp_path: Path,
) -> None:
    def page(
        first: int,
    ) -> str:  # before the second page, five records were put in front
        shift = 5 if first > 1 else 0
        count = min(PER_PAGE, 126 - first)
        return csw_page(
            first - shift, count, 0 if first + count > 125 else first + count, 125
        )

    done = harvest(tmp_path, "csw", SOURCE, catalogue(page))
    assert done.found == hosts(range(1, 121))
    assert len(done.pages) == 3


def test_a_cursor_that_stands_still_or_is_too_long_ends_the_harvest() -> None:
    assert next_page(FIRST, HarvestPage(next=b"here")) is FailureReason.TRAP
    assert (
        next_page(FIRST, HarvestPage(next=b"x" * (MAX_CURSOR_BYTES + 1)))
        is FailureReason.BAD_ANSWER
    )
    assert next_page(FIRST, HarvestPage()) is None
    onward = next_page(FIRST, HarvestPage(next=b"there"))
    assert isinstance(onward, Candidate)
    assert (onward.url, onward.cursor, onward.depth) == (SOURCE, b"there", 2)


def test_what_a_page_names_is_tested_once_and_pictures_and_the_catalogue_itself_are_left(
    tmp_path: Path,
) -> None:
    page = HarvestPage(
        (
            Listed("http://a.test/wms", "Rivers", "OGC:WMS"), Listed("HTTP://A.test/wms", "again"),
            Listed("http://cat.test/csw?service=CSW&version=2.0.2&request=GetRecordById&id=7"),
            Listed("http://b.test/wms?service=WMS&request=GetMap&layers=a"),
            Listed("http://b.test/wms?service=WMS&request=GetMap&layers=b"),
            Listed("http://a.test/preview.png"), Listed("mailto:a@a.test"), Listed("/ows"),
        ),
        sources=("sub/", SOURCE, "javascript:alert(1)"),
    )  # fmt: skip
    found, left_out = named_by(FIRST, page, BOOK)
    assert [(c.url, c.purpose, c.via, c.clue, c.depth) for c in found] == [
        ("http://a.test/wms", Purpose.PROBE, Via.HARVEST, "Rivers OGC:WMS", 3),
        (
            "http://b.test/wms?SERVICE=WMS&REQUEST=GetCapabilities",
            Purpose.PROBE,
            Via.HARVEST,
            "listed by it",
            3,
        ),
        ("http://cat.test/ows", Purpose.PROBE, Via.HARVEST, "listed by it", 3),
        ("http://cat.test/sub/", Purpose.HARVEST, Via.HARVEST, "listed by it", 2),
    ]
    assert left_out == {FailureReason.MEDIA: 1, FailureReason.BAD_URL: 1}


def test_harvesters_are_asked_about_services_and_addresses() -> None:
    harvesters = plugins.discover("harvesters")
    csw = Service("csw", SOURCE, title="Rivers of the north")
    found = Candidate(
        "http://cat.test/csw?request=GetCapabilities&service=CSW", Via.LINK, depth=3
    )
    (first,) = harvests_of(found, any_plan(since=date(2026, 1, 2)), harvesters, csw)
    assert (first.url, first.harvester, first.purpose, first.clue, first.depth) == (
        SOURCE, "csw", Purpose.HARVEST, "listed by Rivers of the north", 4,
    )  # fmt: skip
    assert first.cursor == harvesters["csw"].start(date(2026, 1, 2))
    assert (
        harvests_of(found, any_plan(), harvesters, Service("wms", "http://a.test/ows"))
        == []
    )
    assert harvests_of(Candidate("http://a.test/"), any_plan(), harvesters) == []
    (page,) = harvests_of(
        Candidate("http://a.test/data.json", depth=3), any_plan(), harvesters
    )
    assert (page.url, page.harvester, page.depth) == (
        "http://a.test/data.json",
        "dcat",
        3,
    )


def test_a_harvest_does_not_go_on_with_catalogues_that_a_catalogue_names() -> None:
    harvesters = plugins.discover("harvesters")
    csw = Service("csw", "http://other.test/csw")
    assert (
        harvests_of(
            Candidate("http://other.test/csw", depth=2),
            any_plan(is_harvest=True),
            harvesters,
            csw,
        )
        == []
    )
    assert (
        len(
            harvests_of(
                Candidate("http://other.test/csw"),
                any_plan(is_harvest=True),
                harvesters,
                csw,
            )
        )
        == 1
    )


def test_seeds_are_harvested_as_told_or_by_whoever_accepts_them() -> None:
    harvesters = plugins.discover("harvesters")
    seeds = [
        Candidate("http://a.test/data.json", score=-1000.0),
        Candidate("http://b.test/"),
    ]
    (first,) = begin(seeds, harvesters)
    assert (first.url, first.harvester, first.via) == (
        "http://a.test/data.json",
        "dcat",
        Via.SEED,
    )
    assert first.score == -1000.0, "it belongs to the same width as its seed"
    told = begin(seeds, harvesters, "csw", date(2026, 1, 2))
    assert [(c.url, c.harvester, c.cursor) for c in told] == [
        (seed.url, "csw", b'{"since":"2026-01-02"}') for seed in seeds
    ]


def test_the_first_page_finds_out_how_the_server_wants_to_be_asked() -> None:
    refusal = "<ExceptionReport><Exception><ExceptionText>{}</ExceptionText></Exception></ExceptionReport>"

    def old_and_unsorted(url: str) -> Visit:
        asked = asked_for(url)
        if asked["version"] != "3.0.0" or "sortby" in asked:
            return response(url, refusal.format("not this way"), "application/xml", 400)
        return response(url, csw_page(1, PER_PAGE, 51, 900), "application/xml")

    page = read_page("csw", SOURCE, old_and_unsorted)
    assert isinstance(page, HarvestPage)
    assert isinstance(
        read_page("csw", SOURCE, old_and_unsorted, page.next), HarvestPage
    ), "the next page knows it"


def test_web_pages_that_records_name_are_read_as_pages_not_asked_as_services() -> None:
    """A test of an address that says nothing takes up to four requests; a catalogue names hundreds of such pages."""
    listed = (
        Listed("http://a.test/about/forests.html"),
        Listed("http://a.test/about/wms.html", protocol="OGC:WMS"),
        Listed("http://a.test/erddap/tabledap/buoys.html"),
        Listed("http://a.test/service"),
    )
    found, _ = named_by(FIRST, HarvestPage(listed), BOOK)
    assert [(each.url.rpartition("/")[2], each.purpose) for each in found] == [
        ("forests.html", Purpose.PAGE),
        ("wms.html", Purpose.PROBE),
        ("buoys.html", Purpose.PROBE),
        ("service", Purpose.PROBE),
    ]
