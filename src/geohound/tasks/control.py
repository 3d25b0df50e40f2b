"""Lists, pauses, resumes, stops and deletes tasks, wherever they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from geohound.contracts import TaskStore
from geohound.model.crawl.event import EventPage
from geohound.model.crawl.task import (
    UNFINISHED,
    Ending,
    Task,
    TaskId,
    TaskKind,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.model.user_error import MissingError, UserError
from geohound.settings import USUAL_PAGES
from geohound.tasks.claiming import is_gone

from .claiming import is_run

# the counters of a task as its records have them
Recounted = Callable[[Task], Mapping[str, Any]]


class TaskError(UserError):
    """Something that cannot be done with a task; the message is for people."""

    exit_code = 1


class NoSuchTaskError(TaskError, MissingError):
    """There is no task of this number."""


class TaskControl:
    """The tasks of a catalogue, for command line and portal."""

    def __init__(
        self,
        tasks: TaskStore,
        recounted: Recounted | None = None,
        usual_pages: int = USUAL_PAGES,
    ) -> None:
        """`usual_pages` is the limit of a task for which nobody has named one."""
        self._tasks = tasks
        self._recounted = recounted
        self._usual_pages = usual_pages

    def create(self, spec: TaskSpec) -> Task:
        """Queue a task: whoever serves the catalogue runs it."""
        return self._tasks.create(spec)

    def find(self, task: TaskId) -> Task:
        found = self._tasks.get(task)
        if found is None:
            raise NoSuchTaskError(f"There is no task {task} in this catalogue.")
        return found

    def of_kind(self, kind: TaskKind) -> list[Task]:
        """All tasks of this kind, the latest first."""
        return [task for task in self._tasks.list() if task.spec.kind is kind]

    def latest(self) -> Task | None:
        return next(iter(self._tasks.list()), None)

    def unfinished(self, task: TaskId | None = None) -> TaskId | None:
        """The task to resume: the given one if it is not done; if none is given, the latest unfinished one."""
        found = (
            self._tasks.get(task)
            if task
            else next(iter(self._tasks.list(UNFINISHED)), None)
        )
        return found.id if found and found.state is not TaskState.DONE else None

    def want(self, task: TaskId, wanted: Wanted, max_pages: int | None = None) -> Task:
        """Set the desired state of a task; its runner obeys within seconds. `max_pages` is its new limit of pages."""
        found = self._freed(task)
        if found.state is TaskState.DONE:
            raise TaskError(f"Task {task} is finished already.")
        if wanted is Wanted.PAUSE and found.state is TaskState.STOPPED:
            raise TaskError(f"Task {task} is stopped: nothing of it can be paused.")
        if wanted is Wanted.RUN:
            self.allow(task, max_pages)
        return self._tasks.want(task, wanted) or found

    def allow(self, task: TaskId, max_pages: int | None = None) -> None:
        """Limit the pages of a task anew, over all its runs; TaskError where none are left to try."""
        found = self._freed(task)
        if max_pages is not None and found.state is TaskState.RUNNING:
            raise TaskError(
                f"Task {task} is running: stop it before you change its limit of pages."
            )
        tried = found.counters.get("visits", 0)
        is_too_small = max_pages is not None and max_pages <= tried
        if is_too_small or (max_pages is None and self.has_spent_its_pages(found)):
            raise TaskError(
                f"Task {task} has tried {tried:,} pages and its limit is reached. To go on, give a larger limit as "
                f'max_pages, such as {{"max_pages": {2 * tried}}} or --max-pages {2 * tried}.'
            )
        if max_pages is not None:
            self._tasks.limit_pages(task, max_pages)

    def has_spent_its_pages(self, task: Task) -> bool:
        """Would a resumed run of it end at once? Where its last pages hang, there are some left."""
        limit = task.spec.budget.max_pages or self._usual_pages
        return (
            task.ending is Ending.PAGE_BUDGET
            and task.counters.get("visits", 0) >= limit
        )

    def delete(self, task: TaskId) -> None:
        """Forget a task with its log and events; the services that it found stay."""
        self._freed(task)
        if not self._tasks.delete(task):
            raise TaskError(f"Task {task} is running: stop it first.")

    def events(self, task: TaskId, after: int = 0, limit: int = 1000) -> EventPage:
        return self._tasks.events(task, after, limit)

    def tasks(self) -> list[Task]:
        """All tasks, the latest first."""
        return list(self._tasks.list())

    def records(self) -> list[dict[str, Any]]:
        """All tasks, the latest first."""
        return [self.record(task) for task in self._tasks.list()]

    def page(
        self,
        before: TaskId,
        limit: int,
        is_seen: Callable[[Task], bool] = lambda _: True,
    ) -> tuple[list[dict[str, Any]], int]:
        """The latest of the tasks that are seen with numbers below `before`, and how many are seen in all."""
        found = [task for task in self._tasks.list() if is_seen(task)]
        return [
            self.record(task) for task in [t for t in found if t.id < before][:limit]
        ], len(found)

    def record(self, task: Task) -> dict[str, Any]:
        """The public record of a task: what it is for and how far it is, without its settings."""
        state = state_of(task)
        was_killed = state is not task.state
        is_under_way = task.state in (TaskState.QUEUED, TaskState.RUNNING)
        ending = str(task.ending) if task.ending and not is_under_way else None
        counters = (
            self._recounted(task) if was_killed and self._recounted else task.counters
        )
        return {
            "id": task.id,
            "kind": str(task.spec.kind),
            "state": str(state),
            "wanted": str(task.wanted),
            "ending": "killed" if was_killed else ending,
            "created_at": task.created_at,
            "finished_at": None if is_under_way else task.finished_at,
            "seeds": list(task.spec.goal.seeds),
            "queries": list(task.spec.goal.queries),
            "owner": task.spec.owner,
            "counters": dict(counters),
        }

    def _freed(self, task: TaskId) -> Task:
        """The task, without the claim of a process that is gone."""
        found = self.find(task)
        if found.claim is not None and is_gone(found.claim.holder):
            self._tasks.expire(found.claim)
        return found


def state_of(task: Task) -> TaskState:
    """Where it stands: a task whose process is gone does not run, whatever its row says."""
    if task.state is TaskState.RUNNING and not is_run(task, datetime.now(UTC)):
        return TaskState.STOPPED
    return task.state
