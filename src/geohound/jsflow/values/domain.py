"""The values that an expression may have: alternatives, each known, partly known or unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source

HOLE = "\ue000"  # in a string: something stands here that is not known


class Mark(Enum):
    """Values without content."""

    UNKNOWN = "unknown"
    UNDEFINED = "undefined"
    NULL = "null"


UNKNOWN = Mark.UNKNOWN
UNDEFINED = Mark.UNDEFINED
NULL = Mark.NULL


@dataclass(frozen=True, slots=True)
class Ref:
    """A name that no script of the page defines: a library, a global of the browser."""

    path: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression literal."""

    source: str
    flags: str


class SearchParameters(str):
    """The text of search parameters, to which more can be added by the name that they have."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class UrlObject:
    """A URL object."""

    href: str


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """The answer to a request for a file."""

    url: str


@dataclass(frozen=True, slots=True, eq=False)
class Env:
    """Parameters bound while a function is looked into; `outer` holds those of the functions around it."""

    key: tuple[int, int]
    names: dict[str, Lazy]
    outer: Env | None
    this: Any = None

    def find(self, key: tuple[int, int]) -> Env | None:
        env: Env | None = self
        while env is not None:
            if env.key == key:
                return env
            env = env.outer
        return None


@dataclass(frozen=True, slots=True, eq=False)
class BoundScope:
    """Where an expression stands: its source, and the parameters bound there."""

    source: Source
    env: Env | None = None


@dataclass(eq=False, slots=True)
class Lazy:
    """Values worked out when they are asked for."""

    node: Node | None = None
    place: BoundScope | None = None
    values: tuple[Value, ...] = ()


@dataclass(eq=False, slots=True)
class Obj:
    """An object; `path` is the name by which scripts add to it later."""

    fields: dict[str, list[Lazy]] = field(default_factory=dict)
    is_open: bool = False  # more is in it than is known
    path: str = ""
    # the literal, whose methods may set more on `this`
    origin: tuple[Node, BoundScope] | None = None
    is_map: bool = False  # made by `new Map`: its entries are asked for by methods


@dataclass(eq=False, slots=True)
class Arr:
    items: list[Lazy] = field(default_factory=list)
    is_open: bool = False


@dataclass(eq=False, slots=True)
class Fn:
    """A function or class, with the parameters bound around it."""

    node: Node
    place: BoundScope
    this: Any = None

    @property
    def key(self) -> tuple[int, int]:
        return (self.place.source.index, self.node.id)


@dataclass(eq=False, slots=True)
class Inst:
    """What `new` makes of a class of the page; the part of a base class has the `whole` that `this` means there."""

    cls: Fn
    env: Env | None = None
    args: Sequence[Lazy] = ()
    whole: Inst | None = None


@dataclass(eq=False, slots=True)
class Namespace:
    """The exports of a module."""

    source: Source
    node: Node | None = None  # of a bundle: the function that is the module


Value = (
    str
    | int
    | float
    | bool
    | Mark
    | Ref
    | Pattern
    | UrlObject
    | FetchedFile
    | Obj
    | Arr
    | Fn
    | Inst
    | Namespace
)
Values = tuple[Value, ...]
NOTHING: Values = (UNKNOWN,)


def first_known(values: Values) -> Value:
    return next((v for v in values if v is not UNKNOWN), UNKNOWN)


def ready(*values: Value) -> Lazy:
    return Lazy(values=values)


def distinct(values: Iterable[Value], limit: int) -> Values:
    """Each value once, as many as the budget allows."""
    found: dict[tuple[type, Any], Value] = {}
    for value in values:
        found.setdefault((type(value), value), value)
        if len(found) >= limit:
            break
    return tuple(found.values()) or NOTHING


def text_of(value: Value) -> str:
    """As JavaScript writes a value into a string."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return _number_text(value)
        case UrlObject(href):
            return href
    return HOLE


def _number_text(number: float) -> str:
    if isinstance(number, int):
        return str(number) if abs(number) < 10**20 else HOLE
    is_whole = number.is_integer() and abs(number) < 1e20
    return str(int(number)) if is_whole else str(number)


def is_truthy(value: Value) -> bool | None:
    """None where it cannot be said."""
    match value:
        case Mark():
            return None if value is UNKNOWN else False
        case Ref() | FetchedFile():
            return None
        case str():
            return None if HOLE in value and len(value) < 3 else bool(value)
        case bool() | int() | float():
            return bool(value)
    return True


def from_json(data: Any, depth: int = 0) -> Value:
    """Parsed JSON as values."""
    if depth > 40:
        return UNKNOWN
    match data:
        case dict():
            return Obj(
                {str(k): [ready(from_json(v, depth + 1))] for k, v in data.items()}
            )
        case list():
            return Arr([ready(from_json(v, depth + 1)) for v in data[:5000]])
        case None:
            return NULL
        case str() | bool() | int() | float():
            return data
    return UNKNOWN
