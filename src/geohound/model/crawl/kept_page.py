"""A copy of a page that was read: for a second look where it may hold a service (LI-6), and for other tasks (PH-5)."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime
from typing import NamedTuple

_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
MAX_BYTES = 20_000_000  # of one page, unpacked


class PageRoom(NamedTuple):
    """For how long pages are kept, and how many bytes of them, packed."""

    days: float  # pages that may hold a service
    bytes: int
    other_days: float = 0.0  # all others: for as long as no task need read them again

    @property
    def full(self) -> int:
        """Beyond this, pages go until the rest fits: a twentieth more, so that it need not be done for each page."""
        return self.bytes + self.bytes // 20

    @property
    def is_there(self) -> bool:
        return self.days > 0 and self.bytes > 0


NO_ROOM = PageRoom(0.0, 0)


class KeptPage(NamedTuple):
    """The source of a page, packed. A tuple, since one crosses with most reports."""

    url: str
    group: int  # WP by `text.keyword_groups`, 0 is best
    content_type: str
    packed: bytes
    days: float = 30.0  # for which it is kept
    is_whole: bool = False  # another task may take it instead of the page: it was answered so, by itself
    task: int = 0
    at: datetime = _NEVER

    @property
    def body(self) -> bytes:
        return zlib.decompressobj().decompress(self.packed, MAX_BYTES)
