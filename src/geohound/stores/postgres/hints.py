"""LISTEN and NOTIFY: what one process wrote, others hear of sooner than they would ask. Nothing depends on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from typing import Any

import psycopg
from psycopg import sql

from geohound.contracts import StoreError
from geohound.stores.sql.database import ANYTHING, Heard

GAP_S = 0.2  # between two messages of a process
AGAIN_S = 5.0  # after the connection broke
LOOK_S = 1.0  # how soon a listener notices that it is closed
_END_S = 2.0


class HintSender:
    """Sends a moment after the commits, all that has come meanwhile at once.

    Transactions that notify are committed one after the other, each to disk (decision 52).
    """

    def __init__(self, send: Callable[[list[str]], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._waiting: set[str] = set()
        self._thread: threading.Thread | None = None
        self._has_work = threading.Event()
        self._closed = threading.Event()

    def add(self, topics: Iterable[str]) -> None:
        with self._lock:
            self._waiting.update(topics)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="store-hints", daemon=True
                )
                self._thread.start()
        self._has_work.set()

    def close(self) -> None:
        """What waits is sent first: after a short command nobody else would."""
        self._closed.set()
        self._has_work.set()
        if self._thread is not None:
            self._thread.join(_END_S)

    def _run(self) -> None:
        while not self._closed.is_set():
            self._has_work.wait()
            self._has_work.clear()
            self._send_waiting()
            self._closed.wait(GAP_S)
        self._send_waiting()

    def _send_waiting(self) -> None:
        with self._lock:
            topics, self._waiting = sorted(self._waiting), set()
        if topics:
            with suppress(StoreError, psycopg.Error):
                self._send(topics)


class HintListener:
    """Calls `heard` from a thread of its own; after its connection broke, anything may have happened."""

    def __init__(
        self, connect: Callable[[], psycopg.Connection[Any]], channel: str, heard: Heard
    ) -> None:
        self._connect = connect
        self._channel = sql.Identifier(channel)
        self._heard = heard
        self._closed = threading.Event()
        self._is_live = False
        threading.Thread(target=self._run, name="store-listener", daemon=True).start()

    def is_live(self) -> bool:
        """Would we hear what is written now?"""
        return self._is_live

    def close(self) -> None:
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            with (
                suppress(StoreError, psycopg.Error),
                closing(self._connect()) as connection,
            ):
                self._listen(connection)
            self._is_live = False
            self._closed.wait(AGAIN_S)

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        connection.execute(sql.SQL("LISTEN {}").format(self._channel))
        self._is_live = True
        self._heard({ANYTHING})
        while not self._closed.is_set():
            came = [*connection.notifies(timeout=LOOK_S, stop_after=1)]
            if came:
                came += connection.notifies(timeout=0)
                self._heard({each.payload for each in came})
