"""Wiring of one identification that is watched: each request as it is made, then what lives at the address."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import Any

from geohound.model.visit import RequestRecord
from geohound.settings import Settings

from .network import fetcher
from .registries import kinds


async def examine(settings: Settings, url: str) -> AsyncGenerator[dict[str, Any]]:
    """The events of asking an address what it is, the result last; whoever stops listening ends it."""
    from geohound.probe import identify
    from geohound.views.records import identified

    made: asyncio.Queue[RequestRecord] = asyncio.Queue()
    asking = fetcher(settings, on_request=made.put_nowait)
    started = time.perf_counter()
    finding = asyncio.create_task(identify(url, asking, kinds()))
    try:
        while not (finding.done() and made.empty()):
            coming = asyncio.create_task(made.get())
            await asyncio.wait({coming, finding}, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                yield _request_event(coming.result())
            coming.cancel()
        elapsed_ms = (time.perf_counter() - started) * 1000
        yield {"event": "result", **identified(url, finding.result(), elapsed_ms)}
    finally:
        finding.cancel()
        await asyncio.gather(finding, return_exceptions=True)
        await asking.close()


def _request_event(made: RequestRecord) -> dict[str, Any]:
    return {"event": "request", "url": made.url, "status": made.status, "reason": str(made.reason or "")}
