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
from geohound.jsflow.modules import bundles, files, imports
from geohound.jsflow.syntax.source import Source
from geohound.jsflow.values import methods
from geohound.jsflow.values.domain import (
    HOLE,
    NOTHING,
    UNDEFINED,
    UNKNOWN,
    Arr,
    BoundScope,
    FetchedFile,
    Fn,
    Inst,
    Lazy,
    Namespace,
    Obj,
    Ref,
    SearchParameters,
    UrlObject,
    Value,
    Values,
    first_known,
    from_json,
    is_truthy,
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
_REQUESTS = re.compile(
    r"(?:^|\.)(?:fetch|getJSON|ajax|axios|get|post|json|xml|request|requestJSON|xhr|load|loadConfig|loadJSON|fetchJson|GET)$"
)
_SHORT = re.compile(
    r"^dojo\._base\.|^(?:lodash|underscore)(?=\.)|^dojo\.(?=io-?[qQ]uery)"
)
# Arrays out of what is like one, clients for requests out of their settings.
_HANDED_ON = words(
    "Array.prototype.slice.call Array.prototype.concat.call Array.from axios.create axios.default.create ky.create "
    "ky.extend request.defaults"
)
_LOADERS = words(
    "require __webpack_require__ __webpack_require__.n bundle.require bundle.require.n"
)
_PARCEL = re.compile(r"(?:[\w$]+\.)?parcelRequire\w*$")
_FILL = re.compile(r"\{\s*([\w.-]+)\s*\}")


def construct(ev: Resolver, path: str, args: Sequence[Lazy]) -> Values:
    """`new` of something that the page does not define itself."""
    name = _WINDOWS.sub("", path)
    if name in _MAKERS:
        return _MAKERS[name](ev, args)
    if name in ("Promise", "XMLHttpRequest", "Date", "Image"):
        return NOTHING
    # An object of a library: what it was given is what can be known of it.
    given = ev.lazy(args[0]) if len(args) == 1 else ()
    return given if any(isinstance(v, Obj) for v in given) else NOTHING


def _new_address(ev: Resolver, args: Sequence[Lazy]) -> Values:
    texts = ev.lazy(args[0]) if args else ()
    bases = ev.lazy(args[1]) if len(args) > 1 else ("",)
    return ev.union(*(_address(text, base) for text in texts for base in bases))


def _new_array(ev: Resolver, args: Sequence[Lazy]) -> Values:
    is_length = len(args) == 1 and isinstance(ev.lazy(args[0])[0], int | float)
    return (Arr([] if is_length else list(args)),)


def _new_map(ev: Resolver, args: Sequence[Lazy]) -> Obj:
    """A map with the entries of an array, or of another map."""
    made = Obj(is_map=True)
    for value in ev.lazy(args[0]) if args else ():
        given = _from_entries(ev, value) if isinstance(value, Arr) else value
        made.fields.update(given.fields if isinstance(given, Obj) else {})
    return made


def _on_map(ev: Resolver, made: Obj, name: str, args: Sequence[Lazy]) -> Values:
    """Methods of a map; under a key that is not known, any entry may stand."""
    match name:
        case "get":
            keys = [text_of(v) for v in ev.lazy(args[0])] if args else []
            held = [made.fields[k] for k in keys if k in made.fields] or (
                list(made.fields.values()) if HOLE in keys else []
            )
            return (
                ev.any_of(lazy for lazies in held for lazy in lazies)
                if held
                else (UNDEFINED,)
            )
        case "set" if len(args) == 2:
            made.fields.update({text_of(v): [args[1]] for v in ev.lazy(args[0])})
            return (made,)
        case "keys" | "values" | "entries":
            return _WITH_FIRST[f"Object.{name}"](ev, made)
    return NOTHING


def _query(ev: Resolver, value: Value) -> Values:
    """The text of search parameters: what is not known of them are blanks."""
    rows = _from_entries(ev, value) if isinstance(value, Arr) else value
    if not isinstance(rows, Obj):
        text = value if isinstance(value, str) else ""
        return (SearchParameters(text.lstrip("?")),)
    pairs = [
        (key, text_of(ev.any_of(lazies)[0]))
        for key, lazies in list(rows.fields.items())[:100]
    ]
    written = (f"{key}={quote(text, safe=f'/:,{HOLE}')}" for key, text in pairs)
    return (SearchParameters("&".join(written)),)


_MAKERS: dict[str, Callable[[Resolver, Sequence[Lazy]], Values]] = {
    "URL": _new_address,
    "Array": _new_array,
    "Map": lambda ev, args: (_new_map(ev, args),),
    "URLSearchParams": lambda ev, args: (
        ev.union(*(_query(ev, v) for v in ev.lazy(args[0])))
        if args
        else (SearchParameters(""),)
    ),
    "Set": lambda ev, args: ev.lazy(args[0]) if args else NOTHING,
    "String": lambda ev, args: ev.concat(ev.lazy(args[0])) if args else NOTHING,
}


def _address(value: Value, base: Value) -> Values:
    text, under = text_of(value), text_of(base)
    if text.startswith(("http://", "https://")) and HOLE in text:
        return (text,)
    if HOLE in text or HOLE in under:
        return (
            (under.rstrip("/") + "/" + text.lstrip("/"),)
            if HOLE not in under.partition("/")[0]
            else NOTHING
        )
    try:
        return (
            UrlObject(
                ada_url.join_url(under, text) if under else ada_url.normalize_url(text)
            ),
        )
    except ValueError:
        return NOTHING


def _rows_of_two(ev: Resolver, items: Sequence[Lazy]) -> list[Arr]:
    """Those items that are arrays of a key and a value."""
    values = (v for item in items for v in ev.lazy(item))
    return [v for v in values if isinstance(v, Arr) and len(v.items) == 2]


def call(ev: Resolver, path: str, args: Sequence[Lazy], place: BoundScope) -> Values:
    """A function that the page does not define itself."""
    name = _SHORT.sub("", _WINDOWS.sub("", path))
    if _PARCEL.match(name):
        name = "bundle.require"
    if args and (keep := KEPT.get(name.rpartition(".")[2])) is not None:
        return keep(ev, args)
    first = ev.lazy(args[0]) if args else ()
    if name in _WITH_ALL:
        return _WITH_ALL[name](ev, name, args)
    if name in _WITH_FIRST:
        return (
            ev.union(*(_WITH_FIRST[name](ev, value) for value in first))
            if first
            else NOTHING
        )
    if name in _LOADERS or name.startswith("bundle.named."):
        return _required(ev, name, first, place.source)
    return _requested(ev, first) if _REQUESTS.search(name) else NOTHING


def _merged(ev: Resolver, _: str, args: Sequence[Lazy]) -> Values:
    made = Obj()
    # $.extend(true, …)
    is_flag = [all(isinstance(v, bool) for v in ev.lazy(a)) for a in args]
    objects.merge_into(
        ev, made, [a for a, flag in zip(args, is_flag, strict=True) if not flag]
    )
    return (made,)


def _formatted(ev: Resolver, _: str, args: Sequence[Lazy]) -> Values:
    """A string with numbers for placeholders, its arguments or one object for them."""
    listed = Obj({str(i): [lazy] for i, lazy in enumerate(args[1:])})
    objects.merge_into(ev, listed, args[1:2])
    return _with_data(ev, args, (listed,)) if args else NOTHING


def _templated(ev: Resolver, _: str, args: Sequence[Lazy]) -> Values:
    return _with_data(ev, args, ev.lazy(args[1])) if len(args) > 1 else NOTHING


def _with_data(ev: Resolver, args: Sequence[Lazy], data: Values) -> Values:
    return ev.union(*(_filled(ev, text, data) for text in ev.lazy(args[0])))


def _handed_on(ev: Resolver, _: str, args: Sequence[Lazy]) -> Values:
    first = ev.lazy(args[0]) if args else ()
    if len(args) > 1 and any(isinstance(v, Fn) for v in ev.lazy(args[1])):
        return ev.union(
            *(
                methods.on_array(ev, v, "map", args[1:])
                for v in first
                if isinstance(v, Arr)
            )
        )
    return first or NOTHING


def _required(ev: Resolver, name: str, first: Values, source: Source) -> Values:
    """The module that a loader or the runtime of a bundle gives."""
    if name == "require":
        return ev.union(*(imports.require(ev, v, source) for v in first))
    if name in ("__webpack_require__", "bundle.require"):
        return ev.union(*(bundles.bundled_module(ev, v) for v in first))
    if name.startswith("bundle.named."):
        return ev.union(*(bundles.named_module(ev, name, v, source) for v in first))
    return first  # `n`, which wraps a module


def _requested(ev: Resolver, first: Values) -> Values:
    return ev.union(
        *(
            files.request(ev, address)
            for value in first
            for address in _addresses_in(ev, value)
        )
    )


def _addresses_in(ev: Resolver, value: Value) -> list[Value]:
    """What a request is for: the address itself, or where options name it."""
    if not isinstance(value, Obj):
        return [text_of(value) if isinstance(value, UrlObject) else value]
    named = [value.fields[key] for key in ("url", "uri") if key in value.fields]
    return [v for lazies in named for v in ev.any_of(lazies)]


def _filled(ev: Resolver, value: Value, data: Values) -> Values:
    """A string with its placeholders replaced by what the data holds."""
    if not isinstance(value, str):
        return NOTHING
    holder = next((d for d in data if isinstance(d, Obj)), None)

    def put(m: re.Match[str]) -> str:
        if holder is None or m[1] not in holder.fields:
            return m[0]
        return text_of(first_known(ev.any_of(holder.fields[m[1]])))

    return (_FILL.sub(put, value),)


def _parse_json(_: Resolver, value: Value) -> Values:
    try:
        return (from_json(json.loads(value)),) if isinstance(value, str) else NOTHING
    except (ValueError, RecursionError):
        return NOTHING


def _from_base64(_: Resolver, value: Value) -> Values:
    try:
        return (
            (base64.b64decode(value + "==").decode("latin-1"),)
            if isinstance(value, str)
            else NOTHING
        )
    except (ValueError, binascii.Error):
        return NOTHING


def _encode(_: Resolver, value: Value) -> Values:
    return (quote(text_of(value), safe=f"!~*'(){HOLE}"),)


def _entries(_: Resolver, value: Value) -> Values:
    if not isinstance(value, Obj):
        return NOTHING
    return (
        Arr(
            [ready(Arr([ready(k), lazies[-1]])) for k, lazies in value.fields.items()],
            value.is_open,
        ),
    )


def _from_entries(ev: Resolver, value: Arr) -> Obj:
    rows = _rows_of_two(ev, value.items[:400])
    return Obj({text_of(ev.lazy(row.items[0])[0]): [row.items[1]] for row in rows})


_WITH_ALL: dict[str, Callable[[Resolver, str, Sequence[Lazy]], Values]] = {
    **dict.fromkeys(_MERGE, _merged),
    **dict.fromkeys(_HANDED_ON, _handed_on),
    **dict.fromkeys(
        ("Ext.String.format", "String.format", "OpenLayers.String.format"), _formatted
    ),
    **dict.fromkeys(("L.Util.template", "lang.replace", "dojo.replace"), _templated),
}
_WITH_FIRST: dict[str, Callable[[Resolver, Value], Values]] = {
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
    "Object": lambda _, v: (v,),
    "Object.freeze": lambda _, v: (v,),
    "Object.seal": lambda _, v: (v,),
    "Object.create": lambda _, v: (v,),
    "Promise.resolve": lambda _, v: (v,),
    "Object.entries": _entries,
    "Object.keys": lambda _, v: (
        (Arr([ready(k) for k in v.fields]),) if isinstance(v, Obj) else NOTHING
    ),
    "Object.values": lambda _, v: (
        (Arr([x[-1] for x in v.fields.values()]),) if isinstance(v, Obj) else NOTHING
    ),
    "Object.fromEntries": lambda ev, v: (
        (_from_entries(ev, v),) if isinstance(v, Arr) else NOTHING
    ),
    "ko.observable": lambda _, v: (v,),
    "ko.observableArray": lambda _, v: (v,),
    "Promise.all": lambda _, v: (v,),
}


def _kept(ev: Resolver, args: Sequence[Lazy]) -> Values:
    """What is kept, but for what is nothing yet and will be something later."""
    return ev.union(tuple(v if is_truthy(v) else UNKNOWN for v in ev.lazy(args[0])))


def _state(ev: Resolver, args: Sequence[Lazy]) -> Values:
    return (Arr([ready(*_kept(ev, args)), ready(UNKNOWN)]),)


def _result_of(ev: Resolver, args: Sequence[Lazy]) -> Values:
    """What a function without arguments gives."""
    made = [ev.invoke(f, []) for f in ev.lazy(args[0]) if isinstance(f, Fn)]
    return ev.union(*made) if made else NOTHING


def _held_as(name: str, work_out: bool = False) -> Callable[..., Values]:
    """An object that holds what is given, or what the given function gives, under this name."""

    def hold(ev: Resolver, args: Sequence[Lazy]) -> Values:
        held = _result_of(ev, args) if work_out else _kept(ev, args)
        return (Obj({name: [ready(*held)]}),)

    return hold


# What components keep between their calls, by the functions of React and Vue.
KEPT: dict[str, Callable[[Resolver, Sequence[Lazy]], Values]] = {
    "useState": _state,
    "useMemo": _result_of,
    "useRef": _held_as("current"),
    "ref": _held_as("value"),
    "shallowRef": _held_as("value"),
    "computed": _held_as("value", work_out=True),
    **dict.fromkeys(
        ("useCallback", "createContext", "useContext", "reactive", "memo"), _kept
    ),
}


def call_method(
    ev: Resolver, inner: Node, name: str, args: Sequence[Lazy], place: BoundScope
) -> Values:
    """A method of a value: its type decides."""
    found: list[Values] = []
    for value in ev.values(inner, place):
        ev.meter.spend()
        match value:
            case str() if name in ("format", "supplant"):
                found.append(_formatted(ev, name, [ready(value), *args]))
            case str():
                found.append(methods.on_string(ev, value, name, args))
            case Arr():
                found.append(methods.on_array(ev, value, name, args))
            case Obj(is_map=True):
                found.append(_on_map(ev, value, name, args))
            case UrlObject(href):
                found.append((href,) if name in ("toString", "toJSON") else NOTHING)
            case int() | float():
                found.append(
                    (text_of(value),) if name in ("toString", "toFixed") else NOTHING
                )
            case _:
                found.append(_on_other(ev, value, name, args, place))
    made = ev.union(*found)
    is_lost = name == "template" and made == NOTHING  # of a library under another name
    return _templated(ev, name, args) if is_lost else made


def _on_other(
    ev: Resolver, value: Value, name: str, args: Sequence[Lazy], place: BoundScope
) -> Values:
    match value:
        case Ref():
            return _on_global(ev, value, name, args, place)
        case FetchedFile(url):
            return _on_reply(ev, files.contents(ev, url), name, args)
    if name == "then":
        return _then(ev, value, args)
    if name in ("finally", "pipe", "catch"):
        return (value,)
    if isinstance(value, Fn) and name in ("call", "apply", "bind"):
        return _on_function(ev, value, name, args)
    if isinstance(value, Obj | Inst | Fn | Namespace):
        return _own_method(ev, value, name, args, place)
    meant = objects.method_by_name_alone(ev, name) if value is UNKNOWN else []
    return ev.union(*(ev.invoke(f, args) for f in meant))


def _on_global(
    ev: Resolver, value: Ref, name: str, args: Sequence[Lazy], place: BoundScope
) -> Values:
    known = _of_page(ev, value, name, args)
    return known if known is not None else call(ev, f"{value.path}.{name}", args, place)


def _on_reply(
    ev: Resolver, contents: Values, name: str, args: Sequence[Lazy]
) -> Values:
    if name in ("json", "text", "clone"):
        return contents
    return ev.union(*(_on_contents(ev, v, name, args) for v in contents))


def _on_function(ev: Resolver, fn: Fn, name: str, args: Sequence[Lazy]) -> Values:
    if name == "bind":
        return (fn,)
    return ev.invoke(fn, args[1:]) if name == "call" else NOTHING


def _own_method(
    ev: Resolver, value: Value, name: str, args: Sequence[Lazy], place: BoundScope
) -> Values:
    """A method of an object that the page makes."""
    held = ev.member(value, name, place)
    if name in ("json", "toJSON", "valueOf") and held in (NOTHING, (UNDEFINED,)):
        return (value,)
    # what is observed is asked for by a call
    if not args and any(isinstance(v, str) for v in held):
        return held
    return ev.union(*(ev.invoke(f, args, value) for f in held if isinstance(f, Fn)))


def _on_contents(ev: Resolver, value: Value, name: str, args: Sequence[Lazy]) -> Values:
    if isinstance(value, Arr):
        return methods.on_array(ev, value, name, args)
    if name == "then":
        return _then(ev, value, args)
    return NOTHING


def _then(ev: Resolver, value: Value, args: Sequence[Lazy]) -> Values:
    functions = [v for v in (ev.lazy(args[0]) if args else ()) if isinstance(v, Fn)]
    return (
        ev.union(*(ev.invoke(f, [ready(value)]) for f in functions))
        if functions
        else (value,)
    )


def _of_page(
    ev: Resolver, value: Ref, name: str, args: Sequence[Lazy]
) -> Values | None:
    """A method that the page itself put on a global object."""
    if value.path in (
        "document",
        "window",
        "console",
        "$",
        "jQuery",
        "L",
        "ol",
        "OpenLayers",
    ):
        return None
    held = ev.assigned(value.path, name)
    found = [v for v in held if isinstance(v, Fn)]
    if not found:
        return held or None if name.startswith("get") else None
    return ev.union(*(ev.invoke(f, args, value) for f in found))
