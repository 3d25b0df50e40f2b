"""PolarHub's segments (Li, Wang & Bhatia 2016): seeds ten by ten, one segment to its end, by depth inside it."""

from __future__ import annotations

from geohound import urls
from geohound.model.visit import Candidate, Link, Page

from ._plain import NEVER, Plain, address

SEEDS_PER_SEGMENT = 10
MAX_DEPTH = 1000
_SOCIAL = frozenset(
    (
        "facebook.com", "twitter.com", "x.com", "youtube.com", "youtu.be", "instagram.com", "linkedin.com", "vk.com",
        "pinterest.com", "flickr.com", "vimeo.com", "tiktok.com", "reddit.com", "tumblr.com", "weibo.com", "t.me",
        "whatsapp.com", "digg.com", "stumbleupon.com", "foursquare.com", "myspace.com",
    )
)  # fmt: skip


class PolarHub(Plain):
    """The score is minus (width × 1000 + depth): a page's own score tells the segment it belongs to."""

    id = "polarhub"
    title = "Segments of width and depth (PolarHub)"
    has_stages = True

    def __init__(self, max_width: int = 0, max_depth: int = 0) -> None:
        self._max_width = max_width
        self._max_depth = max_depth

    def fresh(self) -> PolarHub:
        return PolarHub(self._max_width, self._max_depth)

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        width = position // SEEDS_PER_SEGMENT + 1
        return NEVER if 0 < self._max_width < width else float(-width * MAX_DEPTH)

    def score(self, link: Link, page: Page) -> float:
        width, _ = place(page.score)
        depth = page.depth + 1
        if 0 < self._max_depth < depth or depth >= MAX_DEPTH or urls.site(address(link, page)) in _SOCIAL:
            return NEVER
        return float(-(width * MAX_DEPTH + depth))

    def stage(self, score: float) -> int:
        return place(score)[0]

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        width, depth = place(candidate.score)
        return [("width", float(width)), ("depth", float(depth))]


def place(score: float) -> tuple[int, int]:
    """Width and depth that a score stands for."""
    return divmod(int(-score), MAX_DEPTH)


ORDERS = (PolarHub(),)
