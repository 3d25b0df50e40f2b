"""Services that arrive together are written together: many callers wait for one commit, and the event loop for none."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from .database import StoreError

T = TypeVar("T")
R = TypeVar("R")
_MOST = 500  # in one transaction


class Intake(Generic[T, R]):
    """Writes at once what has come while the transaction before was written; one at a time, in order."""

    def __init__(self, write: Callable[[Sequence[T]], Sequence[R]]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._waiting: list[tuple[T, Future[R]]] = []
        self._thread: ThreadPoolExecutor | None = None

    async def keep(self, item: T) -> R:
        """What writing the item told; it is on disk when this has been awaited."""
        written: Future[R] = Future()
        with self._lock:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="catalogue-writer")
            self._waiting.append((item, written))
            self._thread.submit(self._drain)
        # Shielded: what a worker that is stopped has proved is written all the same.
        return await asyncio.shield(asyncio.wrap_future(written))

    def close(self) -> None:
        """Return when all that came is on disk."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.shutdown(wait=True)

    def _drain(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
        if batch and not self._write_together(batch):
            for each in batch:
                self._write_alone(*each)

    def _write_together(self, batch: Sequence[tuple[T, Future[R]]]) -> bool:
        """False where something in the batch cannot be written: whose fault it is must be found out one by one."""
        try:
            told = self._write([item for item, _ in batch])
        except StoreError as error:
            for _, written in batch:
                written.set_exception(error)
            return True
        except Exception:
            return False
        for (_, written), answer in zip(batch, told, strict=True):
            written.set_result(answer)
        return True

    def _write_alone(self, item: T, written: Future[Any]) -> None:
        try:
            written.set_result(self._write([item])[0])
        except Exception as error:
            written.set_exception(error)
