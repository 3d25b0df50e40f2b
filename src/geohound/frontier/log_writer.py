"""What the frontier has to write, handed to its log in order and one batch at a time."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from geohound.contracts import FrontierLog, StoreError
from geohound.model.crawl.frontier import FrontierBatch
from geohound.model.crawl.task import Claim

from .pending import PendingUrl

log = logging.getLogger(__name__)

LINGER_S = 0.02  # after the first write, so that others share its commit
MANY_ROWS = 4000  # do not linger
MOST_UNWRITTEN = 100_000  # rows that may wait in memory for a slow disk


@dataclass(slots=True)
class _Batch:
    """A batch, what may be leased once it is on disk, and who waits for that."""

    written: asyncio.Future[None]
    batch: FrontierBatch = field(default_factory=FrontierBatch)
    entries: list[PendingUrl] = field(default_factory=list)


class LogWriter:
    """Collects while a batch is being written. After one that failed nothing more is written, so order is kept."""

    def __init__(
        self,
        log: FrontierLog,
        claim: Claim,
        when_written: Callable[[Sequence[PendingUrl]], None],
    ) -> None:
        self._log = log
        self._claim = claim
        self._when_written = when_written
        self._open: _Batch | None = None
        # that somebody waits for: they take no more
        self._closed: deque[_Batch] = deque()
        self._sent: _Batch | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._error: StoreError | None = None

    @property
    def is_behind(self) -> bool:
        """Is too much unwritten?"""
        waiting = filter(None, (*self._closed, self._open))
        rows = sum(sheet.batch.size for sheet in waiting)
        return self._sent is not None and rows > MOST_UNWRITTEN

    def batch(self) -> FrontierBatch:
        """The batch that is being filled; it is sent soon. StoreError after one that could not be written."""
        sheet = self._open or self._begin()
        return sheet.batch

    def add(self, entries: Sequence[PendingUrl]) -> None:
        """These belong to what was put into the batch."""
        sheet = self._open or self._begin()
        sheet.entries.extend(entries)
        if self._sent is None and sheet.batch.size >= MANY_ROWS:
            self._send()

    async def flush(self) -> None:
        """Return when all that was put in before is on disk; what others put in after that is in another batch."""
        if self._open is not None:
            self._closed.append(self._open)
            self._open = None
        last = self._closed[-1] if self._closed else self._sent
        self._send()
        if last is not None:
            # shielded: a waiter that gives up does not end it for others
            await asyncio.shield(last.written)
        if self._error is not None:
            raise self._error

    def _begin(self) -> _Batch:
        if self._error is not None:
            raise self._error
        loop = asyncio.get_running_loop()
        self._open = _Batch(loop.create_future())
        if self._sent is None:
            self._timer = loop.call_later(LINGER_S, self._send)
        return self._open

    def _send(self) -> None:
        """Have the next batch written, unless another one is; its end sends the next."""
        sheet = self._closed[0] if self._closed else self._open
        if self._sent is not None or sheet is None:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._closed:
            self._closed.popleft()
        else:
            self._open = None
        self._sent = sheet
        try:
            appended = asyncio.ensure_future(self._log.append(self._claim, sheet.batch))
        except StoreError as error:
            self._fail(error)
        else:
            appended.add_done_callback(self._finish)

    def _finish(self, appended: asyncio.Future[None]) -> None:
        error = (
            StoreError("The log was left unwritten.")
            if appended.cancelled()
            else appended.exception()
        )
        if error is not None:
            failure = (
                error
                if isinstance(error, StoreError)
                else StoreError(f"The log cannot be written: {error}.")
            )
            self._fail(failure)
        elif self._sent is not None:
            sheet = self._sent
            try:
                self._when_written(sheet.entries)
            except Exception as bug:  # whoever waits must hear of it: a crawl that stands still says nothing
                log.exception("a bug while queueing what was written")
                self._fail(StoreError(f"What was written cannot be queued: {bug}."))
                return
            self._sent = None
            sheet.written.set_result(None)
            self._send()

    def _fail(self, error: StoreError) -> None:
        self._error = error
        for sheet in filter(None, (self._sent, *self._closed, self._open)):
            sheet.written.set_exception(error)
            sheet.written.exception()  # known now, also where nobody waits for it
        self._sent = self._open = None
        self._closed.clear()
