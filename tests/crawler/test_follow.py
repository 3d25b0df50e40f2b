"""Which addresses of a page are proposed, and why the others are not."""

from __future__ import annotations

from collections import Counter

from geohound.crawler.follow import Fence, Scope, follow
from geohound.crawler.seen import SeenLinks
from geohound.model.visit import FailureReason, Link, Page, Place

HERE = "http://www.a.test/x/page.html"


def proposed(page: Page, fence: Fence | None = None) -> tuple[list[Link], Counter[FailureReason]]:
    drops: Counter[FailureReason] = Counter()
    return follow(page, 3, fence or Fence(), drops, SeenLinks().page()), drops


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


def follow_and_keep(page: Page, depth: int, drops: Counter[FailureReason], seen: SeenLinks) -> list[str]:
    links = seen.page()
    found = follow(page, depth, Fence(), drops, links)
    links.keep()
    return [link.url for link in found]


def test_what_was_reported_before_is_not_reported_again_but_for_another_depth() -> None:
    seen, drops = SeenLinks(), Counter[FailureReason]()
    links = page(Link("/a"), Link("/film.mp4"))
    assert follow_and_keep(links, 3, drops, seen) == ["http://www.a.test/a"]
    assert follow_and_keep(links, 3, drops, seen) == []
    assert drops == {FailureReason.MEDIA: 1}
    assert follow_and_keep(links, 2, drops, seen) == ["http://www.a.test/a"]


def test_links_of_a_page_that_is_not_kept_are_reported_again_but_once_a_page() -> None:
    seen, drops = SeenLinks(), Counter[FailureReason]()
    for _ in range(2):
        found = follow(page(Link("/a"), Link("/a")), 3, Fence(), drops, seen.page())
        assert [link.url for link in found] == ["http://www.a.test/a"]


def test_what_one_page_asks_not_to_follow_another_may_offer() -> None:
    seen, drops = SeenLinks(), Counter[FailureReason]()
    for shy in (page(Link("/a", nofollow=True)), page(Link("/a"), nofollow=True)):
        assert follow_and_keep(shy, 3, drops, seen) == []
    assert follow_and_keep(page(Link("/a")), 3, drops, seen) == ["http://www.a.test/a"]


def test_links_in_the_letters_of_a_neighbour_are_known_but_for_another_place_or_depth() -> None:
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
    assert not is_seen("http://a.test/x/", "b.html", depth=2)
    assert not is_seen("http://a.test/", "/new")  # the fourth: older ones are kept for one more round
    assert is_seen("http://a.test/x/", "b.html")


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
