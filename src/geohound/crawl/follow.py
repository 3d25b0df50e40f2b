"""From a mined page to addresses worth a candidate, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from geohound.model import url as urls
from geohound.model.clue import looks_like_service
from geohound.model.compact import HashSet
from geohound.model.ogc_url import proving
from geohound.model.visit import FailureReason, Link, Page, Place

MAX_URL_CHARS = 2000
MAX_FOUND = 20_000
_UNMEASURED = frozenset((Place.SCRIPT_FILE, Place.CONFIG))  # followed whatever the ending of their name


class Scope(StrEnum):
    """How far from the seeds a crawl may go."""

    ANY = "any"
    HOST = "host"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class Fence:
    """The hosts or domains of the seeds, where the crawl must stay among them."""

    scope: Scope = Scope.ANY
    inside: frozenset[str] = frozenset()

    @classmethod
    def around(cls, scope: Scope, seeds: list[str]) -> Fence:
        name = urls.site if scope is Scope.DOMAIN else _host
        return cls(scope, frozenset(name(s) for s in seeds) if scope is not Scope.ANY else frozenset())

    def holds(self, url: str) -> bool:
        match self.scope:
            case Scope.HOST:
                return _host(url) in self.inside
            case Scope.DOMAIN:
                return urls.site(url) in self.inside
        return True


def _host(url: str) -> str:
    """A bare name and its www. send to each other all the time: for whoever names one, both are meant."""
    return urls.host(url).removeprefix("www.")


class Reported:
    """What has been told before: most links of a page stand on its neighbours too, and need no second look.

    A filter, not the truth: what it forgets is told again, and the frontier knows better.
    """

    def __init__(self, most: int = 2_000_000, most_spelled: int = 60_000) -> None:
        self._most = most
        self._known = HashSet()
        self._most_spelled = most_spelled
        self._spelled: set[int] = set()  # of late, in the letters of the page: most repetitions are seen by these alone
        self._spelled_before: set[int] = set()

    def add(self, address: str, depth: int) -> bool:
        """True if it was not told for this depth; found nearer to a seed, an address may come in that was too deep."""
        if len(self._known) >= self._most:
            self._known = HashSet()
        return self._known.add(hash((address, depth)))

    def spelled(self, depth: int) -> Callable[[str, str], bool] | None:
        """Asks whether a link was told for this depth, by the place it is relative to and its letters."""

        def is_told(place: str, address: str) -> bool:
            key = hash((place, address, depth))
            if key in self._spelled:
                return True
            if len(self._spelled) >= self._most_spelled:
                self._spelled_before, self._spelled = self._spelled, set()
            self._spelled.add(key)
            return key in self._spelled_before

        return is_told


class OnThisPage(Reported):
    """Each address once per page, for orders that count links."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def spelled(self, depth: int) -> None:  # noqa: ARG002
        return None

    def add(self, address: str, depth: int) -> bool:  # noqa: ARG002
        is_new = address not in self._told
        self._told.add(address)
        return is_new


def follow(page: Page, depth: int, fence: Fence, drops: Counter[FailureReason], reported: Reported) -> list[Link]:
    """The links of a page worth a candidate, with canonical addresses, each once; the rest is counted by reason."""
    found: list[Link] = []
    base = urls.canonical(page.url) or page.url  # a base that the page names may have any spelling
    folder = urls.folder(base)
    for link in _all_links(page):
        href = link.url
        clean = urls.canonical(href, base if href[:1] == "?" else folder)
        clean = proving(clean) if clean and "?" in clean else clean
        # What one page asks not to follow, another may offer: it is told for a depth of its own.
        if clean is None or not reported.add(clean, -1 if link.nofollow or page.nofollow else depth):
            continue
        _weigh(link, clean, page, fence, drops, found)
        if "http" in clean[8:].lower():
            for inner in map(proving, urls.embedded(clean)):
                if reported.add(inner, depth):
                    _weigh(link, inner, page, fence, drops, found)
        if len(found) >= MAX_FOUND:
            break
    return found


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
