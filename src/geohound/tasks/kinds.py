"""Which builder builds a task."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from geohound.model.work.task import Claim, Task, TaskKind

from .event_feed import EventFeed
from .runner import Build, Work


def builder_of(crawl: Build, monitor: Build) -> Build:
    """Builds crawls, hunts and harvests by the one, monitors by the other."""

    def build(
        task: Task, claim: Claim, feed: EventFeed
    ) -> AbstractAsyncContextManager[Work]:
        chosen = monitor if task.spec.kind is TaskKind.MONITOR else crawl
        return chosen(task, claim, feed)

    return build
