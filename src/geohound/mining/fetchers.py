"""Fetchers for one page: one that asks for each address once, and one over files that were saved."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from geohound.contracts import Fetcher
from geohound.fetcher_wrapper import FetcherWrapper, NextFetch
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Response, Visit

from . import charset
from .application import Fetch

MAX_KEPT_BYTES = 60_000_000
MAX_TEXT_BYTES = 5_000_000


class PageCache(FetcherWrapper):
    """A fetcher that asks for each address of one page once, be it for reading or for running the page."""

    def __init__(self, inner: Fetcher) -> None:
        super().__init__(inner)
        self.visits: dict[str, Visit] = {}
        self._room = MAX_KEPT_BYTES

    async def ask(self, url: str, onward: NextFetch) -> Visit:
        had = self.visits.get(url)
        if had is None:
            had = await onward()
            self.keep(url, had)
        return had

    def keep(self, url: str, visit: Visit) -> None:
        size = len(visit.body) if isinstance(visit, Response) else 0
        if size <= self._room:
            self._room -= size
            self.visits[url] = visit
            if isinstance(visit, Response):
                self.visits.setdefault(visit.final_url, visit)

    def texts(
        self, urls: tuple[str, ...], without: frozenset[str]
    ) -> Mapping[str, str]:
        """The files that were had under these addresses, but for those that were there before."""
        had = ((url, self.visits.get(url)) for url in urls if url not in without)
        return {
            u: charset.decode(v.body, v.content_type, MAX_TEXT_BYTES)
            for u, v in had
            if isinstance(v, Response)
        }


class SavedFiles(FetcherWrapper):
    """A fetcher over files that were saved: what is not among them is not there."""

    def __init__(self, get: Fetch) -> None:
        super().__init__()
        self._get = get

    async def ask(self, url: str, onward: NextFetch) -> Visit:  # noqa: ARG002 - nothing is behind it
        found = await self._get(url)
        now = datetime.now(UTC)
        if found is None:
            return Failure(url, FailureReason.HTTP_ERROR, "no such file", now)
        kind = {
            "content-type": f"{found.content_type or _guess(found.text)}; charset=utf-8"
        }
        return Response(url, url, 200, kind, found.text.encode("utf-8", "replace"), now)


def _guess(text: str) -> str:
    match text.lstrip("\ufeff \t\r\n")[:1]:
        case "{" | "[":
            return "application/json"
        case "<":
            return "text/xml"
    return "text/plain"
