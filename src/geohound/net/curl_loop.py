"""libcurl's multi interface driven by the asyncio event loop: no thread, no polling."""

from __future__ import annotations

import asyncio

import pycurl

from geohound.model.failure import FailureReason

from .byte_budget import ByteBudget
from .socket_watcher import watcher
from .stall_check import Stop
from .transfer import Transfer


class CurlLoop:
    """Runs transfers; belongs to the event loop in which it was made."""

    def __init__(
        self, budget: ByteBudget, sweep_s: float = 0.25, cached_connections: int = 256
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._budget = budget
        self._sweep_s = sweep_s
        self._active: dict[pycurl.Curl, Transfer] = {}
        self._timer: asyncio.Handle | None = None
        self._timer_at = 0.0
        self._due_at: float | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self._multi = pycurl.CurlMulti()
        self._watcher = watcher(self._loop, self._act)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watcher.watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, cached_connections)

    def start(self, transfer: Transfer) -> asyncio.Future[tuple[int, str]]:
        """Begin one transfer; the future brings libcurl's code (0 is success) and message.

        Whoever stops waiting for it must `give_up` the transfer, which drops its half-read connection.
        """
        done = transfer.done = self._loop.create_future()
        self._multi.add_handle(transfer.curl)
        self._active[transfer.curl] = transfer
        if self._sweeper is None:
            self._sweeper = self._loop.call_later(self._sweep_s, self._sweep)
        return done

    def give_up(self, transfer: Transfer) -> None:
        if self._active.pop(transfer.curl, None) is not None:
            self._multi.remove_handle(transfer.curl)

    def close(self) -> None:
        """End every transfer and connection."""
        for handle in (self._timer, self._sweeper):
            if handle is not None:
                handle.cancel()
        self._timer = self._sweeper = None
        for transfer in list(self._active.values()):
            self._end(
                transfer, Stop(FailureReason.UNAVAILABLE, "the fetcher was closed")
            )
        self._multi.close()
        self._watcher.close()

    def _sweep(self) -> None:
        """Bounds that libcurl does not know or keep apart, looked at a few times a second for all."""
        now = self._loop.time()
        for transfer in list(self._active.values()):
            stop = transfer.stop or transfer.overdue(now)
            if stop is not None:
                self._end(transfer, stop)
        self._sweeper = (
            self._loop.call_later(self._sweep_s, self._sweep) if self._active else None
        )

    def _end(self, transfer: Transfer, stop: Stop) -> None:
        transfer.stop = stop
        self.give_up(transfer)
        if transfer.done is not None and not transfer.done.done():
            transfer.done.set_result((pycurl.E_ABORTED_BY_CALLBACK, stop.detail))

    def _set_timer(self, timeout_ms: int) -> None:
        """libcurl moves its timer twice per request: only an earlier time needs a new timer of the loop."""
        if timeout_ms < 0:
            self._due_at = None
            return
        self._due_at = due_at = self._loop.time() + timeout_ms / 1000
        if self._timer is not None:
            if self._timer_at <= due_at:
                return
            self._timer.cancel()
        self._arm(due_at, timeout_ms / 1000)

    def _arm(self, due_at: float, wait_s: float) -> None:
        self._timer_at = due_at
        if wait_s <= 0:
            self._timer = self._loop.call_soon(self._ring)
        else:
            self._timer = self._loop.call_later(wait_s, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._due_at is None:
            return
        wait_s = self._due_at - self._loop.time()
        # the timer was set for an earlier time that libcurl has given up
        if wait_s > 0.001:
            self._arm(self._due_at, wait_s)
        else:
            self._act(((pycurl.SOCKET_TIMEOUT, 0),))

    def _act(self, ready: tuple[tuple[int, int], ...]) -> None:
        """Something happened to these sockets: let libcurl read and write, and see what is done."""
        running = len(self._active)
        for fd, events in ready:
            _, running = self._multi.socket_action(fd, events)
            if self._budget.is_spent:
                self._pause_all()
        if running < len(self._active):
            self._collect()

    def _pause_all(self) -> None:
        """After every step, since one step may unpack a whole answer: what is paused waits packed, in the kernel."""
        now = self._loop.time()
        for transfer in self._active.values():
            transfer.pause(now)

    def _collect(self) -> None:
        queued = 1
        while queued:
            queued, succeeded, failed = self._multi.info_read()
            for curl in succeeded:
                self._finish(curl, 0, "")
            for curl, code, message in failed:
                self._finish(curl, code, message)

    def _finish(self, curl: pycurl.Curl, code: int, message: str) -> None:
        transfer = self._active.pop(curl, None)
        if transfer is None:
            return
        self._multi.remove_handle(curl)
        if transfer.done is not None and not transfer.done.done():
            transfer.done.set_result((code, message))
