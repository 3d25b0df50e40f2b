"""How many hosts are active at once: few where pages are what the user spends, all where time is.

Whoever bounds pages wants services per page, and waiting costs nothing: the best host alone is asked, at full thrift.
Whoever bounds time wants services per second, and an idle second is lost. With both, as few hosts as still spend the
pages in time; auto takes three times the time that all hosts would.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from geohound.contracts import Clock

SLOWEST = 3  # by this factor may a thrifty crawl take longer, unless the user asks for more thrift
# how much longer all hosts take than their number says, as most have few pages (measured)
RUN_DRY = 7 / 6
# pages after which the time that a page takes is measured, no longer assumed
_SOON = 20


@dataclass(frozen=True, slots=True)
class Thrift:
    """What the user asked for."""

    active_hosts: int = 0  # exactly so many; 0: as the other fields say
    share: float | None = None  # 0: time alone counts, 1: pages alone; None: auto
    max_pages: int | None = None  # where the user gave one
    max_time_s: float = 0.0
    usual_page_s: float = 1.5  # from one page of a host to its next


class ActiveLimit:
    """The number of active hosts, as it follows from what is left to spend."""

    def __init__(self, thrift: Thrift, clock: Clock) -> None:
        self._thrift = thrift
        self._clock = clock
        self._began = self._looked = clock.monotonic()
        self._active_s = 0.0  # summed over hosts
        self._hosts = 1  # that have pages queued
        # what the pages so far would have taken if every host had been asked
        self._quickest_s = 0.0
        self._pages = 0  # read since it began
        self._pages_before = 0  # by earlier runs

    @property
    def is_needed(self) -> bool:
        """Is any host ever to be left inactive?"""
        asked = self._thrift
        if asked.active_hosts:
            return True
        return (
            asked.share != 0 if asked.share is not None else asked.max_pages is not None
        )

    def resume(self, pages: int) -> None:
        """Earlier runs of the task have read so many pages of the budget."""
        self._pages_before = pages

    def page_read(self) -> None:
        self._pages += 1
        self._quickest_s += self._page_s / self._hosts

    def limit(self, hosts: int, active: int) -> int:
        """How many of so many hosts with queued pages are to be active; `active` are so now."""
        now = self._clock.monotonic()
        self._active_s += active * (now - self._looked)
        self._looked, self._hosts = now, max(1, hosts)
        asked = self._thrift
        if asked.active_hosts:
            return asked.active_hosts
        if asked.share is not None or asked.max_pages is None:
            return math.ceil(math.pow(hosts, 1.0 - (asked.share or 0.0)))
        left_s = (
            max(1, asked.max_pages - self._pages_before - self._pages) * self._page_s
        )  # if one host were asked
        all_hosts_s = RUN_DRY * (self._quickest_s + left_s / self._hosts)
        allowed_s = asked.max_time_s or SLOWEST * all_hosts_s
        time_left_s = max(1.0, self._began + allowed_s - now)
        # A page may take no time at all, where hosts are asked without a pause.
        return max(1, min(self._hosts, math.ceil(left_s / time_left_s)))

    @property
    def _page_s(self) -> float:
        """From one page of an active host to its next."""
        return (
            self._active_s / self._pages
            if self._pages >= _SOON
            else self._thrift.usual_page_s
        )
