"""Work that somebody watches in the portal: each request as it is made, then the result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

import msgspec

from geohound.contracts import CatalogueStore, Fetcher, Kind
from geohound.model.service import Service
from geohound.model.visit import RequestRecord
from geohound.probe import identify
from geohound.settings import Settings
from geohound.views.records import identified

from .checking import check_known

Events = AsyncGenerator[dict[str, Any]]
MakeFetcher = Callable[[Callable[[RequestRecord], None]], Fetcher]
Work = Callable[[Fetcher], Awaitable[dict[str, Any]]]


def examine(make_fetcher: MakeFetcher, kinds: Mapping[str, Kind], url: str) -> Events:
    """Identify what is at an address."""

    async def work(fetcher: Fetcher) -> dict[str, Any]:
        started = time.perf_counter()
        verdict = await identify(url, fetcher, kinds)
        return identified(url, verdict, (time.perf_counter() - started) * 1000)

    return observed(make_fetcher, work)


def check(
    make_fetcher: MakeFetcher,
    kinds: Mapping[str, Kind],
    settings: Settings,
    catalogue: CatalogueStore,
    service: Service,
) -> Events:
    """Check a service now, some of its layers too."""

    async def work(fetcher: Fetcher) -> dict[str, Any]:
        record = await check_known(
            settings, kinds, catalogue, fetcher, service, settings.monitor_layers
        )
        described: dict[str, Any] = msgspec.to_builtins(record)
        return described

    return observed(make_fetcher, work)


async def observed(make_fetcher: MakeFetcher, work: Work) -> Events:
    """Each request of this work as it is made, then its result; whoever stops listening ends the work."""
    made: asyncio.Queue[RequestRecord] = asyncio.Queue()
    fetcher = make_fetcher(made.put_nowait)
    working = asyncio.ensure_future(work(fetcher))
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
        await fetcher.close()


def _request_event(made: RequestRecord) -> dict[str, Any]:
    return {
        "event": "request",
        "url": made.url,
        "status": made.status,
        "reason": str(made.reason or ""),
    }
