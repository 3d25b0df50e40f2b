"""What search agents have learned, in memory."""

from __future__ import annotations

import asyncio

from .completed import done, done_with


class MemoryKnowledge:
    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}

    def keep(self, name: str, body: bytes) -> asyncio.Future[None]:
        self._bodies[name] = body
        return done()

    def replace(self, name: str, was: bytes, body: bytes) -> asyncio.Future[bool]:
        is_same = self.find(name) == was
        if is_same:
            self._bodies[name] = body
        return done_with(is_same)

    def find(self, name: str) -> bytes:
        return self._bodies.get(name, b"")
