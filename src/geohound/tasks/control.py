"""What anybody may say of a task, wherever it runs: go on, pause, stop, be forgotten."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from geohound.contracts import TaskStore
from geohound.model.task import Task, TaskId, TaskState, Wanted

from .claiming import is_run
from .holder import is_gone


class TaskError(Exception):
    """What was asked of a task cannot be done; the message is for people."""


class NoSuchTaskError(TaskError):
    """There is no task of this number."""


def find(tasks: TaskStore, task: TaskId) -> Task:
    found = tasks.get(task)
    if found is None:
        raise NoSuchTaskError(f"There is no task {task} in this catalogue.")
    return found


def want(tasks: TaskStore, task: TaskId, wanted: Wanted) -> Task:
    """Say what is wanted of a task; whoever runs it obeys within seconds."""
    found = _freed(tasks, task)
    if found.state is TaskState.DONE:
        raise TaskError(f"Task {task} is finished already.")
    return tasks.want(task, wanted) or found


def delete(tasks: TaskStore, task: TaskId) -> None:
    """Forget a task with its log and events; the services that it found stay."""
    _freed(tasks, task)
    if not tasks.delete(task):
        raise TaskError(f"Task {task} is running: stop it first.")


def _freed(tasks: TaskStore, task: TaskId) -> Task:
    """The task, without the claim of a process that is gone."""
    found = find(tasks, task)
    if found.claim is not None and is_gone(found.claim.holder):
        tasks.expire(found.claim)
    return found


def state_of(task: Task, now: datetime) -> TaskState:
    """Where it stands: a task whose process is gone does not run, whatever its row says."""
    if task.state is TaskState.RUNNING and not is_run(task, now):
        return TaskState.STOPPED
    return task.state


def task_record(task: Task, now: datetime) -> dict[str, Any]:
    """What the world may know of a task: what it is for and how far it is, not how it was set."""
    state = state_of(task, now)
    return {
        "id": task.id,
        "kind": str(task.spec.kind),
        "state": str(state),
        "wanted": str(task.wanted),
        "ending": "killed" if state is not task.state else task.ending and str(task.ending),
        "created_at": task.created_at,
        "finished_at": None if task.state is TaskState.RUNNING else task.finished_at,
        "seeds": list(task.spec.goal.seeds),
        "counters": dict(task.counters),
    }
