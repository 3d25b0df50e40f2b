"""Messages between a crawl and the processes that read for it: pickles with their length before them, over a socket.

Both ends are this program, and only what it reads of the Web crosses as data inside; pickles of strangers never do.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from geohound.model.crawl.job import Job, PageRead, Report
from geohound.model.visit import Link, LinkPlace, Purpose

from .turns import TurnMessage

# the job whose page is being read, in memory that both ends see
MARK = struct.Struct("<q")
_LENGTH = struct.Struct("<I")
_PLACES = tuple(LinkPlace)
_PLACE_NUMBERS = {place: number for number, place in enumerate(_PLACES)}
_READ_BYTES = 1 << 20
_LINKS = next(at for at, field in enumerate(fields(PageRead)) if field.name == "links")


REFRESH = 0  # the number with which all processes are asked to forget their troubles

Packed = tuple[Any, ...]


def _pack(value: Job | Report | PageRead) -> Packed:
    return tuple(getattr(value, field.name) for field in fields(value))


def pack_job(job: Job) -> Packed:
    """Its fields: plain tuples pickle several times as fast as dataclasses."""
    url, purpose, *rest = _pack(job)
    return url, purpose.value, *rest


def unpack_job(packed: Packed) -> Job:
    url, purpose, *rest = packed
    return Job(url, Purpose(purpose), *rest)


def pack_report(report: Report) -> Packed:
    """Its fields, and those of the page and of its links."""
    result, *rest = _pack(report)
    if not isinstance(result, PageRead):
        return result, *rest
    packed = [*_pack(result)]
    packed[_LINKS] = [
        (
            x.url,
            x.text,
            x.context,
            _PLACE_NUMBERS[x.place],
            x.line,
            x.dom_path,
            x.confidence,
        )
        for x in result.links
    ]
    return tuple(packed), *rest


def unpack_report(packed: Packed) -> Report:
    result, *rest = packed
    if isinstance(result, tuple):
        read = list(result)
        read[_LINKS] = tuple(
            Link(url, text, context, _PLACES[place], False, line, way, confidence)
            for url, text, context, place, line, way, confidence in read[_LINKS]
        )
        result = PageRead(*read)
    return Report(result, *rest)


class WorkerChannel:
    """The crawl's end of the line to one process."""

    def __init__(
        self,
        sock: socket.socket,
        on_report: Callable[[int, Report], None],
        on_turn: Callable[[TurnMessage], None],
        on_end: Callable[[], None],
    ) -> None:
        self._sock = sock
        self._on_report = on_report
        self._on_turn = on_turn
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._incoming = Incoming()
        self._outgoing = bytearray()
        self._is_flushing = False
        self._heard_at = time.monotonic()
        self._closed = False
        sock.setblocking(False)
        self._loop.add_reader(sock.fileno(), self._read)

    @property
    def silent_s(self) -> float:
        return time.monotonic() - self._heard_at

    def send(self, number: int, job: Job | None, address: str | None = None) -> None:
        """A job to examine; without one, the job of this number is no longer wanted.

        With an address, known or empty, the turn at the host of the job comes along.
        """
        self.send_message((number, pack_job(job) if job else None, address))

    def send_message(self, message: object) -> None:
        self.send_raw(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    def send_raw(self, payload: bytes) -> None:
        if self._closed:
            return
        self._outgoing += _LENGTH.pack(len(payload)) + payload
        if not self._is_flushing:
            self._is_flushing = True
            self._loop.call_soon(self._flush)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._loop.remove_reader(self._sock.fileno())
            self._loop.remove_writer(self._sock.fileno())
            self._sock.close()

    def _flush(self) -> None:
        if self._closed:
            return
        try:
            sent = self._sock.send(self._outgoing)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._is_flushing = False
            return  # the reader learns of it too
        del self._outgoing[:sent]
        if self._outgoing:
            self._loop.add_writer(self._sock.fileno(), self._flush)
        else:
            self._loop.remove_writer(self._sock.fileno())
            self._is_flushing = False

    def _read(self) -> None:
        try:
            data = self._sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            self._on_end()
            return
        self._heard_at = time.monotonic()
        for payload in self._incoming.feed(data):
            message = pickle.loads(payload)  # noqa: S301 - from a process of our own
            if isinstance(message, TurnMessage):
                self._on_turn(message)
                continue
            number, report = message
            if report is not None:
                self._on_report(number, unpack_report(report))


class Incoming:
    """Bytes as they come, cut into payloads."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        self._buffer += data
        found, at = [], 0
        while len(self._buffer) - at >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, at)
            end = at + _LENGTH.size + length
            if len(self._buffer) < end:
                break
            with memoryview(self._buffer) as view:
                found.append(bytes(view[at + _LENGTH.size : end]))
            at = end
        del self._buffer[:at]
        return found


def framed(message: object) -> tuple[bytes, bytes]:
    """Its length, and itself."""
    payload = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(payload)), payload
