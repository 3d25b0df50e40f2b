"""The order of Li, Yang & Yang 2010 (sections 4.1 and 4.2), with the worked example of the paper."""

from __future__ import annotations

import pytest
from books import BOOK

from geohound.mining import html
from geohound.model.visit import Candidate, Link, Outcome, Page, Purpose, Via
from geohound.orders._base import is_static
from geohound.orders.atf import Atf, priority_thirds, terms
from geohound.text.keyword_groups import keyword_group

EXAMPLE = "http://hazards.fema.gov/wmsconnector/wmsconnector/Servlet/NFHL?request=GetCapabilities&service=WMS"


def listed(order: Atf, counts: dict[str, int]) -> None:
    """Bring the list to the stage that the paper's example starts from."""
    order.restore(__import__("json").dumps([50, counts]).encode())


@pytest.fixture
def order() -> Atf:
    order = Atf()
    listed(
        order, {"request=getcapabilities": 20, "service=wms": 16, "version=1.1.0": 10, "cgi-bin": 3, "servlet": 3}
    )  # fmt: skip
    return order


def test_the_terms_of_a_url_are_path_parts_and_pairs_without_scheme_and_host() -> None:
    assert sorted(terms(EXAMPLE)) == sorted(
        [
            "wmsconnector",
            "wmsconnector",
            "servlet",
            "nfhl",
            "request=getcapabilities",
            "service=wms",
        ]
    )


def test_the_worked_example_of_the_paper_gives_its_priorities(order: Atf) -> None:
    """Section 4.1: five terms, then seven once the URL of the example has proved a WMS."""
    ranks = priority_thirds(
        [
            "request=getcapabilities",
            "service=wms",
            "version=1.1.0",
            "cgi-bin",
            "servlet",
        ]
    )
    assert list(ranks.values()) == [0, 0, 1, 1, 2]
    assert order.url_priority(EXAMPLE) == 0
    order.confirm(EXAMPLE)
    # Seven terms in the order of their new frequencies: 21, 17, 10, 4, 3, 2, 1.
    assert order.url_priority("http://h/x?version=1.1.0") == 0
    assert order.url_priority("http://h/a/Servlet") == 1
    assert order.url_priority("http://h/cgi-bin/map") == 1
    assert order.url_priority("http://h/wmsconnector/x") == 2
    assert order.url_priority("http://h/NFHL") == 2


def test_a_term_nobody_knows_has_priority_two_and_a_static_page_three(
    order: Atf,
) -> None:
    assert order.url_priority("http://h/viewer/app") == 2
    assert order.url_priority("http://h/about.html") == 3
    assert is_static("http://h/")
    assert not is_static("http://h/page.html?id=3")


def test_the_list_counts_only_from_the_fiftieth_service_on() -> None:
    order = Atf()
    for n in range(49):
        order.confirm(f"http://h{n}/wms?service=wms")
    assert order.url_priority("http://h/wms?x=1") == 2
    order.confirm("http://h/wms?service=wms")
    assert order.url_priority("http://h/wms?x=1") == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Our Web Map Service", 0),
        ("Our Web\u00a0Map\n\t  Service", 0),
        ("a WMS and other services", 1),
        ("the WMS of this service", 1),
        ("WMS server here", 2),
        ("the WMS", 3),
        ("a map service", 3),
    ],
)
def test_the_priority_of_a_page_follows_its_keywords(text: str, expected: int) -> None:
    """Section 4.1: [Web Map Service] 0, [WMS, Service] 1, [WMS, Server] 2, none of them 3."""
    assert keyword_group(text) == expected


def test_the_whole_text_of_a_page_counts_not_its_beginning(order: Atf) -> None:
    """Section 4.1: web pages containing keywords; where in the page is not said."""
    page = html.read(f"<body>{'x' * 60_000} Web Map Service</body>", "http://p/", BOOK)
    assert len(page.text) < 60_000
    assert order.score(Link("http://h/about.html"), page) == -(4 * 3 + 0)


def test_the_urls_priority_picks_the_section_and_the_pages_the_place_in_it(
    order: Atf,
) -> None:
    rich = Page("http://p/", text="Web Map Service")
    poor = Page("http://q/", text="cake")
    good, dull = Link("http://h/x?service=wms"), Link("http://h/about.html")
    scores = [
        order.score(link, page)
        for link, page in ((good, rich), (good, poor), (dull, rich), (dull, poor))
    ]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_a_queued_url_rises_when_its_terms_do(order: Atf) -> None:
    url = "http://h/mapengine/run"
    queued = Candidate(
        url, score=order.score(Link(url), Page("http://p/", text="WMS service"))
    )
    for n in range(30):
        order.learn(
            Outcome(Candidate(f"http://x{n}/mapengine", purpose=Purpose.PROBE), 1, 1)
        )
    assert order.rescore(queued) == queued.score + 8, (
        "two sections up, the same place in it"
    )


def test_what_was_learned_survives_a_restart(order: Atf) -> None:
    again = Atf()
    again.restore(order.state())
    assert again.url_priority(EXAMPLE) == 0


def test_a_service_that_the_catalogue_knew_teaches_its_terms_and_only_once(
    order: Atf,
) -> None:
    """Section 4.1: any URL justified as a WMS updates the list, be the service new or not.

    The list of the example and `zork` once: six terms, of which the first two have priority 0, the next two 1; zork,
    which came last with one count, has 2. With a second URL of four services it overtakes cgi-bin and servlet (3).
    """
    known = Outcome(Candidate("http://a/zork"), services=1, new_services=0)
    for _ in range(9):
        order.learn(known)
    assert order.url_priority("http://h/zork") == 2
    for n in range(3):
        order.learn(Outcome(Candidate(f"http://b{n}/zork"), services=1, new_services=0))
    assert order.url_priority("http://h/zork") == 1, "four counts: fourth of six"


def test_the_terms_that_rose_are_named_once(order: Atf) -> None:
    """The worked example: with the new URL, version=1.1.0 rises from 1 to 0, servlet from 2 to 1, and nothing else."""
    list(order.risen())
    order.confirm(EXAMPLE)
    assert set(order.risen()) == {"version=1.1.0", "servlet"}
    assert list(order.risen()) == []


def test_a_crawl_starts_with_the_terms_of_services_that_the_catalogue_has() -> None:
    """Figure 12 shows 23 services, fewer than N = 50: the list was there before the crawl."""
    order = Atf()
    order.recall(f"http://h{n}/zorkmap" for n in range(50))
    assert order.url_priority("http://new/zorkmap") == 0


def test_a_request_that_we_added_to_a_url_teaches_nothing() -> None:
    order = Atf()
    for n in range(50):
        added = f"http://h{n}/zorkmap?SERVICE=WMS&REQUEST=GetCapabilities"
        order.learn(
            Outcome(
                Candidate(
                    added, Via.GUESS, f"http://h{n}/zorkmap", purpose=Purpose.PROBE
                ),
                1,
                1,
            )
        )
    assert order.url_priority("http://new/zorkmap") == 0
    assert order.url_priority("http://new/x?request=getcapabilities") == 2


def test_static_pages_are_never_tested_and_active_ones_are(order: Atf) -> None:
    """Section 4.1: URLs linking to static web pages would not be considered as WMSs."""
    assert [order.is_tested(url) for url in ("http://h/a.html", "http://h/", "http://h/x", "http://h/x.html?id=1")] == [
        False, False, True, True,
    ]  # fmt: skip
