"""First in first out, depth first, back-links, OPIC, PolarHub, best first, shark-search and crawl groups."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from geohound import app
from geohound.agent.seed_selection import CoverRules, best_seeds, fewest_queries
from geohound.model.crawl.order_options import GroupRules, OrderOptions
from geohound.model.topic import Topic, TopicClass
from geohound.model.visit import Candidate, Lane, Link, Outcome, Page, Purpose
from geohound.orders._base import BaseOrder
from geohound.orders.backlink import Backlink
from geohound.orders.best_first import BestFirst
from geohound.orders.depth_first import DepthFirst
from geohound.orders.fifo import Fifo
from geohound.orders.opic import Opic
from geohound.orders.oss import OssGroups
from geohound.orders.polarhub import PolarHub
from geohound.orders.shark import Shark
from geohound.settings import Settings

MAPS = Page(
    "http://a/maps",
    "Web map services",
    "Our web map service (WMS) and the geoportal offer layers.",
)
CAKE = Page(
    "http://a/cake",
    "Cake",
    "Take three eggs and a pound of flour, and bake it for an hour.",
)


def test_first_in_first_out_has_no_favourites() -> None:
    assert Fifo().score(Link("http://a/wms"), MAPS) == Fifo().score(
        Link("http://a/egg"), CAKE
    )


@pytest.mark.parametrize(
    "order", [Fifo, DepthFirst, Backlink, Opic, PolarHub, BestFirst, OssGroups, Shark]
)
def test_published_orders_know_nothing_of_how_sure_a_candidate_is(
    order: type[BaseOrder],
) -> None:
    link = Link("http://a/maps/wms", "Map service")
    sure, doubtful = order(), order()
    assert sure.score(link, MAPS) == doubtful.score(  # type: ignore[attr-defined]
        link._replace(confidence=0.1), MAPS
    )


def test_depth_first_takes_the_links_of_the_last_page_before_older_ones() -> None:
    order = DepthFirst()
    first = order.score(Link("http://a/1"), MAPS)
    second = order.score(Link("http://a/2"), MAPS)
    third = order.score(Link("http://a/3"), CAKE)
    assert first == second < third


def test_the_most_linked_url_comes_first_and_rises_with_each_link() -> None:
    """WBC-8: the link sorter of Alqaraleh, Ramadan & Salamah 2015, section 2.2."""
    order = Backlink()
    rare = order.score(Link("http://a/rare"), MAPS)
    common = order.score(Link("http://a/common"), MAPS)
    assert rare == common == 1
    assert order.seen_again(Link("http://a/common"), CAKE) == 2
    assert order.rescore(Candidate("http://a/common", score=1)) == 2


def test_a_page_shares_its_cash_equally_and_is_poor_afterwards() -> None:
    order = Opic()
    assert order.seed("http://a/", 0) == 1.0
    page = Page("http://a/", links=(Link("http://a/1"), Link("http://a/2")))
    assert order.score(Link("http://a/1"), page) == 0.5
    assert order.score(Link("http://a/2"), page) == 0.5
    assert order.rescore(Candidate("http://a/")) == 0.0
    other = Page("http://a/1", links=(Link("http://a/2"),))
    assert order.seen_again(Link("http://a/2"), other) == 1.0, (
        "the half it had, and all of the other half"
    )


def test_a_segment_of_ten_seeds_is_crawled_to_its_end_before_the_next_begins() -> None:
    order = PolarHub()
    seeds = [order.seed(f"http://s{i}/", i) for i in range(12)]
    assert len(set(seeds[:10])) == 1
    assert seeds[10] == seeds[11] < seeds[0]
    child = order.score(Link("http://a/x"), Page("http://s0/", score=seeds[0], depth=0))
    grandchild = order.score(
        Link("http://a/y"), Page("http://a/x", score=child, depth=1)
    )
    assert seeds[0] > child > grandchild > seeds[10]


def test_polarhub_leaves_out_what_is_too_deep_or_too_wide() -> None:
    order = PolarHub(max_width=1, max_depth=1)
    assert order.seed("http://s/", 10) == -math.inf
    assert (
        order.score(Link("http://a/"), Page("http://s/", score=-1000.0, depth=1))
        == -math.inf
    )


def test_best_first_drops_the_links_of_a_page_off_the_topic() -> None:
    order = BestFirst()
    assert order.score(Link("http://a/wms-list", "WMS services"), CAKE) == -math.inf
    promising = order.score(Link("http://a/wms-list", "WMS services"), MAPS)
    assert promising > order.score(Link("http://a/jobs", "Jobs"), MAPS) > 0


def test_best_first_keeps_pages_at_the_threshold_and_drops_those_below_it() -> None:
    # Section 3.3: "equal to or greater than the given threshold"; a service word of two words: 1/(sqrt(1.45)·sqrt(2)).
    page = Page("http://a/", "", "wms hello")
    relevance = 1 / (math.sqrt(1.45) * math.sqrt(2))
    at, above = (
        BestFirst().configured(OrderOptions(threshold=t))
        for t in (relevance - 1e-9, relevance + 1e-9)
    )
    assert at.score(Link("http://a/x"), page) > 0
    assert (
        above.score(Link("http://a/x"), page)
        == above.fresh().score(Link("http://a/x"), page)
        == -math.inf
    )


def test_best_first_keeps_a_page_whose_relevance_equals_the_threshold() -> None:
    """Hou, Chen & Wu 2016, section 3.3: below it a page is discarded. CAKE has no word of the topic: cosine 0."""
    link = Link("http://a/wms", "WMS")
    kept = BestFirst().configured(OrderOptions(threshold=0.0))
    assert kept.score(link, CAKE) > 0
    left = BestFirst().configured(OrderOptions(threshold=1e-9))
    assert left.score(link, CAKE) == -math.inf


@pytest.mark.parametrize("ending", [".pdf", ".tif", ".js", ".doc", ".zip"])
def test_best_first_leaves_files_out(ending: str) -> None:
    """Hou, Chen & Wu 2016, section 3.3: "common file extensions such as .pdf, .tif, .js, .doc, .zip"."""
    found = Link(f"http://a/wms{ending}", "WMS services")
    assert BestFirst().score(found, MAPS) == -math.inf


def test_best_first_measures_relevance_for_the_topic_that_is_given() -> None:
    cake = Topic(
        "cake", "Cake", (TopicClass("dough", "Dough", {"en": ("eggs", "flour")}),)
    )
    assert BestFirst().score(Link("http://a/x"), CAKE) == -math.inf
    assert (
        BestFirst().configured(OrderOptions(cake)).score(Link("http://a/x"), CAKE) > 0
    )


@pytest.mark.parametrize("file", ["a.pdf", "a.tif", "js/app.js?v=1", "A.DOC", "a.zip"])
def test_best_first_discards_links_to_common_file_extensions(file: str) -> None:
    assert (
        BestFirst().score(Link(f"http://a/{file}", "WMS services"), MAPS) == -math.inf
    )


def test_the_scent_of_a_good_page_fades_through_pages_without_any() -> None:
    order = Shark()
    child = order.score(Link("http://a/1"), MAPS)
    grandchild = order.score(Link("http://a/2"), Page("http://a/1", "Cake", CAKE.text))
    assert grandchild == pytest.approx(child / 2)
    assert order.score(Link("http://a/3"), Page("http://z/", "Cake", CAKE.text)) == 0


def test_shark_search_trusts_the_anchor_more_than_its_surroundings() -> None:
    order = Shark()
    anchor = order.score(Link("http://a/1", "WMS"), CAKE)
    context = order.score(Link("http://a/2", "here", "WMS"), CAKE)
    assert anchor > context > 0


def found(order: OssGroups, depth: int, count: int) -> None:
    for i in range(count):
        page = f"http://l{depth}/{i}"
        order.learn(
            Outcome(
                Candidate(
                    "http://w/wms",
                    found_on=page,
                    score=-depth - 1.0,
                    depth=depth + 1,
                    purpose=Purpose.PROBE,
                ),
                1,
                1,
            )
        )


@pytest.mark.parametrize(
    ("lists_at_2", "lists_at_3", "depth"), [(0, 0, 2), (1, 0, 3), (5, 2, 3), (5, 3, 4)]
)
def test_a_group_goes_as_deep_as_the_lists_it_found_allow(
    lists_at_2: int, lists_at_3: int, depth: int
) -> None:
    order = OssGroups()
    found(order, 2, lists_at_2)
    found(order, 3, lists_at_3)
    allowed = [
        d
        for d in range(1, 7)
        if order.rescore(Candidate("http://a/", score=float(-d), depth=d)) > -math.inf
    ]
    assert max(allowed) == depth


def test_a_page_with_many_services_is_one_list() -> None:
    order = OssGroups()
    for i in range(5):
        probe = Candidate(
            f"http://w/{i}",
            found_on="http://l/",
            score=-4.0,
            depth=4,
            purpose=Purpose.PROBE,
        )
        order.learn(Outcome(probe, 1, 1))
    assert not order.goes_to(0, 4), "three lists at level three would be needed"


def test_a_page_that_holds_ogc_links_is_a_list_and_so_is_one_whose_services_are_known() -> (
    None
):
    """Sidsten 2012, section 4.1.3: "An OGC-list page is a page which holds OGC-links"."""
    order = OssGroups()
    order.learn(Outcome(Candidate("http://a/dead", score=-2.0, depth=2), ogc_links=7))
    order.learn(Outcome(Candidate("http://a/plain", score=-2.0, depth=2), links=7))
    assert order.state() == b'{"0 2": 1, "seeds": 0}'
    known = Candidate(
        "http://w/wms",
        found_on="http://a/b",
        score=-3.0,
        depth=3,
        purpose=Purpose.PROBE,
    )
    order.learn(Outcome(known, services=1, new_services=0))
    assert order.state() == b'{"0 2": 2, "seeds": 0}'


def test_the_sizes_and_depths_of_groups_are_settings() -> None:
    """Sidsten 2012, appendix A.4: minimumGroupSize 100 and maxNumberOfGroups 20; section 4.3.4: depths 2 to 4."""
    published = GroupRules(100, 20, 2, 3, 4)
    assert app.crawl_order(Settings(order="oss")).rules == published  # type: ignore[attr-defined]
    order = app.crawl_order(
        Settings(order="oss", oss_min_group_seeds=5, oss_max_groups=3, oss_min_depth=1)
    ).fresh()
    groups = [
        order.group(score) for score in [order.seed("", place) for place in range(30)]
    ]  # type: ignore[attr-defined]
    assert Counter(groups) == {0: 10, 1: 10, 2: 10}
    assert [depth for depth in range(4) if order.goes_to(0, depth)] == [0, 1]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("seeds", "sizes"),
    [
        (60, [60]),
        (150, [150]),
        (250, [125, 125]),
        (1999, [106] * 4 + [105] * 15),
        (4400, [220] * 20),
    ],
)
def test_seeds_make_groups_of_at_least_a_hundred_at_most_twenty_and_of_like_size(
    seeds: int, sizes: list[int]
) -> None:
    order = OssGroups()
    scores = [order.seed(f"http://s/{i}", i) for i in range(seeds)]
    groups = [order.group(score) for score in scores]
    assert groups == sorted(groups), "seeds of like rank are in one group"
    assert sorted(Counter(groups).values(), reverse=True) == sizes


def test_what_a_seed_led_to_stays_in_its_group_and_goes_one_level_down() -> None:
    order = OssGroups()
    scores = [order.seed(f"http://s/{i}", i) for i in range(250)]
    below = order.score(Link("http://a/"), Page("http://s/", score=scores[200]))
    assert order.group(below) == order.group(scores[200]) == 1
    assert (order.stage(scores[200], Lane.PAGES), order.stage(below, Lane.PAGES)) == (
        (1, 0),
        (1, 1),
    )
    assert order.stage(below, Lane.PROBES) == (1, 0), (
        "a test belongs to the level of the page that names it"
    )
    again = OssGroups()
    again.restore(order.state())
    assert again.group(below) == 1


def test_a_seed_has_its_cash_once_also_when_the_crawl_goes_on() -> None:
    order = Opic()
    order.seed("http://s/", 0)
    again = Opic()
    again.restore(order.state())
    assert again.seed("http://s/", 0) == 1.0


def test_the_best_seed_of_a_host_is_its_shortest_path_and_hosts_rank_by_the_sum_of_their_ranks() -> (
    None
):
    ranked = [
        ("http://a/long/path", 1),
        ("http://b/", 2),
        ("http://b/x", 3),
        ("http://b/y", 4),
        ("http://a/s", 9),
    ]
    # a: 1 + 1/9 = 1.11; b: 1/2 + 1/3 + 1/4 = 1.08
    assert best_seeds(ranked, 2) == ["http://a/s", "http://b/"]


def test_few_queries_cover_three_quarters_of_the_hosts() -> None:
    results = {
        "all": frozenset("abcdefgh"),
        "some": frozenset("abcd"),
        "one": frozenset("a"),
        "other": frozenset("h"),
    }
    assert fewest_queries(results) == ["all"]


@pytest.mark.parametrize(
    ("hosts", "least"),
    [(1, 1), (2, 2), (3, 3), (5, 4), (6, 5), (7, 6), (9, 7), (11, 9)],
)
def test_at_least_three_quarters_of_the_hosts_are_covered_whatever_their_number(
    hosts: int, least: int
) -> None:
    """Sidsten 2012, section 3.1.5: "This portion was set to 75%". Each query finds one host, so queries are hosts."""
    results = {str(n): frozenset({str(n)}) for n in range(hosts)}
    assert len(fewest_queries(results)) == least


def test_the_share_to_cover_and_the_number_of_runs_can_be_set() -> None:
    results = {str(n): frozenset({str(n)}) for n in range(8)}
    assert len(fewest_queries(results, CoverRules(share=0.5, runs=1))) == 4
    assert len(fewest_queries(results, CoverRules(share=1.0))) == 8
