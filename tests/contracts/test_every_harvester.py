"""What every harvester keeps to: whatever a catalogue answers, there is an end and a clear reason.

They are the dedicated crawlers of PolarHub (section 3, Fig. 1).
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fuzzing import fuzzed
from harvest_examples import EXAMPLES
from harvest_rig import Answering, harvest, read_page, response
from hypothesis import given
from hypothesis import strategies as st

from geohound import plugins
from geohound.frontier import FrontierLimits
from geohound.model.crawl.harvest import MAX_CURSOR_BYTES, HarvestPage
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Visit

HARVESTERS = sorted(plugins.discover("harvesters"))
LOG_IN = "<html><title>Sign in</title><form><input name=u><input type=password name=p></form></html>"
MALFORMED = {
    "nothing": b"",
    "spaces": b"  \n ",
    "half of XML": b'<?xml version="1.0"?><a><b c="',
    "half of JSON": b'{"a": [1, {"b": "http',
    "null": b"null",
    "a number": b"17",
    "an empty list": b"[]",
    "an empty object": b"{}",
    "a list of wrong things": b'[null, 1, "x", [], {"a": []}]',
    "bytes": bytes(range(256)) * 4,
    "deep JSON": b"[" * 20_000,
    "deep XML": b"<a>" * 5_000,
    "an exception": b"<ExceptionReport><Exception><ExceptionText>No.</ExceptionText></Exception></ExceptionReport>",
    "a page": b"<html><title>Our city</title><p>Welcome</p></html>",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(100),
}


def always(body: bytes | str, content_type: str, status: int = 200):
    return lambda url: response(url, body, content_type, status)


def is_of_source(url: str, harvester: str) -> bool:
    return urlsplit(url).hostname == urlsplit(EXAMPLES[harvester].source).hostname


def test_every_harvester_has_an_example_catalogue() -> None:
    assert set(HARVESTERS) == set(EXAMPLES)


@pytest.mark.parametrize("harvester", HARVESTERS)
def test_the_example_is_read(harvester: str) -> None:
    """PH-11: "a direct connection between PolarHub to known data centers" (section 5)."""
    example = EXAMPLES[harvester]
    page = read_page(harvester, example.source, lambda url: _answer(example, url))
    assert isinstance(page, HarvestPage), page
    assert page.listed or page.documents
    assert page.fingerprint
    assert bool(page.next) is example.is_paged


def _answer(example, url: str) -> Visit | None:
    body = (
        example.body(url)
        if urlsplit(url).hostname == urlsplit(example.source).hostname
        else None
    )
    return None if body is None else response(url, body, example.content_type)


@pytest.mark.parametrize("harvester", HARVESTERS)
def test_a_malformed_answer_is_a_reason_or_an_empty_page(harvester: str) -> None:
    types = "", "text/html", "application/json; charset=utf-8", "application/xml"
    for what, content_type in product(MALFORMED, types):
        page = read_page(
            harvester, EXAMPLES[harvester].source, always(MALFORMED[what], content_type)
        )
        if isinstance(page, Failure):
            assert page.detail, what
        else:
            assert not page.listed, what
            assert not page.next, what


@pytest.mark.parametrize("harvester", HARVESTERS)
def test_a_log_in_page_is_a_log_in_wall(harvester: str) -> None:
    page = read_page(harvester, EXAMPLES[harvester].source, always(LOG_IN, "text/html"))
    assert isinstance(page, Failure)
    assert page.reason is FailureReason.LOGIN_WALL


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (404, FailureReason.HTTP_ERROR), (403, FailureReason.LOGIN_WALL), (429, FailureReason.RATE_LIMITED),
        (500, FailureReason.UNAVAILABLE), (503, FailureReason.UNAVAILABLE), (302, FailureReason.BAD_ANSWER),
    ],
)  # fmt: skip
@pytest.mark.parametrize("harvester", HARVESTERS)
def test_a_status_that_is_no_page_is_its_reason(
    harvester: str, status: int, reason: FailureReason
) -> None:
    page = read_page(
        harvester, EXAMPLES[harvester].source, always("no", "text/plain", status)
    )
    assert isinstance(page, Failure)
    assert page.reason is reason
    assert str(status) in page.detail or status == 302


@pytest.mark.parametrize("harvester", HARVESTERS)
def test_a_wrong_encoding_costs_letters_and_no_address(harvester: str) -> None:
    example = EXAMPLES[harvester]

    def answer(url: str) -> Visit | None:
        body = example.body(url)
        said = f"{example.content_type}; charset=utf-8"
        wrong = body.encode("latin-1", "replace") if isinstance(body, str) else body
        return None if wrong is None else response(url, wrong, said)

    page = read_page(harvester, example.source, answer)
    right = read_page(harvester, example.source, lambda url: _answer(example, url))
    assert isinstance(page, HarvestPage), page
    assert isinstance(right, HarvestPage)
    assert [found.url for found in page.listed] == [found.url for found in right.listed]


@pytest.mark.slow
@pytest.mark.parametrize("harvester", HARVESTERS)
def test_an_endless_catalogue_ends_at_the_bound(harvester: str, tmp_path: Path) -> None:
    example = EXAMPLES[harvester]
    bounds = FrontierLimits(max_attempts=3, max_depth=5, max_harvest_pages=4)
    done = harvest(
        tmp_path,
        harvester,
        example.source,
        lambda url: _answer(example, url),
        bounds=bounds,
    )
    of_source = [
        page for page in done.pages if page.url == example.source and page.was_asked
    ]
    assert len(of_source) == (4 if example.is_paged else 1)
    assert done.drops.get(FailureReason.HARVEST_BUDGET, 0) == int(example.is_paged)
    assert done.found, "what was read before the end is kept"


@pytest.mark.slow
@pytest.mark.parametrize("harvester", HARVESTERS)
def test_a_catalogue_that_repeats_its_first_page_ends_with_the_second(
    harvester: str, tmp_path: Path
) -> None:
    example = EXAMPLES[harvester]
    first: dict[str, Visit | None] = {}

    def answer(url: str) -> Visit | None:
        if not is_of_source(url, harvester):
            return None
        path = urlsplit(url).path
        if path not in first:
            first[path] = _answer(example, url)
        return first[path]

    done = harvest(tmp_path, harvester, example.source, answer)
    assert len([page for page in done.pages if page.url == example.source]) <= 2
    assert done.found


@pytest.mark.slow
@pytest.mark.parametrize(
    "harvester", [harvester for harvester in HARVESTERS if EXAMPLES[harvester].is_paged]
)
def test_a_page_that_fails_is_tried_again_and_nothing_before_it_is_lost(
    harvester: str, tmp_path: Path
) -> None:
    example = EXAMPLES[harvester]
    asked: set[str] = set()
    failed: list[str] = []

    def answer(url: str) -> Visit | None:
        if not is_of_source(url, harvester):
            return None
        if len(asked) >= 2 and url not in asked and url not in failed:
            failed.append(url)
            return response(url, "busy", "text/plain", 503)
        if url not in asked and len(asked) >= 3:
            return response(url, "gone", "text/plain", 404)
        asked.add(url)
        return _answer(example, url)

    done = harvest(tmp_path, harvester, example.source, answer)
    again = [url for url in failed if url in asked]
    assert again, "a page that failed was asked for again"
    assert done.drops[FailureReason.HTTP_ERROR] >= 1
    assert len(done.found) > 0


@fuzzed(30)
@given(cursor=st.binary(max_size=200))
@pytest.mark.parametrize("harvester", HARVESTERS)
def test_a_cursor_that_is_none_raises_nothing(harvester: str, cursor: bytes) -> None:
    example = EXAMPLES[harvester]
    page = read_page(
        harvester, example.source, lambda url: _answer(example, url), cursor
    )
    assert isinstance(page, HarvestPage | Failure)


@fuzzed(30)
@given(body=st.binary(max_size=300))
@pytest.mark.parametrize("harvester", HARVESTERS)
def test_no_bytes_make_a_harvester_raise(harvester: str, body: bytes) -> None:
    page = read_page(harvester, EXAMPLES[harvester].source, always(body, ""))
    assert isinstance(page, HarvestPage | Failure)


@pytest.mark.parametrize("harvester", HARVESTERS)
def test_cursors_are_short_and_made_anew_by_each_page(harvester: str) -> None:
    example = EXAMPLES[harvester]
    part = plugins.discover("harvesters")[harvester]
    cursor = part.start(date(2026, 1, 31))
    for _ in range(3):
        assert len(cursor) <= MAX_CURSOR_BYTES
        page = asyncio.run(
            part.page(
                example.source, cursor, Answering(lambda url: _answer(example, url))
            )
        )
        assert isinstance(page, HarvestPage), page
        assert not page.next or page.next != cursor
        cursor = page.next


def _found(folder: Path, harvester: str, answer) -> set[str]:
    """What four pages bring."""
    bounds = FrontierLimits(max_attempts=2, max_depth=5, max_harvest_pages=4)
    source = EXAMPLES[harvester].source
    return harvest(folder, harvester, source, answer, bounds=bounds).found


@cache
def _found_without_lies(harvester: str) -> set[str]:
    """Once for all lies about one catalogue."""
    example = EXAMPLES[harvester]
    with tempfile.TemporaryDirectory() as folder:
        return _found(Path(folder), harvester, lambda url: _answer(example, url))


COUNTS_PAGES = ("cdx",)  # instead of records
# records that the examples say they have, where they say so
COUNTED = re.compile(rb"\b1000000\b")


@pytest.mark.slow
@pytest.mark.parametrize("said", ["0", "1", "-7", "9" * 30])
@pytest.mark.parametrize(
    "harvester", [harvester for harvester in HARVESTERS if EXAMPLES[harvester].is_paged]
)
def test_a_catalogue_that_lies_about_its_count_is_read_as_far_as_it_goes(
    harvester: str, said: str, tmp_path: Path
) -> None:
    example = EXAMPLES[harvester]
    if said == "1" and harvester in COUNTS_PAGES:
        return  # nobody can know better

    def lying(url: str) -> Visit | None:
        plain = _answer(example, url)
        if isinstance(plain, Failure) or plain is None:
            return plain
        return replace(plain, body=COUNTED.sub(said.encode(), plain.body))

    assert _found(tmp_path, harvester, lying) == _found_without_lies(harvester)


@pytest.mark.slow
@pytest.mark.parametrize("harvester", HARVESTERS)
def test_a_source_that_breaks_off_in_a_page_loses_nothing_of_those_before(
    harvester: str, tmp_path: Path
) -> None:
    example = EXAMPLES[harvester]
    whole: set[str] = set()
    is_first = True

    def breaking(url: str) -> Visit | None:
        plain = _answer(example, url)
        if isinstance(plain, Failure) or plain is None:
            return plain
        if is_first:
            whole.add(url)
        if url in whole:
            return plain
        return replace(plain, body=plain.body[: len(plain.body) // 2])

    first = read_page(harvester, example.source, breaking)
    is_first = False
    assert isinstance(first, HarvestPage)
    listed = {found.url for found in first.listed if "wms?" in found.url}
    assert listed - _found(tmp_path, harvester, breaking) == set()
