"""From an address somebody found to the candidate that the frontier keeps."""

from __future__ import annotations

from collections.abc import Sequence

from geohound.frontier import Frontier
from geohound.model.visit import Candidate, FailureReason, Link, Place, Purpose, Via
from geohound.urls.clue import looks_like_service

from .follow import Fence

PROBE_BONUS = 1000.0  # an address that says of itself that it is a service goes before every page
_VIA = {
    Place.TEXT: Via.TEXT,
    Place.CODE: Via.TEXT,
    Place.XML: Via.TEXT,
    Place.FORM: Via.FORM,
    Place.SCRIPT: Via.SCRIPT,
    Place.SCRIPT_FILE: Via.SCRIPT,
    Place.CONFIG: Via.CONFIG,
    Place.RECIPE: Via.RECIPE,
    Place.JSON: Via.CONFIG,
    Place.SITEMAP: Via.SITEMAP,
    Place.BROWSER: Via.BROWSER,
}


def candidate_of(link: Link, score: float, found_on: Candidate) -> Candidate:
    looks_so = looks_like_service(link.url)
    return Candidate(
        url=link.url,
        via=_VIA.get(link.place, Via.LINK),
        found_on=found_on.url,
        clue=(link.text or link.context)[:200],
        score=score + (PROBE_BONUS if looks_so else 0.0),
        depth=found_on.depth + 1,
        purpose=Purpose.PROBE if looks_so else Purpose.PAGE,
    )


def score_as_page(candidate: Candidate) -> float:
    """What its order gave it: orders weigh the links of a page by the score of the page itself."""
    has_bonus = not candidate.is_page and candidate.via is not Via.SEED
    return candidate.score - PROBE_BONUS if has_bonus else candidate.score


def listed(url: str, candidate: Candidate, where: tuple[str, str], via: Via) -> Candidate:
    """An address that a document gives as a service; `where` is the document and what it says."""
    found_on, clue = where
    return Candidate(url, via, found_on, clue[:200], PROBE_BONUS, candidate.depth + 1, Purpose.PROBE)


def admit(found: Sequence[Candidate], fence: Fence, frontier: Frontier) -> None:
    """Offer candidates to the frontier; what lies outside the user's scope is counted and left."""
    inside = [candidate for candidate in found if fence.holds(candidate.url)]
    outside = len(found) - len(inside)
    frontier.admit(inside, refused={FailureReason.OUT_OF_SCOPE: outside} if outside else None)
