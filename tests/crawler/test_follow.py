"""Which addresses of a page are proposed, and why the others are not."""

from __future__ import annotations

from collections import Counter

from geohound.crawler.follow import Fence, Scope, follow
from geohound.crawler.told import Reported
from geohound.model.visit import FailureReason, Link, Page, Place

HERE = "http://www.a.test/x/page.html"


def proposed(page: Page, fence: Fence | None = None) -> tuple[list[Link], Counter[FailureReason]]:
    drops: Counter[FailureReason] = Counter()
    return follow(page, 3, fence or Fence(), drops, Reported().page()), drops


def page(*links: Link, nofollow: bool = False, url: str = HERE) -> Page:
    return Page(url, links=links, nofollow=nofollow)


def test_relative_links_become_absolute() -> None:
    found, _ = proposed(page(Link("../y.html"), Link("?q=1"), Link("z/")))
    assert [link.url for link in found] == [
        "http://www.a.test/y.html",
        "http://www.a.test/x/page.html?q=1",
        "http://www.a.test/x/z/",
    ]


def test_a_base_without_a_path_is_a_base_too() -> None:
    found, _ = proposed(page(Link("y.html"), Link("?q"), url="http://Maps.a.test"))
    assert [link.url for link in found] == ["http://maps.a.test/y.html", "http://maps.a.test/?q"]


def test_what_was_told_before_is_not_told_again_but_for_another_depth() -> None:
    reported, drops = Reported(), Counter[FailureReason]()
    links = page(Link("/a"), Link("/film.mp4"))
    assert [x.url for x in follow(links, 3, Fence(), drops, reported.page())] == ["http://www.a.test/a"]
    assert follow(links, 3, Fence(), drops, reported.page()) == []
    assert drops == {FailureReason.MEDIA: 1}
    assert [x.url for x in follow(links, 2, Fence(), drops, reported.page())] == ["http://www.a.test/a"]


def test_what_one_page_asks_not_to_follow_another_may_offer() -> None:
    reported, drops = Reported(), Counter[FailureReason]()
    for shy in (page(Link("/a", nofollow=True)), page(Link("/a"), nofollow=True)):
        assert follow(shy, 3, Fence(), drops, reported.page()) == []
    assert [x.url for x in follow(page(Link("/a")), 3, Fence(), drops, reported.page())] == ["http://www.a.test/a"]


def test_links_in_the_letters_of_a_neighbour_are_known_but_for_another_place_or_depth() -> None:
    reported = Reported(most_spelled=3)
    is_told = reported.page().spelled(1)
    assert is_told is not None
    assert not is_told("http://a.test/x/", "b.html")
    assert is_told("http://a.test/x/", "b.html")
    assert not is_told("http://a.test/y/", "b.html")
    deeper = reported.page().spelled(2)
    assert deeper is not None
    assert not deeper("http://a.test/x/", "b.html")
    assert not is_told("http://a.test/", "/new")  # the fourth: older ones are kept for one more round
    assert is_told("http://a.test/x/", "b.html")


def test_an_address_is_proposed_once_however_it_is_spelled() -> None:
    found, _ = proposed(page(Link("http://B.test:80/a"), Link("http://b.test/a#top"), Link("http://b.test/./a")))
    assert [c.url for c in found] == ["http://b.test/a"]


def test_an_address_inside_a_parameter_is_proposed_too() -> None:
    found, _ = proposed(page(Link("/proxy?url=http%3A%2F%2Fc.test%2Fwms%3Fmap%3Dx")))
    assert "http://c.test/wms?map=x" in [c.url for c in found]


def test_where_and_with_which_words_it_was_found_is_kept() -> None:
    links = (Link("/a", place=Place.FORM), Link("/b", place=Place.TEXT), Link("/c", "words", "more words"))
    found, _ = proposed(page(*links))
    assert [link[1:] for link in found] == [link[1:] for link in links]


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


def test_a_host_and_its_www_are_one_for_a_fence() -> None:
    links = page(Link("http://a.test/1"), Link("https://www.a.test/2"), Link("http://maps.a.test/3"))
    for seed in ("http://a.test/", "http://www.a.test/"):
        found, _ = proposed(links, Fence.around(Scope.HOST, [seed]))
        assert [link.url for link in found] == ["http://a.test/1", "https://www.a.test/2"]
