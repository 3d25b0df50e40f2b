"""How scripts of a page reach each other: ES modules, import maps, AMD, CommonJS, bundles, configuration files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from geohound.model import url as urls

from .source import FUNCTIONS, Source, arguments, parameters, walk
from .values import (
    HOLE,
    NOTHING,
    UNKNOWN,
    Arr,
    Fn,
    Lazy,
    Namespace,
    Obj,
    Place,
    Ref,
    Reply,
    Value,
    Values,
    from_json,
    ready,
)

if TYPE_CHECKING:
    from .evaluate import Evaluator

_LIBRARIES = re.compile(
    r"^(?:@?(?:ol|leaflet|esri|dojo|dijit|dojox|arcgis|cesium|mapbox|maplibre|deck\.gl|react|vue|jquery|lodash|angular|rxjs|three|"
    r"proj4|exports|require|module|text!|i18n!)\b)",
    re.IGNORECASE,
)
_MODULE_KEY = rb"(?:^|[{,\s])[\"']?(?P<at>NAME)[\"']?\s*(?::\s*(?:function\b|\(|[\w$]+\s*=>|\{|\[\s*function)|\()"
_CONFIG = re.compile(r"\.(?:json|json5|xml|yml|yaml)(?:$|[?#])", re.IGNORECASE)
_DATA = re.compile(
    r"geojson|topojson|package\.json|manifest\.json|locale|i18n|/lang/|translat|tileset\.json", re.IGNORECASE
)
_EXPORTS = ("default", "a")


def resolve(ev: Evaluator, specifier: str, source: Source) -> str | None:
    """The address that an import means; None for the name of a library."""
    for prefix in sorted(ev.imports, key=len, reverse=True):
        if specifier == prefix or (prefix.endswith("/") and specifier.startswith(prefix)):
            target = ev.imports[prefix] + specifier[len(prefix) :]
            return urls.canonical(target, ev.base_url)
    if specifier.startswith((".", "/", "http://", "https://")):
        base = source.script.url if not source.script.is_inline else ev.base_url
        return urls.canonical(specifier, base)
    return None


def find(ev: Evaluator, address: str) -> Source | None:
    """The script at an address, its ending given or not."""
    bare = address.partition("?")[0]
    for spelling in (address, bare, f"{bare}.js", f"{bare}/index.js", f"{bare}.mjs", f"{bare}.ts", f"{bare}.jsx"):
        if spelling in ev.by_url:
            return ev.by_url[spelling]
    return None


def load(ev: Evaluator, specifier: str, source: Source) -> Values:
    """The module that a specifier names; one that is not there yet is wanted."""
    address = resolve(ev, specifier, source)
    if address is None:
        return (Ref(specifier.replace("/", ".").removesuffix(".js")),)
    there = find(ev, address)
    if there is not None:
        if there.script.text.lstrip()[:1] in "{[":
            return contents(ev, address)
        return (Namespace(there),)
    want_script(ev, address)
    return (Ref(specifier.removesuffix(".js").strip("./").replace("/", ".")),)


def want_script(ev: Evaluator, address: str) -> None:
    name = address.partition("?")[0].rpartition("/")[2]
    ev.wanted.setdefault(address if "." in name or not name else f"{address}.js")


def load_from(ev: Evaluator, args: Sequence[Node], place: Place) -> Values:
    """A dynamic import."""
    found: list[Values] = []
    for value in ev.values(args[0], place) if args else ():
        if isinstance(value, str) and HOLE not in value:
            found.append(load(ev, value, place.source))
    return ev.union(*found)


def imported(ev: Evaluator, part: Node, source: Source) -> Values:
    """The value of a name that an import statement brings."""
    statement: Node | None = part
    while statement is not None and statement.type != "import_statement":
        statement = statement.parent
    origin = statement.child_by_field_name("source") if statement is not None else None
    if origin is None:
        return NOTHING
    specifier = source.text(origin).strip("\"'`")
    name = part.child_by_field_name("name")
    wanted = source.text(name).strip("\"'") if name is not None else "default" if part.type == "identifier" else "*"
    found: list[Values] = []
    for module in load(ev, specifier, source):
        if isinstance(module, Namespace):
            found.append((module,) if wanted == "*" else exported(ev, module, wanted))
        elif isinstance(module, Ref):
            found.append((module if wanted in ("*", "default") else Ref(f"{module.path}.{wanted}"),))
        else:
            found.append((module,))
    return ev.union(*found)


def exported(ev: Evaluator, module: Namespace, name: str) -> Values:
    """What a module exports under a name."""
    key = ("export", module.source.index, module.node.id if module.node is not None else 0, name)
    if key in ev.active:
        return NOTHING
    ev.active.add(key)
    try:
        if module.node is not None:
            return _bundle_export(ev, module, name)
        return (
            _es_export(ev, module.source, name)
            or _common_export(ev, module.source, module.source.root, name)
            or NOTHING
        )
    finally:
        ev.active.discard(key)


def importers(ev: Evaluator, source: Source) -> Iterator[tuple[Source, str]]:
    """The names under which other modules of the page import from this one."""
    for other in ev.sources:
        if other is source or other.is_library or b"import" not in other.raw:
            continue
        for alias, definitions in list(other.names(other.root).items()):
            for d in definitions:
                if d.how == "import" and any(
                    isinstance(v, Fn) and v.place.source is source for v in imported(ev, d.node, other)
                ):
                    yield other, alias


def _es_export(ev: Evaluator, source: Source, name: str) -> Values:
    place = Place(source)
    for node in source.root.named_children:
        if node.type != "export_statement":
            continue
        value, declared = node.child_by_field_name("value"), node.child_by_field_name("declaration")
        is_default = any(c.type == "default" for c in node.children)
        if is_default and name == "default":
            if value is not None:
                return ev.values(value, place)
            return ev.values(declared, place) if declared is not None else NOTHING
        if declared is not None and not is_default and name in _declared_names(source, declared):
            return _named_at(ev, name, source)
        origin = node.child_by_field_name("source")
        for clause in (c for c in node.named_children if c.type == "export_clause"):
            for part in clause.named_children:
                own, alias = part.child_by_field_name("name"), part.child_by_field_name("alias")
                if own is not None and source.text(alias or own) == name:
                    return _passed_on(ev, source, source.text(own), origin)
        if origin is not None and any(c.type == "*" for c in node.children) and name != "default":
            found = _passed_on(ev, source, name, origin)
            if any(v is not UNKNOWN for v in found):
                return found
    return ()


def _declared_names(source: Source, declared: Node) -> Iterator[str]:
    name = declared.child_by_field_name("name")
    if name is not None:
        yield source.text(name)
    for part in declared.named_children:
        if part.type == "variable_declarator" and (label := part.child_by_field_name("name")) is not None:
            yield source.text(label)
            if label.type == "object_pattern":
                yield from (source.text(p) for p in label.named_children)


def _named_at(ev: Evaluator, name: str, source: Source) -> Values:
    from . import names  # noqa: PLC0415 - names look into modules

    return names.final(ev, name, source)


def _passed_on(ev: Evaluator, source: Source, name: str, origin: Node | None) -> Values:
    if origin is None:
        return _named_at(ev, name, source)
    found = []
    for module in load(ev, source.text(origin).strip("\"'`"), source):
        found.append(exported(ev, module, name) if isinstance(module, Namespace) else (Ref(name),))
    return ev.union(*found)


def _common_export(ev: Evaluator, source: Source, top: Node, name: str) -> Values:
    """module.exports = …, exports.name = …, and what an AMD module returns."""
    from . import objects  # noqa: PLC0415 - objects look into modules

    found: list[Values] = []
    whole = whole_export(ev, source, top)
    for value in whole:
        found.append((value,) if name == "default" else objects.member(ev, value, name, Place(source)))
    for pattern in (rb"exports\.(?P<at>NAME)\s*=(?![=>])",):
        for at in source.places(name, pattern, top.start_byte, top.end_byte)[:5]:
            right = _assigned_right(source, at)
            if right is not None:
                found.append(ev.values(right, Place(source)))
    known = [v for group in found for v in group if v is not UNKNOWN]
    return ev.union(tuple(known)) if known else ()


def _assigned_right(source: Source, at: int) -> Node | None:
    up = source.node_at(at)
    while up is not None and up.type not in ("assignment_expression", "program", "statement_block"):
        up = up.parent
    return up.child_by_field_name("right") if up is not None else None


def whole_export(ev: Evaluator, source: Source, top: Node) -> Values:
    found: list[Values] = []
    for at in source.places("module", rb"(?<![\w$.])(?P<at>NAME)\.exports\s*=(?![=>])", top.start_byte, top.end_byte)[
        :3
    ]:
        right = _assigned_right(source, at)
        if right is not None:
            found.append(ev.values(right, Place(source)))
    for at in source.places("define", rb"(?<![\w$.])(?P<at>NAME)\s*\(", top.start_byte, top.end_byte)[:2]:
        node = source.node_at(at)
        call = node.parent if node is not None else None
        given = arguments(call) if call is not None and call.type == "call_expression" else []
        for value in ev.values(given[-1], Place(source)) if given else ():
            found.append(ev.invoke(value, []) if isinstance(value, Fn) else (value,))
    return ev.union(*found) if found else ()


def dependencies(ev: Evaluator, given: Sequence[Node], position: int, source: Source) -> list[Lazy]:
    """The modules that define([…], function) hands to its function."""
    if position == 0:
        return []
    found: list[Lazy] = []
    for value in ev.values(given[position - 1], Place(source)):
        for item in value.items if isinstance(value, Arr) else ():
            named = ev.lazy(item)[0]
            found.append(ready(*_amd(ev, named, source)) if isinstance(named, str) else ready(UNKNOWN))
    return found


def _amd(ev: Evaluator, name: str, source: Source) -> Values:
    there = amd_address(ev, name, source, wanted=False)
    if there is not None:
        return whole_export(ev, there, there.root) or NOTHING
    return (Ref(name.strip("./").replace("/", ".")),)


def amd_address(ev: Evaluator, name: str, source: Source, *, wanted: bool) -> Source | None:
    """The script that an AMD name means, by the loader's settings; one that is not there may be wanted."""
    first, _, rest = name.partition("/")
    if (
        "!" in name
        or name in ("require", "exports", "module")
        or (_LIBRARIES.match(name) and first not in ev.amd_paths)
    ):
        return None
    if name.startswith("."):
        address = urls.canonical(name, source.script.url)
    elif first in ev.amd_paths:
        below = rest or ("main" if name == first and "/" not in ev.amd_paths[first] else "")
        address = urls.canonical(
            "/".join(filter(None, [ev.amd_paths[first].rstrip("/"), below])) or name, ev.amd_base or ev.base_url
        )
    else:
        here = source.script.url if not source.script.is_inline else ev.base_url
        address = urls.canonical(name, ev.amd_base or here)
    if address is None:
        return None
    there = find(ev, address)
    if there is None:
        tail = f"/{name.lstrip('./')}.js"
        there = next((s for url, s in ev.by_url.items() if url.partition("?")[0].endswith(tail)), None)
    if there is None and wanted:
        full = address if address.endswith(".js") else f"{address}.js"
        if full not in ev.by_url:
            ev.wanted.setdefault(full)
    return there


