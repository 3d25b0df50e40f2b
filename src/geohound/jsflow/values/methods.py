"""Methods of strings and arrays, as far as their results can be told."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from geohound.jsflow.values.resolver import Resolver

from .domain import HOLE, NOTHING, UNDEFINED, UNKNOWN, Arr, Fn, Lazy, Pattern, Value, Values, is_truthy, ready, text_of

_SAFE_PATTERN = re.compile(r"(?:[^*+{}()|\\]|\\.)*(?:[*+])?(?:[^*+{}()|\\]|\\.)*")


def _number(ev: Resolver, args: Sequence[Lazy], at: int, default: int) -> int:
    value = ev.lazy(args[at])[0] if len(args) > at else default
    return int(value) if isinstance(value, int | float) and abs(value) < 1e9 else default


def on_string(ev: Resolver, text: str, name: str, args: Sequence[Lazy]) -> Values:
    """Methods of strings; what depends on a part that is not known stays unknown."""
    if name == "concat":
        return ev.concat((text,), *(ev.lazy(a) for a in args))
    if name in ("replace", "replaceAll"):
        return _replaced(ev, text, name, args)
    if name == "split":
        mark = ev.lazy(args[0])[0] if args else ""
        parts = (list(text[:500]) if mark == "" else text.split(mark)[:500]) if isinstance(mark, str) else [text]
        return (Arr([ready(p) for p in parts]),)
    simple = _SIMPLE.get(name)
    if simple is not None:
        return (simple(text),)
    if name in ("slice", "substring", "substr", "charAt", "at"):
        return _cut(ev, text, name, args)
    if name in ("startsWith", "endsWith", "includes", "indexOf", "lastIndexOf"):
        return _asked(ev, text, name, args)
    if name == "repeat":
        times = _number(ev, args, 0, 0)
        return (text * times,) if 0 <= times * max(1, len(text)) <= ev.meter.budget.chars else NOTHING
    if name in ("match", "test", "search", "codePointAt", "charCodeAt"):
        return NOTHING
    return NOTHING


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
    return (text[max(0, begin) : max(0, end)] if name == "substring" else text[begin:end],)


def _asked(ev: Resolver, text: str, name: str, args: Sequence[Lazy]) -> Values:
    part = ev.lazy(args[0])[0] if args else UNKNOWN
    if not isinstance(part, str) or HOLE in part or (HOLE in text and name != "startsWith"):
        return NOTHING
    if name == "startsWith":
        known = text.partition(HOLE)[0]
        return (text.startswith(part),) if len(known) >= len(part) or HOLE not in text else NOTHING
    if name == "endsWith":
        return (text.endswith(part),)
    return (part in text,) if name == "includes" else (text.find(part) if name == "indexOf" else text.rfind(part),)


def _replaced(ev: Resolver, text: str, name: str, args: Sequence[Lazy]) -> Values:
    if len(args) < 2:
        return (text,)
    what, new = ev.lazy(args[0])[0], ev.lazy(args[1])
    if isinstance(new[0], Fn):
        new = (HOLE,)
    found: list[Value] = []
    for value in new:
        by = text_of(value)
        if isinstance(what, str):
            found.append(text.replace(what, by, -1 if name == "replaceAll" else 1))
        elif isinstance(what, Pattern):
            found.append(_sub(what, by, text))
    return ev.union(tuple(found)) if found else (text,)


def _sub(pattern: Pattern, by: str, text: str) -> str:
    """Replacing by a regular expression, where it is plain enough to cost nothing."""
    if len(pattern.source) > 80 or not _SAFE_PATTERN.fullmatch(pattern.source) or len(text) > 2000:
        return text
    try:
        flags = re.IGNORECASE if "i" in pattern.flags else 0
        source = pattern.source.replace("\\/", "/")
        return re.sub(source, lambda _: by, text, count=0 if "g" in pattern.flags else 1, flags=flags)[:4000]
    except (re.error, OverflowError):
        return text


def on_array(ev: Resolver, array: Arr, name: str, args: Sequence[Lazy]) -> Values:
    """Methods of arrays."""
    items = array.items
    if name == "join":
        mark = text_of(ev.lazy(args[0])[0]) if args else ","
        groups: list[Values] = []
        for i, item in enumerate(items[:400]):
            groups += [(mark,)] if i else []
            groups.append(ev.lazy(item))
        return ev.concat(*groups) if groups else ("",)
    if name in ("map", "flatMap", "filter", "find", "reduce", "forEach"):
        return _with_function(ev, array, name, args)
    if name == "concat":
        more = [v for a in args for v in ev.lazy(a)]
        return (Arr([*items, *(i for v in more for i in (v.items if isinstance(v, Arr) else [ready(v)]))]),)
    if name == "reverse":
        return (Arr(items[::-1]),)
    if name == "flat":
        return (_flat(ev, items, array.is_open),)
    if name in ("slice", "sort", "fill", "values", "toSorted"):
        begin = _number(ev, args, 0, 0) if name == "slice" else 0
        end = _number(ev, args, 1, len(items)) if name == "slice" else len(items)
        return (Arr(items[begin:end]),)
    if name in ("pop", "shift", "at"):
        at = _number(ev, args, 0, 0) if name == "at" else (-1 if name == "pop" else 0)
        return ev.lazy(items[at]) if items and -len(items) <= at < len(items) else NOTHING
    return NOTHING


def _flat(ev: Resolver, items: Sequence[Lazy], is_open: bool) -> Arr:
    """Arrays within the array opened, one level deep."""
    found: list[Lazy] = []
    for item in items[:400]:
        held = ev.lazy(item)
        inner = [i for v in held if isinstance(v, Arr) for i in v.items]
        found += inner if any(isinstance(v, Arr) for v in held) else [item]
    return Arr(found[:2000], is_open)


def _with_function(ev: Resolver, array: Arr, name: str, args: Sequence[Lazy]) -> Values:
    function = next((v for v in (ev.lazy(args[0]) if args else ()) if isinstance(v, Fn)), None)
    if function is None:
        return (array,) if name == "filter" else NOTHING
    items = array.items[:400]
    if name == "reduce":
        start = [args[1]] if len(args) > 1 else items[:1]
        total = ev.lazy(start[0]) if start else NOTHING
        for item in items[0 if len(args) > 1 else 1 :]:
            total = ev.invoke(function, [ready(*total), item])
        return total
    results = [ev.invoke(function, [item, ready(i)]) for i, item in enumerate(items)]
    if name == "flatMap":
        return (_flat(ev, [ready(*r) for r in results], array.is_open),)
    if name == "map":
        return (Arr([ready(*r) for r in results], array.is_open),)
    kept = [item for item, r in zip(items, results, strict=True) if {is_truthy(v) for v in r} != {False}]
    if name == "find":
        return ev.any_of(kept) if kept else (UNDEFINED,)
    return (Arr(kept, array.is_open),) if name == "filter" else (UNDEFINED,)
