"""Who was asked what, for the site owner who wants to know: every request, handed on in batches."""

from __future__ import annotations

from collections import deque

from geohound.model.visit import RequestRecord


class RequestRecorder:
    """Holds records until somebody takes them away to be stored; give its `append` to the fetcher.

    If nobody does, the oldest go, and are counted.
    """

    def __init__(self, room: int = 100_000) -> None:
        self._records: deque[RequestRecord] = deque(maxlen=room)
        self.appended = 0
        self.lost = 0

    def append(self, record: RequestRecord) -> None:
        self.appended += 1
        self.lost += len(self._records) == self._records.maxlen
        self._records.append(record)

    def take(self, limit: int | None = None) -> list[RequestRecord]:
        """The oldest records, which are no longer here afterwards."""
        count = len(self._records) if limit is None else min(limit, len(self._records))
        return [self._records.popleft() for _ in range(count)]

    def __len__(self) -> int:
        return len(self._records)
