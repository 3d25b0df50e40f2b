"""Tasks for programs: how they stand, what happens to them, and, where that is allowed, start, pause, resume, stop."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from geohound.accounts.networks import network_of
from geohound.model.crawl.event import Numbered, event_record
from geohound.model.crawl.task import Task, TaskId, Wanted
from geohound.portal.access import may_see, visitor_of
from geohound.portal.json_responses import answer
from geohound.portal.openapi import ApiOperation, Parameter, parameters
from geohound.portal.portal import Portal, portal_of, tasks_of
from geohound.portal.query_params import from_api
from geohound.portal.records import TaskRecord, TasksRecord, named
from geohound.portal.task_changes import NO_TASK, forget, start_task, want
from geohound.portal.task_events import TooManyFollowersError, has_ended
from geohound.portal.write_access import check_no_form, read_body, read_json
from geohound.tasks.control import NoSuchTaskError
from geohound.views.encoding import encode
from geohound.views.known import Timestamp
from geohound.views.parsing import read
from geohound.views.records import Count

from .request import Choices, read_request, request_schema
from .resumption import Resumption, read_resumption

EVENT_STREAM = "text/event-stream"
MAX_WAIT_S = 60
MAX_NUMBER = 999_999_999
SEND_S = 30.0  # longest wait for one who follows and does not read
_NUMBER = re.compile(r"[0-9]{1,9}")
_NOT_KEPT = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Accept"}
_RETRY_MS = 2_000


class EventParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which events, and how long to wait for them."""

    after: Annotated[
        int, Meta(ge=0, le=MAX_NUMBER, description="only events after this number")
    ] = 0
    wait: Annotated[
        int,
        Meta(
            ge=0, le=MAX_WAIT_S, description="seconds to wait where there is none yet"
        ),
    ] = 0


class EventRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to a task. Numbers rise by one; beyond 10,000 events of a task the oldest go."""

    n: Count
    at: Timestamp
    type: Literal[
        "state", "service", "progress", "visit", "waiting", "warning", "query", "check"
    ]


class EventsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Some events of a task, in order."""

    events: list[EventRecord]
    first: Annotated[
        int, Meta(ge=0, description="the number of the oldest event that is kept")
    ]


class DeletedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that is no more."""

    id: Count
    state: Literal["deleted"] = "deleted"


class TasksParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which page of the tasks; new ones do not move the pages after a cursor."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="how many at most")] = 100
    cursor: Annotated[
        str,
        Meta(pattern="^t[0-9]{1,9}$", description="the value of `next` in a response"),
    ] = ""

    @property
    def before(self) -> int:
        """A cursor names the last task of the page before."""
        return int(self.cursor[1:]) if self.cursor else MAX_NUMBER + 1


def tasks(request: Request) -> Response:
    """GET /tasks"""
    asked = read(TasksParams, from_api(request.query_params))
    visitor, samples = visitor_of(request), portal_of(request).samples()
    is_seen = lambda task: may_see(visitor, task, samples)  # noqa: E731
    found, total = tasks_of(request).control.page(
        asked.before, asked.limit + 1, is_seen
    )
    shown = found[: asked.limit]
    onward = f"t{shown[-1]['id']}" if len(found) > len(shown) else None
    return answer(request, {"tasks": shown, "total": total, "next": onward})


def task(request: Request) -> Response:
    """GET /tasks/{id}"""
    control = tasks_of(request).control
    return answer(request, control.record(find_task(request)))


async def start(request: Request) -> Response:
    """POST /tasks: queue a crawl, a hunt, a harvest or a monitor"""
    spec = read_request(await read_json(request), choices_of(portal_of(request)))
    made = await run_in_threadpool(start_task, request, spec)
    headers = {**_NOT_KEPT, "Location": f"/api/v1/tasks/{made.id}"}
    return _plain(tasks_of(request).control.record(made), 201, headers)


async def resume(request: Request) -> Response:
    """POST /tasks/{id}/resume: with a body, its limit of pages is another from now on"""
    check_no_form(request)
    asked = read_resumption(await read_body(request))
    found = await run_in_threadpool(find_task, request)
    return _plain(
        await run_in_threadpool(want, request, found.id, Wanted.RUN, asked.max_pages)
    )


def _changing(wanted: Wanted) -> Callable[[Request], Response]:
    def change(request: Request) -> Response:
        check_no_form(request)
        return _plain(want(request, find_task(request).id, wanted))

    return change


def delete(request: Request) -> Response:
    """DELETE /tasks/{id}"""
    check_no_form(request)
    return _plain(forget(request, find_task(request).id))


def find_task(request: Request) -> Task:
    """The task that the address names, or 404."""
    text = request.path_params["id"]
    try:
        return tasks_of(request).control.find(
            int(text) if _NUMBER.fullmatch(text) else 0
        )
    except NoSuchTaskError:
        raise HTTPException(404, NO_TASK) from None


async def events(request: Request) -> Response:
    """GET /tasks/{id}/events: at once or when there are some, or all of them as they come"""
    params = read(EventParams, from_api(request.query_params))
    found = await run_in_threadpool(find_task, request)
    try:
        if (
            EVENT_STREAM in request.headers.get("accept", "")
            and request.method == "GET"
        ):
            return await _stream(request, found.id, _last_seen(request, params.after))
        return await _events(
            request,
            found.id,
            params.after,
            0 if request.method == "HEAD" else params.wait,
        )
    except TooManyFollowersError:
        message = (
            "Too many clients follow tasks; try again in a minute, or without waiting."
        )
        raise HTTPException(503, message, {"Retry-After": "60"}) from None


async def _events(request: Request, task: TaskId, after: int, wait_s: int) -> Response:
    page = await tasks_of(request).events.wait(task, after, wait_s, _follower(request))
    records = [event_record(numbered) for numbered in page.events]
    return _plain({"events": records, "first": page.first})


async def _stream(request: Request, task: TaskId, after: int) -> Response:
    """Server-sent events; 204 makes a browser stop reconnecting: nothing more will come."""
    following = tasks_of(request).events
    page = await following.wait(task, after, 0)
    if not page.events and await run_in_threadpool(
        has_ended, tasks_of(request).control, task
    ):
        return Response(None, 204, _NOT_KEPT)
    place = following.place(_follower(request))
    return EventStream(_lines(following.follow(task, after)), place.leave)


def _follower(request: Request) -> str:
    """Who takes a place: an account, or all without one from a network."""
    visitor = visitor_of(request)
    return visitor.name or network_of(visitor.address)


def _last_seen(request: Request, after: int) -> int:
    """A browser that comes again says which event it had last."""
    stated = request.headers.get("last-event-id", "").strip()
    return int(stated) if _NUMBER.fullmatch(stated) else after


async def _lines(
    batches: AsyncGenerator[Sequence[Numbered], None],
) -> AsyncGenerator[bytes, None]:
    try:
        yield b"retry: %d\n\n" % _RETRY_MS
        async for events in batches:
            yield (
                b"".join(_line(numbered) for numbered in events) or b": nothing new\n\n"
            )
    finally:
        await batches.aclose()


def _line(numbered: Numbered) -> bytes:
    """Numbered, so that a browser can say which was its last; JSON has no line breaks."""
    return b"id: %d\ndata: %b\n\n" % (numbered.n, encode(event_record(numbered)))


class EventStream(StreamingResponse):
    """Sends events until there are no more, the reader goes away, or does not read; then leaves its place."""

    def __init__(
        self, lines: AsyncGenerator[bytes, None], leave: Callable[[], None]
    ) -> None:
        super().__init__(lines, headers=_NOT_KEPT, media_type=EVENT_STREAM)
        self._lines = lines
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(SEND_S):
                await send(message)

        try:
            await super().__call__(scope, receive, send_in_time)
        finally:
            self._leave()
            await self._lines.aclose()


def _plain(
    record: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] = _NOT_KEPT
) -> Response:
    """An answer that no page of another site may read, and that nobody keeps."""
    return Response(encode(record), status, dict(headers), "application/json")


def choices_of(portal: Portal) -> Choices:
    orders = portal.tasks.orders if portal.tasks else ()
    searchers = portal.tasks.searchers if portal.tasks else ()
    return Choices(
        portal.kinds, orders, {topic.id: topic for topic in portal.topics}, searchers
    )


def schemas(portal: Portal) -> dict[str, Any]:
    """What is sent and answered here, for the OpenAPI document."""
    answers = (EventsRecord, DeletedTask, Resumption)
    _, components = msgspec.json.schema_components(
        answers, ref_template="#/components/schemas/{name}"
    )
    return {**components, "TaskRequest": request_schema(choices_of(portal))}


TASK_ID = Parameter(
    "id", {"type": "integer", "minimum": 1}, "the number of a crawl", "path"
)
_REFUSED = (401, 403, 415)
_CHANGES = (
    ("pause", "Pause a crawl", Wanted.PAUSE),
    ("stop", "Stop a crawl", Wanted.STOP),
)
OPERATIONS = (
    ApiOperation("/tasks", "tasks", "The crawls", tasks, named(TasksRecord), parameters(TasksParams), tag="crawls"),
    ApiOperation(
        "/tasks", "startTask", "Start a crawl, a harvest or a monitor", start, named(TaskRecord), tag="crawls",
        method="POST", body="TaskRequest", status=201, refusals=(*_REFUSED, 409, 413),
    ),
    ApiOperation("/tasks/{id}", "task", "One crawl", task, named(TaskRecord), (TASK_ID,), tag="crawls"),
    ApiOperation(
        "/tasks/{id}", "deleteTask", "Delete a crawl; the services that it found stay", delete, named(DeletedTask),
        (TASK_ID,), tag="crawls", method="DELETE", refusals=(*_REFUSED, 409),
    ),
    ApiOperation(
        "/tasks/{id}/events", "taskEvents", "Events of a crawl; a live stream with Accept: text/event-stream",
        events, named(EventsRecord), (TASK_ID, *parameters(EventParams)), ("application/json", EVENT_STREAM),
        tag="crawls", refusals=(503,),
    ),
    ApiOperation(
        "/tasks/{id}/resume", "resumeTask", "Resume a crawl, with a larger limit of pages where that was reached", resume,
        named(TaskRecord), (TASK_ID,), tag="crawls", method="POST", body="Resumption", is_body_required=False,
        refusals=(*_REFUSED, 409, 413),
    ),
    *(
        ApiOperation(
            f"/tasks/{{id}}/{name}", f"{name}Task", title, _changing(wanted), named(TaskRecord), (TASK_ID,),
            tag="crawls", method="POST", refusals=(*_REFUSED, 409),
        )
        for name, title, wanted in _CHANGES
    ),
)  # fmt: skip
