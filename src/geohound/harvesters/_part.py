"""A harvester put together from functions."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date

from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.harvest import HarvestPage
from geohound.model.service import Service
from geohound.model.visit import Failure

from . import _asking

# of one service: as many as its document may bring to the frontier by itself
MANY_LINKS = 5_000


FRONT_BYTES = 100_000  # of a document, in which its front is looked for


def from_all(since: date | None) -> bytes:  # noqa: ARG001
    """The protocol cannot say what has changed: everything is read."""
    return b""


def itself(url: str) -> str:
    """Each address is a catalogue of its own."""
    return url


def no_front(document: Document) -> str:  # noqa: ARG001
    return ""


def from_date(since: date | None) -> bytes:
    """Only what has changed since then."""
    return _asking.pack(since=since.isoformat()) if since else b""


@dataclass(frozen=True, slots=True)
class Part:
    """One catalogue protocol: services of the kind that has its id, and what its address is recognised by.

    Whatever else is such a catalogue is read only where somebody says so.
    """

    id: str
    title: str
    page: Callable[[str, bytes, Fetcher], Awaitable[HarvestPage | Failure]]
    start: Callable[[date | None], bytes] = from_all
    other_kinds: tuple[str, ...] = ()  # of services that are such a catalogue too
    only_long: bool = False  # links of a short one are in its document already
    # of seeds and pages that are one, where no service is known
    address: re.Pattern[str] | None = None
    needs: str = ""  # a package of the extra `archives`
    root: Callable[[str], str] = itself  # one address for all that belong to it
    marks: tuple[bytes, ...] = ()  # one of them stands in every page with a front
    front: Callable[[Document], str] = no_front

    def accepts(self, service: Service | None, url: str) -> bool:
        if service is None:
            return self.address is not None and bool(self.address.search(url))
        is_read_already = self.only_long and len(service.links) < MANY_LINKS
        is_catalogue = service.kind in (self.id, *self.other_kinds)
        return is_catalogue and not is_read_already
