"""Turns at hosts for the processes that read pages: asked of the process that crawls, over the line between them.

A job brings the turn at its own host along where the frontier has taken it, so that a page of one request costs no
message. What else a job asks for (scripts, robots.txt, redirects) waits for its turn like everybody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from geohound.politeness import LocalTurns, VisitFacts
from geohound.politeness.hosts import UNKNOWN


class TurnAsked(NamedTuple):
    """A process waits for a host; with an address, for that address of a host it has."""

    number: int
    host: str
    address: str
    crawl_delay_s: float | None
    patience_s: float


class TurnAnswered(NamedTuple):
    """It has it, at this address if it is known; or how long it would take."""

    number: int
    host: str
    address: str
    wait_s: float


class TurnEnded(NamedTuple):
    """The request is over; without facts, nothing was sent."""

    host: str
    seen: VisitFacts | None


class TurnLeft(NamedTuple):
    """Nobody waits for this any longer, nor wants it if it has been granted meanwhile."""

    number: int
    host: str


TurnMessage = TurnAsked | TurnEnded | TurnLeft


class RemoteTurns:
    """The turns of a process that reads pages."""

    def __init__(
        self,
        send: Callable[[TurnMessage], None],
        send_soon: Callable[[TurnMessage], None],
    ) -> None:
        self._send = send
        self._send_soon = send_soon
        # hosts whose turn came with a job and was not used, with their addresses
        self._brought: dict[str, str] = {}
        self._held: dict[str, str] = {}
        self._waiting: dict[int, asyncio.Future[TurnAnswered]] = {}
        self._next = 1

    def bring(self, host: str, address: str) -> None:
        """A job comes with the turn at its host."""
        self._brought[host] = address

    def give_back(self, host: str) -> None:
        """The job is over: what it did not use is for others."""
        if self._brought.pop(host, None) is not None:
            self._send_soon(TurnEnded(host, None))

    async def turn(
        self, host: str, crawl_delay_s: float | None, patience_s: float
    ) -> float:
        if host in self._brought:
            self._held[host] = self._brought.pop(host)
            return 0.0
        answer = await self._ask(host, "", crawl_delay_s, patience_s)
        if answer.wait_s == 0:
            self._held[host] = answer.address
        return answer.wait_s

    def claim(self, host: str, address: str) -> bool:
        return self._held.get(host) == address

    async def move(self, host: str, address: str, patience_s: float) -> float:
        answer = await self._ask(host, address, None, patience_s)
        if answer.wait_s == 0:
            self._held[host] = address
        return answer.wait_s

    def done(self, host: str, seen: VisitFacts | None) -> None:
        self._held.pop(host, None)
        self._send_soon(TurnEnded(host, seen))

    def receive(self, answer: TurnAnswered) -> None:
        waiting = self._waiting.pop(answer.number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def _ask(
        self, host: str, address: str, crawl_delay_s: float | None, patience_s: float
    ) -> TurnAnswered:
        number, self._next = self._next, self._next + 1
        answer: asyncio.Future[TurnAnswered] = (
            asyncio.get_running_loop().create_future()
        )
        self._waiting[number] = answer
        self._send(TurnAsked(number, host, address, crawl_delay_s, patience_s))
        try:
            return await answer
        except asyncio.CancelledError:
            self._waiting.pop(number, None)
            self._send(TurnLeft(number, host))
            raise


class TurnDesk:
    """The crawl's end: takes turns for one process that reads pages, and gives them back if it ends."""

    def __init__(self, turns: LocalTurns, send: Callable[[TurnAnswered], None]) -> None:
        self._turns = turns
        self._send = send
        # hosts, and with which question they were granted; 0 with a job
        self._held: dict[str, int] = {}
        self._asking: dict[int, asyncio.Task[None]] = {}

    def bring(self, host: str) -> str | None:
        """The address of a host whose turn the frontier has taken for a job: it goes along. None if it has not."""
        address = self._turns.take_over(host)
        if address is not None:
            self._held[host] = 0
        return address

    def receive(self, message: TurnMessage) -> None:
        match message:
            case TurnAsked():
                self._asking[message.number] = asyncio.create_task(
                    self._answer(message)
                )
            case TurnEnded(host, seen):
                self._end(host, seen)
            case TurnLeft(number, host):
                if number in self._asking:
                    self._asking[number].cancel()
                elif self._held.get(host) == number:
                    self._end(host, None)

    def _end(self, host: str, seen: VisitFacts | None) -> None:
        if self._held.pop(host, None) is not None:
            self._turns.done(host, seen)

    async def _answer(self, asked: TurnAsked) -> None:
        try:
            if asked.address:
                wait_s = await self._turns.move(
                    asked.host, asked.address, asked.patience_s
                )
            else:
                wait_s = await self._turns.turn(
                    asked.host, asked.crawl_delay_s, asked.patience_s
                )
        finally:
            del self._asking[asked.number]
        if wait_s == 0 and not asked.address:
            self._held[asked.host] = asked.number
        self._send(
            TurnAnswered(
                asked.number, asked.host, self._turns.address_of(asked.host), wait_s
            )
        )

    def close(self) -> None:
        """The process is gone: of what it had under way nobody learns how it ended."""
        for task in self._asking.values():
            task.cancel()
        for host in list(self._held):
            self._end(host, UNKNOWN)