def require(ev: Evaluator, specifier: Value, source: Source) -> Values:
    """CommonJS require."""
    if not isinstance(specifier, str) or HOLE in specifier:
        return NOTHING
    found: list[Values] = []
    for module in load(ev, specifier, source):
        if isinstance(module, Namespace):
            whole = whole_export(ev, module.source, module.source.root)
            found.append(whole or (module,))
        else:
            found.append((module,))
    return ev.union(*found)


# Bundles: modules are functions in a table, with (module, exports, require) as parameters of any name.


def wired_parameter(name: str, function: Node, source: Source) -> Values | None:
    """What the parameter of a bundled module is; None for an ordinary function."""
    if not is_bundled(function):
        return None
    listed = parameters(function)
    at = next((i for i, p in enumerate(listed) if source.text(p) == name), -1)
    has_names = _with_names(function) is not None
    role = {0: "require", 1: "module", 2: "exports"} if has_names else {0: "module", 1: "exports", 2: "require"}
    own = Namespace(source, function)
    match role.get(at):
        case "require":
            return (Ref(f"bundle.named.{function.id}" if has_names else "bundle.require"),)
        case "module":
            return (Obj({"exports": [ready(own)]}),)
        case "exports":
            return (own,)
    return None


def _with_names(function: Node) -> Node | None:
    """Where each module has a table of its own from names to ids, that table: `1: [function, {"./a": 2}]`."""
    up = function.parent
    if up is None or up.type != "array" or up.named_child_count != 2 or up.parent is None or up.parent.type != "pair":
        return None
    table = up.named_child(1)
    return table if table is not None and table.type == "object" else None


