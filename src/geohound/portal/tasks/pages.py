"""Pages for people about tasks: all of them, one of them live, and, where that is allowed, a form that starts one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from geohound.model.crawl.event import WAITING_TEXTS, ServiceFound
from geohound.model.crawl.task import Task, TaskKind, TaskState, Wanted
from geohound.model.failure import FailureReason
from geohound.portal.access import may_use, visitor_of
from geohound.portal.access.forms import field_of, read_form
from geohound.portal.access.rights import Right, may_change
from geohound.portal.languages import ENGLISH, language_of
from geohound.portal.pages import render
from geohound.portal.pages.parts import Paging
from geohound.portal.portal import portal_of, tasks_of
from geohound.portal.task_changes import forget, seen_tasks, start_task, want
from geohound.tasks.reasons import TEXTS as WHY_TEXTS
from geohound.views.parsing import ParameterError

from .live import SHOWN_SERVICES, live_context
from .request import WAYS, form_of, from_form, task_spec
from .resumption import typed_limit
from .routes import choices_of, find_task

MAX_EVENTS_READ = 10_000  # as many as a store keeps
SHOWN_TASKS = 100
MAX_TYPED_CHARS = 100_000
_NUMBER = re.compile(r"[0-9]{1,6}")
_FIELDS = (
    "how", "keywords", "seeds", "harvest", "depth", "width", "max_pages", "minutes", "queries", "bbox", "topic", "order",
    "thrift",
)  # fmt: skip
_COPIED = (TaskKind.CRAWL, TaskKind.HARVEST, TaskKind.HUNT)
_WANTED = {"pause": Wanted.PAUSE, "resume": Wanted.RUN, "stop": Wanted.STOP}
# What a state means for whoever waits for services.
NOW_TEXTS = {
    "queued": "begins as soon as a runner is free",
    "pausing": "requests that are under way end first",
    "stopping": "requests that are under way end first",
    "paused": "the queue is kept; Resume goes on where it was",
    "stopped": "what was found stays; Resume goes on where it was",
}
SPENT_TEXT = "the limit of pages is reached; with a larger one it goes on"
# With `no-referrer`, which other pages have, browsers would not say that a form comes from here.
_HEADERS = {"Referrer-Policy": "same-origin", "Cache-Control": "no-store"}


def tasks_page(request: Request) -> Response:
    """GET /tasks"""
    return _tasks_page(request)


async def start(request: Request) -> Response:
    """POST /tasks: the form"""
    typed = await read_form(request)
    try:
        spec = task_spec(from_form(typed), choices_of(portal_of(request)))
    except ParameterError as trouble:
        return await run_in_threadpool(_tasks_page, request, typed, trouble)
    made = await run_in_threadpool(start_task, request, spec)
    return RedirectResponse(f"/tasks/{made.id}", 303)


def task_page(request: Request) -> Response:
    """GET /tasks/{id}"""
    portal, task, visitor = portal_of(request), find_task(request), visitor_of(request)
    record = tasks_of(request).control.record(task)
    events = tasks_of(request).control.events(task.id, 0, MAX_EVENTS_READ).events
    live = live_context(record, events, portal.catalogue)
    larger_limit = _larger_limit(request, task)
    services, paging = _services_page(request, live["found"])
    context = {
        **live,
        **_live_texts(request, live["waiting"], is_spent=larger_limit > 0),
        "services": services,
        "paging": paging,
        "task": _row(record) | {"larger_limit": larger_limit},
        "goal": task.spec.goal,
        "budget": task.spec.budget,
        "may_write": portal.may_write and may_change(visitor, task),
        "may_start": portal.may_write
        and may_use(visitor, Right.START_TASK)
        and task.spec.kind in _COPIED,
        "is_sample": task.id in portal.samples(),
        "has_accounts": portal.accounts is not None,
        "kind_labels": {kind: portal.kind_label(kind) for kind in portal.kinds},
        "is_live": task.state not in (TaskState.DONE, TaskState.STOPPED),
        "attribution": portal.about.attribution,
    }
    return _with_headers(render(request, "task.html", context))


def _services_page(
    request: Request, found: Sequence[ServiceFound]
) -> tuple[Sequence[ServiceFound], Paging]:
    """Some of the services that were met, the latest first, from the place that the address names."""
    asked = request.query_params.get("from", "")
    first = min(int(asked), len(found)) if _NUMBER.fullmatch(asked) else 0
    shown = found[first : first + SHOWN_SERVICES]
    here, last = request.url.path, first + len(shown)
    before = (
        f"{here}?from={max(0, first - SHOWN_SERVICES)}#services-title" if first else ""
    )
    after = f"{here}?from={last}#services-title" if last < len(found) else ""
    return shown, Paging(first + 1, last, len(found), before, after)


def _live_texts(request: Request, waiting: str, *, is_spent: bool) -> dict[str, Any]:
    """What the script of the page writes later, in the visitor's language."""
    spoken = language_of(request)
    reasons = FailureReason if spoken.id != ENGLISH else ()
    return {
        "waiting": spoken.text(waiting),
        "now_texts": {name: spoken.text(text) for name, text in NOW_TEXTS.items()}
        | ({"stopped": spoken.text(SPENT_TEXT)} if is_spent else {}),
        "waiting_texts": {
            name: spoken.text(text) for name, text in WAITING_TEXTS.items()
        },
        "why_texts": {text: spoken.text(text) for text in WHY_TEXTS},
        "reason_texts": {str(reason): spoken.text(reason) for reason in reasons},
    }


