"""Answers only under the names that the portal is known by: a name of somebody else's that leads here is a trick.

A page of another site may point its own name at this machine (DNS rebinding) and would then count as one of ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from geohound.portal.json_responses import problem

ANY = "*"
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:/@\s]+?)\.?(?::[0-9]{0,5})?")


class HostCheck:
    """421 for every request whose Host is neither configured, nor loopback, nor the address it has arrived at."""

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = {name.lower().rstrip(".") for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_ours(scope):
            await self._app(scope, receive, send)
            return
        sentence = "No portal answers under this name. Whoever runs this one may add the name to the setting web_names."
        await problem(421, sentence)(scope, receive, send)

    def _is_ours(self, scope: Scope) -> bool:
        if ANY in self._names:
            return True
        stated = Headers(scope=scope).getlist("host")
        if len(stated) != 1:
            return False
        name = host_name(stated[0])
        return (
            name in self._names
            or is_loopback(name)
            or name == (scope.get("server") or ("",))[0]
        )


def host_name(host: str) -> str:
    """The name of a Host header, without its port, in small letters; empty where it is none."""
    match = _HOST.fullmatch(host.strip())
    return match[1].strip("[]").lower() if match else ""


def is_loopback(name: str) -> bool:
    """Does this name or number mean the machine itself?"""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
