"""What has been written when it is asked for."""

from __future__ import annotations

import asyncio


def done() -> asyncio.Future[None]:
    """For who awaits it and for who does not."""
    future = asyncio.get_running_loop().create_future()
    future.set_result(None)
    return future
