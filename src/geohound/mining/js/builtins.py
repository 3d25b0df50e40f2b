"""What the functions of the language and of well-known libraries do to strings, arrays, objects and addresses."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import ada_url
from tree_sitter import Node

from .model import words
from . import modules, objects
from .addresses import query_text
from .values import (
    HOLE,
    NOTHING,
    NULL,
    UNDEFINED,
    UNKNOWN,
    Arr,
    Fn,
    Inst,
    Lazy,
    Namespace,
    Obj,
    Pattern,
    Place,
    Query,
    Ref,
    Reply,
    Value,
    Values,
    Web,
    from_json,
    is_truthy,
    ready,
    text_of,
)

if TYPE_CHECKING:
    from .evaluate import Evaluator

_WINDOWS = re.compile(r"^(?:(?:window|self|globalThis)\.)+")
_MERGE = words(
    "Object.assign $.extend jQuery.extend _.extend _.assign _.merge _.defaults L.extend L.Util.extend "
    "L.setOptions OpenLayers.Util.extend OpenLayers.Util.applyDefaults Ext.apply Ext.applyIf "
    "angular.extend lang.mixin dojo.mixin"
)
_TO_QUERY = words(
    "$.param jQuery.param L.Util.getParamString OpenLayers.Util.getParameterString Ext.urlEncode "
    "Ext.Object.toQueryString qs.stringify querystring.stringify ioQuery.objectToQuery dojo.objectToQuery"
)
_APPEND = frozenset(
    ["OpenLayers.Util.urlAppend", "Ext.urlAppend", "Ext.String.urlAppend", "goog.uri.utils.appendParams"]
)
_REQUESTS = re.compile(
    r"(?:^|\.)(?:fetch|getJSON|ajax|axios|get|post|json|xml|request|requestJSON|xhr|load|loadConfig|loadJSON|fetchJson|GET)$"
)
_FILL = re.compile(r"\{\s*([\w.-]+)\s*\}")
_SAFE_PATTERN = re.compile(r"(?:[^*+{}()|\\]|\\.)*(?:[*+])?(?:[^*+{}()|\\]|\\.)*")


def construct(ev: Evaluator, path: str, args: Sequence[Lazy]) -> Values:
    """`new` of something that the page does not define itself."""
    name = _WINDOWS.sub("", path)
    if name == "URL":
        bases = ev.lazy(args[1]) if len(args) > 1 else ("",)
        return ev.union(*(_address(v, base) for v in (ev.lazy(args[0]) if args else ()) for base in bases))
    if name == "URLSearchParams":
        return tuple(_query(ev, v) for v in ev.lazy(args[0])) if args else (Query([]),)
    if name in ("Array", "Set") and args:
        return ev.lazy(args[0]) if name == "Set" else (Arr(list(args)),)
    if name == "String" and args:
        return ev.concat(ev.lazy(args[0]))
    if name in ("Promise", "XMLHttpRequest", "Date", "Image"):
        return NOTHING
    # An object of a library: what it was given is what can be known of it.
    return ev.lazy(args[0]) if len(args) == 1 and any(isinstance(v, Obj) for v in ev.lazy(args[0])) else NOTHING


def _address(value: Value, base: Value) -> Values:
    text, under = text_of(value), text_of(base)
    if text.startswith(("http://", "https://")) and HOLE in text:
        return (text,)
    if HOLE in text or HOLE in under:
        return (under.rstrip("/") + "/" + text.lstrip("/"),) if HOLE not in under.partition("/")[0] else NOTHING
    try:
        return (Web(ada_url.join_url(under, text) if under else ada_url.normalize_url(text)),)
    except ValueError:
        return NOTHING


def _query(ev: Evaluator, value: Value) -> Value:
    if isinstance(value, Obj):
        return Query(_pairs(ev, value))
    if isinstance(value, str):
        parts = (p.partition("=") for p in value.lstrip("?").split("&") if p)
        return Query([(unquote(k), unquote(v)) for k, _, v in parts])
    if isinstance(value, Arr):
        rows = (v for item in value.items for v in ev.lazy(item) if isinstance(v, Arr) and len(v.items) == 2)
        return Query([(text_of(ev.lazy(r.items[0])[0]), text_of(ev.lazy(r.items[1])[0])) for r in rows])
    return value if isinstance(value, Query) else Query([])


def _pairs(ev: Evaluator, value: Obj) -> list[tuple[str, str]]:
    return [(k, text_of(ev.any_of(lazies)[0])) for k, lazies in list(value.fields.items())[:60]]


def call(ev: Evaluator, path: str, args: Sequence[Lazy], place: Place) -> Values:
    """A function that the page does not define itself."""
    name = _WINDOWS.sub("", path)
    first = ev.lazy(args[0]) if args else ()
    if name in _MERGE:
        made = Obj()
        objects.merge_into(ev, made, [a for a in args if not all(isinstance(v, bool) for v in ev.lazy(a))])
        return (made,)
    if name in _TO_QUERY:
        return _written(ev, name, args)
    if name in _APPEND:
        rest = ev.lazy(args[1]) if len(args) > 1 else NOTHING
        return ev.concat(first, ("?",), _as_query(ev, rest))
    if name in ("require", "__webpack_require__", "bundle.require"):
        return _required(ev, name, first, place)
    if name.startswith("bundle.named."):
        return ev.union(*(modules.named_module(ev, name, v, place.source) for v in first))
    if name in ("bundle.require.n", "__webpack_require__.n"):
        return first
    known = _FUNCTIONS.get(name)
    if known is not None:
        return ev.union(*(known(ev, value) for value in first)) if first else NOTHING
    if name in ("L.Util.template", "lang.replace", "dojo.replace", "String.format") and len(args) > 1:
        return ev.union(*(_filled(ev, v, ev.lazy(args[1])) for v in first))
    if _REQUESTS.search(name):
        return _requested(ev, first)
    return NOTHING


def _required(ev: Evaluator, name: str, first: Values, place: Place) -> Values:
    if name != "require":
        return ev.union(*(modules.bundled_module(ev, v) for v in first))
    return ev.union(*(modules.require(ev, v, place.source) for v in first))


def _written(ev: Evaluator, name: str, args: Sequence[Lazy]) -> Values:
    texts = _as_query(ev, ev.lazy(args[0])) if args else ("",)
    return ev.concat(("?",), texts) if name.startswith("L.") else texts


def _as_query(ev: Evaluator, values: Values) -> Values:
    return ev.union(*((query_text(_pairs(ev, v)),) if isinstance(v, Obj) else (text_of(v),) for v in values))


def _requested(ev: Evaluator, first: Values) -> Values:
    found: list[Values] = []
    for value in first:
        if isinstance(value, Obj):
            for key in ("url", "uri"):
                found += [modules.request(ev, v) for v in (ev.any_of(value.fields[key]) if key in value.fields else ())]
        else:
            found.append(modules.request(ev, text_of(value) if isinstance(value, Web) else value))
    return ev.union(*found)


def _filled(ev: Evaluator, value: Value, data: Values) -> Values:
    """A string with its placeholders replaced by what the data holds."""
    if not isinstance(value, str):
        return NOTHING
    holder = next((d for d in data if isinstance(d, Obj)), None)

    def put(m: re.Match[str]) -> str:
        if holder is None or m[1] not in holder.fields:
            return m[0]
        return text_of(ev.any_of(holder.fields[m[1]])[0])

    return (_FILL.sub(put, value),)


def _parse_json(_: Evaluator, value: Value) -> Values:
    try:
        return (from_json(json.loads(value)),) if isinstance(value, str) else NOTHING
    except (ValueError, RecursionError):
        return NOTHING


def _from_base64(_: Evaluator, value: Value) -> Values:
    try:
        return (base64.b64decode(value + "==").decode("latin-1"),) if isinstance(value, str) else NOTHING
    except (ValueError, binascii.Error):
        return NOTHING


def _encode(_: Evaluator, value: Value) -> Values:
    return (quote(text_of(value), safe=f"!~*'(){HOLE}"),)


def _entries(_: Evaluator, value: Value) -> Values:
    if not isinstance(value, Obj):
        return NOTHING
    return (Arr([ready(Arr([ready(k), lazies[-1]])) for k, lazies in value.fields.items()], value.is_open),)


_FUNCTIONS: dict[str, Callable[[Evaluator, Value], Values]] = {
    "encodeURIComponent": _encode,
    "escape": _encode,
    "encodeURI": lambda _, v: (text_of(v),),
    "decodeURIComponent": lambda _, v: (unquote(text_of(v)),),
    "decodeURI": lambda _, v: (unquote(text_of(v)),),
    "unescape": lambda _, v: (unquote(text_of(v)),),
    "String.raw": lambda _, v: (text_of(v),),
    "String": lambda _, v: (text_of(v),),
    "atob": _from_base64,
    "window.atob": _from_base64,
    "JSON.parse": _parse_json,
    "$.parseJSON": _parse_json,
    "jQuery.parseJSON": _parse_json,
    "Object.freeze": lambda _, v: (v,),
    "Object.seal": lambda _, v: (v,),
    "Object.create": lambda _, v: (v,),
    "Array.from": lambda _, v: (v,),
    "Promise.resolve": lambda _, v: (v,),
    "Object.entries": _entries,
    "Object.keys": lambda _, v: (Arr([ready(k) for k in v.fields]),) if isinstance(v, Obj) else NOTHING,
    "Object.values": lambda _, v: (Arr([x[-1] for x in v.fields.values()]),) if isinstance(v, Obj) else NOTHING,
    "React.memo": lambda _, v: (v,),
    "ref": lambda _, v: (v,),
    "reactive": lambda _, v: (v,),
    "Promise.all": lambda _, v: (v,),
}


def call_method(ev: Evaluator, inner: Node, name: str, args: Sequence[Lazy], place: Place) -> Values:
    """A method of a value: its type decides."""
    found: list[Values] = []
    for value in ev.values(inner, place):
        ev.meter.spend()
        match value:
            case str():
                found.append(on_string(ev, value, name, args))
            case Arr():
                found.append(on_array(ev, value, name, args))
            case Query():
                found.append((query_text(value.pairs),) if name == "toString" else NOTHING)
            case Web(href):
                found.append((href,) if name in ("toString", "toJSON") else NOTHING)
            case int() | float():
                found.append((text_of(value),) if name in ("toString", "toFixed") else NOTHING)
            case _:
                found.append(_on_other(ev, value, name, args, place))
    return ev.union(*found)


def _on_other(ev: Evaluator, value: Value, name: str, args: Sequence[Lazy], place: Place) -> Values:
    if isinstance(value, Ref):
        known = _of_page(ev, value, name, args)
        return known if known is not None else call(ev, f"{value.path}.{name}", args, place)
    if isinstance(value, Reply):
        if name in ("json", "text", "clone"):
            return modules.contents(ev, value.url)
        return ev.union(*(_on_contents(ev, v, name, args, place) for v in modules.contents(ev, value.url)))
    if name in ("then", "finally", "pipe", "catch"):
        return (value,) if name != "then" else _then(ev, value, args)
    if isinstance(value, Obj | Inst | Fn | Namespace):
        if name in ("call", "apply") and isinstance(value, Fn):
            return ev.invoke(value, args[1:]) if name == "call" else NOTHING
        if name == "bind" and isinstance(value, Fn):
            return (value,)
        held = objects.member(ev, value, name, place)
        if name in ("json", "toJSON", "valueOf") and held in (NOTHING, (UNDEFINED,)):
            return (value,)
        return ev.union(*(ev.invoke(f, args, value) for f in held if isinstance(f, Fn)))
    return NOTHING


def _on_contents(ev: Evaluator, value: Value, name: str, args: Sequence[Lazy], place: Place) -> Values:
    if isinstance(value, Arr):
        return on_array(ev, value, name, args)
    if name == "then":
        return _then(ev, value, args)
    return NOTHING


def _then(ev: Evaluator, value: Value, args: Sequence[Lazy]) -> Values:
    functions = [v for v in (ev.lazy(args[0]) if args else ()) if isinstance(v, Fn)]
    return ev.union(*(ev.invoke(f, [ready(value)]) for f in functions)) if functions else (value,)


def _of_page(ev: Evaluator, value: Ref, name: str, args: Sequence[Lazy]) -> Values | None:
    """A method that the page itself put on a global object."""
    if value.path in ("document", "window", "console", "$", "jQuery", "L", "ol", "OpenLayers"):
        return None
    found = [v for v in objects.assigned(ev, value.path, name) if isinstance(v, Fn)]
    return ev.union(*(ev.invoke(f, args, value) for f in found)) if found else None


def _number(ev: Evaluator, args: Sequence[Lazy], at: int, default: int) -> int:
    value = ev.lazy(args[at])[0] if len(args) > at else default
    return int(value) if isinstance(value, int | float) and abs(value) < 1e9 else default


def on_string(ev: Evaluator, text: str, name: str, args: Sequence[Lazy]) -> Values:
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


def _cut(ev: Evaluator, text: str, name: str, args: Sequence[Lazy]) -> Values:
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


def _asked(ev: Evaluator, text: str, name: str, args: Sequence[Lazy]) -> Values:
    part = ev.lazy(args[0])[0] if args else UNKNOWN
    if not isinstance(part, str) or HOLE in part or (HOLE in text and name != "startsWith"):
        return NOTHING
    if name == "startsWith":
        known = text.partition(HOLE)[0]
        return (text.startswith(part),) if len(known) >= len(part) or HOLE not in text else NOTHING
    if name == "endsWith":
        return (text.endswith(part),)
    return (part in text,) if name == "includes" else (text.find(part) if name == "indexOf" else text.rfind(part),)


def _replaced(ev: Evaluator, text: str, name: str, args: Sequence[Lazy]) -> Values:
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


def on_array(ev: Evaluator, array: Arr, name: str, args: Sequence[Lazy]) -> Values:
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
    if name in ("slice", "flat", "sort", "fill", "values"):
        begin = _number(ev, args, 0, 0) if name == "slice" else 0
        end = _number(ev, args, 1, len(items)) if name == "slice" else len(items)
        return (Arr(items[begin:end]),)
    if name in ("pop", "shift", "at"):
        at = _number(ev, args, 0, 0) if name == "at" else (-1 if name == "pop" else 0)
        return ev.lazy(items[at]) if items and -len(items) <= at < len(items) else NOTHING
    return NOTHING


def _with_function(ev: Evaluator, array: Arr, name: str, args: Sequence[Lazy]) -> Values:
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
    if name in ("map", "flatMap"):
        return (Arr([ready(*r) for r in results], array.is_open),)
    kept = [item for item, r in zip(items, results, strict=True) if {is_truthy(v) for v in r} != {False}]
    if name == "find":
        return ev.any_of(kept) if kept else (UNDEFINED,)
    return (Arr(kept, array.is_open),) if name == "filter" else (UNDEFINED,)


__all__ = ["NULL", "call", "call_method", "construct"]
