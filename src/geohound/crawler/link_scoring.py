"""From an address somebody found to the candidate that the frontier keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from geohound import urls
from geohound.frontier import Frontier
from geohound.model.failure import FailureReason
from geohound.model.visit import (
    LAST,
    Candidate,
    Link,
    LinkPlace,
    Purpose,
    Via,
    order_score,
)
from geohound.urls.address_book import AddressBook

from .link_filter import ScopeFilter

GUESSED_KIND = "wms"  # what an address is asked for that says nothing of a service (Li, Yang & Yang 2010)
_VIA = {
    LinkPlace.TEXT: Via.TEXT,
    LinkPlace.CODE: Via.TEXT,
    LinkPlace.XML: Via.TEXT,
    LinkPlace.FORM: Via.FORM,
    LinkPlace.SCRIPT: Via.SCRIPT,
    LinkPlace.SCRIPT_FILE: Via.SCRIPT,
    LinkPlace.CONFIG: Via.CONFIG,
    LinkPlace.RECIPE: Via.RECIPE,
    LinkPlace.JSON: Via.CONFIG,
    LinkPlace.SITEMAP: Via.SITEMAP,
    LinkPlace.BROWSER: Via.BROWSER,
}


def candidate_of(
    link: Link, score: float, found_on: Candidate, book: AddressBook
) -> Candidate:
    looks_so = book.looks_like_service(link.url)
    is_last = looks_so and book.is_uncertain(link.url)
    return Candidate(
        url=link.url,
        via=_VIA.get(link.place, Via.LINK),
        found_on=found_on.url,
        clue=(link.text or link.context)[:200],
        score=order_score(score) - LAST if is_last else score,
        depth=found_on.depth + 1,
        purpose=Purpose.PROBE if looks_so else Purpose.PAGE,
    )


def ordered_candidates(
    link: Link, score: float, found_on: Candidate, book: AddressBook, *, is_tested: bool
) -> list[Candidate]:
    """What becomes of a link where the order decides on tests: a page to be read, a test, or both, of equal score.

    A test reads what is no service as a page, so that an address that needs nothing added is asked once.
    """
    found = replace(candidate_of(link, score, found_on, book), score=score)
    if not is_tested:
        return [replace(found, purpose=Purpose.PAGE)]
    if not found.is_page:
        return [found]
    request = book.capabilities(GUESSED_KIND, urls.endpoint(link.url))
    return [
        found,
        replace(
            found, url=request, via=Via.GUESS, found_on=link.url, purpose=Purpose.PROBE
        ),
    ]


def listed(
    url: str, candidate: Candidate, where: tuple[str, str], via: Via
) -> Candidate:
    """An address that a document gives as a service; `where` is the document and what it says."""
    found_on, clue = where
    return Candidate(
        url,
        via,
        found_on,
        clue[:200],
        order_score(candidate.score),
        candidate.depth + 1,
        Purpose.PROBE,
    )


def admit(
    found: Sequence[Candidate],
    scope: ScopeFilter,
    frontier: Frontier,
    left_out: Mapping[FailureReason, int] | None = None,
) -> None:
    """Offer candidates to the frontier; what lies outside the user's scope is counted with what was left out before."""
    if not found and not left_out:
        return
    objections = [(candidate, scope.objection(candidate.url)) for candidate in found]
    inside = [candidate for candidate, objection in objections if objection is None]
    outside = Counter(objection for _, objection in objections if objection is not None)
    frontier.admit(inside, refused=Counter(left_out) + outside)
