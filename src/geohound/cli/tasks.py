"""`geohound tasks`: the tasks of a catalogue: list, watch, start, pause, resume, stop, delete."""

from __future__ import annotations

import time
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geohound import app
from geohound.model.crawl.event import Numbered, StateChanged, event_record
from geohound.model.crawl.task import Task, TaskId, TaskKind, TaskState, Wanted
from geohound.model.user_error import MissingError
from geohound.tasks.control import TaskControl, state_of

from . import hints, options, printing
from .values import whole

if TYPE_CHECKING:
    from .live_display import LiveDisplay

POLL_S = 0.5
_ENDED = (TaskState.DONE, TaskState.STOPPED)


class Action(StrEnum):
    """What to do."""

    LIST = "list"
    WATCH = "watch"
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    DELETE = "delete"


_WANTED = {
    Action.START: Wanted.RUN,
    Action.RESUME: Wanted.RUN,
    Action.PAUSE: Wanted.PAUSE,
    Action.STOP: Wanted.STOP,
}


_OF_CRAWLS = (("pages", "page"), ("services", "service"))
_COUNTED = {TaskKind.MONITOR: (("checked", "check"), ("changed", "change"))}


def register(program: typer.Typer) -> None:
    program.command(
        epilog="Example: geohound tasks pause 7; geohound tasks watch 7 --json. `geohound serve` runs queued "
        "tasks; `geohound resume 7` runs a task in this terminal."
    )(tasks)


def tasks(
    action: Annotated[Action, typer.Argument(help="Action.")] = Action.LIST,
    task: Annotated[
        int | None,
        typer.Argument(
            parser=whole(1), help="Task number; for `watch` the latest by default."
        ),
    ] = None,
    max_pages: Annotated[
        int | None,
        typer.Option(
            parser=whole(1),
            metavar="N",
            show_default="that of the task",
            help="For `resume`: maximum number of pages to try, over all runs of the task.",
        ),
    ] = None,
    catalogue: options.CATALOGUE = None,
    config: options.CONFIG = None,
    json: options.JSON = False,
    quiet: options.QUIET = False,
    verbose: options.VERBOSE = False,
) -> None:
    """List the tasks of a catalogue, watch one live, start, pause, resume, stop or delete it."""
    settings = options.gather(config, catalogue=catalogue)
    with app.open_catalogue(settings) as opened:
        control = opened.tasks
        if action is Action.LIST:
            _list(control, json)
        elif action is Action.WATCH:
            from .live_display import LiveDisplay  # noqa: PLC0415 - loads what draws on terminals

            number = task if task is not None else _latest(control)
            _watch(control, number, json, LiveDisplay(json, quiet, verbose))
        else:
            _change(control, action, task, max_pages, json=json, quiet=quiet)


def _list(control: TaskControl, json: bool) -> None:
    found = control.records()
    with printing.to_a_reader():
        for record in found:
            if json:
                printing.line(record)
            else:
                printing.say(_row(record))
        if not found and not json:
            printing.say(_no_tasks())


def _row(record: dict[str, Any]) -> str:
    counters = record["counters"]
    ending = (
        f" ({record['ending']})"
        if record["ending"] and record["state"] != record["ending"]
        else ""
    )
    counted = _COUNTED.get(record["kind"], _OF_CRAWLS)
    counts = ", ".join(
        printing.count(counters.get(name, 0), word) for name, word in counted
    )
    # The first query is what somebody asked for; the others follow from it.
    asked = record["seeds"] or record["queries"][:1]
    more = f" and {len(asked) - 1} more" if len(asked) > 1 else ""
    began = record["created_at"].astimezone().strftime("%Y-%m-%d %H:%M")
    about = f"{''.join(asked[:1])}{more}"
    return f"{record['id']:>4}  {record['kind']:<8} {record['state'] + ending:<24}  {began}  {counts}  {about}"


def _no_tasks() -> str:
    return f"No tasks in this catalogue. Start one: {hints.command('crawl URL')}"


def _latest(control: TaskControl) -> TaskId:
    latest = control.latest()
    if latest is None:
        raise MissingError(_no_tasks())
    return latest.id


def _change(
    control: TaskControl,
    action: Action,
    number: int | None,
    max_pages: int | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    if number is None:
        raise typer.BadParameter(
            f"Give the task number: geohound tasks {action} N.", param_hint="TASK"
        )
    if action is Action.DELETE:
        control.delete(number)
        message = (
            f"Task {number} deleted. The services that it found stay in the catalogue."
        )
        record: dict[str, Any] = {"id": number, "state": "deleted"}
    else:
        changed = control.want(number, _WANTED[action], max_pages)
        message = _describe(changed, action)
        record = control.record(changed)
    if json:
        printing.line(record)
    elif not quiet:
        printing.say(message)


def _describe(task: Task, action: Action) -> str:
    state = state_of(task)
    if state is TaskState.RUNNING:
        words = {Action.PAUSE: "is pausing", Action.STOP: "is stopping"}
        return f"Task {task.id} {words.get(action, 'is running')}."
    if state is TaskState.QUEUED:
        here = hints.command(f"resume {task.id}")
        return f"Task {task.id} is queued; `{hints.command('serve')}` runs it. To run it here: {here}"
    return f"Task {task.id} is {state}."


def _watch(control: TaskControl, number: TaskId, json: bool, live: LiveDisplay) -> None:
    control.find(number)
    with printing.to_a_reader(), live:
        for numbered in _followed(control, number):
            if json:
                printing.line({**event_record(numbered), "event": numbered.event.type})
            elif isinstance(numbered.event, StateChanged):
                printing.say(_say_state(numbered.event))
            else:
                live.on_event(numbered.event)


def _say_state(event: StateChanged) -> str:
    state, ending = str(event.state), str(event.ending or "")
    return f"{state}: {ending}" if ending not in ("", state) else state


def _followed(control: TaskControl, number: TaskId) -> Iterator[Numbered]:
    """The events of a task, those of before first, until it has ended."""
    seen = 0
    while True:
        task = control.find(number)
        page = control.events(number, seen)
        yield from page.events
        seen = page.events[-1].n if page.events else seen
        if page.events:
            continue
        if state_of(task) in _ENDED:
            return
        time.sleep(POLL_S)
