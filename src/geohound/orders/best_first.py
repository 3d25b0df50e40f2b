"""Best first by vector space model and cosine (Hou, Chen & Wu 2016): pages off the topic and files are left out."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from geohound.model.crawl.order_options import OrderOptions
from geohound.model.visit import Candidate, Link, LinkPlace, Page

from ._base import NEVER, BaseOrder, address
from ._vector_space import VectorSpace

PAGE_SHARE, ANCHOR_SHARE, URL_SHARE = 0.5, 0.3, 0.2
# "Common file extensions" of section 3.3 that may look like a page; the crawl leaves media and documents out anyway.
FILE_ENDINGS = (
    ".pdf",
    ".tif",
    ".tiff",
    ".js",
    ".doc",
    ".docx",
    ".xls",
    ".xlsx",
    ".ppt",
    ".zip",
    ".rar",
    ".gz",
    ".css",
)


class BestFirst(BaseOrder):
    """A link's priority comes from the page it stands on, its anchor text and the words of its URL."""

    id = "best_first"
    title = "Best first by cosine of the vector space model"

    def __init__(self, options: OrderOptions = OrderOptions()) -> None:  # noqa: B008 - frozen
        self._options = options
        self._space = VectorSpace(options.topic)

    def configured(self, options: OrderOptions) -> BestFirst:
        return BestFirst(options)

    def fresh(self) -> BestFirst:
        return BestFirst(self._options)

    def seed(self, url: str, position: int) -> float:  # noqa: ARG002
        return 1.0

    def score(self, link: Link, page: Page) -> float:
        relevance = self._space.page_similarity(page)
        url = address(link, page)
        # what scripts invoke is a candidate, whatever the page is about
        is_surface = link.place is not LinkPlace.SCRIPT
        is_off_topic = relevance < self._options.threshold
        if is_surface and (
            is_off_topic or urlsplit(url).path.lower().endswith(FILE_ENDINGS)
        ):
            return NEVER
        return (
            PAGE_SHARE * relevance
            + self._anchor_part(link.text or link.context)
            + self._url_part(url)
        )

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        return [
            ("anchor", self._anchor_part(candidate.clue)),
            ("URL", self._url_part(candidate.url)),
            ("score when found", candidate.score),
        ]

    def _anchor_part(self, text: str) -> float:
        return ANCHOR_SHARE * self._space.similarity(text)

    def _url_part(self, url: str) -> float:
        return URL_SHARE * self._space.similarity(url_text(url))


def url_text(url: str) -> str:
    """The words of a URL's path and query."""
    parts = urlsplit(url)
    return unquote(f"{parts.path} {parts.query}")


ORDERS = (BestFirst(),)
