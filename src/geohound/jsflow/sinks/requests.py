"""Requests that scripts send themselves, files they ask for, and services named in tags, rows and JSON strings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from urllib.parse import unquote

from tree_sitter import Node

from geohound.jsflow.evaluation.call_sites import attributes
from geohound.jsflow.model import words
from geohound.jsflow.modules import files
from geohound.jsflow.syntax import nodes
from geohound.jsflow.syntax.source import Source
from geohound.jsflow.syntax.tree import FUNCTIONS, above, callee, child
from geohound.jsflow.values.domain import HOLE, BoundScope, Lazy, Obj, Ref, Value

from . import calls
from .collector import Collector
from .config import addresses_in_json
from .finds import MAX_FUNCTION, MAX_GUESSED, SinkMatch, SinkValue
from .idioms import Idioms

# Keys of an object that says how to ask, not what for.
_SETTINGS = words(
    "url uri method type headers mode credentials body data datatype async success error callback scope crossdomain "
    "contenttype processdata cache complete timeout signal baseurl responsetype jsonp jsonpcallback beforesend "
    "dataType crossDomain contentType processData baseURL responseType jsonpCallback beforeSend withCredentials "
    "failure"
)
_HOLDERS = words(
    "arguments array pair variable_declarator assignment_expression ternary_expression"
)


def json(c: Collector, node: Node) -> None:
    for value in c.ev.values(node, BoundScope(c.source)):
        if isinstance(value, str):
            for text, hint, key in addresses_in_json(value, c.idioms):
                c.found.append(
                    SinkMatch(
                        text,
                        hint,
                        "string",
                        node,
                        c.source,
                        key,
                        must_be_sure=hint is None,
                    )
                )


def request(c: Collector, _: int, end: int) -> None:
    call = nodes.call_of(c.source.node_at(end - 1))
    if call is None or not c.once("request", call):
        return
    called = callee(call)
    name = c.source.text(called)[-60:] if called is not None else ""
    if name.endswith(".get") and len(c.source.data) > MAX_GUESSED:
        c.ev.meter.restrain()
    place = BoundScope(c.source)
    at = 1 if name.endswith(".open") else 0
    nearby = nearby_kind(c, call)
    if nearby is None:
        c.ev.meter.restrain()

    def compute() -> list[SinkValue]:
        args = c.ev.lazy_arguments(call, place)
        given = [v for lazy in args[:4] for v in c.ev.lazy(lazy)]
        kinds = [k for v in given if (k := kind_in(c, v, 0))]
        kind = (
            kinds[0]
            if kinds
            else None
            if any(_is_complete(c, v) for v in given)
            else nearby
        )
        hits = [
            h
            for lazy in args[at : at + 1]
            for h in c.held(lazy, ("url", "uri", "baseURL"), strings=True)
        ]
        base = _base_of_client(c, called, args)
        return [hit._replace(value=_below(base, hit.value), kind=kind) for hit in hits]

    c.take(compute, None, "request", call, name)


def _base_of_client(c: Collector, called: Node | None, args: list[Lazy]) -> str:
    """The base that a client for requests was made with, or is given beside the path."""
    place = BoundScope(c.source)
    client = child(called, "object")
    held: list[Value] = []
    if client is not None:
        held += c.ev.values(client, place)
        held += c.ev.member(Ref("axios"), "defaults", place)
    held += [v for lazy in args[:3] for v in c.ev.lazy(lazy)]
    bases = (_base_in(c, value) for value in held if isinstance(value, Obj | Ref))
    return next(filter(None, bases), "")


def _base_in(c: Collector, settings: Obj | Ref) -> str:
    for key in ("baseURL", "baseUrl", "prefixUrl"):
        known = c.ev.member(settings, key, BoundScope(c.source))
        text = next((v for v in known if isinstance(v, str)), "")
        if text and HOLE not in text:
            return text
    return ""


def _below(base: str, path: Value) -> Value:
    if (
        not base
        or not isinstance(path, str)
        or "://" in path[:10]
        or path.startswith("//")
    ):
        return path
    return f"{base.rstrip('/')}/{path.lstrip('/')}"


def nearby_kind(c: Collector, call: Node) -> str | None:
    """The service that the function around a request speaks of."""
    scope = c.source.scope_of(call)
    begin, end = scope.start_byte, scope.end_byte
    if scope.type not in FUNCTIONS or end - begin > MAX_FUNCTION:
        begin, end = max(0, call.start_byte - 600), call.end_byte + 600
    for found in c.idioms.service.finditer(c.source.data, begin, end):
        if not _is_of_another(c.source, call, found.start()):
            return c.idioms.kind_of_name(found[found.lastindex or 0].decode().lower())
    return None


def _is_of_another(source: Source, call: Node, at: int) -> bool:
    """A parameter in an address that is written out belongs to that address, one in a function beside to that."""
    data = source.data
    begin = max(data.rfind(quote, max(0, at - 300), at) for quote in (b"'", b'"', b"`"))
    written = data[begin + 1 : at]
    if begin >= 0 and b"?" in written and (b"://" in written or written[:1] in b"/"):
        return True
    node = source.node_at(at)
    other = source.nearest(node, "call_expression", "statement_block", "program")
    if (
        other is not None
        and other.type == "call_expression"
        and other.id != call.id
        and _is_request(source, other)
    ):
        return True
    scope = source.scope_of(node) if node is not None else call
    is_function = scope.type in FUNCTIONS
    around = scope.start_byte <= call.start_byte < scope.end_byte
    return (
        is_function
        and not around
        and not call.start_byte <= scope.start_byte < call.end_byte
    )


def _is_request(source: Source, call: Node) -> bool:
    """A call that names what it asks for; `send` only sends what `open` named."""
    called = callee(call)
    name = source.text(called)[-60:] if called is not None else ""
    return bool(calls.REQUESTS.search(name)) and not name.endswith("send")


def _is_complete(c: Collector, value: Value) -> bool:
    """Parameters that are known and name no service: what stands nearby is the kind of another request."""
    if isinstance(value, str):
        return _has_query(value)
    if not isinstance(value, Obj) or value.is_open:
        return False
    nested = [value.fields[name] for name in c.idioms.nested if name in value.fields]
    if nested:
        return any(_is_complete(c, v) for lazies in nested for v in c.ev.any_of(lazies))
    return bool(value.fields) and not _SETTINGS & value.fields.keys()


def _has_query(address: str) -> bool:
    query = unquote(address).partition("?")[2]
    return "=" in query and HOLE not in query


def kind_in(c: Collector, value: Value, depth: int) -> str | None:
    """The kind of service that a request's address, body or parameters name."""
    if isinstance(value, str):
        return c.ev.book.kind_in_query(value) or c.idioms.kind_posted(value)
    if not isinstance(value, Obj) or depth >= 3:
        return None
    for name in _service_keys(value, c.idioms):
        inner = c.ev.any_of(value.fields[name])[0]
        if name.lower() == "service" and isinstance(inner, str):
            return c.ev.book.kind_of_service(inner)
        if kind := kind_in(c, inner, depth + 1):
            return kind
    return None


