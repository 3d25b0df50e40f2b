"""What visitors do to tasks, by page or by API: start, pause, resume, stop, delete; within the limits of a role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from geohound.model.crawl.task import (
    Task,
    TaskId,
    TaskKind,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.tasks.control import NoSuchTaskError, TaskError, state_of

from .access import Visitor, may_see, visitor_of
from .portal import portal_of, tasks_of

NO_TASK = "No task with this number in the catalogue."
_UNDER_WAY = (TaskState.QUEUED, TaskState.RUNNING)
_counting = Lock()  # so that two requests at the same time are not one too many


def seen_tasks(request: Request) -> list[Task]:
    """The tasks that this visitor may see, the latest first."""
    visitor, samples = visitor_of(request), portal_of(request).samples()
    return [
        task
        for task in tasks_of(request).control.tasks()
        if may_see(visitor, task, samples)
    ]


def chosen_task(request: Request, task: TaskId) -> TaskId:
    """The task that is named, or else the latest that this visitor may see; 0 where there is none."""
    if portal_of(request).tasks is None:
        return 0
    seen = [each.id for each in seen_tasks(request)]
    if task and task not in seen:
        raise HTTPException(404, f"There is no task {task} in this catalogue.")
    return task or next(iter(seen), 0)


def start_task(request: Request, spec: TaskSpec) -> Task:
    """Queue a task for this visitor; 409 where they have as many under way as they may."""
    visitor = visitor_of(request)
    with _counting:
        check_room(request, visitor)
        if spec.kind is TaskKind.MONITOR:
            check_monitor(request, visitor, spec)
        made = tasks_of(request).control.create(replace(spec, owner=visitor.name))
    note(request, "task started", f"task {made.id}")
    return made


def check_monitor(request: Request, visitor: Visitor, spec: TaskSpec) -> None:
    """A monitor asks every host of the catalogue: for administrators, and one without end is enough."""
    if not visitor.is_administrator:
        raise HTTPException(403, "Only an administrator may start a monitor.")
    under_way = [
        task
        for task in tasks_of(request).control.of_kind(TaskKind.MONITOR)
        if state_of(task) in _UNDER_WAY
    ]
    same = next((task for task in under_way if task.spec.watch == spec.watch), None)
    if same is not None:
        raise HTTPException(409, f"Task {same.id} is such a monitor and is under way.")


def check_room(request: Request, visitor: Visitor) -> None:
    """Users have a limited number of tasks under way, administrators have not (PolarHub, section 4.3.1)."""
    if visitor.is_administrator:
        return
    most = tasks_of(request).max_running
    mine = [
        task
        for task in tasks_of(request).control.tasks()
        if task.spec.owner == visitor.name
    ]
    under_way = [task for task in mine if state_of(task) in _UNDER_WAY]
    if len(under_way) >= most:
        raise HTTPException(
            409,
            f"You have {len(under_way)} tasks under way, and may have {most}: stop or pause one.",
        )


def want(
    request: Request, task: TaskId, wanted: Wanted, max_pages: int | None = None
) -> Mapping[str, Any]:
    """Say what is wanted of a task; its record, or 404 or 409 with a sentence."""
    control = tasks_of(request).control
    try:
        with _counting:
            if wanted is Wanted.RUN and state_of(control.find(task)) not in _UNDER_WAY:
                check_room(request, visitor_of(request))
            record = control.record(control.want(task, wanted, max_pages))
    except NoSuchTaskError:
        raise HTTPException(404, NO_TASK) from None
    except TaskError as error:
        raise HTTPException(409, str(error)) from None
    note(request, f"task: {wanted}", f"task {task}")
    return record


def forget(request: Request, task: TaskId) -> Mapping[str, Any]:
    """Delete a task; its services stay."""
    try:
        tasks_of(request).control.delete(task)
    except NoSuchTaskError:
        raise HTTPException(404, NO_TASK) from None
    except TaskError as error:
        raise HTTPException(409, str(error)) from None
    note(request, "task deleted", f"task {task}")
    return {"id": task, "state": "deleted"}


def note(request: Request, what: str, about: str) -> None:
    visitor = visitor_of(request)
    portal_of(request).note(visitor.name, what, about, visitor.address)
