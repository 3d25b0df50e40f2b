"""Best first by vector space model and cosine (Hou, Chen & Wu 2016): pages off the topic are dropped."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from geohound.model.visit import Candidate, Link, Page

from ._plain import NEVER, Plain, address
from ._words import page_similarity, similarity

THRESHOLD = 0.02
PAGE_SHARE, ANCHOR_SHARE, URL_SHARE = 0.5, 0.3, 0.2


class BestFirst(Plain):
    """A link's priority comes from the page it stands on, its anchor text and the words of its URL."""

    id = "best_first"
    title = "Best first by cosine of the vector space model"

    def __init__(self, threshold: float = THRESHOLD) -> None:
        self._threshold = threshold

    def fresh(self) -> BestFirst:
        return BestFirst(self._threshold)

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return 1.0

    def score(self, link: Link, page: Page) -> float:
        relevance = page_similarity(page)
        if relevance < self._threshold:
            return NEVER
        anchor = similarity(link.text or link.context)
        return PAGE_SHARE * relevance + ANCHOR_SHARE * anchor + URL_SHARE * similarity(url_text(address(link, page)))

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [
            ("anchor", ANCHOR_SHARE * similarity(candidate.clue)),
            ("URL", URL_SHARE * similarity(url_text(candidate.url))),
            ("score when found", candidate.score),
        ]


def url_text(url: str) -> str:
    """The words of a URL's path and query."""
    parts = urlsplit(url)
    return unquote(f"{parts.path} {parts.query}")


ORDERS = (BestFirst(),)
