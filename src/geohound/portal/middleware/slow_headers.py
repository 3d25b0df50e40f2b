"""Cuts off connections whose request headers do not end, in time or in bytes: they would cost an attacker nothing."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# of an address and its headers: the parser collects them without a limit
MAX_BYTES = 65_536
HEADERS_S = 15.0  # from the connection, or the answer before, to the end of the headers


class HeadersInTime(HttpToolsProtocol):
    """Uvicorn's protocol, with limits for headers; bodies have limits of their own where they are read."""

    headers_s = HEADERS_S

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._bytes = 0  # of headers that are not complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_waiting():
            self._stop_waiting()
            return
        self._bytes += len(data)
        if self._bytes > MAX_BYTES and not self.transport.is_closing():
            self.send_400_response("The headers of this request are too long.")

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_waiting():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_waiting(self) -> bool:
        """Is there no request whose headers are complete?"""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._stop_waiting()
        self._bytes = 0
        self._deadline = self.loop.call_later(self.headers_s, self._cut_off)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut_off(self) -> None:
        if self._is_waiting() and not self.transport.is_closing():
            self.transport.abort()
