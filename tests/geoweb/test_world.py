"""The web is a pure function of its seed and has the shape it promises."""

from __future__ import annotations

import pickle
import tracemalloc
from collections import Counter

import pytest

from geoweb import World, services
from geoweb.addresses import page_at, path_of, strip_session, url_of
from geoweb.hosts import Role
from geoweb.words import LANGUAGES


def sample(world, step=97):
    """Some pages of every host."""
    for index in range(world.hosts):
        host = world.host(index)
        for page in range(index % 7, host.layout.total, step):
            yield host, page


def test_the_same_seed_makes_the_same_bytes(world, ask):
    again = World(7, 300, 100_000)
    for host, page in sample(world, 997):
        assert ask(url_of(host, page)) == ask(url_of(host, page), web=again)
    assert again.seeds == world.seeds
    assert [p.spec for p in again.services] == [p.spec for p in world.services]


def test_another_seed_makes_another_web(world):
    other = World(8, 300, 100_000)
    assert not set(other.seeds) & set(world.seeds)
    assert {p.spec.endpoint for p in other.services}.isdisjoint(
        p.spec.endpoint for p in world.services
    )


def test_a_world_travels_to_another_process_as_numbers(world):
    sent = pickle.dumps(world)
    assert len(sent) < 2000
    assert pickle.loads(sent).seeds == world.seeds


def test_every_page_address_leads_back_to_its_page(world):
    for host, page in sample(world):
        assert page_at(host, path_of(host, page), 0) == page


def test_a_host_has_as_many_addresses_as_pages(world):
    for index in range(0, world.hosts, 9):
        urls = list(world.page_urls(index))
        assert (
            len(set(urls))
            == len(urls)
            == world.host(index).layout.total + world.orphans(index)
        )


def test_an_address_with_a_wrong_slug_is_no_page(world):
    host = next(
        h
        for h in map(world.host, range(world.hosts))
        if h.scheme == 0 and not h.is_walled
    )
    path = path_of(host, host.layout.leaves[0])
    assert page_at(host, path.replace("-", "-x", 1), 0) is None


def test_sessions_are_stripped_from_addresses_and_nothing_else_is():
    assert strip_session("/a/b.html;jsessionid=0AF3") == "/a/b.html"
    assert strip_session("/?p=12&PHPSESSID=0af3") == "/?p=12"
    assert strip_session("/viewtopic.php?f=3&t=44") == "/viewtopic.php?f=3&t=44"


def test_the_web_has_about_the_pages_asked_for(world):
    assert 85_000 < world.pages < 115_000


def test_few_hosts_hold_most_pages(world):
    sizes = sorted(
        (world.host(i).layout.total for i in range(world.hosts)), reverse=True
    )
    assert sum(sizes[:30]) > world.pages * 0.4
    assert sizes[0] > 50 * sizes[len(sizes) // 2 + 100]


def test_services_come_in_clumps_of_about_eight():
    means = []
    for seed in (1, 2, 3):
        counts = Counter(p.host for p in World(seed, 300, 100_000).services)
        assert 30 <= len(counts) <= 45
        means.append(sum(counts.values()) / len(counts))
    assert 6.5 < sum(means) / 3 < 10


def test_a_web_of_200_hosts_has_every_kind_and_most_of_all_wms():
    kinds = Counter(p.spec.kind for p in World(3, 200, 20_000).services)
    assert set(kinds) == set(services.KINDS)
    assert kinds.most_common(1)[0][0] == "wms"


def test_kinds_can_be_restricted():
    assert {
        p.spec.kind for p in World(3, 200, 5_000, kinds=("wfs", "wms")).services
    } == {"wfs", "wms"}


@pytest.mark.parametrize("kinds", [(), ("gopher",)])
def test_a_web_of_unknown_kinds_is_refused(kinds):
    with pytest.raises(ValueError, match="no such kind"):
        World(kinds=kinds)


def test_a_web_without_hosts_is_refused():
    with pytest.raises(ValueError, match="at least one host"):
        World(hosts=0)


@pytest.mark.parametrize("hosts", [1, 2, 5, 20])
def test_small_webs_work(hosts, ask):
    small = World(5, hosts, hosts * 20)
    assert small.services
    assert all(ask(url, web=small).status == 200 for url in small.seeds)


def test_all_languages_are_spoken_and_decoys_have_no_service(world):
    assert {world.host(i).language for i in range(world.hosts)} == set(LANGUAGES)
    decoys = {i for i in range(world.hosts) if world.host(i).role is Role.DECOY}
    assert decoys
    assert not decoys & {m.host for p in world.services for m in p.mentions}


def test_services_lie_all_over_the_world_and_those_of_a_host_together(world):
    boxes = [p for p in world.services if p.spec.bbox.width < 359]
    middles = {p.number: (p.spec.bbox.west + p.spec.bbox.east) / 2 for p in boxes}
    assert max(middles.values()) - min(middles.values()) > 200
    for index in {p.host for p in boxes}:
        own = [middles[p.number] for p in boxes if p.host == index]
        assert max(own) - min(own) < 45


@pytest.mark.slow
def test_pages_cost_no_memory(ask):
    huge = World(7, 1000, 2_000_000)
    urls = [
        url_of(huge.host(i), p)
        for i in range(0, 1000, 2)
        for p in (0, huge.host(i).layout.total - 1)
    ]
    for url in urls:  # fills the caches, which are bounded
        ask(url, web=huge)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for step in range(1, 4):
            for i in range(0, 1000, 5):
                host = huge.host(i)
                ask(url_of(host, (step * 7919) % host.layout.total), web=huge)
        assert tracemalloc.get_traced_memory()[0] - before < 16_000_000
    finally:
        tracemalloc.stop()
