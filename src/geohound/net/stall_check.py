"""How much a transfer brings over time: too little, drop by drop or not at all, ends it."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass

from geohound.model.failure import FailureReason

from .limits import Limits

_BYTES_RECEIVED_AT = 128  # in Linux's struct tcp_info
_DROPS = 3  # in one window: more than a server sends that stops to think


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a transfer was ended by us."""

    reason: FailureReason
    detail: str


class Flow:
    """One transfer, looked at now and then."""

    def __init__(self, began_at: float) -> None:
        self._window_at = began_at
        self._window_bytes = 0
        self._seen_bytes = 0
        self._drops = 0  # looks in this window that found more
        self._was_silent = False
        # what the kernel had counted for the connection before this request
        self._base: int | None = None

    def received(self, counted: int, fd: int) -> int:
        """Bytes received for this request, as far as anybody knows.

        libcurl counts no extensions of chunks and no unfinished line, which may go on for ever; the kernel counts all.
        """
        raw_bytes = received_bytes(fd)
        if self._base is None:
            self._base = raw_bytes - counted
        return max(counted, raw_bytes - self._base)

    def objection(
        self, now: float, received: int, limits: Limits, may_be_silent: bool = False
    ) -> Stop | None:
        """Too little over a window, which is short if it brought drop after drop, long if it brought silence."""
        # the answer has begun: its time begins too
        if self._was_silent and not may_be_silent:
            self._window_at, self._window_bytes, self._drops = now, received, 0
        self._was_silent = may_be_silent
        if received > self._seen_bytes:
            self._seen_bytes = received
            self._drops += 1
        window_s, gained = now - self._window_at, received - self._window_bytes
        if window_s < min(limits.drip_s, limits.stall_s):
            return None
        if gained >= limits.stall_bytes_per_s * window_s:
            self._window_at, self._window_bytes, self._drops = now, received, 0
        elif self._drops >= _DROPS or (
            window_s >= limits.stall_s and not may_be_silent
        ):
            return Stop(FailureReason.STALLED, f"{gained} bytes in {window_s:.1f} s")
        return None

    def shift(self, seconds: float) -> None:
        """So long we did not receive, whatever was sent."""
        self._window_at += seconds


def received_bytes(fd: int) -> int:
    """What the kernel has received on this socket; 0 where it does not say."""
    if fd < 0 or not hasattr(socket, "TCP_INFO"):
        return 0
    try:
        probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=fd)
    except OSError:
        return 0
    try:
        info = probe.getsockopt(
            socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES_RECEIVED_AT + 8
        )
    except OSError:
        return 0
    finally:
        probe.detach()  # the socket is libcurl's
    return int.from_bytes(info[_BYTES_RECEIVED_AT:], sys.byteorder)
