"""Feeds, calendars and badges: what they hold is what happened, and no text of a service is markup in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from geohound.model.biography import LifeChange, LifeEvent
from geohound.model.health import HealthState
from geohound.views.feeds import (
    Feed,
    FeedEntry,
    Outage,
    atom,
    badge,
    calendar,
    json_feed,
    outages,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SPACE = {"a": "http://www.w3.org/2005/Atom"}


def state(days: int, detail: str) -> LifeEvent:
    return LifeEvent("0123456789abcdef", NOON + days * DAY, LifeChange.STATE, detail)


def feed(title: str = "Roads", detail: str = "alive to dead: not found") -> Feed:
    return Feed(
        "All",
        "http://p.test/feed.atom",
        "http://p.test/",
        [FeedEntry(state(1, detail), title, "http://p.test/s")],
    )


@given(st.text(max_size=30), st.text(max_size=30))
@fuzzed(100)
def test_whatever_a_service_is_called_the_feed_is_xml(title: str, detail: str) -> None:
    root = etree.fromstring(atom(feed(title, detail)))
    assert len(root.findall("a:entry", SPACE)) == 1
    assert etree.fromstring(badge(title, detail, HealthState.DEAD)).tag.endswith("svg")


def test_an_entry_has_one_id_for_ever() -> None:
    root = etree.fromstring(atom(feed()))
    assert root.findtext("a:updated", namespaces=SPACE) == (NOON + DAY).isoformat()
    assert root.findtext("a:entry/a:title", namespaces=SPACE) == "Roads: state"
    ids = {
        etree.fromstring(atom(feed(title))).findtext("a:entry/a:id", namespaces=SPACE)
        for title in ("A", "B")
    }
    assert len(ids) == 1
    assert json_feed(feed())["items"][0]["id"] in ids


def test_outages_last_from_the_first_trouble_to_the_first_good_look() -> None:
    events = [
        state(0, "unknown to alive"), state(1, "alive to unsure: server error: HTTP 500"),
        state(3, "unsure to dead: server error: HTTP 500"), state(5, "dead to alive"), state(8, "alive to unsure: x"),
    ]  # fmt: skip
    assert list(outages(events)) == [
        Outage(NOON + DAY, NOON + 5 * DAY, "server error: HTTP 500"),
        Outage(NOON + 8 * DAY, None, "x"),
    ]


@given(st.text(max_size=200))
@fuzzed(100)
def test_a_calendar_has_lines_of_at_most_75_bytes_and_no_line_of_strangers(
    reason: str,
) -> None:
    """RFC 5545, section 3.1."""
    written = calendar("id", reason, [Outage(NOON, None, reason)], NOON)
    lines = written.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert sum(line.startswith(b"BEGIN:") for line in lines) == 2
    assert b"\n" not in written.replace(b"\r\n", b"")


def test_a_badge_says_what_it_is_about() -> None:
    written = badge("<script>", "dead", HealthState.DEAD).decode()
    assert "<script>" not in written
    assert "&lt;script&gt;: dead" in written
