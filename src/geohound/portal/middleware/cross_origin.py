"""Which other sites' pages may read the API: none, unless the owner of the portal names them."""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ANY = "*"
_ALLOWED = "Access-Control-Allow-Origin"


class CrossOrigin:
    """Answers that other sites may read say so to those alone that are configured."""

    def __init__(self, app: ASGIApp, origins: Collection[str]) -> None:
        self._app = app
        self._origins = {origin.lower().rstrip("/") for origin in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_checked(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._check(
                    MutableHeaders(scope=message),
                    Headers(scope=scope).get("origin", ""),
                )
            await send(message)

        is_checked = scope["type"] == "http" and ANY not in self._origins
        await self._app(scope, receive, send_checked if is_checked else send)

    def _check(self, headers: MutableHeaders, origin: str) -> None:
        if _ALLOWED not in headers:
            return
        if self._origins:
            headers.add_vary_header("Origin")
        if origin.lower() in self._origins:
            headers[_ALLOWED] = origin
            return
        for name in [
            name for name in headers if name.lower().startswith("access-control-")
        ]:
            del headers[name]
