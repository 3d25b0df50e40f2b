"""How scripts of a page reach each other: ES modules, import maps, AMD, CommonJS, bundles, configuration files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from geohound import urls
from geohound.jsflow.syntax.source import Source, arguments
from geohound.jsflow.syntax.tree import child
from geohound.jsflow.values.domain import (
    HOLE,
    NOTHING,
    UNKNOWN,
    Arr,
    BoundScope,
    Fn,
    Lazy,
    Namespace,
    Ref,
    Value,
    Values,
    ready,
)
from geohound.jsflow.values.resolver import Resolver

from . import bundles, files, system

_LIBRARIES = re.compile(
    r"^(?:@?(?:ol|leaflet|esri|dojo|dijit|dojox|arcgis|cesium|mapbox|maplibre|deck\.gl|react|vue|jquery|lodash|angular|rxjs|three|"
    r"proj4|exports|require|module|text!|i18n!)\b)",
    re.IGNORECASE,
)
_MODULE_EXPORTS = rb"(?<![\w$.])(?P<at>NAME)\.exports\s*=(?![=>])"
_DEFINE = rb"(?<![\w$.])(?P<at>NAME)\s*\("
_DEFINE_NAMED = rb"(?<![\w$.])define\(\s*[\"'](?:[\w@.-]+/)*(?P<at>NAME)[\"']\s*,"


def resolve(ev: Resolver, specifier: str, source: Source) -> str | None:
    """The address that an import means; None for the name of a library."""
    for prefix in sorted(ev.imports, key=len, reverse=True):
        if specifier == prefix or (
            prefix.endswith("/") and specifier.startswith(prefix)
        ):
            target = ev.imports[prefix] + specifier[len(prefix) :]
            return urls.canonical(target, ev.base_url)
    if specifier.startswith((".", "/", "http://", "https://")):
        return urls.canonical(specifier, _home(ev, source))
    return None


def load(ev: Resolver, specifier: str, source: Source) -> Values:
    """The module that a specifier names; one that is not there yet is wanted."""
    address = resolve(ev, specifier, source)
    registered = system.registered(ev, specifier)
    if registered:
        return registered
    if address is None:
        return (Ref(specifier.replace("/", ".").removesuffix(".js")),)
    there = files.find(ev, address)
    if there is not None:
        if there.script.text.lstrip()[:1] in "{[":
            return files.contents(ev, address)
        return (Namespace(there),)
    want_script(ev, address)
    return (Ref(specifier.removesuffix(".js").strip("./").replace("/", ".")),)


def want_script(ev: Resolver, address: str) -> None:
    name = address.partition("?")[0].rpartition("/")[2]
    ev.wanted.setdefault(address if "." in name or not name else f"{address}.js")


def load_from(ev: Resolver, args: Sequence[Node], place: BoundScope) -> Values:
    """A dynamic import."""
    named = [
        v
        for v in (ev.values(args[0], place) if args else ())
        if isinstance(v, str) and HOLE not in v
    ]
    return ev.union(*(load(ev, value, place.source) for value in named))


def imported(ev: Resolver, part: Node, source: Source) -> Values:
    """The value of a name that an import statement brings."""
    statement: Node | None = part
    while statement is not None and statement.type != "import_statement":
        statement = statement.parent
    origin = child(statement, "source")
    if origin is None:
        return NOTHING
    specifier = source.text(origin).strip("\"'`")
    name = _imported_name(part, source)
    return ev.union(
        *(_part_of(ev, module, name) for module in load(ev, specifier, source))
    )


def _imported_name(part: Node, source: Source) -> str:
    """The name that is taken out of a module; * for the whole."""
    name = part.child_by_field_name("name")
    if name is not None:
        return source.text(name).strip("\"'")
    return "default" if part.type == "identifier" else "*"


def _part_of(ev: Resolver, module: Value, name: str) -> Values:
    if name == "*":
        return (module,)
    if isinstance(module, Namespace):
        return exported(ev, module, name)
    is_part = isinstance(module, Ref) and name != "default"
    return (
        (Ref(f"{module.path}.{name}"),)
        if isinstance(module, Ref) and is_part
        else (module,)
    )


def exported(ev: Resolver, module: Namespace, name: str) -> Values:
    """What a module exports under a name."""
    key = (
        "export",
        module.source.index,
        module.node.id if module.node is not None else 0,
        name,
    )
    if key in ev.active:
        return NOTHING
    ev.active.add(key)
    try:
        if module.node is not None:
            return bundles.export(ev, module, name)
        return (
            _es_export(ev, module.source, name)
            or system.exported(ev, module.source, name)
            or _common_export(ev, module.source, module.source.root, name)
            or NOTHING
        )
    finally:
        ev.active.discard(key)


def set_module(ev: Resolver, setter: Node, setters: Node, source: Source) -> Values:
    """The module that a setter of System.register is handed; nothing for another function in an array."""
    name = system.dependency(setter, setters, source)
    return load(ev, name, source) if name else ()


def importers(ev: Resolver, source: Source) -> Iterator[tuple[Source, str]]:
    """The names under which other modules of the page import from this one."""
    for other in ev.sources:
        if other is source or other.is_library or not other.mentions("import"):
            continue
        for alias, definitions in list(other.names(other.root).items()):
            brought = (d.node for d in definitions if d.how == "import")
            yield from (
                (other, alias) for node in brought if _is_from(ev, node, other, source)
            )


def _is_from(ev: Resolver, part: Node, other: Source, source: Source) -> bool:
    """Does this import bring a function of that source?"""
    return any(
        isinstance(v, Fn) and v.place.source is source
        for v in imported(ev, part, other)
    )


def _es_export(ev: Resolver, source: Source, name: str) -> Values:
    for node in source.root.named_children:
        if node.type == "export_statement" and (
            found := _exported_by(ev, node, source, name)
        ):
            return found
    return ()


def _exported_by(ev: Resolver, statement: Node, source: Source, name: str) -> Values:
    """What one statement exports under a name."""
    if any(c.type == "default" for c in statement.children):
        if name == "default":
            value = child(statement, "value", "declaration")
            return (
                ev.values(value, BoundScope(source)) if value is not None else NOTHING
            )
    else:
        declared = statement.child_by_field_name("declaration")
        if declared is not None and name in _declared_names(source, declared):
            return _named_at(ev, name, source)
    own = _listed_name(statement, source, name)
    origin = statement.child_by_field_name("source")
    if own:
        return _passed_on(ev, source, own, origin)
    return (
        _from_all(ev, statement, source, name)
        if origin is not None and name != "default"
        else ()
    )


def _listed_name(statement: Node, source: Source, name: str) -> str:
    """The name in the module itself of what `export {own as name}` lists."""
    clauses = (c for c in statement.named_children if c.type == "export_clause")
    for part in (p for clause in clauses for p in clause.named_children):
        own, alias = part.child_by_field_name("name"), part.child_by_field_name("alias")
        if own is not None and source.text(alias or own) == name:
            return source.text(own)
    return ""


def _from_all(ev: Resolver, statement: Node, source: Source, name: str) -> Values:
    """`export * from "…"`"""
    if all(c.type != "*" for c in statement.children):
        return ()
    found = _passed_on(ev, source, name, statement.child_by_field_name("source"))
    return found if any(v is not UNKNOWN for v in found) else ()


def _declared_names(source: Source, declared: Node) -> Iterator[str]:
    name = declared.child_by_field_name("name")
    if name is not None:
        yield source.text(name)
    for part in declared.named_children:
        if (
            part.type == "variable_declarator"
            and (label := part.child_by_field_name("name")) is not None
        ):
            yield source.text(label)
            if label.type == "object_pattern":
                yield from (source.text(p) for p in label.named_children)


def _named_at(ev: Resolver, name: str, source: Source) -> Values:
    return ev.final(name, source)


def _passed_on(ev: Resolver, source: Source, name: str, origin: Node | None) -> Values:
    if origin is None:
        return _named_at(ev, name, source)
    origins = load(ev, source.text(origin).strip("\"'`"), source)
    return ev.union(
        *(
            exported(ev, m, name) if isinstance(m, Namespace) else (Ref(name),)
            for m in origins
        )
    )


def _common_export(ev: Resolver, source: Source, top: Node, name: str) -> Values:
    """module.exports = …, exports.name = …, and what an AMD module returns."""
    whole = whole_export(ev, source, top)
    found = [
        (v,) if name == "default" else ev.member(v, name, BoundScope(source))
        for v in whole
    ]
    for at in source.places(
        name, rb"exports\.(?P<at>NAME)\s*=(?![=>])", top.start_byte, top.end_byte
    )[:5]:
        right = bundles.assigned_right(source, at)
        if right is not None:
            found.append(ev.values(right, BoundScope(source)))
    known = [v for group in found for v in group if v is not UNKNOWN]
    return ev.union(tuple(known)) if known else ()


def whole_export(ev: Resolver, source: Source, top: Node) -> Values:
    """What a module is as a whole: module.exports = …, or what the function of define returns."""
    exports = source.places("module", _MODULE_EXPORTS, top.start_byte, top.end_byte)[:3]
    rights = [bundles.assigned_right(source, at) for at in exports]
    found = [
        ev.values(right, BoundScope(source)) for right in rights if right is not None
    ]
    for at in source.places("define", _DEFINE, top.start_byte, top.end_byte)[:2]:
        found += _defined(ev, source, at)
    return ev.union(*found) if found else ()


def _defined(ev: Resolver, source: Source, at: int) -> Iterator[Values]:
    call = source.nearest(source.node_at(at), "call_expression")
    given = arguments(call) if call is not None else []
    for value in ev.values(given[-1], BoundScope(source)) if given else ():
        if isinstance(value, Fn) and bundles.roles(value.node, source):
            yield (Namespace(source, value.node),)
        else:
            yield ev.invoke(value, []) if isinstance(value, Fn) else (value,)


def dependencies(
    ev: Resolver, given: Sequence[Node], position: int, source: Source
) -> list[Lazy]:
    """The modules that define([…], function) hands to its function."""
    if position == 0:
        return []
    found: list[Lazy] = []
    for value in ev.values(given[position - 1], BoundScope(source)):
        for item in value.items if isinstance(value, Arr) else ():
            named = ev.lazy(item)[0]
            found.append(
                ready(*_amd(ev, named, source))
                if isinstance(named, str)
                else ready(UNKNOWN)
            )
    return found


def _amd(ev: Resolver, name: str, source: Source) -> Values:
    if "!" in name:
        return _by_plugin(ev, name, source)
    named = _named_amd(ev, name)
    if named:
        return named
    there = amd_address(ev, name, source, wanted=False)
    if there is not None:
        return whole_export(ev, there, there.root) or NOTHING
    return (Ref(name.strip("./").replace("/", ".")),)


def _named_amd(ev: Resolver, name: str) -> Values:
    """The module that a script defines under this name, or under one that ends in it: files of many modules do."""
    found = [
        v for source, at in _places_of_named(ev, name) for v in _defined(ev, source, at)
    ]
    return ev.union(*found) if found else ()


def _places_of_named(ev: Resolver, name: str) -> Iterator[tuple[Source, int]]:
    bare = name.lstrip("./").removesuffix(".js")
    for source in ev.sources:
        if (
            not source.is_library
            and source.mentions("define")
            and source.mentions(bare)
        ):
            yield from ((source, at) for at in source.places(bare, _DEFINE_NAMED)[:1])


def _by_plugin(ev: Resolver, name: str, source: Source) -> Values:
    """A file that a plug-in of the loader reads: text!, json!."""
    address = plugin_file(ev, name, source)
    there = files.find(ev, address) if address else None
    if there is None:
        return NOTHING
    return (
        (there.script.text,)
        if "text!" in name
        else files.contents(ev, there.script.url)
    )


def plugin_file(ev: Resolver, name: str, source: Source) -> str | None:
    """The configuration file that a name with text! or json! means; one that is not there is wanted."""
    plugin, _, path = name.partition("!")
    if plugin.rpartition("/")[2] not in ("text", "json") or not files.CONFIG.search(
        path
    ):
        return None
    here = _home(ev, source)
    address = urls.canonical(
        path, here if path.startswith("./") else ev.amd_base or here
    )
    if address is not None and files.find(ev, address) is None:
        ev.wanted.setdefault(address)
    return address


def amd_address(
    ev: Resolver, name: str, source: Source, *, wanted: bool
) -> Source | None:
    """The script that an AMD name means, by the loader's settings; one that is not there may be wanted."""
    if "!" in name:
        if wanted:
            plugin_file(ev, name, source)
        return None
    address = _amd_url(ev, name, source)
    if address is None or any(_places_of_named(ev, name)):
        return None
    there = files.find(ev, address) or _ending_in(ev, f"/{name.lstrip('./')}.js")
    if there is None and wanted:
        full = address if address.endswith(".js") else f"{address}.js"
        if full not in ev.by_url:
            ev.wanted.setdefault(full)
    return there


