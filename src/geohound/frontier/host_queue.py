"""What is queued for one host."""

from __future__ import annotations

from collections.abc import Iterator

from geohound.model.visit import Lane

from .packed_heap import PackedHeap

PAGE, PROBE = Lane.PAGES, Lane.PROBES


class HostQueue:
    """What is queued for a host in either lane, and when it may be asked next."""

    __slots__ = (
        "entering",
        "held",
        "index",
        "is_busy",
        "is_counted",
        "lanes",
        "name",
        "next_at",
        "queued",
        "visited",
    )

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index
        self.lanes: list[PackedHeap | None] = [None, None]
        self.next_at = float("-inf")
        self.is_busy = False
        self.is_counted = True  # among the hosts of its domain
        self.queued = 0
        self.entering = 0  # being written, not yet queued
        self.held = 0  # of stages that have not begun
        self.visited = 0

    def best(self, lane: int) -> int | None:
        heap = self.lanes[lane]
        return heap.best() if heap else None

    def push(self, lane: int, key: int) -> None:
        heap = self.lanes[lane]
        if heap is None:
            heap = self.lanes[lane] = PackedHeap()
        heap.push(key)
        self.queued += 1

    def pop(self, lane: int) -> int:
        heap = self.lanes[lane]
        if heap is None:
            raise IndexError("nothing is queued in this lane")
        key = heap.pop()
        self.queued -= 1
        if not heap:
            self.lanes[lane] = None
        return key

    def drain(self) -> Iterator[int]:
        """Take out all that is queued."""
        for lane in (PAGE, PROBE):
            heap, self.lanes[lane] = self.lanes[lane], None
            if heap:
                yield from heap.drain()
        self.queued = 0