def _service_keys(value: Obj, idioms: Idioms) -> list[str]:
    """Keys that name a service, or hold the parameters of a request."""
    return [
        name
        for name in list(value.fields)[:40]
        if name.lower() in ("service", *idioms.nested)
    ]


def file(c: Collector, at: int, _: int) -> None:
    node = c.source.node_at(at)
    while node is not None and node.type not in ("string", "template_string"):
        if node.type in ("program", "statement_block"):
            return
        node = c.source.up(node)
    if node is None:
        return
    top = nodes.whole(node, c.source)
    if above(top, *_HOLDERS) is None:
        return
    for value in c.ev.solve(lambda: list(c.ev.values(top, BoundScope(c.source)))):
        files.request(c.ev, value)


def row(c: Collector, at: int, _: int) -> None:
    """The constructor as data: its name first, its arguments behind it."""
    node = c.source.node_at(at)
    array = node.parent if node is not None else None
    while array is not None and array.type in ("string", "string_fragment"):
        array = array.parent
    if array is None or array.type != "array" or not c.once("row", array):
        return
    place = BoundScope(c.source)
    kind = c.idioms.kind_of_name(
        c.source.text(array.named_children[0]).strip("\"'").rpartition(".")[2]
    )

    def compute() -> list[SinkValue]:
        lazies = [Lazy(argument, place) for argument in array.named_children[1:4]]
        return [v for lazy in lazies for v in c.held(lazy, None, strings=True)]

    c.take(
        compute,
        kind,
        "shape",
        array,
        c.source.text(array.named_children[0]).strip("\"'"),
    )


def tags(c: Collector) -> Iterator[tuple[Obj, Node, str]]:
    """JSX tags that speak of a service."""
    for match in c.idioms.tag.finditer(c.source.data):
        node = c.source.nearest(
            c.source.node_at(match.end() - 1),
            "jsx_opening_element",
            "jsx_self_closing_element",
        )
        if node is not None:
            yield (
                attributes(c.source, node, BoundScope(c.source)),
                node,
                match[0][1:].decode(),
            )


def collect_tags(c: Collector) -> None:
    for made, node, name in tags(c):
        holder = Lazy(values=(made,))
        c.take(
            partial(c.held, holder, None, strings=False),
            c.idioms.kind_of_name(name),
            "call",
            node,
            name,
        )