def is_bundled(function: Node) -> bool:
    """A function of up to three plain parameters that stands in a table under an id."""
    up = function.parent
    listed = parameters(function)
    if up is None or not 1 <= len(listed) <= 3 or any(p.type != "identifier" for p in listed):
        return False
    if up.type == "pair":
        key = up.child_by_field_name("key")
        return key is not None and (key.type == "number" or (key.type == "string" and _looks_like_path(key)))
    if up.type == "method_definition" or function.type == "method_definition":
        key = function.child_by_field_name("name")
        return key is not None and key.type in ("number", "string")
    if _with_names(function) is not None:
        return True
    return up.type == "array" and len(listed) >= 2 and up.named_child_count > 1


def _looks_like_path(key: Node) -> bool:
    return key.end_byte - key.start_byte > 5


def named_module(ev: Evaluator, path: str, name: Value, source: Source) -> Values:
    """What `require(name)` gives in a module with a table of names."""
    owner = int(path.rpartition(".")[2])
    for at in source.places(str(name), rb"[\"'](?P<at>NAME)[\"']\s*:\s*\d")[:20]:
        node = source.node_at(at)
        while node is not None and node.type != "pair":
            node = node.parent
        table = node.parent if node is not None else None
        array = table.parent if table is not None else None
        function = array.named_child(0) if array is not None and array.type == "array" else None
        value = node.child_by_field_name("value") if node is not None else None
        if function is not None and function.id == owner and value is not None:
            return ev.union(*(bundled_module(ev, v) for v in ev.values(value, Place(source))))
    return NOTHING


