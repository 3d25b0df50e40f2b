"""What the functions of the language and of well-known libraries do to strings, arrays, objects and addresses."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Sequence
from urllib.parse import quote, unquote

import ada_url
from tree_sitter import Node

from geohound.jsflow.model import words
from geohound.jsflow.modules import bundles, imports
from geohound.jsflow.values import methods
from geohound.jsflow.values.domain import (
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
    Place,
    Query,
    Ref,
    Reply,
    Value,
    Values,
    Web,
    from_json,
    query_text,
    ready,
    text_of,
)
from geohound.jsflow.values.resolver import Resolver

from . import objects

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
_SHORT = re.compile(r"^dojo\._base\.|^(?:lodash|underscore)(?=\.)|^dojo\.(?=io-?[qQ]uery)")
# Arrays out of what is like one, clients for requests out of their settings.
_HANDED_ON = words(
    "Array.prototype.slice.call Array.prototype.concat.call Array.from axios.create axios.default.create ky.create "
    "ky.extend request.defaults"
)
_FILL = re.compile(r"\{\s*([\w.-]+)\s*\}")


def construct(ev: Resolver, path: str, args: Sequence[Lazy]) -> Values:
    """`new` of something that the page does not define itself."""
    name = _WINDOWS.sub("", path)
    if name == "URL":
        bases = ev.lazy(args[1]) if len(args) > 1 else ("",)
        return ev.union(*(_address(v, base) for v in (ev.lazy(args[0]) if args else ()) for base in bases))
    if name == "URLSearchParams":
        return tuple(_query(ev, v) for v in ev.lazy(args[0])) if args else (Query([]),)
    if name == "Set" and args:
        return ev.lazy(args[0])
    if name == "Array":
        is_length = len(args) == 1 and isinstance(ev.lazy(args[0])[0], int | float)
        return (Arr([] if is_length else list(args)),)
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


def _query(ev: Resolver, value: Value) -> Value:
    if isinstance(value, Obj):
        return Query(_pairs(ev, value))
    if isinstance(value, str):
        parts = (p.partition("=") for p in value.lstrip("?").split("&") if p)
        return Query([(unquote(k), unquote(v)) for k, _, v in parts])
    if isinstance(value, Arr):
        rows = (v for item in value.items for v in ev.lazy(item) if isinstance(v, Arr) and len(v.items) == 2)
        return Query([(text_of(ev.lazy(r.items[0])[0]), text_of(ev.lazy(r.items[1])[0])) for r in rows])
    return value if isinstance(value, Query) else Query([])


def _pairs(ev: Resolver, value: Obj) -> list[tuple[str, str]]:
    return [(k, text_of(ev.any_of(lazies)[0])) for k, lazies in list(value.fields.items())[:60]]


def call(ev: Resolver, path: str, args: Sequence[Lazy], place: Place) -> Values:
    """A function that the page does not define itself."""
    name = _WINDOWS.sub("", path)
    first = ev.lazy(args[0]) if args else ()
    name = _SHORT.sub("", name)
    if name in _MERGE:
        made = Obj()
        objects.merge_into(ev, made, [a for a in args if not all(isinstance(v, bool) for v in ev.lazy(a))])
        return (made,)
    if name in _HANDED_ON:
        return _handed_on(ev, first, args)
    if name in _TO_QUERY:
        return _written(ev, name, args)
    if name in _APPEND:
        rest = ev.lazy(args[1]) if len(args) > 1 else NOTHING
        return ev.concat(first, ("?",), _as_query(ev, rest))
    if name in ("require", "__webpack_require__", "bundle.require"):
        return _required(ev, name, first, place)
    if name.startswith("bundle.named."):
        return ev.union(*(bundles.named_module(ev, name, v, place.source) for v in first))
    if name in ("bundle.require.n", "__webpack_require__.n"):
        return first
    known = _FUNCTIONS.get(name)
    if known is not None:
        return ev.union(*(known(ev, value) for value in first)) if first else NOTHING
    if name in ("Ext.String.format", "String.format", "OpenLayers.String.format") and len(args) > 1:
        listed = Obj({str(i): [lazy] for i, lazy in enumerate(args[1:])})
        return ev.union(*(_filled(ev, v, (listed, *ev.lazy(args[1]))) for v in first))
    if name in ("L.Util.template", "lang.replace", "dojo.replace") and len(args) > 1:
        return ev.union(*(_filled(ev, v, ev.lazy(args[1])) for v in first))
    if _REQUESTS.search(name):
        return _requested(ev, first)
    return NOTHING


def _handed_on(ev: Resolver, first: Values, args: Sequence[Lazy]) -> Values:
    if len(args) > 1 and any(isinstance(v, Fn) for v in ev.lazy(args[1])):
        return ev.union(*(methods.on_array(ev, v, "map", args[1:]) for v in first if isinstance(v, Arr)))
    return first or NOTHING


def _required(ev: Resolver, name: str, first: Values, place: Place) -> Values:
    if name != "require":
        return ev.union(*(bundles.bundled_module(ev, v) for v in first))
    return ev.union(*(imports.require(ev, v, place.source) for v in first))


def _written(ev: Resolver, name: str, args: Sequence[Lazy]) -> Values:
    texts = _as_query(ev, ev.lazy(args[0])) if args else ("",)
    return ev.concat(("?",), texts) if name.startswith("L.") else texts


def _as_query(ev: Resolver, values: Values) -> Values:
    return ev.union(*((query_text(_pairs(ev, v)),) if isinstance(v, Obj) else (text_of(v),) for v in values))


def _requested(ev: Resolver, first: Values) -> Values:
    found: list[Values] = []
    for value in first:
        if isinstance(value, Obj):
            for key in ("url", "uri"):
                found += [imports.request(ev, v) for v in (ev.any_of(value.fields[key]) if key in value.fields else ())]
        else:
            found.append(imports.request(ev, text_of(value) if isinstance(value, Web) else value))
    return ev.union(*found)


def _filled(ev: Resolver, value: Value, data: Values) -> Values:
    """A string with its placeholders replaced by what the data holds."""
    if not isinstance(value, str):
        return NOTHING
    holder = next((d for d in data if isinstance(d, Obj)), None)

    def put(m: re.Match[str]) -> str:
        if holder is None or m[1] not in holder.fields:
            return m[0]
        return text_of(ev.any_of(holder.fields[m[1]])[0])

    return (_FILL.sub(put, value),)


def _parse_json(_: Resolver, value: Value) -> Values:
    try:
        return (from_json(json.loads(value)),) if isinstance(value, str) else NOTHING
    except (ValueError, RecursionError):
        return NOTHING


def _from_base64(_: Resolver, value: Value) -> Values:
    try:
        return (base64.b64decode(value + "==").decode("latin-1"),) if isinstance(value, str) else NOTHING
    except (ValueError, binascii.Error):
        return NOTHING


def _encode(_: Resolver, value: Value) -> Values:
    return (quote(text_of(value), safe=f"!~*'(){HOLE}"),)


def _entries(_: Resolver, value: Value) -> Values:
    if not isinstance(value, Obj):
        return NOTHING
    return (Arr([ready(Arr([ready(k), lazies[-1]])) for k, lazies in value.fields.items()], value.is_open),)


def _from_entries(ev: Resolver, value: Arr) -> Obj:
    rows = [v for item in value.items[:400] for v in ev.lazy(item) if isinstance(v, Arr) and len(v.items) == 2]
    return Obj({text_of(ev.lazy(row.items[0])[0]): [row.items[1]] for row in rows})


_FUNCTIONS: dict[str, Callable[[Resolver, Value], Values]] = {
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
    "Promise.resolve": lambda _, v: (v,),
    "Object.entries": _entries,
    "Object.keys": lambda _, v: (Arr([ready(k) for k in v.fields]),) if isinstance(v, Obj) else NOTHING,
    "Object.values": lambda _, v: (Arr([x[-1] for x in v.fields.values()]),) if isinstance(v, Obj) else NOTHING,
    "Object.fromEntries": lambda ev, v: (_from_entries(ev, v),) if isinstance(v, Arr) else NOTHING,
    "ko.observable": lambda _, v: (v,),
    "ko.observableArray": lambda _, v: (v,),
    "React.memo": lambda _, v: (v,),
    "ref": lambda _, v: (v,),
    "reactive": lambda _, v: (v,),
    "Promise.all": lambda _, v: (v,),
}


def call_method(ev: Resolver, inner: Node, name: str, args: Sequence[Lazy], place: Place) -> Values:
    """A method of a value: its type decides."""
    found: list[Values] = []
    for value in ev.values(inner, place):
        ev.meter.spend()
        match value:
            case str():
                found.append(methods.on_string(ev, value, name, args))
            case Arr():
                found.append(methods.on_array(ev, value, name, args))
            case Query():
                found.append((query_text(value.pairs),) if name == "toString" else NOTHING)
            case Web(href):
                found.append((href,) if name in ("toString", "toJSON") else NOTHING)
            case int() | float():
                found.append((text_of(value),) if name in ("toString", "toFixed") else NOTHING)
            case _:
                found.append(_on_other(ev, value, name, args, place))
    return ev.union(*found)


def _on_other(ev: Resolver, value: Value, name: str, args: Sequence[Lazy], place: Place) -> Values:
    if isinstance(value, Ref):
        known = _of_page(ev, value, name, args)
        return known if known is not None else call(ev, f"{value.path}.{name}", args, place)
    if isinstance(value, Reply):
        if name in ("json", "text", "clone"):
            return imports.contents(ev, value.url)
        return ev.union(*(_on_contents(ev, v, name, args) for v in imports.contents(ev, value.url)))
    if name in ("then", "finally", "pipe", "catch"):
        return (value,) if name != "then" else _then(ev, value, args)
    if isinstance(value, Obj | Inst | Fn | Namespace):
        if name in ("call", "apply") and isinstance(value, Fn):
            return ev.invoke(value, args[1:]) if name == "call" else NOTHING
        if name == "bind" and isinstance(value, Fn):
            return (value,)
        held = ev.member(value, name, place)
        if name in ("json", "toJSON", "valueOf") and held in (NOTHING, (UNDEFINED,)):
            return (value,)
        if not args and any(isinstance(v, str) for v in held):  # what is observed is asked for by a call
            return held
        return ev.union(*(ev.invoke(f, args, value) for f in held if isinstance(f, Fn)))
    if value is UNKNOWN and (meant := objects.method_by_name_alone(ev, name)):
        return ev.union(*(ev.invoke(f, args) for f in meant))
    return NOTHING


def _on_contents(ev: Resolver, value: Value, name: str, args: Sequence[Lazy]) -> Values:
    if isinstance(value, Arr):
        return methods.on_array(ev, value, name, args)
    if name == "then":
        return _then(ev, value, args)
    return NOTHING


def _then(ev: Resolver, value: Value, args: Sequence[Lazy]) -> Values:
    functions = [v for v in (ev.lazy(args[0]) if args else ()) if isinstance(v, Fn)]
    return ev.union(*(ev.invoke(f, [ready(value)]) for f in functions)) if functions else (value,)


def _of_page(ev: Resolver, value: Ref, name: str, args: Sequence[Lazy]) -> Values | None:
    """A method that the page itself put on a global object."""
    if value.path in ("document", "window", "console", "$", "jQuery", "L", "ol", "OpenLayers"):
        return None
    held = ev.assigned(value.path, name)
    found = [v for v in held if isinstance(v, Fn)]
    if not found:
        return held or None if name.startswith("get") else None
    return ev.union(*(ev.invoke(f, args, value) for f in found))


__all__ = ["NULL", "call", "call_method", "construct"]
