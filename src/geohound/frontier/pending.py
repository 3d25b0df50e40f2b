"""What the frontier notes of a URL on its way in and out, and the rules that several of its parts share."""

from __future__ import annotations

from typing import NamedTuple

from geohound.model.crawl.frontier import HostRole, UrlState
from geohound.model.failure import FailureReason
from geohound.model.visit import MAX_URL_CHARS, Candidate, Purpose, Settlement

from .host_queue import HostQueue

_ON_THE_WEB = ("http://", "https://")
_TO_HARVEST = (*_ON_THE_WEB, "file:///")


class Lease(NamedTuple):
    """A candidate on its way out."""

    number: int
    host: HostQueue
    lane: int
    attempts: int
    role: HostRole = HostRole.ANY


class PendingUrl(NamedTuple):
    """A candidate on its way in."""

    host: HostQueue
    lane: int
    key: int
    known: int  # the key of its URL


def host_of(url: str) -> str:
    """Host and port of a canonical URL, without parsing it again."""
    return url.split("/", 3)[2].partition("?")[0]


def final_state(settlement: Settlement, reason: FailureReason | None) -> UrlState:
    if settlement is Settlement.DONE:
        return UrlState.DONE
    was_asked = reason is None or reason.means.is_asked
    return UrlState.IN_VAIN if was_asked else UrlState.UNASKED


def reaches(count: int, most: int | None) -> bool:
    return most is not None and count >= most


def exceeds(count: int, most: int | None) -> bool:
    return most is not None and count > most


def has_usable_url(candidate: Candidate) -> bool:
    """Is it an address of the Web that can be kept? A file is one only to harvest: the user's own command names it."""
    url = candidate.url
    schemes = _TO_HARVEST if candidate.purpose is Purpose.HARVEST else _ON_THE_WEB
    return len(url) <= MAX_URL_CHARS and url.startswith(schemes) and _is_text(url)


def _is_text(url: str) -> bool:
    """Is it without lone surrogates, which cannot be written as UTF-8?"""
    return url.isascii() or url == url.encode("utf-8", "replace").decode()
