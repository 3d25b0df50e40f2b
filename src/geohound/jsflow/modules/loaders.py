"""Further files that a script will load: modules by name, chunks of a bundle, workers, scripts added by scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from tree_sitter import Node

from geohound import urls
from geohound.jsflow.syntax import libraries
from geohound.jsflow.syntax.anchors import anchor
from geohound.jsflow.syntax.source import Source, parameters, walk
from geohound.jsflow.syntax.tree import FUNCTIONS
from geohound.jsflow.values import dead_branches
from geohound.jsflow.values.domain import (
    HOLE,
    Arr,
    BoundScope,
    Fn,
    Lazy,
    Obj,
    UrlObject,
    Value,
    ready,
    text_of,
)
from geohound.jsflow.values.resolver import Resolver

from . import files, imports

_IMPORT = anchor(
    "import export system.import",
    rb"(?<![\w$.])(?:import|export)\s*+(?:[\w$*{},][\w$*{},\s]{0,2000}?from\s*+)?[\"']([^\"'\n]{1,300})[\"']|"
    rb"(?<![\w$.])(?:System\.)?import\(\s*[\"'`]([^\"'`\n$]{1,300})[\"'`]",
)
_AMD = anchor(
    "define require system.register",
    rb"(?<![\w$.])(?:define|require|requirejs|System\.register)\(\s*+(?:[\"'][^\"']{0,300}[\"']\s*+,\s*+)?\[([^\[\]]{1,4000})\]",
)
_QUOTED = re.compile(rb"[\"']([^\"']{1,200})[\"']")
_SETTINGS = anchor(
    "packages paths baseurl",
    rb"(?<![\w$.])[\"']?(?:packages|paths|baseUrl)[\"']?\s*:",
    before=1,
)
_SCRIPT = anchor(
    "worker importscripts getscript loadscript loadjs addscript lazyload .src",
    rb"(?<![\w$])(?:Worker|SharedWorker|importScripts|getScript|loadScript|loadJS|addScript|LazyLoad\.js)\s*\((?=[^)]{0,200}\.m?js)|"
    rb"\.src\s*=(?=[^;]{0,200}\.m?js[\"'`])",
)
_WRITTEN = re.compile(
    rb"<script[^>]{1,200}?src=\\?[\"']([^\"'\\>]{1,300}\.js)", re.IGNORECASE
)
_CHUNK = re.compile(rb"\+\s*[\"'][\w.-]{0,40}\.js[\"']")
_LOADED = re.compile(rb"\.e\(\s*[\"']?([\w~./-]{1,80})[\"']?\s*\)")
_PUBLIC = re.compile(rb"[\w$]\.p\s*=\s*[\"']([^\"']{0,200})[\"']")
_NO_SCRIPT = re.compile(
    r"\.(?:css|svg|png|jpe?g|html?|scss|less|gif|woff2?)(?:$|\?)", re.IGNORECASE
)
_MAX_CHUNKS = 40
_LOADING = ("call_expression", "new_expression", "assignment_expression")


def follow(ev: Resolver, source: Source) -> None:
    """Ask for what this script imports or loads, whether it holds addresses itself or not."""
    raw = source.raw
    if b"import" in raw or b"export" in raw:
        for match in _IMPORT.find(source.data, source.lowered):
            if match[1] or not _is_switched_off(ev, source, match.start()):
                _want(ev, source, (match[1] or match[2]).decode("utf-8", "replace"))
    if b"define" in raw or b"require" in raw or b"System.register" in raw:
        _follow_amd(ev, source)
    if b".js" in raw:
        _follow_scripts(ev, source)


def _is_switched_off(ev: Resolver, source: Source, at: int) -> bool:
    """An import() in a branch that is never taken."""
    node = source.node_at(at)
    return node is not None and dead_branches.in_dead_branch(ev, node, source)


def _want(ev: Resolver, source: Source, specifier: str) -> None:
    address = imports.resolve(ev, specifier, source)
    if address is None or libraries.is_library(address) or _NO_SCRIPT.search(address):
        return
    if files.find(ev, address) is None:
        imports.want_script(ev, address)


def _follow_amd(ev: Resolver, source: Source) -> None:
    for match in _AMD.find(source.data, source.lowered):
        is_system = match[0].startswith(b"System")
        for quoted in _QUOTED.finditer(match[1]):
            name = quoted[1].decode("utf-8", "replace")
            _want(ev, source, name) if is_system else imports.amd_address(
                ev, name, source, wanted=True
            )


def read_settings(ev: Resolver, source: Source) -> None:
    """Where a module loader looks: baseUrl, paths and packages."""
    if not any(source.mentions(word) for word in ("packages", "paths", "baseUrl")):
        return
    if not any(source.mentions(word) for word in ("require", "dojoConfig", "djConfig")):
        return
    for match in islice(_SETTINGS.find(source.data, source.lowered), 20):
        node = source.nearest(source.node_at(match.end() - 1), "object", "program")
        made = ev.values(node, BoundScope(source)) if node is not None else ()
        for value in made:
            if isinstance(value, Obj):
                _take_settings(ev, value)


def _take_settings(ev: Resolver, settings: Obj) -> None:
    base = _text(ev, settings, "baseUrl")
    if base:
        ev.amd_base = urls.canonical(base.rstrip("/") + "/", ev.base_url) or ev.amd_base
    for package in _packages(ev, settings):
        name = _text(ev, package, "name")
        if name:
            ev.amd_paths[name] = _text(ev, package, "location") or name
    for table in _each(ev, settings.fields.get("paths", [])):
        ev.amd_paths.update(_paths(ev, table) if isinstance(table, Obj) else {})


def _paths(ev: Resolver, table: Obj) -> dict[str, str]:
    paths = {name: _text(ev, table, name) for name in list(table.fields)[:100]}
    return {name: path for name, path in paths.items() if path}


def _packages(ev: Resolver, settings: Obj) -> list[Obj]:
    listed = [
        v for v in _each(ev, settings.fields.get("packages", [])) if isinstance(v, Arr)
    ]
    return [
        v for array in listed for v in _each(ev, array.items[:50]) if isinstance(v, Obj)
    ]


def _each(ev: Resolver, lazies: Iterable[Lazy]) -> Iterator[Value]:
    return (value for lazy in lazies for value in ev.lazy(lazy))


def _text(ev: Resolver, holder: Obj, key: str) -> str:
    found = (
        [v for v in ev.any_of(holder.fields[key]) if isinstance(v, str)]
        if key in holder.fields
        else []
    )
    return found[0] if found and HOLE not in found[0] else ""


def _follow_scripts(ev: Resolver, source: Source) -> None:
    for match in islice(_SCRIPT.find(source.data, source.lowered), 60):
        node = source.nearest(source.node_at(match.end() - 1), *_LOADING, "program")
        for part in _loaded(node):
            for value in ev.values(part, BoundScope(source)):
                _want_file(
                    ev,
                    source,
                    text_of(value) if isinstance(value, str | UrlObject) else "",
                )
    for match in _WRITTEN.finditer(source.data):
        _want_file(ev, source, match[1].decode("utf-8", "replace"))
    _follow_chunks(ev, source)


def _loaded(node: Node | None) -> list[Node]:
    """Where the address stands in an expression that loads a script."""
    if node is None or node.type == "program":
        return []
    right = node.child_by_field_name("right")
    if node.type == "assignment_expression":
        return [right] if right is not None else []
    return _arguments(node)


def _arguments(call: Node) -> list[Node]:
    listed = call.child_by_field_name("arguments")
    return listed.named_children[:3] if listed is not None else []


def _want_file(ev: Resolver, source: Source, text: str) -> None:
    if (
        not re.search(r"\.m?js(?:$|\?)", text)
        or HOLE in text
        or libraries.is_library(text)
    ):
        return
    # A worker's own scripts lie beside it; whatever a page adds lies beside the page.
    is_worker = source.mentions("importScripts")
    address = urls.canonical(
        text,
        source.script.url if is_worker and not source.script.is_inline else ev.base_url,
    )
    if address and files.find(ev, address) is None:
        ev.wanted.setdefault(address)


def _follow_chunks(ev: Resolver, source: Source) -> None:
    """Files that the runtime of a bundle loads later: their names come from a function of their number."""
    ids = list(dict.fromkeys(m[1].decode() for m in _LOADED.finditer(source.data)))[
        :_MAX_CHUNKS
    ]
    if not ids:
        return
    for match in islice(_CHUNK.finditer(source.data), 5):
        function = source.nearest(source.node_at(match.start()), *FUNCTIONS)
        if function is None or len(parameters(function)) != 1:
            continue
        for number in ids:
            _want_numbered(ev, source, function, number)


def _want_numbered(ev: Resolver, source: Source, function: Node, number: str) -> None:
    key = int(number) if number.isdecimal() else number
    for value in ev.invoke(Fn(function, BoundScope(source)), [ready(key)]):
        if isinstance(value, str) and HOLE not in value and value.endswith(".js"):
            _want_chunk(ev, source, value)


def _want_chunk(ev: Resolver, source: Source, name: str) -> None:
    public = _PUBLIC.search(source.data)
    if name.startswith(("/", "http")):
        address = urls.canonical(name, source.script.url)
    elif public and public[1] != b"auto":
        address = urls.canonical(public[1].decode() + name, ev.base_url)
    else:
        address = urls.canonical(name, _folder_of_chunks(source.script.url, name))
    if address and files.find(ev, address) is None:
        ev.wanted.setdefault(address)


def _folder_of_chunks(script: str, name: str) -> str:
    """The folder that the names of chunks are relative to, by where the script stands that loads them."""
    folder = name.rpartition("/")[0]
    here = script.rpartition("/")[0]
    return (
        here.removesuffix(folder)
        if folder and here.endswith(f"/{folder}")
        else f"{here}/"
    )


__all__ = ["follow", "read_settings", "walk"]
