"""One libcurl easy handle, reused from request to request: its settings, its bounds, what it has received."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import time
from asyncio import Future
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO
from typing import Any

import pycurl

from geohound.contracts import Follows
from geohound.model.failure import FailureReason
from geohound.model.secrets import Secrets
from geohound.model.visit import Validators
from geohound.urls import with_params

from .address_guard import Guard
from .byte_budget import AS_TEXT, ByteBudget, ByteHold, MemoryAccount
from .connect_to import Route
from .headers import one_line
from .limits import Limits
from .stall_check import Flow, Stop
from .tls import STRICT, Leniency

_KEEP = None  # what a callback returns to go on
_ABORT = 0  # fewer bytes than offered: libcurl stops with E_WRITE_ERROR
# What this libcurl can unpack, piece by piece; other codings are not asked for, and refused if they come.
_CODINGS = (
    "gzip, deflate"
    + ", br" * ("brotli/" in pycurl.version)
    + ", zstd" * ("zstd/" in pycurl.version)
)
_MAX_REDIRECT_BODY_BYTES = 64 * 1024
_MAX_PIECES = 502_000  # half a second's work, if they are crumbs
_REDIRECT_CODES = ([b"301"], [b"302"], [b"303"], [b"307"], [b"308"])


@dataclass(slots=True)
class FetchState:
    """One fetch under way, over all its redirects, and how it is asked for at the moment."""

    url: str
    accept: str
    max_bytes: int
    obey_robots: bool = True
    follows: Follows | None = None
    known: Validators | None = None
    secrets: Secrets | None = None
    # on the wire; waiting in line and for robots.txt is not the server's doing
    spent_s: float = 0.0
    chain: tuple[str, ...] = ()
    crowded: str = ""  # the address at which a host was found while it was not its turn
    account: MemoryAccount | None = None  # that holds what comes of it
    route: Route | None = None
    decode: bool = True
    tls: Leniency = STRICT
    # first byte and size of the part of a file that is wanted; None: all of it
    span: tuple[int, int] | None = None

    @property
    def validators(self) -> Validators | None:
        """They belong to the address asked for, not to those that it redirects to."""
        return None if self.chain else self.known

    @property
    def keys(self) -> Secrets:
        """They are for the address asked for, and for nobody to whom it redirects."""
        return _NO_SECRETS if self.chain or self.secrets is None else self.secrets

    @property
    def settings(self) -> tuple[Any, ...]:
        """What stays with a handle until it changes."""
        return (
            self.accept,
            self.route,
            self.decode,
            self.tls,
            self.validators,
            self.keys,
            self.span,
        )


_NO_SECRETS = Secrets()
_NOTHING = FetchState("", "", 0)


def _never(_: str) -> bool:
    return False


class Transfer:
    """Callbacks are bound once; `begin` clears the state for the next request."""

    def __init__(self, guard: Guard, limits: Limits, budget: ByteBudget) -> None:
        self.curl = pycurl.Curl()
        self.done: Future[tuple[int, str]] | None = None
        self._guard = guard
        self._limits = limits
        self._budget = budget
        self._settings: tuple[Any, ...] = ()
        # one list for ever: libcurl holds its `append`
        self.header_lines: list[bytes] = []
        self.clear()

    def clear(
        self, fetch: FetchState = _NOTHING, may_ask: Callable[[str], bool] = _never
    ) -> None:
        """Forget the last request, and all that came of it."""
        self.account = fetch.account  # None: it is nobody's, and never waits
        self.weight = ByteHold(fetch.account or self._budget.nobodys())
        self._has_route = fetch.route is not None
        self._paused_at: float | None = None
        self.paused_s = 0.0
        self._may_ask = may_ask  # the host at this address
        self.crowded = ""  # the address whose turn it is not
        self.sockets = 0
        self.header_lines.clear()
        self._body = BytesIO()  # hands its bytes over without a second copy
        self._pieces = 0
        self.body_bytes = 0
        self.truncated = False
        self.stop: Stop | None = None
        self.refused = ""  # what the guard said when it refused an address
        self.started_at = 0.0
        self.deadline = 0.0
        self._flow: Flow | None = None
        self._max_bytes = fetch.max_bytes
        self.in_body = False

    def configure(self, user_agent: str, ca_file: str) -> None:
        """The settings that hold for every request of this handle."""
        curl = self.curl
        for option, value in _FIXED_OPTIONS:
            curl.setopt(option, value)
        curl.setopt(
            pycurl.CONNECTTIMEOUT_MS, max(1, int(self._limits.connect_s * 1000))
        )
        curl.setopt(pycurl.USERAGENT, user_agent)
        if ca_file := ca_file or find_ca_file():
            curl.setopt(pycurl.CAINFO, ca_file)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)
        curl.setopt(pycurl.HEADERFUNCTION, self.header_lines.append)
        curl.setopt(pycurl.WRITEFUNCTION, self._take_body)

    def begin(
        self,
        fetch: FetchState,
        url: str,
        now: float,
        deadline: float,
        may_ask: Callable[[str], bool],
    ) -> None:
        """Make the handle ready for this step of a fetch."""
        self.clear(fetch, may_ask)
        self._run(+1, now)
        self.started_at = now
        self.deadline = deadline
        curl = self.curl
        curl.setopt(
            pycurl.URL,
            with_params(url, dict(fetch.keys.params)) if fetch.keys.params else url,
        )
        settings = fetch.settings
        if settings == self._settings:
            return
        self._settings = settings
        curl.setopt(pycurl.HTTPHEADER, _request_headers(fetch))
        if fetch.route:
            curl.setopt(pycurl.CONNECT_TO, [f"::{fetch.route.host}:{fetch.route.port}"])
        else:
            # setting an empty list would leave the last route in place
            curl.unsetopt(pycurl.CONNECT_TO)
        curl.setopt(pycurl.ENCODING, _CODINGS if fetch.decode else "identity")
        curl.setopt(pycurl.HTTP_CONTENT_DECODING, int(fetch.decode))
        self._secure(fetch.tls)

    def _secure(self, leniency: Leniency) -> None:
        """libcurl never goes on with a connection that was made with other settings than these."""
        curl = self.curl
        curl.setopt(pycurl.SSL_VERIFYPEER, int(not leniency.unverified))
        curl.setopt(pycurl.SSL_VERIFYHOST, 0 if leniency.unverified else 2)
        if leniency.legacy:
            curl.setopt(pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_0)
            curl.setopt(pycurl.SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=0")
        else:
            curl.setopt(pycurl.SSLVERSION, pycurl.SSLVERSION_DEFAULT)
            curl.unsetopt(pycurl.SSL_CIPHER_LIST)

    def overdue(self, now: float) -> Stop | None:
        """The bound in time or wire bytes that this transfer has broken, if any; asked a few times a second."""
        limits = self._limits
        if self._paused_at is not None:
            return None
        if now >= self.deadline:
            return Stop(
                FailureReason.TOTAL_TIMEOUT, f"not done in {limits.total_s:g} s"
            )
        counted = int(self.curl.getinfo(pycurl.SIZE_DOWNLOAD_T)) + self.header_bytes
        flow = self._flow
        if flow is None:
            flow = self._flow = Flow(self.started_at)
        received = flow.received(counted, int(self.curl.getinfo(pycurl.LASTSOCKET)))
        if not self.header_lines:
            if now - self.started_at >= limits.first_byte_s:
                return Stop(
                    FailureReason.FIRST_BYTE_TIMEOUT,
                    f"no header in {limits.first_byte_s:g} s",
                )
            return flow.objection(now, received, limits, may_be_silent=True)
        # interim answers and trailers may go on for ever
        if objection := self.objection_to_headers():
            return objection
        if received > limits.max_wire_bytes:
            return Stop(
                FailureReason.TOO_LARGE,
                f"more than {limits.max_wire_bytes} bytes on the wire",
            )
        if self._budget.is_wanted and self._budget.is_much(self.weight.size):
            limits = replace(limits, stall_bytes_per_s=limits.crowded_bytes_per_s)
        return flow.objection(now, received, limits)

    def pause(self, now: float) -> None:
        """Receive no more until it is this account's turn; what is in the kernel's buffers stays there."""
        if (
            self.account is None
            or self._paused_at is not None
            or self._budget.may_go_on(self.account)
        ):
            return
        try:
            self.curl.pause(pycurl.PAUSE_RECV)
        except (
            pycurl.error
        ):  # there is no connection yet; whoever called will call again
            return
        self._run(-1, now)
        self._paused_at = now
        self._budget.line_up(self, self.account, self._go_on)

    def _go_on(self) -> None:
        self._end_pause(time.monotonic())
        self.curl.pause(pycurl.PAUSE_CONT)

    def _end_pause(self, now: float) -> None:
        """The pause was ours: no bound in time counts it."""
        if self._paused_at is None:
            return
        pause_s = now - self._paused_at
        self._paused_at = None
        self.paused_s += pause_s
        self.started_at += pause_s
        self.deadline += pause_s
        if self._flow is not None:
            self._flow.shift(pause_s)
        self._run(+1, now)

    def end(self, now: float) -> None:
        """It is over, however it went."""
        self._budget.leave(self)
        self._end_pause(now)
        self._run(-1, now)

    def _run(self, count: int, now: float) -> None:
        if self.account is not None:
            self._budget.run(count, now)

    def objection_to_headers(self) -> Stop | None:
        """libcurl stops at 300 kB of headers by itself, which bounds memory; our own bound is lower."""
        limits = self._limits
        if len(self.header_lines) > limits.max_headers:
            return Stop(
                FailureReason.TOO_LARGE, f"more than {limits.max_headers} headers"
            )
        if self.header_bytes > limits.max_header_bytes:
            return Stop(
                FailureReason.TOO_LARGE, f"headers over {limits.max_header_bytes} bytes"
            )
        return None

    @property
    def header_bytes(self) -> int:
        return sum(map(len, self.header_lines))

    def take(self) -> bytes:
        return self._body.getvalue()

    def close(self) -> None:
        self.curl.close()

    def _open_socket(self, _purpose: int, address: Any) -> socket.socket | int:
        """The one place where connections begin: what is refused here is never contacted.

        Names may answer differently each time they are asked (rebinding), so this looks at the very address
        that libcurl is about to connect to.
        """
        family, kind, protocol, place = address
        if family not in (socket.AF_INET, socket.AF_INET6):
            objection: str | None = "address family"
        else:
            objection = self._guard.objection_to_address(_text(place[0]), place[1])
        if objection:
            self.refused = objection
            # libcurl tries the next address of the name, if there is one
            return int(pycurl.SOCKET_BAD)
        if not self._has_route and not self._is_due(_text(place[0])):
            return int(pycurl.SOCKET_BAD)
        self.sockets += 1
        try:
            return socket.socket(family, kind, protocol)
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self.stop = Stop(FailureReason.BUG, "too many open files")
            return int(pycurl.SOCKET_BAD)

    def _is_due(self, address: str) -> bool:
        """Is it this address's turn? It is not known before here where a name that was never asked lives.

        Once one socket was granted, libcurl may try the other addresses of the name: only one of them is asked.
        """
        if self.sockets or self._may_ask(address):
            return True
        self.crowded = self.crowded or address
        return False

    @property
    def kept_back(self) -> bool:
        """Was nothing sent because of an address that is refused or not due?"""
        return (
            bool(self.refused or self.crowded)
            and not self.sockets
            and not self.header_lines
        )

    def _begin_body(self) -> bool:
        """The headers are complete: are they within bounds?"""
        self.in_body = True
        self.stop = self.objection_to_headers()
        first = self.header_lines[0]
        if b" 30" in first and first.split(None, 2)[1:2] in _REDIRECT_CODES:
            self._max_bytes = min(self._max_bytes, _MAX_REDIRECT_BODY_BYTES)
        return self.stop is None

    def _take_body(self, chunk: bytes) -> int | None:
        if not self.in_body and not self._begin_body():
            return _ABORT
        room = self._max_bytes - self.body_bytes
        if len(chunk) > room:
            chunk = chunk[:room]
            self.truncated = True
        self._body.write(chunk)
        self.body_bytes += len(chunk)
        self.weight.add(AS_TEXT * len(chunk))
        self._pieces += 1
        if self._pieces > _MAX_PIECES:
            self.truncated = True
        return _ABORT if self.truncated else _KEEP


_FIXED_OPTIONS: tuple[tuple[int, int | str], ...] = (
    (pycurl.NOSIGNAL, 1),
    (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
    (pycurl.FOLLOWLOCATION, 0),  # each redirect is ours to check
    (pycurl.PROXY, ""),  # not even from the environment
    (pycurl.NETRC, pycurl.NETRC_IGNORED),
    (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
    (pycurl.HTTP09_ALLOWED, 0),
    (pycurl.PATH_AS_IS, 1),  # the URL standard has already squashed the dots
    (pycurl.DNS_CACHE_TIMEOUT, 600),
    (pycurl.BUFFERSIZE, 64 * 1024),
)


def _request_headers(fetch: FetchState) -> list[str]:
    """All but those that libcurl writes by itself."""
    headers, known = ["Accept: " + fetch.accept], fetch.validators
    if fetch.span is not None:
        first, size = fetch.span
        headers.append(
            f"Range: bytes={first}-{first + size - 1}"
            if first >= 0
            else f"Range: bytes={first}"
        )
    if known is not None and known.etag:
        headers.append("If-None-Match: " + one_line(known.etag))
    if known is not None and known.last_modified:
        headers.append("If-Modified-Since: " + one_line(known.last_modified))
    return [
        *headers,
        *(f"{name}: {one_line(value)}" for name, value in fetch.keys.headers),
    ]


def _text(host: str | bytes) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes) else host


@lru_cache(maxsize=1)
def find_ca_file() -> str:
    """The machine's own list of authorities; pycurl's wheels bring none. Empty if none is found."""
    places = (
        os.environ.get("SSL_CERT_FILE", ""),
        ssl.get_default_verify_paths().cafile or "",
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/cert.pem",
    )
    return next((place for place in places if place and os.access(place, os.R_OK)), "")
