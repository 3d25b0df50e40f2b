"""The links of the web: clumps, tails, and a bent for the topic that is no rule."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urljoin

import pytest

from geoweb import Trouble
from geoweb.addresses import url_of
from geoweb.hosts import Role, gist_of
from geoweb.links import Part, out_links
from geoweb.words import OFF_TOPIC


@pytest.fixture(scope="module")
def sampled(world):
    """Links of some pages of every host."""
    return [
        (host, page, out_links(world, host, page))
        for host in map(world.host, range(world.hosts))
        for page in range(0, host.layout.total, 61)
    ]


def share_topical(world, sampled, topical):
    aims = [
        world.host(target).role
        for host, page, edges in sampled
        if (gist_of(host, page).topic < OFF_TOPIC) == topical
        for part, target, _ in edges
        if part is Part.OUTSIDE
    ]
    return sum(role is not Role.ELSEWHERE for role in aims) / len(aims)


def test_topical_pages_link_to_topical_hosts_more_often_but_not_always(world, sampled):
    on_topic = share_topical(world, sampled, True)
    off_topic = share_topical(world, sampled, False)
    assert on_topic > 2 * off_topic > 0
    assert on_topic < 0.6


def test_link_counts_have_a_long_tail(sampled):
    counts = sorted(len(edges) for host, _, edges in sampled if not host.is_walled)
    assert counts[-1] > 4 * counts[len(counts) // 2]
    assert counts[0] >= 3


def test_most_of_the_web_is_off_topic(world):
    pages = [
        (h, p)
        for h in map(world.host, range(world.hosts))
        for p in range(0, h.layout.total, 61)
    ]
    topical = sum(gist_of(host, page).topic < OFF_TOPIC for host, page in pages)
    assert 0.03 < topical / len(pages) < 0.35


def test_every_link_leads_to_a_page_that_is_there(world, sampled):
    for _, _, edges in sampled:
        assert all(
            0 <= page < world.host(target).layout.total for _, target, page in edges
        )


def test_the_links_on_a_page_are_those_of_the_graph(world, ask, sampled):
    for host, page, edges in sampled[::37]:
        if host.is_walled or host.troubles & {Trouble.SESSION_IDS}:
            continue
        text = ask(url_of(host, page)).body.decode(host.encoding)
        shown = {
            urljoin(url_of(host, page), unescape(h))
            for h in re.findall('(?i)href="([^"]+)"', text)
        }
        assert {
            url_of(world.host(target), number) for _, target, number in edges
        } <= shown
