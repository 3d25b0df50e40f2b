"""When a task whose process has died may be tried again, and when it is given up: it may be what kills them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from geohound.contracts import TaskStore
from geohound.model.work.event import Numbered, StateChanged
from geohound.model.work.task import TaskId, TaskState

QUICK_S = 120.0  # a run that ends sooner with its process is under suspicion
MAX_QUICK_CRASHES = 5  # in a row
MAX_CRASHES = 20  # in a row, however long the runs were
FIRST_PAUSE_S = 5.0  # before the third try; twice as long before each further one
LONGEST_PAUSE_S = 300.0
_PAGE = 1000


class Crashes(NamedTuple):
    """Runs in a row that nobody ended: their process died."""

    all: int = 0
    quick: int = 0

    def plus(self, seconds: float) -> Crashes:
        return Crashes(self.all + 1, self.quick + 1 if seconds < QUICK_S else 0)

    @property
    def are_too_many(self) -> bool:
        return self.quick >= MAX_QUICK_CRASHES or self.all >= MAX_CRASHES

    @property
    def pause_s(self) -> float:
        """None after the first: most processes that die were killed by a person or a power cut."""
        return (
            min(FIRST_PAUSE_S * 2.0 ** (self.quick - 2), LONGEST_PAUSE_S)
            if self.quick > 1
            else 0.0
        )


def count_crashes(events: Iterable[Numbered]) -> Crashes:
    """Of a task that nobody runs, though its last event of state says that it runs; oldest event first."""
    crashes, began, last = Crashes(), None, None
    for _, at, event in events:
        if isinstance(event, StateChanged):
            if event.state is not TaskState.RUNNING:
                crashes, began = Crashes(), None
            else:
                crashes = _counted(crashes, began, last)
                began = at
        last = at
    return _counted(crashes, began, last)


def _counted(
    crashes: Crashes, began: datetime | None, last: datetime | None
) -> Crashes:
    """With the run that began then, and of which nothing was heard after `last`."""
    return crashes.plus((last - began).total_seconds()) if began and last else crashes


def all_events(tasks: TaskStore, task: TaskId) -> Iterable[Numbered]:
    after = 0
    while page := tasks.events(task, after, _PAGE).events:
        yield from page
        after = page[-1].n
