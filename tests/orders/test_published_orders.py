"""First in first out, depth first, back-links, OPIC, PolarHub, best first, shark-search and crawl groups."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from geohound.model.visit import Candidate, Link, Outcome, Page, Purpose
from geohound.orders._oss_seeds import best_seeds, fewest_queries
from geohound.orders.backlink import Backlink
from geohound.orders.best_first import BestFirst
from geohound.orders.depth_first import DepthFirst
from geohound.orders.fifo import Fifo
from geohound.orders.opic import Opic
from geohound.orders.oss import OssGroups
from geohound.orders.polarhub import PolarHub
from geohound.orders.shark import Shark

MAPS = Page("http://a/maps", "Web map services", "Our web map service (WMS) and the geoportal offer layers.")
CAKE = Page("http://a/cake", "Cake", "Take three eggs and a pound of flour, and bake it for an hour.")


def test_first_in_first_out_has_no_favourites() -> None:
    assert Fifo().score(Link("http://a/wms"), MAPS) == Fifo().score(Link("http://a/egg"), CAKE)


def test_depth_first_takes_the_links_of_the_last_page_before_older_ones() -> None:
    order = DepthFirst()
    first, second = order.score(Link("http://a/1"), MAPS), order.score(Link("http://a/2"), MAPS)
    third = order.score(Link("http://a/3"), CAKE)
    assert first == second < third


def test_the_most_linked_url_comes_first_and_rises_with_each_link() -> None:
    order = Backlink()
    rare, common = order.score(Link("http://a/rare"), MAPS), order.score(Link("http://a/common"), MAPS)
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
    assert order.seen_again(Link("http://a/2"), other) == 1.0, "the half it had, and all of the other half"


def test_a_segment_of_ten_seeds_is_crawled_to_its_end_before_the_next_begins() -> None:
    order = PolarHub()
    seeds = [order.seed(f"http://s{i}/", i) for i in range(12)]
    assert len(set(seeds[:10])) == 1
    assert seeds[10] == seeds[11] < seeds[0]
    child = order.score(Link("http://a/x"), Page("http://s0/", score=seeds[0], depth=0))
    grandchild = order.score(Link("http://a/y"), Page("http://a/x", score=child, depth=1))
    assert seeds[0] > child > grandchild > seeds[10]


def test_polarhub_leaves_out_social_media_and_what_is_too_deep_or_too_wide() -> None:
    order = PolarHub(max_width=1, max_depth=1)
    assert order.seed("http://s/", 10) == -math.inf
    assert order.score(Link("http://www.facebook.com/maps"), Page("http://s/", score=-1000.0)) == -math.inf
    assert order.score(Link("http://a/"), Page("http://s/", score=-1000.0, depth=1)) == -math.inf


def test_best_first_drops_the_links_of_a_page_off_the_topic() -> None:
    order = BestFirst()
    assert order.score(Link("http://a/wms-list", "WMS services"), CAKE) == -math.inf
    promising = order.score(Link("http://a/wms-list", "WMS services"), MAPS)
    assert promising > order.score(Link("http://a/jobs", "Jobs"), MAPS) > 0


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
                Candidate("http://w/wms", found_on=page, score=-depth - 1.0, depth=depth + 1, purpose=Purpose.PROBE),
                1,
                1,
            )
        )


@pytest.mark.parametrize(("lists_at_2", "lists_at_3", "depth"), [(0, 0, 2), (1, 0, 3), (5, 2, 3), (5, 3, 4)])
def test_a_group_goes_as_deep_as_the_lists_it_found_allow(lists_at_2: int, lists_at_3: int, depth: int) -> None:
    order = OssGroups()
    found(order, 2, lists_at_2)
    found(order, 3, lists_at_3)
    allowed = [d for d in range(1, 7) if order.rescore(Candidate("http://a/", score=float(-d), depth=d)) > -math.inf]
    if depth < 4:
        assert max(allowed) == depth
    else:
        assert depth in allowed
        assert order.score(Link("http://a/x"), Page("http://a/", score=-4.0, depth=4)) == -math.inf


def test_a_page_with_many_services_is_one_list() -> None:
    order = OssGroups()
    for i in range(5):
        probe = Candidate(f"http://w/{i}", found_on="http://l/", score=-4.0, depth=4, purpose=Purpose.PROBE)
        order.learn(Outcome(probe, 1, 1))
    assert not order.goes_to(0, 4), "three lists at level three would be needed"


@pytest.mark.parametrize(
    ("seeds", "sizes"),
    [(60, [60]), (150, [150]), (250, [125, 125]), (1999, [106] * 4 + [105] * 15), (4400, [220] * 20)],
)
def test_seeds_make_groups_of_at_least_a_hundred_at_most_twenty_and_of_like_size(seeds: int, sizes: list[int]) -> None:
    order = OssGroups()
    scores = [order.seed(f"http://s/{i}", i) for i in range(seeds)]
    groups = Counter(order.group(score) for score in scores)
    assert len(groups) == len(sizes)
    assert max(groups.values()) - min(groups.values()) <= 1
    assert [order.group(score) for score in scores] == sorted(order.group(score) for score in scores)
    assert sum(sizes) == seeds


def test_what_a_seed_led_to_stays_in_its_group_and_goes_one_level_down() -> None:
    order = OssGroups()
    scores = [order.seed(f"http://s/{i}", i) for i in range(250)]
    below = order.score(Link("http://a/"), Page("http://s/", score=scores[200]))
    assert order.group(below) == order.group(scores[200]) == 1
    assert (order.stage(scores[200]), order.stage(below)) == (0, 1)
    again = OssGroups()
    again.restore(order.state())
    assert again.group(below) == 1


def test_a_seed_has_its_cash_once_also_when_the_crawl_goes_on() -> None:
    order = Opic()
    order.seed("http://s/", 0)
    again = Opic()
    again.restore(order.state())
    assert again.seed("http://s/", 0) == 1.0


def test_the_best_seed_of_a_host_is_its_shortest_path_and_hosts_rank_by_the_sum_of_their_ranks() -> None:
    ranked = [("http://a/long/path", 1), ("http://b/", 2), ("http://b/x", 3), ("http://b/y", 4), ("http://a/s", 9)]
    # a: 1 + 1/9 = 1.11; b: 1/2 + 1/3 + 1/4 = 1.08
    assert best_seeds(ranked, 2) == ["http://a/s", "http://b/"]


def test_few_queries_cover_three_quarters_of_the_hosts() -> None:
    results = {"all": frozenset("abcdefgh"), "some": frozenset("abcd"), "one": frozenset("a"), "other": frozenset("h")}
    assert fewest_queries(results) == ["all"]