def _amd_url(ev: Resolver, name: str, source: Source) -> str | None:
    """The address of an AMD module; None for the name of a library."""
    first, _, rest = name.partition("/")
    if name.startswith("."):
        return urls.canonical(name, source.script.url)
    if first in ev.amd_paths:
        return urls.canonical(
            _amd_path(ev.amd_paths[first], rest) or name, ev.amd_base or ev.base_url
        )
    if _LIBRARIES.match(name) or name in ("require", "exports", "module"):
        return None
    return urls.canonical(name, ev.amd_base or _home(ev, source))


def _amd_path(folder: str, rest: str) -> str:
    """The path of a module below the folder of its package; the package itself is its main module."""
    below = rest or ("main" if "/" not in folder else "")
    return "/".join(filter(None, [folder.rstrip("/"), below]))


def _home(ev: Resolver, source: Source) -> str:
    """What names in a script are relative to."""
    return ev.base_url if source.script.is_inline else source.script.url


def _ending_in(ev: Resolver, tail: str) -> Source | None:
    return next(
        (s for url, s in ev.by_url.items() if url.partition("?")[0].endswith(tail)),
        None,
    )


def require(ev: Resolver, specifier: Value, source: Source) -> Values:
    """CommonJS require."""
    if not isinstance(specifier, str) or HOLE in specifier:
        return NOTHING
    found: list[Values] = []
    for module in _named_amd(ev, specifier) or load(ev, specifier, source):
        if isinstance(module, Namespace) and module.node is None:
            whole = whole_export(ev, module.source, module.source.root)
            found.append(whole or (module,))
        else:
            found.append((module,))
    return ev.union(*found)
