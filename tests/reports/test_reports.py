"""Reports of a task, each worked out by hand from a small crawl."""

from __future__ import annotations

import pytest

from geohound.reports import TASK_REPORTS, EndedVisit


def page(
    url: str, parent: str = "", depth: int = 0, at: float = 0.0, reason: str = ""
) -> EndedVisit:
    return EndedVisit(url, parent, depth, False, True, reason, (), at)


def probed(
    url: str, parent: str, depth: int, at: float, *services: str, reason: str = ""
) -> EndedVisit:
    return EndedVisit(url, parent, depth, True, True, reason, services, at)


# Two seeds' worth of a crawl: the second list repeats a service of the first.
CRAWL = [
    page("http://a.test/", at=100.0),
    page("http://b.test/", at=101.0),
    page("http://a.test/list", "http://a.test/", 1, 102.0),
    probed("http://gis.test/1", "http://a.test/list", 2, 103.0, "one"),
    probed("http://gis.test/2", "http://a.test/list", 2, 104.0, "two"),
    probed("http://gis.test/1?x", "http://b.test/", 1, 105.5, "one"),
    probed(
        "http://gis.test/dead", "http://b.test/", 1, 106.0, reason="exception report"
    ),
    page("http://c.test/", "http://b.test/", 1, 107.0, "name not found"),
    EndedVisit(
        "http://d.test/", "http://b.test/", 1, False, False, "out of scope", (), 108.0
    ),
]


def test_services_per_step_rise_with_the_urls_that_were_asked_for() -> None:
    """Sidsten 2012, figures 4.10 and 4.12: services found by step. Eight URLs are asked for, each a step of its own."""
    rows = TASK_REPORTS["quickness"].rows(CRAWL)
    assert rows == [
        (1, 1, 1, 0, 0.0),
        (2, 2, 2, 0, 1.0),
        (3, 3, 3, 0, 2.0),
        (4, 4, 3, 1, 3.0),
        (5, 5, 3, 2, 4.0),
        (6, 6, 3, 2, 5.5),
        (7, 7, 3, 2, 6.0),
        (8, 8, 4, 2, 7.0),
    ]


def test_a_long_crawl_has_twenty_steps() -> None:
    rows = TASK_REPORTS["quickness"].rows(
        [page(f"http://a.test/{n}", at=float(n)) for n in range(1000)]
    )
    assert [row[1] for row in rows] == [50 * step for step in range(1, 21)]


def test_services_per_depth_count_where_the_page_stands_that_named_them() -> None:
    """Sidsten 2012, appendix B.3.1, module 6: "Counting of available OGC-services found at each step"; figure 4.9."""
    rows = TASK_REPORTS["depth-width"].rows(CRAWL)
    assert rows == [(1, 0, 2, 2, 0), (1, 1, 2, 2, 2)]


def test_the_eleventh_seed_begins_the_second_width() -> None:
    """Li, Wang & Bhatia 2016: segments of ten seeds."""
    seeds = [page(f"http://s{n}.test/") for n in range(11)]
    below = [page("http://x.test/", "http://s10.test/", 1), page("http://s3.test/")]
    assert TASK_REPORTS["depth-width"].rows(seeds + below) == [
        (1, 0, 11, 0, 0),
        (2, 0, 1, 0, 0),
        (2, 1, 1, 0, 0),
    ]


def test_failures_have_their_share_of_what_was_asked_for() -> None:
    """Sidsten 2012, section 4.3.3: the fraction of links that point to live services. Here three of four tests."""
    assert TASK_REPORTS["failures"].rows(CRAWL) == [
        ("test", "service proved", 3, "75.00 %"),
        ("test", "exception report", 1, "25.00 %"),
        ("page", "read", 3, "75.00 %"),
        ("page", "name not found", 1, "25.00 %"),
        ("not asked", "out of scope", 1, ""),
    ]


def test_hosts_with_most_services_come_first_and_a_service_counts_once() -> None:
    assert TASK_REPORTS["hosts"].rows(CRAWL) == [
        ("gis.test", 0, 4, 1, 2),
        ("a.test", 2, 0, 0, 0),
        ("b.test", 1, 0, 0, 0),
        ("c.test", 1, 0, 1, 0),
    ]


@pytest.mark.parametrize("name", TASK_REPORTS)
def test_a_task_that_has_done_nothing_has_an_empty_report(name: str) -> None:
    assert TASK_REPORTS[name].rows([]) == []


def test_list_pages_have_the_share_of_their_links_that_answered() -> None:
    """Sidsten 2012, section 4.3.1: 2.7 % of 1,077 unique links of the four large listing pages pointed at services.

    1,077 · 0.027 = 29.
    """
    large = [
        probed(f"http://x{n}.test/wms", "http://large.test/list", 1, float(n))
        if n >= 29
        else probed(f"http://x{n}.test/wms", "http://large.test/list", 1, n, f"s{n}")
        for n in range(1077)
    ]
    small = [probed("http://y.test/wms", "http://small.test/", 1, 2000.0, "y")]
    seed = [probed("http://seed.test/wms", "", 0, 2001.0, "seed")]
    assert TASK_REPORTS["list-pages"].rows([*large, *small, *seed]) == [
        ("http://large.test/list", 1077, 29, "2.7 %"),
        ("http://small.test/", 1, 1, "100.0 %"),
        ("all list pages", 1078, 30, "2.8 %"),
    ]
    assert TASK_REPORTS["list-pages"].rows(seed) == [], "nobody named it"


def test_what_the_check_by_content_finds_the_check_by_url_has_missed() -> None:
    """Sidsten 2012, section 4.3.3: about 20 % of the live services were duplicates. Two of ten tests here."""
    unique = [
        probed(f"http://h{n}.test/wms", "http://p.test/", 1, float(n), f"s{n}")
        for n in range(8)
    ]
    again = [
        probed("http://h0.test/other", "http://p.test/", 1, 20.0, "s0"),
        probed("http://mirror.test/wms", "http://p.test/", 1, 21.0, "s1"),
    ]
    dead = [probed("http://d.test/wms", "http://p.test/", 1, 22.0, reason="gone")]
    assert TASK_REPORTS["duplicates"].rows([*again, *dead, *unique]) == [
        ("on the same host", 10, 1, "10.0 %"),
        ("on another host", 10, 1, "10.0 %"),
        ("all", 10, 2, "20.0 %"),
    ]
    assert TASK_REPORTS["duplicates"].rows(dead) == []
