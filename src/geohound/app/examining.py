"""Wiring of work that is watched, such as one identification: each request as it is made, then the result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from geohound.model.visit import RequestRecord
from geohound.settings import Settings

from .network import fetcher
from .registries import kinds

if TYPE_CHECKING:
    from geohound.contracts import Fetcher

Work = Callable[["Fetcher"], Awaitable[dict[str, Any]]]


async def examine(settings: Settings, url: str) -> AsyncGenerator[dict[str, Any]]:
    """The events of asking an address what it is, the result last; whoever stops listening ends it."""
    from geohound.probe import identify
    from geohound.views.records import identified

    async def work(asking: Fetcher) -> dict[str, Any]:
        started = time.perf_counter()
        verdict = await identify(url, asking, kinds())
        return identified(url, verdict, (time.perf_counter() - started) * 1000)

    async for event in watched(settings, work):
        yield event


async def watched(settings: Settings, work: Work) -> AsyncGenerator[dict[str, Any]]:
    """Each request of this work as it is made, then its result."""
    made: asyncio.Queue[RequestRecord] = asyncio.Queue()
    asking = fetcher(settings, on_request=made.put_nowait)
    working = asyncio.ensure_future(work(asking))
    try:
        while not (working.done() and made.empty()):
            coming = asyncio.create_task(made.get())
            await asyncio.wait({coming, working}, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                yield _request_event(coming.result())
            coming.cancel()
        yield {"event": "result", **working.result()}
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        await asking.close()


def _request_event(made: RequestRecord) -> dict[str, Any]:
    return {
        "event": "request",
        "url": made.url,
        "status": made.status,
        "reason": str(made.reason or ""),
    }
