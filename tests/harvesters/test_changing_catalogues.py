"""Catalogues of which records go, and to which others come, while they are read page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from fuzzing import fuzzed
from harvest_examples import asked_for, csw_page, numbers, plain, text, wms
from harvest_rig import harvest, read_page, response
from hypothesis import assume, given
from hypothesis import strategies as st

from geohound.frontier import FrontierLimits
from geohound.harvesters._moved import MOST_BACK
from geohound.model.crawl.harvest import HarvestPage
from geohound.model.failure import FailureReason
from geohound.model.visit import Visit

PER_PAGE = 10  # these servers send no more, whatever they are asked for
TOTAL = 60
Records = list[int]


def csw(url: str, records: Records) -> str:
    first = int(asked_for(url)["startposition"])
    shown = records[first - 1 : first - 1 + PER_PAGE]
    after = first + len(shown)
    following = after if after <= len(records) else 0
    inner = "".join(
        f"<Record><identifier>id-{n}</identifier><URI>{wms(n)}</URI></Record>"
        for n in shown
    )
    about = f'numberOfRecordsMatched="{len(records)}" nextRecord="{following}"'
    results = f"<SearchResults {about}>{inner}</SearchResults>"
    return f"<GetRecordsResponse>{results}</GetRecordsResponse>"


def ckan(url: str, records: Records) -> str:
    at = numbers(url, "start", PER_PAGE)
    results = [
        {"id": f"id-{n}", "resources": [{"url": plain(n), "format": "WMS"}]}
        for n in records[at.start : at.stop]
    ]
    return text({"success": True, "result": {"count": len(records), "results": results}})  # fmt: skip


def ogc_records(url: str, records: Records) -> str:
    at = numbers(url, "offset", PER_PAGE)
    features = [
        {"id": f"id-{n}", "links": [{"rel": "item", "href": plain(n), "protocol": "OGC:WMS"}]}
        for n in records[at.start : at.stop]
    ]  # fmt: skip
    onward = f"http://cat.test/collections/all/items?offset={at.stop}"
    links = [{"rel": "next", "href": onward}] if at.stop < len(records) else []
    return text({"features": features, "links": links, "numberMatched": len(records)})


def geonode(url: str, records: Records) -> str | None:
    """Django's pages: one past the last is not found."""
    at = int(asked_for(url).get("page", "1"))
    shown = records[(at - 1) * PER_PAGE : at * PER_PAGE]
    datasets = [
        {"pk": n, "links": [{"link_type": "OGC:WMS", "url": plain(n)}]} for n in shown
    ]
    onward = f"http://cat.test/api/v2/datasets?page={at + 1}"
    links = {"next": onward if at * PER_PAGE < len(records) else None}
    value = {"links": links, "total": len(records), "datasets": datasets}
    return text(value) if shown else None


Server = Callable[[str, Records], str | None]
SERVERS: dict[str, tuple[str, str, Server]] = {
    "csw": ("http://cat.test/csw", "application/xml", csw),
    "ckan": ("http://cat.test/", "application/json", ckan),
    "ogcapi-records": (
        "http://cat.test/collections/all/items",
        "application/json",
        ogc_records,
    ),
    "geonode": ("http://cat.test/", "application/json", geonode),
}


class Changing:
    """A catalogue in the order of its numbers, which changes before it is asked for the next page."""

    def __init__(self, harvester: str, states: Iterable[Iterable[int]]) -> None:
        self._states = [sorted(state) for state in states]
        self._places: list[str] = []
        _, self._content_type, self._server = SERVERS[harvester]

    def answer(self, url: str) -> Visit | None:
        if not url.startswith("http://cat.test/"):
            return None
        if url not in self._places:
            self._places.append(url)
        number = min(len(self._places), len(self._states)) - 1
        body = self._server(url, self._states[number])
        return None if body is None else response(url, body, self._content_type)

    @property
    def stayed(self) -> set[int]:
        return set.intersection(*map(set, self._states))


def found_in(harvester: str, changing: Changing) -> set[int]:
    """Numbers of the records that were read, to the last page."""
    source, cursor, found = SERVERS[harvester][0], b"", set()
    for _ in range(100):
        page = read_page(harvester, source, changing.answer, cursor)
        assert isinstance(page, HarvestPage), page
        found |= {int(each.url.split("/")[2][1:-5]) for each in page.listed}
        if not page.next:
            return found
        cursor = page.next
    raise AssertionError("it has no end")


