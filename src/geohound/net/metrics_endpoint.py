"""A page of numbers for Prometheus, offered on loopback while a crawl runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PATIENCE_S = 5.0
_MAX_REQUEST_BYTES = 16_384


async def offer(
    report: Callable[[], bytes], port: int, host: str = "127.0.0.1"
) -> asyncio.Server:
    """Answer every GET with what `report` returns at that moment; OSError where the port is taken."""

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _PATIENCE_S)
            method, path = head.split(None, 2)[:2]
            if method == b"GET" and path.partition(b"?")[0] in (b"/", b"/metrics"):
                status, body = "200 OK", report()
            else:
                status, body = "404 Not Found", b"The numbers are at /metrics.\n"
            lines = (
                f"HTTP/1.1 {status}", f"Content-Type: {CONTENT_TYPE}", f"Content-Length: {len(body)}",
                "Connection: close",
            )  # fmt: skip
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            await asyncio.wait_for(writer.drain(), _PATIENCE_S)
        except (
            TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            ValueError,
            OSError,
        ):
            pass  # not a question that anybody waits for
        finally:
            writer.close()

    return await asyncio.start_server(answer, host, port, limit=_MAX_REQUEST_BYTES)
