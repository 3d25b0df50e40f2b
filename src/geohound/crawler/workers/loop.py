"""The other end of the line: examines what the crawl sends, until the line is cut."""

from __future__ import annotations

import asyncio
import mmap
import pickle
import socket
from collections.abc import Awaitable, Callable

from geohound import urls
from geohound.contracts import Examiner
from geohound.model.crawl.job import Job
from geohound.politeness import Turns

from .channel import MARK, REFRESH, Incoming, Packed, framed, pack_report, unpack_job
from .turns import RemoteTurns, TurnAnswered

BEAT_S = 1.0
SOON_S = 0.02
LARGE_BYTES = 1 << 20
Reading = Callable[[Job | None], None]
Build = Callable[[bytes, Reading, Turns], Awaitable[Examiner]]


async def serve(line: socket.socket, shared_fd: int, build: Build) -> None:
    """Examine until the crawl at the other end hangs up, be it on purpose or because it was killed."""
    reader, writer = await asyncio.open_connection(sock=line, limit=1 << 24)
    await _Server(writer, shared_fd).run(reader, build)
    writer.close()


async def _read(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(1 << 20)
    except ConnectionError:  # the crawl was killed with something on the line
        return b""


class _Server:
    def __init__(self, writer: asyncio.StreamWriter, shared_fd: int) -> None:
        self._writer = writer
        self._shared = mmap.mmap(shared_fd, MARK.size)
        self._numbers: dict[int, int] = {}  # of the jobs under way, by identity
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._turns = RemoteTurns(self._send, self._send_soon)
        self._unsent = bytearray()
        self._is_due: asyncio.TimerHandle | None = None

    async def run(self, reader: asyncio.StreamReader, build: Build) -> None:
        incoming = Incoming()
        examiner: Examiner | None = None
        beating = asyncio.create_task(self._beat())
        while data := await _read(reader):
            for payload in incoming.feed(data):
                if examiner is None:
                    examiner = await build(payload, self._mark, self._turns)
                else:
                    message = pickle.loads(payload)  # noqa: S301 - from the crawl
                    if isinstance(message, TurnAnswered):
                        self._turns.receive(message)
                    else:
                        await self._take(message, examiner)
        beating.cancel()
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        if examiner is not None:
            await examiner.close()

    async def _take(
        self, message: tuple[int, Packed | None, str | None], examiner: Examiner
    ) -> None:
        number, packed, address = message
        if packed is None:
            if number == REFRESH:
                await examiner.refresh()
            elif number in self._tasks:
                self._tasks[number].cancel()
            return
        job = unpack_job(packed)
        if address is not None:
            self._turns.bring(urls.host(job.url), address)
        self._tasks[number] = asyncio.create_task(self._examine(number, job, examiner))

    async def _examine(self, number: int, job: Job, examiner: Examiner) -> None:
        self._numbers[id(job)] = number
        try:
            report = await examiner.examine(job)
        finally:
            self._numbers.pop(id(job), None)
            self._tasks.pop(number, None)
            self._mark(None)
            self._turns.give_back(urls.host(job.url))
        self._send((number, pack_report(report)))

    def _send(self, message: object) -> None:
        """Now, with all that was to be sent soon; what is large is not copied."""
        length, payload = framed(message)
        self._unsent += length
        if len(payload) < LARGE_BYTES:
            self._unsent += payload
            payload = b""
        self._flush()
        if payload and not self._writer.is_closing():
            self._writer.write(payload)

    def _send_soon(self, message: object) -> None:
        """With the next message, which is hardly ever far: each one wakes the crawl."""
        self._unsent += b"".join(framed(message))
        if self._is_due is None:
            self._is_due = asyncio.get_running_loop().call_later(SOON_S, self._flush)

    def _flush(self) -> None:
        if self._is_due is not None:
            self._is_due.cancel()
            self._is_due = None
        if not self._writer.is_closing():  # the crawl may be gone
            self._writer.write(bytes(self._unsent))
        self._unsent.clear()

    def _mark(self, job: Job | None) -> None:
        """Leave word of what is being read, for the case that it ends this process."""
        number = self._numbers.get(id(job), 0) if job else 0
        self._shared[:] = MARK.pack(number)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            self._send((0, None))
