"""From a mined page to candidates: which addresses are worth proposing, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from geohound.model import url as urls
from geohound.model.clue import looks_like_service
from geohound.model.contracts import Order
from geohound.model.visit import Candidate, FailureReason, Link, Page, Place, Via

_VIA = {
    Place.TEXT: Via.TEXT,
    Place.CODE: Via.TEXT,
    Place.XML: Via.TEXT,
    Place.FORM: Via.FORM,
    Place.SCRIPT: Via.SCRIPT,
    Place.SCRIPT_FILE: Via.SCRIPT,
    Place.CONFIG: Via.CONFIG,
    Place.JSON: Via.CONFIG,
    Place.SITEMAP: Via.SITEMAP,
}
PROBE_BONUS = 1000.0  # an address that says of itself that it is a service goes before every page


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
        name = urls.site if scope is Scope.DOMAIN else urls.host
        return cls(scope, frozenset(name(s) for s in seeds) if scope is not Scope.ANY else frozenset())

    def holds(self, url: str) -> bool:
        match self.scope:
            case Scope.HOST:
                return urls.host(url) in self.inside
            case Scope.DOMAIN:
                return urls.site(url) in self.inside
        return True


def follow(
    page: Page, found_on: Candidate, order: Order, fence: Fence, drops: Counter[FailureReason]
) -> Iterator[Candidate]:
    """The candidates that a page proposes, each address once; what is left out is counted by its reason."""
    seen: set[str] = set()
    for link in _all_links(page):
        for address in _addresses(link, page):
            if address in seen:
                continue
            seen.add(address)
            reason = _objection(address, link, page, fence)
            if reason:
                drops[reason] += 1
                continue
            yield _candidate(address, link, page, found_on, order)


def _all_links(page: Page) -> Iterator[Link]:
    yield from page.links
    for source in page.script_files:
        yield Link(source, place=Place.SCRIPT_FILE)


def _addresses(link: Link, page: Page) -> Iterator[str]:
    """The address itself and those it carries inside a parameter."""
    clean = urls.canonical(link.url, page.url)
    if clean:
        yield clean
        if "http" in clean[8:].lower():
            yield from urls.embedded(clean)


def _objection(address: str, link: Link, page: Page, fence: Fence) -> FailureReason | None:
    if link.nofollow or page.nofollow:
        return FailureReason.NOFOLLOW
    if not fence.holds(address):
        return FailureReason.OUT_OF_SCOPE
    if link.place not in (Place.SCRIPT_FILE, Place.CONFIG) and urls.looks_like_media(address):
        return FailureReason.MEDIA
    if urls.repeats_path(address) or len(address) > 2000:
        return FailureReason.TRAP
    return None


def _candidate(address: str, link: Link, page: Page, found_on: Candidate, order: Order) -> Candidate:
    probe = looks_like_service(address)
    return Candidate(
        url=address,
        via=_VIA.get(link.place, Via.LINK),
        found_on=found_on.url,
        clue=(link.text or link.context)[:200],
        score=order.score(link, page) + (PROBE_BONUS if probe else 0.0),
        depth=found_on.depth + 1,
        probe=probe,
    )
