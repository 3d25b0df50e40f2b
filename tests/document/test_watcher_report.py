"""Reports of watchers come from outside: what is forged, truncated, huge or contradictory is ignored with a reason."""

from __future__ import annotations

import hmac
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st

from geohound.document import watcher_report
from geohound.document.watcher_report import BadReportError, read
from geohound.model.crawl.watched import WatcherReport
from geohound.model.visit import Response

URL = "http://site.test/.well-known/geohound-watcher.json"
NOW = datetime(2026, 7, 15, 12, tzinfo=UTC)
PAGE = {
    "url": "http://site.test/a.html",
    "rank": 0.9,
    "frequency": 0.4,
    "level": 0.5,
    "changed": "2026-07-15T08:00:00Z",
}
EVENT = {
    "events": ["onclick"],
    "sources": ["div#next"],
    "target": "text.innerHTML",
    "value": "Updateinfo()",
}
GOOD: dict[str, Any] = {
    "version": 1, "site": "http://site.test/", "flag": 0, "written": "2026-07-15T08:00:01.500Z",
    "pages": [{**PAGE, "events": [EVENT]}],
}  # fmt: skip


def answer(body: bytes, final_url: str = URL, **changes: Any) -> Response:
    return Response(URL, final_url, 200, {}, body, NOW, **changes)


def read_with(**changes: Any) -> WatcherReport:
    return read(answer(json.dumps({**GOOD, **changes}).encode()))


def test_a_report_of_the_contract_is_read() -> None:
    """WBC-14, section 2.1.1: rank, and rows of {events}, {sources}, target, value; the flag 0 says that it is free."""
    report = read_with()
    assert not report.is_taken
    assert report.since is None
    page = report.pages[0]
    assert (page.url, page.rank) == ("http://site.test/a.html", 0.9)
    row = page.events[0]
    assert (row.events, row.sources) == (("onclick",), ("div#next",))
    assert (row.target, row.value) == ("text.innerHTML", "Updateinfo()")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"version": 2}, "known version"),
        ({"site": "http://other.test/"}, "another site"),
        ({"site": "https://site.test/"}, "another site"),
        ({"flag": 2}, "neither 0 nor 1"),
        ({"flag": "0"}, "neither 0 nor 1"),
        ({"flag": 0, "holder": "somebody"}, "free and that somebody has it"),
        ({"written": "soon"}, "'written' is none"),
        ({"written": 17}, "'written' is none"),
        ({"written": "2027-01-01T00:00:00Z"}, "in the future"),
        ({"since": "2026-07-15T09:00:00Z"}, "begins after"),
        ({"pages": {}}, "no list of pages"),
        ({"pages": [7]}, "no object"),
        ({"pages": [PAGE, PAGE]}, "twice"),
        ({"pages": [{**PAGE, "url": "http://other.test/a.html"}]}, "another site"),
        ({"pages": [{**PAGE, "url": "http://site.test.other.test/"}]}, "another site"),
        ({"pages": [{**PAGE, "url": "javascript:alert(1)"}]}, "another site"),
        (
            {"pages": [{**PAGE, "url": "http://site.test/" + "a" * 3000}]},
            "another site",
        ),
        ({"pages": [{**PAGE, "rank": 0.2}]}, "not the sum"),
        ({"pages": [{**PAGE, "frequency": 0.9, "rank": 1.4}]}, "not the sum"),
        ({"pages": [{**PAGE, "level": None}]}, "not the sum"),
        ({"pages": [{**PAGE, "rank": "0.9"}]}, "not the sum"),
        (
            {"pages": [{**PAGE, "changed": "2026-07-15T11:00:00Z"}]},
            "changed after it was written",
        ),
        ({"pages": [{**PAGE, "events": [EVENT] * 201}]}, "too many events"),
        (
            {"pages": [{**PAGE, "events": [{**EVENT, "events": ["onsubmit"]}]}]},
            "none that watchers report",
        ),
        (
            {"pages": [{**PAGE, "events": [{**EVENT, "value": "x" * 5000}]}]},
            "malformed",
        ),
        ({"pages": [{**PAGE, "events": ["onclick"]}]}, "malformed"),
    ],
)
def test_what_is_forged_or_at_odds_with_itself_is_refused_with_a_reason(
    changes: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadReportError, match=why):
        read_with(**changes)


@pytest.mark.parametrize(
    ("response", "why"),
    [
        (answer(json.dumps(GOOD).encode()[:-20]), "no whole JSON"),
        (answer(b""), "no whole JSON"),
        (answer(b"[" * 100_000), "no whole JSON"),
        (answer(b"<html>Not found</html>"), "no whole JSON"),
        (answer(json.dumps(GOOD).encode(), truncated=True), "too large"),
        (answer(b" " * (watcher_report.MAX_BYTES + 1)), "too large"),
        (
            answer(json.dumps(GOOD).encode(), "http://cdn.test/report.json"),
            "at another site",
        ),
    ],
)
def test_what_is_truncated_huge_or_kept_elsewhere_is_refused_with_a_reason(
    response: Response, why: str
) -> None:
    with pytest.raises(BadReportError, match=why):
        read(response)


def test_too_many_pages_are_refused(monkeypatch) -> None:
    monkeypatch.setattr(watcher_report, "MAX_PAGES", 3)
    with pytest.raises(BadReportError, match="too many"):
        read_with(pages=[{**PAGE, "url": f"http://site.test/{n}"} for n in range(4)])


def test_where_owner_and_crawler_share_a_key_only_signed_reports_count() -> None:
    key = b"0123456789abcdef"
    text = json.dumps(GOOD)[:-1].encode()
    signature = hmac.new(key, text, "sha256").hexdigest().encode()
    signed = text + b', "signature": "' + signature + b'"}'
    assert read(answer(signed), key).pages
    for forged in (
        signed.replace(b"a.html", b"b.html"),
        signed.replace(b'"flag": 0', b'"flag": 1'),
        text + b"}",
        signed[:-1] + b', "pages": []}',  # the last of two equal names would count
    ):
        with pytest.raises(BadReportError, match="not signed"):
            read(answer(forged), key)


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@fuzzed(300)
@given(
    st.sampled_from(sorted(GOOD)),
    st.sampled_from([*sorted(PAGE), "events"]),
    _ANY,
    st.booleans(),
)
def test_no_value_whatever_does_harm(
    name: str, inner: str, value: Any, is_inner: bool
) -> None:
    changed = {"pages": [{**PAGE, inner: value}]} if is_inner else {name: value}
    body = json.dumps({**GOOD, **changed}, default=str).encode("utf-8", "replace")
    try:
        report = read(answer(body))
    except BadReportError as error:
        assert str(error)
    else:
        assert all(page.url.startswith("http://site.test/") for page in report.pages)
