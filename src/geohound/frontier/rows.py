"""What the frontier notes of a URL on its way in and out, and the rules that several of its parts share."""

from __future__ import annotations

from typing import NamedTuple

from geohound.model.frontier import UrlState
from geohound.model.visit import FailureReason, Settlement

from .schedule import Host

# Dropped for these, a URL was never asked for, so it spends no budget.
_WITHOUT_ASKING = frozenset(
    {
        FailureReason.ROBOTS, FailureReason.NOFOLLOW, FailureReason.OUT_OF_SCOPE, FailureReason.BAD_URL,
        FailureReason.TRAP, FailureReason.MEDIA, FailureReason.FORBIDDEN_NET, FailureReason.TOO_DEEP,
        FailureReason.HOST_BUDGET, FailureReason.DOMAIN_BUDGET, FailureReason.PATTERN_BUDGET, FailureReason.PAGE_BUDGET,
    }
)  # fmt: skip


class Lease(NamedTuple):
    """A candidate on its way out."""

    number: int
    host: Host
    lane: int
    attempts: int


class Entry(NamedTuple):
    """A candidate on its way in."""

    host: Host
    lane: int
    key: int
    known: int  # the key of its URL


def host_of(url: str) -> str:
    """Host and port of a canonical URL, without parsing it again."""
    return url.split("/", 3)[2].partition("?")[0]


def final_state(settlement: Settlement, reason: FailureReason | None) -> UrlState:
    if settlement is Settlement.DONE:
        return UrlState.DONE
    return UrlState.UNASKED if reason in _WITHOUT_ASKING else UrlState.IN_VAIN


def reaches(count: int, most: int | None) -> bool:
    return most is not None and count >= most


def exceeds(count: int, most: int | None) -> bool:
    return most is not None and count > most


def is_text(url: str) -> bool:
    """Is it without lone surrogates, which cannot be written as UTF-8?"""
    return url.isascii() or url == url.encode("utf-8", "replace").decode()