def delete_page(request: Request) -> Response:
    """GET /tasks/{id}/delete: the question before it"""
    record = tasks_of(request).control.record(find_task(request))
    return _with_headers(render(request, "delete_task.html", {"task": _row(record)}))


async def change(request: Request) -> Response:
    """POST /tasks/{id}/{action}: the buttons"""
    limit = typed_limit(field_of(await read_form(request), "max_pages"))
    action = request.path_params["action"]
    task = await run_in_threadpool(find_task, request)
    if action == "delete":
        await run_in_threadpool(forget, request, task.id)
        return RedirectResponse("/tasks", 303)
    if action not in _WANTED:
        raise HTTPException(404, "Page not found.")
    await run_in_threadpool(want, request, task.id, _WANTED[action], limit)
    return RedirectResponse(f"/tasks/{task.id}", 303)


async def mark_sample(request: Request) -> Response:
    """POST /tasks/{id}/sample: what guests may see"""
    is_sample = field_of(await read_form(request), "sample") == "yes"
    accounts, visitor = portal_of(request).accounts, visitor_of(request)
    task = await run_in_threadpool(find_task, request)
    if accounts is not None:
        arguments = partial(
            accounts.mark_sample,
            task.id,
            is_sample,
            by=visitor.name,
            address=visitor.address,
        )
        await run_in_threadpool(arguments)
    return RedirectResponse(f"/tasks/{task.id}", 303)


def routes() -> list[Route]:
    return [
        Route("/tasks", tasks_page),
        Route("/tasks", start, methods=["POST"]),
        Route("/tasks/{id}", task_page),
        Route("/tasks/{id}/delete", delete_page),
        Route("/tasks/{id}/sample", mark_sample, methods=["POST"]),
        Route("/tasks/{id}/{action}", change, methods=["POST"]),
    ]


def _tasks_page(
    request: Request,
    typed: Mapping[str, Sequence[str]] | None = None,
    trouble: ParameterError | None = None,
) -> Response:
    portal, tasks = portal_of(request), tasks_of(request)
    filled = typed if typed is not None else {**_copied(request), **_named(request)}
    words = {
        name: (filled.get(name) or ("",))[-1][:MAX_TYPED_CHARS] for name in _FIELDS
    }
    context = {
        "tasks": [_listed(request, task) for task in seen_tasks(request)[:SHOWN_TASKS]],
        "has_cluster": may_use(visitor_of(request), Right.SEE_CLUSTER)
        and bool(portal.cluster()["nodes"]),
        "may_write": portal.may_write
        and may_use(visitor_of(request), Right.START_TASK),
        "orders": sorted(tasks.orders),
        "searchers": [name.partition("=")[0] for name in tasks.searchers],
        "usual": tasks.usual,
        "typed": words,
        "how": _way(words, bool(tasks.searchers)),
        "chosen_kinds": filled.get("kinds", ()),
        "trouble": trouble,
        "has_accounts": portal.accounts is not None and not visitor_of(request).is_open,
    }
    return _with_headers(
        render(request, "tasks.html", context, 400 if trouble else 200)
    )


def _way(typed: Mapping[str, str], has_searchers: bool) -> str:
    """Which of the three ways to begin the form shows."""
    if typed["how"] in WAYS:
        return typed["how"]
    begun = next((way for way in WAYS if typed[way]), "")
    return begun or ("keywords" if has_searchers else "seeds")


def _named(request: Request) -> dict[str, Sequence[str]]:
    """What the address of the form already says, as in /tasks?seeds=http://example.org/."""
    asked = request.query_params
    return {name: asked.getlist(name) for name in _FIELDS if name in asked}


def _copied(request: Request) -> dict[str, Sequence[str]]:
    """The form of a task that is to be started once more, perhaps with changes."""
    number = request.query_params.get("copy", "")
    if not number.isascii() or not number.isdigit():
        return {}
    task = next((each for each in seen_tasks(request) if str(each.id) == number), None)
    return form_of(task.spec) if task else {}


def _listed(request: Request, task: Task) -> dict[str, Any]:
    row = _row(tasks_of(request).control.record(task))
    row["is_sample"] = task.id in portal_of(request).samples()
    return {
        **row,
        "larger_limit": _larger_limit(request, task),
        "may_change": portal_of(request).may_write
        and may_change(visitor_of(request), task),
    }


def _larger_limit(request: Request, task: Task) -> int:
    """What its limit of pages may be raised to; 0 where pages are left to try."""
    control = tasks_of(request).control
    return 2 * task.counters["visits"] if control.has_spent_its_pages(task) else 0


def _row(record: Mapping[str, Any]) -> dict[str, Any]:
    """A task with the state that it is changing to."""
    is_asked = record["state"] == TaskState.RUNNING and record["wanted"] != Wanted.RUN
    coming = {Wanted.PAUSE: "pausing", Wanted.STOP: "stopping"}
    return {**record, "coming": coming[Wanted(record["wanted"])] if is_asked else ""}


def _with_headers(response: Response) -> Response:
    response.headers.update(_HEADERS)
    return response
