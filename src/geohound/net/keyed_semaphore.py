"""At most so many at once under one key; the others wait in line, first come first served."""

from __future__ import annotations

import asyncio
from collections import deque


class KeyedSemaphore:
    """A semaphore per key that costs nothing for keys not in use."""

    def __init__(self, per_key: int) -> None:
        self._per_key = max(1, per_key)
        self._taken: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    def take(self, key: str) -> bool:
        """Have a slot at once, or not at all."""
        taken = self._taken.get(key, 0)
        if taken >= self._per_key:
            return False
        self._taken[key] = taken + 1
        return True

    async def acquire(self, key: str) -> None:
        if self.take(key):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # the slot was handed over in the same moment: pass it on
                self.release(key)
            raise

    def release(self, key: str) -> None:
        """Hand the slot to the next in line, or give it up."""
        line = self._waiting.get(key)
        while line:
            turn = line.popleft()
            if not line:
                del self._waiting[key]
            if not turn.done():
                turn.set_result(None)
                return
        if self._taken[key] == 1:
            del self._taken[key]
        else:
            self._taken[key] -= 1
