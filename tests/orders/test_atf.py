"""The order of Li, Yang & Yang 2010, with the worked example of the paper."""

from __future__ import annotations

import pytest

from geohound.model.visit import Candidate, Link, Outcome, Page, Purpose
from geohound.orders.atf import Atf, cut, is_static, page_priority, terms

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
        ["wmsconnector", "wmsconnector", "servlet", "nfhl", "request=getcapabilities", "service=wms"]
    )


def test_the_worked_example_of_the_paper_gives_its_priorities(order: Atf) -> None:
    ranks = cut(["request=getcapabilities", "service=wms", "version=1.1.0", "cgi-bin", "servlet"])
    assert list(ranks.values()) == [0, 0, 1, 1, 2]
    assert order.url_priority(EXAMPLE) == 0
    order.confirm(EXAMPLE)
    # Seven terms in the order of their new frequencies: 21, 17, 10, 4, 3, 2, 1.
    assert order.url_priority("http://h/x?version=1.1.0") == 0
    assert order.url_priority("http://h/a/Servlet") == 1
    assert order.url_priority("http://h/cgi-bin/map") == 1
    assert order.url_priority("http://h/wmsconnector/x") == 2
    assert order.url_priority("http://h/NFHL") == 2


def test_a_term_nobody_knows_has_priority_two_and_a_static_page_three(order: Atf) -> None:
    assert order.url_priority("http://h/viewer/app") == 2
    assert order.url_priority("http://h/about.html") == 3
    assert is_static("http://h/")
    assert not is_static("http://h/page.html?id=3")


def test_the_list_counts_only_from_the_fiftieth_service_on() -> None:
    order = Atf()
    for _ in range(49):
        order.confirm("http://h/wms?service=wms")
    assert order.url_priority("http://h/wms?x=1") == 2
    order.confirm("http://h/wms?service=wms")
    assert order.url_priority("http://h/wms?x=1") == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Our Web Map Service", 0),
        ("a WMS and other services", 1),
        ("WMS server here", 2),
        ("the WMS", 3),
        ("a map service", 3),
    ],
)
def test_the_priority_of_a_page_follows_its_keywords(text: str, expected: int) -> None:
    assert page_priority(text) == expected


def test_the_urls_priority_picks_the_section_and_the_pages_the_place_in_it(order: Atf) -> None:
    rich, poor = Page("http://p/", text="Web Map Service"), Page("http://q/", text="cake")
    good, dull = Link("http://h/x?service=wms"), Link("http://h/about.html")
    scores = [order.score(link, page) for link, page in ((good, rich), (good, poor), (dull, rich), (dull, poor))]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_a_queued_url_rises_when_its_terms_do(order: Atf) -> None:
    url = "http://h/mapengine/run"
    queued = Candidate(url, score=order.score(Link(url), Page("http://p/", text="WMS service")))
    for _ in range(30):
        order.learn(Outcome(Candidate("http://x/mapengine", purpose=Purpose.PROBE), 1, 1))
    assert order.rescore(queued) == queued.score + 8, "two sections up, the same place in it"


def test_what_was_learned_survives_a_restart(order: Atf) -> None:
    again = Atf()
    again.restore(order.state())
    assert again.url_priority(EXAMPLE) == 0
