"""Methods of strings and arrays, as far as their results are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from geohound.jsflow.values.resolver import Resolver

from .domain import (
    HOLE,
    NOTHING,
    UNDEFINED,
    UNKNOWN,
    Arr,
    Fn,
    Lazy,
    Pattern,
    Value,
    Values,
    first_known,
    is_truthy,
    ready,
    text_of,
)

# repeats once at most
_SAFE_PATTERN = re.compile(r"(?:[^*+?{}()|\\]|\\.)*+[*+?]?(?:[^*+?{}()|\\]|\\.)*+")
# Others are tried on placeholders alone, which are short, and only where no group repeats.
_COSTLY_PATTERN = re.compile(r"\)[*+?{]|(?:[*+?{].*){5}")
_PLACEHOLDER = re.compile(r"\$?\{{1,2}[^{}]{1,30}\}{1,2}")


def _number(ev: Resolver, args: Sequence[Lazy], at: int, default: int) -> int:
    value = ev.lazy(args[at])[0] if len(args) > at else default
    return (
        int(value) if isinstance(value, int | float) and abs(value) < 1e9 else default
    )


def on_string(ev: Resolver, text: str, name: str, args: Sequence[Lazy]) -> Values:
    """Methods of strings; what depends on a part that is not known stays unknown."""
    simple = _SIMPLE.get(name)
    if simple is not None:
        return (simple(text),)
    method = _OF_STRING.get(name)
    return method(ev, text, name, args) if method is not None else NOTHING


def _joined(ev: Resolver, text: str, _: str, args: Sequence[Lazy]) -> Values:
    return ev.concat((text,), *(ev.lazy(a) for a in args))


def _split(ev: Resolver, text: str, _: str, args: Sequence[Lazy]) -> Values:
    mark = ev.lazy(args[0])[0] if args else ""
    if not isinstance(mark, str):
        parts = [text]
    elif mark == "":
        parts = list(text[:500])
    else:
        parts = text.split(mark)[:500]
    return (Arr([ready(p) for p in parts]),)


def _repeated(ev: Resolver, text: str, _: str, args: Sequence[Lazy]) -> Values:
    times = _number(ev, args, 0, 0)
    length = times * max(1, len(text))
    return (text * times,) if 0 <= length <= ev.meter.budget.chars else NOTHING


_SIMPLE: dict[str, Callable[[str], Value]] = {
    "trim": str.strip,
    "trimEnd": str.rstrip,
    "trimStart": str.lstrip,
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "toLocaleLowerCase": str.lower,
    "toString": str,
    "valueOf": str,
    "normalize": str,
}


def _cut(ev: Resolver, text: str, name: str, args: Sequence[Lazy]) -> Values:
    if HOLE in text:
        return (HOLE,)
    begin = _number(ev, args, 0, 0)
    if name in ("charAt", "at"):
        return (text[begin : begin + 1] if begin >= 0 else text[begin:][:1],)
    end = _number(ev, args, 1, len(text))
    if name == "substr":
        start = begin if begin >= 0 else max(0, len(text) + begin)
        return (text[start : start + end],)
    return (
        text[max(0, begin) : max(0, end)] if name == "substring" else text[begin:end],
    )


def _asked(ev: Resolver, text: str, name: str, args: Sequence[Lazy]) -> Values:
    part = ev.lazy(args[0])[0] if args else UNKNOWN
    if not isinstance(part, str) or HOLE in part:
        return NOTHING
    if HOLE not in text:
        return (_ANSWERS[name](text, part),)
    is_beginning_known = len(text.partition(HOLE)[0]) >= len(part)
    return (
        (text.startswith(part),)
        if name == "startsWith" and is_beginning_known
        else NOTHING
    )


_ANSWERS: dict[str, Callable[[str, str], Value]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "includes": str.__contains__,
    "indexOf": str.find,
    "lastIndexOf": str.rfind,
}


def _replaced(ev: Resolver, text: str, name: str, args: Sequence[Lazy]) -> Values:
    if len(args) < 2:
        return (text,)
    what, new = ev.lazy(args[0])[0], ev.lazy(args[1])
    found: list[Value] = []
    for value in new:
        by = partial(_put, ev, value)
        if isinstance(what, str):
            often = -1 if name == "replaceAll" else 1
            found.append(text.replace(what, by([what]), often))
        elif isinstance(what, Pattern):
            found.append(_sub(what, by, text))
    return ev.union(tuple(found)) if found else (text,)


def _put(ev: Resolver, value: Value, groups: Sequence[str | None]) -> str:
    """What comes in the place of a match: a function is asked with it and its groups."""
    if not isinstance(value, Fn):
        return text_of(value)
    made = ev.invoke(value, [ready(group or UNDEFINED) for group in groups])
    return text_of(first_known(made))


def _sub(pattern: Pattern, by: Callable[[Sequence[str | None]], str], text: str) -> str:
    """Replacing by a regular expression, where it is plain enough to cost nothing."""
    written = pattern.source.replace("\\/", "/")
    if len(written) > 80 or len(text) > 2000 or _COSTLY_PATTERN.search(written):
        return text
    often = 0 if "g" in pattern.flags else 1
    try:
        known = re.compile(written, re.IGNORECASE if "i" in pattern.flags else 0)
    except (re.error, OverflowError):
        return text
    put = partial(known.sub, lambda match: by([match[0], *match.groups()]))
    if _SAFE_PATTERN.fullmatch(written):
        return put(text, often)[:4000]
    return _PLACEHOLDER.sub(lambda piece: put(piece[0]), text, often)[:4000]


_OF_STRING: dict[str, Callable[[Resolver, str, str, Sequence[Lazy]], Values]] = {
    "concat": _joined,
    "split": _split,
    "repeat": _repeated,
    **dict.fromkeys(("replace", "replaceAll"), _replaced),
    **dict.fromkeys(("slice", "substring", "substr", "charAt", "at"), _cut),
    **dict.fromkeys(_ANSWERS, _asked),
}


def on_array(ev: Resolver, array: Arr, name: str, args: Sequence[Lazy]) -> Values:
    """Methods of arrays."""
    method = _OF_ARRAY.get(name)
    return method(ev, array, name, args) if method is not None else NOTHING


def _join(ev: Resolver, array: Arr, _: str, args: Sequence[Lazy]) -> Values:
    mark = text_of(ev.lazy(args[0])[0]) if args else ","
    groups: list[Values] = []
    for i, item in enumerate(array.items[:400]):
        groups += [(mark,)] if i else []
        groups.append(ev.lazy(item))
    return ev.concat(*groups) if groups else ("",)


def _concat(ev: Resolver, array: Arr, _: str, args: Sequence[Lazy]) -> Values:
    items = list(array.items)
    for value in (v for a in args for v in ev.lazy(a)):
        items += value.items if isinstance(value, Arr) else [ready(value)]
    return (Arr(items),)


def _slice(ev: Resolver, array: Arr, _: str, args: Sequence[Lazy]) -> Values:
    begin = _number(ev, args, 0, 0)
    end = _number(ev, args, 1, len(array.items))
    return (Arr(array.items[begin:end]),)


def _one(ev: Resolver, array: Arr, name: str, args: Sequence[Lazy]) -> Values:
    at = {"pop": -1, "shift": 0}.get(name)
    if at is None:
        at = _number(ev, args, 0, 0)
    is_there = -len(array.items) <= at < len(array.items)
    return ev.lazy(array.items[at]) if is_there else NOTHING


def _flat(ev: Resolver, items: Sequence[Lazy], is_open: bool) -> Arr:
    """Arrays within the array opened, one level deep."""
    found: list[Lazy] = []
    for item in items[:400]:
        held = ev.lazy(item)
        inner = [i for v in held if isinstance(v, Arr) for i in v.items]
        found += inner if any(isinstance(v, Arr) for v in held) else [item]
    return Arr(found[:2000], is_open)


def _with_function(ev: Resolver, array: Arr, name: str, args: Sequence[Lazy]) -> Values:
    """Methods that call a function with each element."""
    function = _function(ev, args)
    if function is None:
        return (array,) if name == "filter" else NOTHING
    items = array.items[:400]
    if name == "reduce":
        return _reduced(ev, function, [*args[1:2], *items])
    results = [ev.invoke(function, [item, ready(i)]) for i, item in enumerate(items)]
    if name in ("map", "flatMap"):
        return (_mapped(ev, results, array.is_open, is_flat=name == "flatMap"),)
    kept = [item for item, r in zip(items, results, strict=True) if _may_hold(r)]
    return _chosen(ev, name, Arr(kept, array.is_open))


def _chosen(ev: Resolver, name: str, kept: Arr) -> Values:
    if name == "filter":
        return (kept,)
    return ev.any_of(kept.items) if name == "find" and kept.items else (UNDEFINED,)


def _mapped(
    ev: Resolver, results: list[Values], is_open: bool, *, is_flat: bool
) -> Arr:
    items = [ready(*r) for r in results]
    return _flat(ev, items, is_open) if is_flat else Arr(items, is_open)


def _function(ev: Resolver, args: Sequence[Lazy]) -> Fn | None:
    given = ev.lazy(args[0]) if args else ()
    return next((v for v in given if isinstance(v, Fn)), None)


def _may_hold(values: Values) -> bool:
    return {is_truthy(v) for v in values} != {False}


def _reduced(ev: Resolver, function: Fn, items: Sequence[Lazy]) -> Values:
    """The first of these with all others worked into it."""
    total = ev.lazy(items[0]) if items else NOTHING
    for item in items[1:]:
        total = ev.invoke(function, [ready(*total), item])
    return total


_OF_ARRAY: dict[str, Callable[[Resolver, Arr, str, Sequence[Lazy]], Values]] = {
    "join": _join,
    "concat": _concat,
    "slice": _slice,
    "reverse": lambda _, array, *__: (Arr(array.items[::-1]),),
    "flat": lambda ev, array, *_: (_flat(ev, array.items, array.is_open),),
    **dict.fromkeys(
        ("sort", "fill", "values", "toSorted"),
        lambda _, array, *__: (Arr(list(array.items)),),
    ),
    **dict.fromkeys(("pop", "shift", "at"), _one),
    **dict.fromkeys(
        ("map", "flatMap", "filter", "find", "reduce", "forEach"), _with_function
    ),
}
