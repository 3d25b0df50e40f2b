"""From a mined page to addresses worth a candidate, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from geohound import urls
from geohound.model.task import Scope
from geohound.model.visit import FailureReason, Link, Page, Place
from geohound.urls.clue import looks_like_service
from geohound.urls.ogc import proving

from .seen import PageLinks

MAX_URL_CHARS = 2000
MAX_FOUND = 20_000
_UNMEASURED = frozenset((Place.SCRIPT_FILE, Place.CONFIG))  # followed whatever the ending of their name


@dataclass(frozen=True, slots=True)
class Fence:
    """The hosts or domains of the seeds, where the crawl must stay among them."""

    scope: Scope = Scope.ANY
    inside: frozenset[str] = frozenset()

    @classmethod
    def around(cls, scope: Scope, seeds: list[str]) -> Fence:
        name = urls.site if scope is Scope.DOMAIN else bare_host
        return cls(scope, frozenset(name(s) for s in seeds) if scope is not Scope.ANY else frozenset())

    def holds(self, url: str) -> bool:
        match self.scope:
            case Scope.HOST:
                return bare_host(url) in self.inside
            case Scope.DOMAIN:
                return urls.site(url) in self.inside
        return True


def bare_host(url: str) -> str:
    """A bare name and its www. send to each other all the time: for whoever names one, both are meant."""
    return urls.host(url).removeprefix("www.")


def follow(page: Page, depth: int, fence: Fence, drops: Counter[FailureReason], seen: PageLinks) -> list[Link]:
    """The links of a page worth a candidate, with canonical addresses, each once; the rest is counted by reason."""
    found: list[Link] = []
    base = urls.canonical(page.url) or page.url  # a base that the page names may have any spelling
    folder = urls.folder(base)
    for link in _all_links(page):
        href = link.url.lstrip()
        clean = urls.canonical(href, base if href[:1] == "?" else folder)
        clean = proving(clean) if clean and "?" in clean else clean
        apart = _told_apart(link, page)
        if clean is None or not seen.add(clean, depth + apart):
            continue
        _weigh(link, clean, page, fence, drops, found)
        if "http" in clean[8:].lower():
            for inner in map(proving, urls.embedded(clean)):
                if seen.add(inner, depth + apart):
                    _weigh(link, inner, page, fence, drops, found)
        if len(found) >= MAX_FOUND:
            break
    return found


def _told_apart(link: Link, page: Page) -> int:
    """What one page asks not to follow, another may offer; what is no page may be a file: each is told by itself."""
    if link.nofollow or page.nofollow:
        return 1_000
    return 2_000 if link.place in _UNMEASURED else 0


def _weigh(
    link: Link, address: str, page: Page, fence: Fence, drops: Counter[FailureReason], found: list[Link]
) -> None:
    reason = _objection(address, link, page, fence)
    if reason is None:
        found.append(link._replace(url=address))
    else:
        drops[reason] += 1


def _all_links(page: Page) -> Iterator[Link]:
    yield from page.links
    for source in page.script_files:
        yield Link(source, place=Place.SCRIPT_FILE)


def _objection(address: str, link: Link, page: Page, fence: Fence) -> FailureReason | None:
    if link.nofollow or page.nofollow:
        return FailureReason.NOFOLLOW
    if not fence.holds(address):
        return FailureReason.OUT_OF_SCOPE
    if link.place not in _UNMEASURED and urls.looks_like_media(address) and not looks_like_service(address):
        return FailureReason.MEDIA
    if urls.repeats_path(address) or len(address) > MAX_URL_CHARS:
        return FailureReason.TRAP
    return None
