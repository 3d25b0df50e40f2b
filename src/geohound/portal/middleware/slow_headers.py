"""Cuts off connections that send what nobody asked for: headers without end, trailers, requests behind a request."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# of an address, headers and trailers, and of the frames of chunks: the parser collects them without a limit
MAX_BYTES = 65_536
HEADERS_S = 15.0  # from the connection, or the answer before, to the end of the headers


class HeadersInTime(HttpToolsProtocol):
    """Uvicorn's protocol, with limits for all but bodies, which have limits of their own where they are read.

    One request may come before the answer to the one before is complete: a client that
    has all bytes of an answer cannot know that its last, empty event is still to come.
    """

    headers_s = HEADERS_S

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._bytes = 0  # that belong to no body that is wanted, since the last answer
        self._in_headers = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        super().data_received(data)
        if self._bytes > MAX_BYTES and not self.transport.is_closing():
            self.send_400_response("The headers of this request are too long.")
        if not self._is_waiting():
            self._stop_waiting()
        elif self._deadline is None:
            self._wait()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_headers = True

    def on_headers_complete(self) -> None:
        self._in_headers = False
        if self.pipeline:
            self.transport.abort()
        if not self.transport.is_closing():
            super().on_headers_complete()
        self.headers = []  # trailers are none of the headers that were checked

    def on_body(self, body: bytes) -> None:
        if self.transport.is_closing():
            return
        if not self.pipeline and not self.cycle.response_complete:
            self._bytes -= len(body)
        super().on_body(body)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._bytes = 0
        if self._is_waiting():
            self._stop_waiting()
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Say it, unless another answer has begun."""
        if self._is_answering():
            self.transport.abort()
        else:
            super().send_400_response(msg)

    def _unsupported_upgrade_warning(self) -> None:
        """Nothing to log: it is answered as if it had not asked for another protocol."""

    def _is_answering(self) -> bool:
        cycle = self.pipeline[-1][0] if self.pipeline else self.cycle
        return (
            cycle is not None and cycle.response_started and not cycle.response_complete
        )

    def _is_waiting(self) -> bool:
        """Is there no request whose headers are complete, or another one behind it whose headers are not?"""
        return self._in_headers or self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._deadline = self.loop.call_later(self.headers_s, self._cut_off)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut_off(self) -> None:
        if self._is_waiting() and not self.transport.is_closing():
            self.transport.abort()
