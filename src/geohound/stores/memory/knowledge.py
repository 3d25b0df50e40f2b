"""What search agents have learned, in memory."""

from __future__ import annotations

import asyncio

from .completed import done


class MemoryKnowledge:
    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}

    def keep(self, name: str, body: bytes) -> asyncio.Future[None]:
        self._bodies[name] = body
        return done()

    def find(self, name: str) -> bytes:
        return self._bodies.get(name, b"")
