"""The real time, behind the contract that tests replace."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock: aware UTC for records, monotonic seconds for measuring."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    monotonic = staticmethod(time.monotonic)

    async def sleep(self, seconds: float) -> None:
        import asyncio  # noqa: PLC0415 - who only looks at the time does without it

        await asyncio.sleep(seconds)


CLOCK = SystemClock()  # that all parts of a process share
