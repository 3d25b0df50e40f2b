"""One guarded POST: for webhooks. No redirects, little time, and nothing of the answer but its status."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from typing import Any, Final

import pycurl

from .address_guard import Guard, parse_target
from .connect_to import Route, route_for

TIMEOUT_S: Final = 15
_MOST_BYTES: Final = 65_536  # of the answer


class Poster:
    """Sends bytes to addresses that the guard allows."""

    def __init__(
        self, guard: Guard, user_agent: str, routes: tuple[Route, ...] = ()
    ) -> None:
        self._guard = guard
        self._user_agent = user_agent
        self._routes = routes

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> str:
        """Why it was not taken, in a sentence; empty where it was (any status from 200 to 299)."""
        target = parse_target(url)
        if isinstance(target, str):
            return target
        route = route_for(target.hostname, self._routes)
        objection = (
            None
            if route
            else self._guard.objection_to_host(target.hostname, target.port)
        )
        if objection:
            return f"refused by the guard: {objection}"
        return await asyncio.to_thread(self._send, target.url, body, headers, route)

    def _send(
        self, url: str, body: bytes, headers: Mapping[str, str], route: Route | None
    ) -> str:
        curl, refused, size = pycurl.Curl(), [""], [0]

        def open_socket(_purpose: int, address: Any) -> Any:
            family, kind, protocol, place = address
            refused[0] = (
                ""
                if route
                else (self._guard.objection_to_address(_text(place[0]), place[1]) or "")
            )
            return (
                socket.socket(family, kind, protocol)
                if not refused[0]
                else pycurl.SOCKET_BAD
            )

        def take(part: bytes) -> int:
            size[0] += len(part)
            return len(part) if size[0] <= _MOST_BYTES else 0

        try:
            curl.setopt(pycurl.URL, url)
            curl.setopt(pycurl.POSTFIELDS, body)
            curl.setopt(
                pycurl.HTTPHEADER,
                [f"{name}: {value}" for name, value in headers.items()],
            )
            curl.setopt(pycurl.USERAGENT, self._user_agent)
            curl.setopt(pycurl.TIMEOUT, TIMEOUT_S)
            curl.setopt(pycurl.NOSIGNAL, 1)
            curl.setopt(pycurl.PROXY, "")
            curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
            curl.setopt(pycurl.OPENSOCKETFUNCTION, open_socket)
            curl.setopt(pycurl.WRITEFUNCTION, take)
            if route is not None:
                curl.setopt(pycurl.CONNECT_TO, [f"::{route.host}:{route.port}"])
            curl.perform()
            status = int(curl.getinfo(pycurl.RESPONSE_CODE))
        except pycurl.error as error:
            return (
                f"refused by the guard: {refused[0]}"
                if refused[0]
                else str(error.args[-1])
            )
        finally:
            curl.close()
        return "" if 200 <= status < 300 else f"HTTP {status}"


def _text(value: str | bytes) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value
