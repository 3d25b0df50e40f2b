"""Which addresses of a page are proposed, and why the others are not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from books import BOOK

from geohound import urls
from geohound.crawler.link_filter import Scope, ScopeFilter, follow, main_pages
from geohound.crawler.seen_links import SeenLinks
from geohound.model.failure import FailureReason
from geohound.model.visit import Link, LinkPlace, Page
from geohound.net.clock import SystemClock
from geohound.settings import Settings
from geohound.stores.sqlite import open_store
from geohound.tasks.spec import crawl_spec, plan_of

HERE = "http://www.a.test/x/page.html"


def proposed(
    page: Page, scope: ScopeFilter | None = None
) -> tuple[list[Link], Counter[FailureReason]]:
    drops: Counter[FailureReason] = Counter()
    return follow(
        page, 3, scope or ScopeFilter(), BOOK, drops, SeenLinks().page()
    ), drops


def page(*links: Link, nofollow: bool = False, url: str = HERE) -> Page:
    return Page(url, links=links, nofollow=nofollow)


def test_relative_links_become_absolute() -> None:
    """LI-5: Li, Yang & Yang 2010, section 3: the analyzer "transforms the relative URLs of the links into absolute"."""
    found, _ = proposed(page(Link("../y.html"), Link("?q=1"), Link("z/")))
    assert [link.url for link in found] == [
        "http://www.a.test/y.html",
        "http://www.a.test/x/page.html?q=1",
        "http://www.a.test/x/z/",
    ]


def test_a_base_without_a_path_is_a_base_too() -> None:
    found, _ = proposed(page(Link("y.html"), Link("?q"), url="http://Maps.a.test"))
    assert [link.url for link in found] == [
        "http://maps.a.test/y.html",
        "http://maps.a.test/?q",
    ]


def follow_and_keep(
    page: Page, depth: int, drops: Counter[FailureReason], seen: SeenLinks
) -> list[str]:
    links = seen.page()
    found = follow(page, depth, ScopeFilter(), BOOK, drops, links)
    links.keep()
    return [link.url for link in found]


def test_what_was_reported_before_is_reported_again_only_where_it_is_nearer() -> None:
    seen, drops = SeenLinks(), Counter[FailureReason]()
    links = page(Link("/a"), Link("/film.mp4"))
    assert follow_and_keep(links, 3, drops, seen) == ["http://www.a.test/a"]
    assert follow_and_keep(links, 3, drops, seen) == []
    assert follow_and_keep(links, 4, drops, seen) == []
    assert drops == {FailureReason.MEDIA: 1}
    assert follow_and_keep(links, 2, drops, seen) == ["http://www.a.test/a"]
    assert follow_and_keep(links, 3, drops, seen) == []


def test_where_pages_of_a_depth_are_counted_each_depth_is_reported() -> None:
    seen, drops = SeenLinks(by_depth=True), Counter[FailureReason]()
    for depth in (3, 4, 2):
        for expected in (["http://www.a.test/a"], []):
            assert follow_and_keep(page(Link("/a")), depth, drops, seen) == expected


def test_links_of_a_page_that_is_not_kept_are_reported_again_but_once_a_page() -> None:
    seen, drops = SeenLinks(), Counter[FailureReason]()
    for _ in range(2):
        found = follow(
            page(Link("/a"), Link("/a")), 3, ScopeFilter(), BOOK, drops, seen.page()
        )
        assert [link.url for link in found] == ["http://www.a.test/a"]


def test_what_one_page_asks_not_to_follow_another_may_offer() -> None:
    seen, drops = SeenLinks(), Counter[FailureReason]()
    for shy in (page(Link("/a", nofollow=True)), page(Link("/a"), nofollow=True)):
        assert follow_and_keep(shy, 3, drops, seen) == []
    assert follow_and_keep(page(Link("/a")), 3, drops, seen) == ["http://www.a.test/a"]


def test_links_in_the_letters_of_a_neighbour_are_known_but_elsewhere_or_nearer() -> (
    None
):
    seen = SeenLinks(most_spelled=3)

    def is_seen(place: str, address: str, depth: int = 1) -> bool:
        links = seen.page()
        asked = links.spelled(depth)
        assert asked is not None
        found = asked(place, address)
        assert asked(place, address), "on the same page"
        links.keep()
        return found

    assert not is_seen("http://a.test/x/", "b.html")
    assert is_seen("http://a.test/x/", "b.html")
    assert not is_seen("http://a.test/y/", "b.html")
    assert is_seen("http://a.test/x/", "b.html", depth=2)
    assert not is_seen("http://a.test/x/", "b.html", depth=0)
    assert not is_seen(
        "http://a.test/", "/new"
    )  # the fourth: older ones are kept for one more round
    assert is_seen("http://a.test/x/", "b.html")


def test_an_address_is_proposed_once_however_it_is_spelled() -> None:
    found, _ = proposed(
        page(
            Link("http://B.test:80/a"),
            Link("http://b.test/a#top"),
            Link("http://b.test/./a"),
        )
    )
    assert [c.url for c in found] == ["http://b.test/a"]


def test_an_address_inside_a_parameter_is_proposed_too() -> None:
    found, _ = proposed(page(Link("/proxy?url=http%3A%2F%2Fc.test%2Fwms%3Fmap%3Dx")))
    assert "http://c.test/wms?map=x" in [c.url for c in found]


def test_where_and_with_which_words_it_was_found_is_kept() -> None:
    links = (
        Link("/a", place=LinkPlace.FORM),
        Link("/b", place=LinkPlace.TEXT),
        Link("/c", "words", "more words"),
    )
    found, _ = proposed(page(*links))
    assert [link[1:] for link in found] == [link[1:] for link in links]


def test_nofollow_on_the_link_or_on_the_page_is_obeyed_and_counted() -> None:
    """Alqaraleh, Ramadan & Salamah 2015, section 2.2, link extractor unit: rel="nofollow" discards a URL."""
    found, drops = proposed(page(Link("/a", nofollow=True), Link("/b")))
    assert [c.url for c in found] == ["http://www.a.test/b"]
    assert drops[FailureReason.NOFOLLOW] == 1
    assert not proposed(page(Link("/a"), nofollow=True))[0]


def test_media_and_repeating_paths_are_left_out_with_their_reason() -> None:
    found, drops = proposed(
        page(Link("/film.mp4"), Link("/a/b/a/b/a/b/a/b/a/b/"), Link("mailto:x@a.test"))
    )
    assert not found
    assert drops == {FailureReason.MEDIA: 1, FailureReason.TRAP: 1}


def test_a_fence_keeps_the_crawl_on_its_host_or_domain() -> None:
    links = page(
        Link("http://www.a.test/1"),
        Link("http://maps.a.test/2"),
        Link("http://b.test/3"),
    )
    seeds = ["http://www.a.test/"]
    assert len(proposed(links, ScopeFilter.around(Scope.HOST, seeds))[0]) == 1
    found, drops = proposed(links, ScopeFilter.around(Scope.DOMAIN, seeds))
    assert len(found) == 2
    assert drops[FailureReason.OUT_OF_SCOPE] == 1
    assert len(proposed(links, ScopeFilter.around(Scope.ANY, seeds))[0]) == 3


def test_a_host_and_its_www_are_one_for_a_fence() -> None:
    links = page(
        Link("http://a.test/1"),
        Link("https://www.a.test/2"),
        Link("http://maps.a.test/3"),
    )
    for seed in ("http://a.test/", "http://www.a.test/"):
        found, _ = proposed(links, ScopeFilter.around(Scope.HOST, [seed]))
        assert [link.url for link in found] == [
            "http://a.test/1",
            "https://www.a.test/2",
        ]


def test_a_queue_of_main_pages_abstracts_the_links_of_a_site_to_its_main_page() -> None:
    """The example of the link extractor in section 2.2 of Alqaraleh, Ramadan & Salamah 2015."""
    links = [
        Link("http://cmpe.emu.edu.tr/FacultyMemberList.aspx"), Link("http://cmpe.emu.edu.tr/courses/1"),
        Link("http://gis.emu.edu.tr/wms?SERVICE=WMS&REQUEST=GetCapabilities"), Link("http://www.emu.edu.tr/"),
        Link("http://cdn.test/app.js", place=LinkPlace.SCRIPT_FILE),
    ]  # fmt: skip
    assert [link.url for link in main_pages(links, BOOK)] == [
        "http://cmpe.emu.edu.tr/", "http://gis.emu.edu.tr/wms?SERVICE=WMS&REQUEST=GetCapabilities",
        "http://www.emu.edu.tr/",
    ]  # fmt: skip


AS_PUBLISHED = replace(ScopeFilter(), filters_requests=True)
WMS = "http://b.test/ows?request=GetCapabilities&service=WMS"


@pytest.mark.parametrize(
    ("href", "asked"),
    [
        ("ftp://b.test/ows?service=WMS", []),  # reason 1
        ("http://b.test/ows&service=WMS&request=GetCapabilities", []),  # reason 2
        ("http://?service=WMS", []),  # reason 3
        ("http://10.1.2.3/ows?service=WMS", []),  # reason 4
        ("http://b.test:65536/ows?service=WMS", []),  # reason 5
        ('http://b.test/ows?service=WMS&x="y"', []),  # reason 6
        ("/ows?service=WMS&x={y}", []),
        (
            "http://p.test/p?url=http%3A%2F%2Fb.test%2Fows%3Fservice%3DWMS",
            [WMS],
        ),  # normalisation 1
        ("HTTP://B.Test/ows?service=WMS", [WMS]),  # 2
        ("http://b.test/%6Fws?service=WMS", [WMS]),  # 3
        ("http://b.test/ows?service=WMS#top", [WMS]),  # 4
        ("http://b.test//ows?service=WMS", [WMS]),  # 5
        ("//b.test/ows?service=WMS", [WMS]),  # 6
        ("http://b.test:80/ows?service=WMS", [WMS]),  # 7
        ("http://b.test/x/../ows?service=WMS", [WMS]),  # 8
        ("http://b.test/ows?map=m?service=WMS", [WMS.replace("?", "?map=m&")]),  # 9
        ("http://b.test/ows?service=WMS&map=m", [WMS.replace("?", "?map=m&")]),  # 10
        (
            "http://b.test/ows?service=WMS&layers=a&bbox=1&version=1.1.1",
            [f"{WMS}&version=1.1.1"],
        ),  # OGC 1
        ("http://b.test/ows?service=WMS&request=GetMap", [WMS]),  # OGC 2
        (
            "http://b.test//page?b=1&a=2",
            ["http://b.test//page?b=1&a=2"],
        ),  # no OGC request: a page as it is
    ],
)
def test_under_the_order_of_the_thesis_every_rule_of_its_filter_holds(
    href: str, asked: list[str]
) -> None:
    """Sidsten 2012, section 3.4.2, filter F: six properties of invalid URLs, ten techniques, two more for OGC links."""
    found, drops = proposed(page(Link(href)), AS_PUBLISHED)
    assert [link.url for link in found] == asked
    is_web_address = urls.canonical(href, "http://www.a.test/") is not None
    assert drops[FailureReason.BAD_URL] == (not asked and is_web_address)


def test_the_reserved_addresses_that_a_user_allows_are_asked_under_every_order() -> (
    None
):
    found, _ = proposed(
        page(Link("http://10.1.2.3/ows?service=WMS")),
        replace(AS_PUBLISHED, keeps_reserved=True),
    )
    assert [link.url for link in found] == [
        "http://10.1.2.3/ows?request=GetCapabilities&service=WMS"
    ]


@pytest.mark.parametrize(
    ("href", "asked"),
    [
        (
            "http://b.test/ows&service=WMS&request=GetCapabilities",
            "http://b.test/ows?service=WMS&request=GetCapabilities",
        ),
        (
            "http://b.test/ms?map=m.map?service=WMS&a=1",
            "http://b.test/ms?map=m.map&service=WMS&a=1",
        ),
        ("http://b.test/ows??service=WMS?", "http://b.test/ows?service=WMS"),
        ("http://b.test/R&D/x=1&y", "http://b.test/R&D/x=1&y"),
        ("http://b.test/find?q=what?&x=1", "http://b.test/find?q=what?&x=1"),
        (
            "http://b.test/ows?service=WMS&b=2&a=1",
            "http://b.test/ows?service=WMS&b=2&a=1",
        ),
        ("http://b.test//ows?service=WMS", "http://b.test//ows?service=WMS"),
        (
            "http://b.test/{z}/{x}/{y}.png?service=WMS",
            "http://b.test/%7Bz%7D/%7Bx%7D/%7By%7D.png?service=WMS",
        ),
    ],
)
def test_in_every_crawl_the_separators_of_ogc_requests_are_put_right_and_all_else_is_asked_as_found(
    href: str, asked: str
) -> None:
    """Of filter F the Web of today needs reason 2 (as a repair) and technique 9; decision 27 has the others."""
    found, _ = proposed(page(Link(href)))
    assert [link.url for link in found] == [asked]


def test_the_order_of_a_task_says_whether_its_links_pass_the_filter(tmp_path) -> None:
    store = open_store(tmp_path / "c.db", SystemClock())

    def scope(**asked: object) -> ScopeFilter:
        settings = Settings(**asked)
        task = store.tasks.create(crawl_spec(settings, ("http://a.test/",)))
        return plan_of(settings, task, counts_links=False).scope

    assert not scope().filters_requests
    assert scope(order="oss").filters_requests
    assert not scope(order="oss").keeps_reserved
    assert scope(order="oss", allow_nets=("127.0.0.0/8",)).keeps_reserved
    store.close()


def test_addresses_that_the_user_leaves_out_are_out_of_scope() -> None:
    """OSS-18: the exclude list of Sidsten 2012, appendix A.4.1 (excludeUrlsFilename)."""
    left_out = ScopeFilter(excluded=frozenset({"http://a.test/wms?service=WMS"}))
    assert (
        left_out.objection("http://a.test/wms?service=WMS")
        is FailureReason.OUT_OF_SCOPE
    )
    assert left_out.objection("http://a.test/wms?service=WFS") is None