def bundled_module(ev: Evaluator, key: Value) -> Values:
    """The module under an id of a bundle, in whichever of the page's files it is."""
    if not isinstance(key, str | int):
        return NOTHING
    known = ev.known.get(("module", key))
    if known is None:
        found = [n for s in ev.sources if not s.is_library for n in _modules_in(s, str(key))]
        known = tuple(found[:2]) or NOTHING
        ev.known["module", key] = known
    return known if isinstance(known, tuple) else NOTHING


def _modules_in(source: Source, key: str) -> Iterator[Namespace]:
    if key.encode() not in source.raw:
        return
    for at in source.places(key, _MODULE_KEY)[:20]:
        node = source.node_at(at) if at >= 0 else None
        while node is not None and node.type not in ("pair", "method_definition", "object", "program"):
            node = node.parent
        value = node.child_by_field_name("value") if node is not None and node.type == "pair" else node
        if value is not None and value.type == "array":
            value = value.named_child(0)
        if value is not None and value.type in FUNCTIONS and is_bundled(value):
            yield Namespace(source, value)
    if key.isdecimal():
        yield from _by_position(source, int(key))


def _by_position(source: Source, index: int) -> Iterator[Namespace]:
    """Older bundles keep their modules in an array."""
    for node in walk(source.root, skip=FUNCTIONS):
        if node.type == "array" and index < node.named_child_count:
            value = node.named_child(index)
            if value is not None and value.type in FUNCTIONS and is_bundled(value):
                yield Namespace(source, value)


