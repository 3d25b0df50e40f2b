"""Catalogues that change while they are read: where records go, later ones move into pages that were read before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import MAX_CURSOR_BYTES, HarvestPage
from geohound.model.visit import Failure

from . import _asking

MOST_BACK = 3  # pages that are read once more for one page
_OURS = ("total", "trail")  # what is added to the cursor of a protocol

Page = Callable[[str, bytes, Fetcher], Awaitable[HarvestPage | Failure]]


def with_moved(page: Page) -> Page:
    """Where the total is another than it was with the page before, pages before this one are read once more.

    What they name is added to this page: the frontier drops what it knows. That as many records came as went between
    two pages shows in no total.
    """

    async def page_with_moved(
        source: str, cursor: bytes, fetcher: Fetcher
    ) -> HarvestPage | Failure:
        said = _asking.unpack(cursor)
        was, trail = _asking.number(said.get("total")), _trail(said)
        found = await page(source, cursor, fetcher)
        if isinstance(found, Failure):
            if not trail or not found.reason.means.is_rewordable:
                return found
            return _as_last(await page(source, trail[-1], fetcher), was) or found
        back = min(len(trail), _pages_back(was, found))
        for place in trail[len(trail) - back :]:
            found = _joined(found, await page(source, place, fetcher))
        # Where a whole page of records came in front, this page was read before.
        if was and found.total - was >= found.records:
            found = replace(found, fingerprint=0)
        return replace(found, next=_onward(said, found)) if found.next else found

    return page_with_moved


def _pages_back(was: int, found: HarvestPage) -> int:
    """As many pages as records went, one where some came."""
    if not was or not found.total or found.total == was:
        return 0
    gone = max(1, was - found.total)
    return -(-gone // max(1, found.records))


def _as_last(before: HarvestPage | Failure, was: int) -> HarvestPage | None:
    """Some servers answer with an error where they have fewer pages than before: then the page before is the last."""
    if isinstance(before, Failure) or not 0 < before.total < was:
        return None
    return replace(before, next=b"", fingerprint=0)


def _joined(found: HarvestPage, again: HarvestPage | Failure) -> HarvestPage:
    if isinstance(again, Failure):
        return found
    listed = tuple(dict.fromkeys((*found.listed, *again.listed)))
    sources = tuple(dict.fromkeys((*found.sources, *again.sources)))
    return replace(found, listed=listed, sources=sources)


def _onward(said: Mapping[str, Any], found: HarvestPage) -> bytes:
    """The cursor of the next page with the total and the way here, as much of it as a cursor may hold.

    A page without records adds nothing: links that lead in a circle are known by their cursors.
    """
    if not found.total or not found.records:
        return found.next
    here = {name: value for name, value in said.items() if name not in _OURS}
    trail = [each.decode() for each in (*_trail(said), _asking.pack(**here))]
    onward = {**_asking.unpack(found.next), "total": found.total}
    longer = _asking.pack(**onward, trail=trail[-MOST_BACK:])
    return longer if len(longer) <= MAX_CURSOR_BYTES else found.next


def _trail(said: Mapping[str, Any]) -> list[bytes]:
    """The cursors of the pages before, the last one last; that of the first page is empty."""
    trail = said.get("trail")
    texts = trail[-MOST_BACK:] if isinstance(trail, list) else []
    return [each.encode() for each in texts if isinstance(each, str)]
