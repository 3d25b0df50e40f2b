"""Which addresses of a page are proposed, and why the others are not."""

from __future__ import annotations

from collections import Counter

from geohound.crawl.follow import Fence, Scope, follow
from geohound.model.visit import Candidate, FailureReason, Link, Page, Place, Via
from geohound.orders.fifo import Fifo

HERE = Candidate("http://www.a.test/x/page.html", depth=2)


def proposed(page: Page, fence: Fence | None = None) -> tuple[list[Candidate], Counter[FailureReason]]:
    drops: Counter[FailureReason] = Counter()
    return list(follow(page, HERE, Fifo(), fence or Fence(), drops)), drops


def page(*links: Link, nofollow: bool = False) -> Page:
    return Page(HERE.url, links=links, nofollow=nofollow)


def test_relative_links_become_absolute_one_level_deeper() -> None:
    found, _ = proposed(page(Link("../y.html"), Link("?q=1")))
    assert [c.url for c in found] == ["http://www.a.test/y.html", "http://www.a.test/x/page.html?q=1"]
    assert {c.depth for c in found} == {3}
    assert {c.found_on for c in found} == {HERE.url}


def test_an_address_is_proposed_once_however_it_is_spelled() -> None:
    found, _ = proposed(page(Link("http://B.test:80/a"), Link("http://b.test/a#top"), Link("http://b.test/./a")))
    assert [c.url for c in found] == ["http://b.test/a"]


def test_addresses_that_look_like_services_go_to_the_testers() -> None:
    found, _ = proposed(page(Link("/geoserver/ows?service=WFS&request=GetCapabilities"), Link("/about")))
    assert [c.probe for c in found] == [True, False]
    assert found[0].score > found[1].score


def test_an_address_inside_a_parameter_is_proposed_too() -> None:
    found, _ = proposed(page(Link("/proxy?url=http%3A%2F%2Fc.test%2Fwms%3Fmap%3Dx")))
    assert "http://c.test/wms?map=x" in [c.url for c in found]


def test_the_way_it_was_found_is_kept() -> None:
    found, _ = proposed(page(Link("/a", place=Place.FORM), Link("/b", place=Place.TEXT), Link("/c", "words")))
    assert [c.via for c in found] == [Via.FORM, Via.TEXT, Via.LINK]
    assert found[2].clue == "words"


def test_nofollow_on_the_link_or_on_the_page_is_obeyed_and_counted() -> None:
    found, drops = proposed(page(Link("/a", nofollow=True), Link("/b")))
    assert [c.url for c in found] == ["http://www.a.test/b"]
    assert drops[FailureReason.NOFOLLOW] == 1
    assert not proposed(page(Link("/a"), nofollow=True))[0]


def test_media_and_repeating_paths_are_left_out_with_their_reason() -> None:
    found, drops = proposed(page(Link("/film.mp4"), Link("/a/b/a/b/a/b/a/b/a/b/"), Link("mailto:x@a.test")))
    assert not found
    assert drops == {FailureReason.MEDIA: 1, FailureReason.TRAP: 1}


def test_a_fence_keeps_the_crawl_on_its_host_or_domain() -> None:
    links = page(Link("http://www.a.test/1"), Link("http://maps.a.test/2"), Link("http://b.test/3"))
    seeds = ["http://www.a.test/"]
    assert len(proposed(links, Fence.around(Scope.HOST, seeds))[0]) == 1
    found, drops = proposed(links, Fence.around(Scope.DOMAIN, seeds))
    assert len(found) == 2
    assert drops[FailureReason.OUT_OF_SCOPE] == 1
    assert len(proposed(links, Fence.around(Scope.ANY, seeds))[0]) == 3