def _bundle_export(ev: Evaluator, module: Namespace, name: str) -> Values:
    source, node = module.source, module.node
    if node is None:
        return NOTHING
    place = Place(source)
    found: list[Values] = []
    listed = [source.text(p) for p in parameters(node)]
    if _with_names(node) is not None:
        listed = listed[1:]
    getters = rb"[{,(\s][\"']?(?P<at>NAME)[\"']?\s*[:,]\s*(?:function\s*\(\)\s*\{\s*return|\(\)\s*=>)"
    for at in source.places(name, getters, node.start_byte, node.end_byte)[:3]:
        function = _function_after(source, at)
        if function is not None:
            found.append(ev.invoke(Fn(function, place), []))
    for at in source.places(name, rb"[\"'](?P<at>NAME)[\"']\s*,\s*0\s*,", node.start_byte, node.end_byte)[:2]:
        label = source.node_at(at)
        while label is not None and label.type != "string":
            label = label.parent
        value = (
            label.next_named_sibling.next_named_sibling
            if label is not None and label.next_named_sibling is not None
            else None
        )
        if value is not None:
            found.append(ev.values(value, place))
    if len(listed) > 1:
        for at in source.places(
            name, re.escape(listed[1].encode()) + rb"\.(?P<at>NAME)\s*=(?![=>])", node.start_byte, node.end_byte
        )[:3]:
            right = _assigned_right(source, at)
            if right is not None:
                found.append(ev.values(right, place))
    if not found and listed:
        found += _whole_bundle_export(ev, source, node, listed[0], name)
    return ev.union(*found)


def _whole_bundle_export(ev: Evaluator, source: Source, node: Node, label: str, name: str) -> Iterator[Values]:
    from . import objects  # noqa: PLC0415

    for at in source.places(label, rb"(?<![\w$.])(?P<at>NAME)\.exports\s*=(?![=>])", node.start_byte, node.end_byte)[
        :3
    ]:
        right = _assigned_right(source, at)
        for value in ev.values(right, Place(source)) if right is not None else ():
            yield (
                (value,)
                if name in _EXPORTS and isinstance(value, str)
                else objects.member(ev, value, name, Place(source))
            )


def _function_after(source: Source, at: int) -> Node | None:
    node = source.node_at(at)
    while node is not None and node.type not in ("pair", "arguments", "program"):
        node = node.parent
    if node is None:
        return None
    last = node.named_children[-1] if node.named_child_count else None
    return last if last is not None and last.type in FUNCTIONS else None


def call_getter(ev: Evaluator, value: Value) -> Values:
    """`n.n(module)` gives a function that gives the module's default."""
    return exported(ev, value, "default") if isinstance(value, Namespace) else NOTHING


# Files that scripts ask for.


def request(ev: Evaluator, address: Value, *, is_config: bool = True) -> Values:
    """A request for a file; a configuration file that is not there yet is wanted."""
    if not isinstance(address, str) or HOLE in address or not address:
        return NOTHING
    full = urls.canonical(address, ev.base_url)
    if full is None:
        return NOTHING
    if is_config and find(ev, full) is None and _CONFIG.search(address) and not _DATA.search(address):
        ev.wanted.setdefault(full)
    return (Reply(full),)


def contents(ev: Evaluator, address: str) -> Values:
    """The JSON at an address, if the file was given."""
    there = find(ev, address)
    if there is None:
        return NOTHING
    key = ("json", there.index)
    if key not in ev.known:
        try:
            ev.known[key] = (from_json(json.loads(there.script.text)),)
        except (ValueError, RecursionError):
            ev.known[key] = NOTHING
    known = ev.known[key]
    return known if isinstance(known, tuple) else NOTHING


def settled(ev: Evaluator, values: Values) -> Values:
    """What a promise or request hands on: an address becomes the answer to it."""
    found: list[Values] = []
    for value in values:
        if isinstance(value, str):
            found.append(request(ev, value) if _CONFIG.search(value) else NOTHING)
        else:
            found.append((value,))
    return ev.union(*found)


def opened(ev: Evaluator, values: Values) -> Values:
    """Answers replaced by what is in them."""
    return ev.union(*(contents(ev, v.url) if isinstance(v, Reply) else (v,) for v in values))


def required_by(ev: Evaluator, fn: Fn, key: Value) -> Values:
    """A bundle's own require function, known by its shape: it takes an id and gives back `.exports`."""
    source = fn.place.source
    body = source.data[fn.node.start_byte : fn.node.end_byte]
    if not isinstance(key, str | int) or len(body) > 1200 or b".exports" not in body:
        return NOTHING
    return bundled_module(ev, key)
