"""What has been written when it is asked for."""

from __future__ import annotations

import asyncio
from typing import TypeVar

T = TypeVar("T")


def done() -> asyncio.Future[None]:
    """For who awaits it and for who does not."""
    return done_with(None)


def done_with(value: T) -> asyncio.Future[T]:
    future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    future.set_result(value)
    return future
