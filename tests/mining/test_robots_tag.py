"""X-Robots-Tag and meta robots, case by case after Google's documentation of both."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from books import BOOK
from hypothesis import given
from hypothesis import strategies as st

from geohound.document import Document
from geohound.mining import mine
from geohound.mining.robots_tag import meta_robots, robots_tag
from geohound.model.visit import Response


@pytest.mark.parametrize(
    ("value", "rules"),
    [
        ("", set()),
        ("noindex", {"noindex"}),
        ("NoIndex, NOFOLLOW", {"noindex", "nofollow"}),
        ("noindex,nofollow", {"noindex", "nofollow"}),
        ("none", {"noindex", "nofollow"}),
        ("all", set()),
        ("index, follow", {"index", "follow"}),
        ("geohound: nofollow", {"nofollow"}),
        ("Geohound: noindex, nofollow", {"noindex", "nofollow"}),
        ("otherbot: noindex, nofollow", set()),
        ("otherbot: noindex, geohound: nofollow", {"nofollow"}),
        ("*: noindex", {"noindex"}),
        ("googlebot: nofollow\notherbot: noindex, nofollow", set()),
        ("otherbot: none\nnofollow", {"nofollow"}),
        ("noindex\ngeohound: nofollow", {"noindex", "nofollow"}),
        ("geohound: all\nnoindex", {"noindex"}),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST", {"unavailable_after"}),
        (
            "unavailable_after: 25 Jun 2010 15:00:00 PST\nnofollow",
            {"unavailable_after", "nofollow"},
        ),
        ("otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST", set()),
        (
            "geohound: unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow",
            {"unavailable_after", "nofollow"},
        ),
        ("max-snippet:20, nofollow", {"max-snippet", "nofollow"}),
        (
            "max-image-preview: large, max-video-preview: -1",
            {"max-image-preview", "max-video-preview"},
        ),
        (" , ,, nofollow , ", {"nofollow"}),
        ("geohound-images: none", set()),
        (":::", set()),
    ],
)
def test_the_header(value, rules):
    assert robots_tag({"x-robots-tag": value}) == rules


@pytest.mark.parametrize(
    ("tags", "rules"),
    [
        ([], set()),
        ([("robots", "noindex, nofollow")], {"noindex", "nofollow"}),
        ([("ROBOTS", "NONE")], {"noindex", "nofollow"}),
        ([("robots", "noindex"), ("robots", "nofollow")], {"noindex", "nofollow"}),
        ([("robots", "nofollow"), ("geohound", "noindex")], {"noindex", "nofollow"}),
        ([("geohound", "all"), ("robots", "nofollow")], {"nofollow"}),
        ([("otherbot", "none"), ("description", "nofollow")], set()),
        ([("robots", "noindex nofollow")], {"noindex", "nofollow"}),
        ([("robots", "max-snippet:-1, nofollow")], {"max-snippet", "nofollow"}),
        ([("robots", "noneother")], {"noneother"}),
    ],
)
def test_the_meta_tags(tags, rules):
    assert meta_robots(tags) == rules


def page(body: bytes, **headers: str):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = Response(
        "http://a.test/",
        "http://a.test/",
        200,
        named,
        body,
        datetime(2026, 1, 1, tzinfo=UTC),
    )
    return mine(Document(answer), BOOK)


@pytest.mark.parametrize("meta", ["noindex", "nofollow"])
def test_a_page_is_followed_only_where_header_and_meta_tags_agree(meta):
    body = b"<html><meta name=robots content=%s><a href=x>x</a></html>" % meta.encode()
    assert page(
        body, content_type="text/html", x_robots_tag="geohound: nofollow"
    ).nofollow
    assert page(
        body, content_type="text/html", x_robots_tag="otherbot: nofollow"
    ).nofollow == (meta == "nofollow")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"url": "http://b.test/wms?service=WMS"}', "application/json"),
        (b"plain", "text/plain"),
    ],
)
def test_what_is_no_page_has_the_header_only(body, kind):
    assert page(body, content_type=kind, x_robots_tag="none").nofollow
    assert not page(body, content_type=kind).nofollow


@given(st.text(max_size=200))
def test_no_header_whatever_crashes_the_reader(value):
    rules = robots_tag({"x-robots-tag": value})
    assert "none" not in rules
    assert "" not in rules
