"""Python runs this as it starts, where its folder is on the path: it notes which functions of Geohound run, on what.

Only `bench/measuring/walk.py` puts it there. What one process saw is written when it ends.
"""

from __future__ import annotations

import atexit
import dataclasses
import enum
import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

DEPTH = 3  # values in values in a value
NODES = 500  # looked at in one value
ITEMS = 50  # looked at in one collection
COLLECTIONS = (list, tuple, set, frozenset)


class Tracer:
    """The modules that ran, and the types that some function made, took or returned."""

    def __init__(self, source: str, marks: list[str]) -> None:
        self._source = source
        self._marks = marks
        self._marks_in_bytes = [mark.encode() for mark in marks]
        self._state = threading.local()
        self.modules: set[str] = set()
        # of each type: those that made, took or returned one
        self.packages: dict[str, set[str]] = {}
        # the types in which the URL, or the title of what it led to, was seen
        self.carriers: set[str] = set()

    def __call__(self, frame: FrameType, event: str, result: object) -> None:
        if event not in ("call", "return") or getattr(self._state, "busy", False):
            return
        self._state.busy = True  # what the tracer calls is not to be traced
        try:
            self._note(frame, event, result)
        finally:
            self._state.busy = False

    def _note(self, frame: FrameType, event: str, result: object) -> None:
        code = frame.f_code
        if code.co_filename == "<string>" and code.co_name == "__init__":
            self._note_making(frame, event)
        if not self._is_ours(frame):
            return
        module = _module(frame)
        if code.co_name == "<module>":
            if frame.f_globals["__name__"] != "__main__":
                self._state.importing = getattr(self._state, "importing", 0) + (
                    1 if event == "call" else -1
                )
            return
        if getattr(self._state, "importing", 0):
            return
        self.modules.add(module)
        if event == "return":
            self._note_value(result, module)
        else:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            for name in names:
                if name != "self":
                    self._note_value(frame.f_locals.get(name), module)

    def _is_ours(self, frame: FrameType) -> bool:
        file = frame.f_code.co_filename
        return file.startswith(self._source) and file.endswith(".py")

    def _note_making(self, frame: FrameType, event: str) -> None:
        """The generated `__init__` of a dataclass: whoever calls it makes one."""
        maker = frame.f_back
        if (
            maker is None
            or not self._is_ours(maker)
            or getattr(self._state, "importing", 0)
        ):
            return
        if event == "return" and maker.f_code.co_name != "<module>":
            self._note_value(frame.f_locals.get("self"), _module(maker))

    def _note_value(self, value: object, module: str, nested: int = 0) -> None:
        kind = type(value)
        if kind in COLLECTIONS or kind is dict:
            if nested < 2:
                for item in _first(value):  # type: ignore[arg-type]
                    self._note_value(item, module, nested + 1)
            return
        if not _is_geohounds(kind) or issubclass(kind, enum.Enum | BaseException):
            return
        name = f"{kind.__module__}.{kind.__qualname__}"
        self.packages.setdefault(name, set()).add(_package(module))
        if name not in self.carriers and self._carries(
            value, DEPTH, iter(range(NODES))
        ):
            self.carriers.add(name)

    def _carries(self, value: object, depth: int, nodes: Iterator[int]) -> bool:
        """Is the URL, or the title of what it led to, in this value or in a value of its fields?"""
        if next(nodes, None) is None:
            return False
        if isinstance(value, str):
            return any(mark in value for mark in self._marks)
        if isinstance(value, bytes):
            return any(mark in value for mark in self._marks_in_bytes)
        if type(value) in COLLECTIONS or type(value) is dict:
            return any(self._carries(item, depth, nodes) for item in _first(value))  # type: ignore[arg-type]
        if depth and _is_geohounds(type(value)) and not isinstance(value, enum.Enum):
            return any(
                self._carries(field, depth - 1, nodes) for field in _fields(value)
            )
        return False


def _is_geohounds(kind: type) -> bool:
    return str(getattr(kind, "__module__", "")).split(".")[0] == "geohound"


def _module(frame: FrameType) -> str:
    """Its name; that of the module which was started, and calls itself `__main__`, too."""
    spec = frame.f_globals.get("__spec__")
    return spec.name if spec else frame.f_globals["__name__"]


def _package(module: str) -> str:
    """The part directly below `geohound`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def _first(values: Iterable[Any] | dict[Any, Any]) -> list[Any]:
    try:
        if isinstance(values, dict):
            return [*list(values)[:ITEMS], *list(values.values())[:ITEMS]]
        return list(values)[:ITEMS]
    except RuntimeError:  # another thread is changing it
        return []


def _fields(value: object) -> Iterator[object]:
    if dataclasses.is_dataclass(value):
        yield from (
            getattr(value, field.name, None) for field in dataclasses.fields(value)
        )
        return
    if isinstance(value, tuple):
        yield from value
    yield from list(getattr(value, "__dict__", {}).values())
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            yield getattr(value, name, None)


def _write(tracer: Tracer, folder: Path) -> None:
    sys.setprofile(None)
    seen = {
        "modules": sorted(tracer.modules),
        "packages": {
            name: sorted(packages) for name, packages in tracer.packages.items()
        },
        "carriers": sorted(tracer.carriers),
    }
    (folder / f"{os.getpid()}.json").write_text(json.dumps(seen))


def _start() -> None:
    tracer = Tracer(os.environ["WALK_SOURCE"], os.environ["WALK_MARKS"].split("\n"))
    atexit.register(_write, tracer, Path(os.environ["WALK_FOLDER"]))
    threading.setprofile(tracer)
    sys.setprofile(tracer)


if "WALK_FOLDER" in os.environ:
    _start()