FIRST = range(0, 10 * TOTAL, 10)
CHANGES = {
    "some go": [FIRST, FIRST[3:]],
    "some go each time": [FIRST[gone:] for gone in range(0, 40, 4)],
    "more than a page goes": [FIRST, FIRST, FIRST[25:]],
    "the end goes": [FIRST, FIRST, FIRST[:15]],
    "all behind the first page go, and some of it": [FIRST, FIRST[5:10]],
    "three go in front and five come behind": [FIRST, FIRST, [*FIRST[3:], 601, 602, 603, 604, 605]],
    "a page comes in front": [FIRST, [*range(-100, 0, 10), *FIRST]],
    "some come among them": [FIRST, [*FIRST, 5, 15, 25]],
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("harvester", SERVERS)
def test_what_stayed_is_found(harvester: str, change: str, tmp_path: Path) -> None:
    changing = Changing(harvester, CHANGES[change])
    done = harvest(tmp_path, harvester, SERVERS[harvester][0], changing.answer)
    assert {plain(number) for number in changing.stayed} <= done.found
    assert [page.reason for page in done.pages if page.reason] == []


@st.composite
def states(draw: st.DrawFn) -> list[set[int]]:
    """Between two pages no more records go than a page has, and not as many come."""
    found = [set(FIRST)]
    for _ in range(draw(st.integers(1, 8))):
        records = found[-1]
        gone = draw(st.sets(st.sampled_from(sorted(records)), max_size=PER_PAGE))
        come = draw(st.sets(st.integers(0, 10 * TOTAL), max_size=12)) - records
        found.append(records - gone | come)
        assume(len(found[-1]) > 2 * PER_PAGE)
    assume(all(a == b or len(a) != len(b) for a, b in pairwise(found)))
    return found


@fuzzed(60)
@given(states=states())
@pytest.mark.parametrize("harvester", SERVERS)
def test_whatever_goes_and_comes_what_stayed_is_found(
    harvester: str, states: list[set[int]]
) -> None:
    changing = Changing(harvester, states)
    assert changing.stayed - found_in(harvester, changing) == set()


@pytest.mark.parametrize("harvester", SERVERS)
def test_a_catalogue_that_stays_as_it_is_is_asked_for_each_page_once(
    harvester: str, tmp_path: Path
) -> None:
    changing = Changing(harvester, [FIRST])
    done = harvest(tmp_path, harvester, SERVERS[harvester][0], changing.answer)
    pages = [url for url in done.asked if url.startswith("http://cat.test/")]
    assert len(pages) == len(set(pages)) == TOTAL // PER_PAGE


@pytest.mark.parametrize("step", [1, 7, 5_000])
def test_a_total_that_falls_with_every_answer_has_an_end(
    step: int, tmp_path: Path
) -> None:
    """An endless catalogue: what is asked for is bounded all the same."""
    asked = []

    def answer(url: str) -> Visit | None:
        if not url.startswith("http://cat.test/csw"):
            return None
        asked.append(url)
        first = int(asked_for(url)["startposition"])
        total = 1_000_000 - step * len(asked)
        body = csw_page(first, PER_PAGE, first + PER_PAGE, total)
        return response(url, body, "application/xml")

    bounds = FrontierLimits(max_attempts=1, max_depth=5, max_harvest_pages=6)
    done = harvest(tmp_path, "csw", "http://cat.test/csw", answer, bounds=bounds)
    assert len([page for page in done.pages if page.was_asked]) == 6
    assert len(done.found) == 6 * PER_PAGE
    assert len(asked) <= 6 * (1 + MOST_BACK)


def test_a_catalogue_that_repeats_a_page_and_lowers_its_total_ends(
    tmp_path: Path,
) -> None:
    asked = []

    def answer(url: str) -> Visit | None:
        if not url.startswith("http://cat.test/csw"):
            return None
        asked.append(url)
        first = int(asked_for(url)["startposition"])
        body = csw_page(1, PER_PAGE, first + PER_PAGE, 1_000_000 - len(asked))
        return response(url, body, "application/xml")

    done = harvest(tmp_path, "csw", "http://cat.test/csw", answer)
    reasons = [page.reason for page in done.pages]
    assert reasons == [None, FailureReason.DUPLICATE_CONTENT]
    assert len(asked) <= 2 + MOST_BACK
