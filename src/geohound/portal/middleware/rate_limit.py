"""How much one visitor may ask of API and pages: so many requests a minute, then a pause that the answer names."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from geohound.accounts.networks import network_of
from geohound.portal.json_responses import problem

_MAX_CLIENTS = 20_000


class RateLimit:
    """A bucket of requests for each address, refilled steadily; whole IPv6 networks count as one visitor."""

    def __init__(
        self,
        app: ASGIApp,
        per_minute: int,
        exempt: tuple[str, ...] = ("/static/", "/healthz"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._per_minute = per_minute
        self._exempt = exempt
        self._clock = clock
        # address: requests left, at that time
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait_s = 0.0
        if (
            self._per_minute
            and scope["type"] == "http"
            and not scope["path"].startswith(self._exempt)
        ):
            wait_s = self._take(_visitor(scope))
        if not wait_s:
            await self._app(scope, receive, send)
            return
        seconds = math.ceil(wait_s)
        sentence = f"Rate limit of {self._per_minute} requests per minute exceeded; try again in {seconds} s."
        is_page = not scope["path"].startswith(("/api/", "/opensearch.json"))
        response = (
            PlainTextResponse(f"{sentence}\n", 429)
            if is_page
            else problem(429, sentence)
        )
        response.headers["Retry-After"] = str(seconds)
        await response(scope, receive, send)

    def _take(self, visitor: str) -> float:
        """Take one request from the visitor's bucket; how long to wait where it is empty."""
        now = self._clock()
        left, at = self._buckets.pop(visitor, (float(self._per_minute), now))
        left = min(float(self._per_minute), left + (now - at) * self._per_minute / 60)
        wait_s = 0.0 if left >= 1 else (1 - left) * 60 / self._per_minute
        self._buckets[visitor] = (left - 1 if left >= 1 else left, now)
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return wait_s


def _visitor(scope: Scope) -> str:
    return network_of(str(scope["client"][0])) if scope.get("client") else ""
