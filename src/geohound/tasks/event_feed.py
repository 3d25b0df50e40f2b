"""Collects the events of a run between two heartbeats, and drops some before they are numbered and stored."""

from __future__ import annotations

from collections.abc import Callable

from geohound.model.crawl.event import Event, Progressed, VisitEnded, Waiting

Listener = Callable[[Event], None]
MAX_VISITS = 5  # visits stored between two heartbeats; nobody could read more
PROGRESS_EVERY_S = 2.0


class EventFeed:
    """Gathers what happens between two heartbeats. A listener in this process hears of everything, and at once."""

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener
        self._pending: list[Event] = []
        self._visits = 0
        self._waiting = ""
        self._progress_at = float("-inf")

    def add(self, event: Event) -> None:
        """Something happened."""
        if self._listener is not None:
            self._listener(event)
        if isinstance(event, VisitEnded):
            self._visits += 1
            if self._visits > MAX_VISITS:
                return
        self.keep(event)

    def keep(self, event: Event) -> None:
        """The same for the store alone: the listener hears of it in another way, or has gone."""
        self._pending.append(event)

    def note(self, progress: Progressed, now_s: float) -> None:
        """How it stands: the listener hears of it each time, it is kept now and then; a reason to wait is kept once."""
        if self._listener is not None:
            self._listener(progress)
        if now_s - self._progress_at >= PROGRESS_EVERY_S:
            self._progress_at = now_s
            self.keep(progress)
        if progress.waiting and progress.waiting != self._waiting:
            self.add(Waiting(progress.waiting, progress.waiting_hosts))
        self._waiting = progress.waiting

    def take(self) -> list[Event]:
        """What is to be stored; asked once a heartbeat."""
        taken, self._pending = self._pending, []
        self._visits = 0
        return taken
