"""Collects every regular expression that the code of a package compiles, with the way in which it is applied."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src"
PACKAGES = ("geohound", "geoweb")
_RE_FUNCTIONS = {
    "compile",
    "search",
    "match",
    "fullmatch",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
}
_AT_START = {"match", "fullmatch"}


@dataclass(frozen=True)
class Collected:
    """One pattern: where it is compiled, and whether it is only ever applied at one given place of a text."""

    pattern: str
    flags: int
    is_bytes: bool
    place: str
    line: int
    at_start: bool = False

    def compiled(self) -> re.Pattern[Any]:
        source = self.pattern.encode("latin-1") if self.is_bytes else self.pattern
        return re.compile(source, self.flags)


def collect() -> list[Collected]:
    """All patterns: those compiled on import or when the parts are made, and those written where they are used."""
    recorded = _record(_load_everything)
    known = {(c.place, c.pattern) for c in recorded}
    written = [site.collected() for site in _call_sites() if site.value is not None]
    return [*recorded, *(c for c in written if (c.place, c.pattern) not in known)]


def uncollected(collected: list[Collected]) -> list[str]:
    """The places of the source that compile a pattern of which `collect` knows nothing."""
    known = {(c.place, c.line) for c in collected}
    texts = {c.pattern for c in collected}
    missing = []
    for site in _call_sites():
        seen = any(
            (site.place, line) in known for line in range(site.line, site.end_line + 1)
        )
        if not seen and (site.value is None or site.collected().pattern not in texts):
            missing.append(f"{site.place}:{site.line}")
    return missing


@dataclass(frozen=True)
class _Site:
    """A call of the `re` module in the source, and its pattern where the names of its module are enough to know it."""

    place: str
    line: int
    end_line: int
    function: str
    value: str | bytes | None
    flags: int

    def collected(self) -> Collected:
        is_bytes = isinstance(self.value, bytes)
        pattern = (
            self.value.decode("latin-1")
            if isinstance(self.value, bytes)
            else str(self.value)
        )
        at_start = self.function in _AT_START
        return Collected(pattern, self.flags, is_bytes, self.place, self.line, at_start)


@cache
def _call_sites() -> tuple[_Site, ...]:
    """Of all modules that import `re`, once they are imported themselves."""
    users = [
        path
        for path in SOURCE.rglob("*.py")
        if "import re\n" in path.read_text(encoding="utf-8")
    ]
    return tuple(
        site
        for path in sorted(users)
        for site in _sites_in(str(path.relative_to(SOURCE)))
    )


def _sites_in(place: str) -> Iterator[_Site]:
    module = sys.modules.get(
        place.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    )
    names = dict(vars(module)) if module is not None else {}
    for node in ast.walk(_parsed(place)):
        if _is_re_call(node):
            yield _site(node, place, names)


def _is_re_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _RE_FUNCTIONS
    )


def _site(call: Any, place: str, names: dict[str, Any]) -> _Site:
    value = _evaluated(call.args[0], names)
    given = [k.value for k in call.keywords if k.arg == "flags"]
    position = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)
    given += call.args[position : position + 1]
    flags = _evaluated(given[0], names) if given else 0
    known = isinstance(value, str | bytes) and isinstance(flags, int)
    flags_value = int(flags) if known and flags is not None else 0
    return _Site(
        place,
        call.lineno,
        call.end_lineno,
        call.func.attr,
        value if known else None,
        flags_value,
    )


def _evaluated(expression: ast.expr, names: dict[str, Any]) -> object:
    code = compile(ast.Expression(expression), "pattern", "eval")
    try:
        return eval(code, {**names, "re": re})
    except (NameError, TypeError, AttributeError, KeyError, IndexError):
        return None


def _record(action: Callable[[], None]) -> list[Collected]:
    """The patterns that the package compiles while the action runs, before anything of it was imported."""
    compile_now: Callable[..., Any] = re._compile  # type: ignore[attr-defined]
    found: dict[tuple[str, int, str, int], Collected] = {}

    def recording(pattern: Any, flags: Any) -> Any:
        frame = sys._getframe(2)  # this function, the one of `re`, its caller
        file = frame.f_code.co_filename
        if isinstance(pattern, str | bytes) and file.startswith(f"{SOURCE}/"):
            text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
            place = file.removeprefix(f"{SOURCE}/")
            key = (text, int(flags), place, frame.f_lineno)
            found[key] = Collected(
                text, int(flags), isinstance(pattern, bytes), place, frame.f_lineno
            )
        return compile_now(pattern, flags)

    re._compile = recording  # type: ignore[attr-defined]
    try:
        action()
    finally:
        re._compile = compile_now  # type: ignore[attr-defined]
    return [_with_use(collected) for collected in found.values()]


def _load_everything() -> None:
    for package in PACKAGES:
        for module in pkgutil.walk_packages([str(SOURCE / package)], f"{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    importlib.import_module("geohound.app").kinds()
    book = importlib.import_module("geohound.app").address_book()
    importlib.import_module("geohound.mining.recipes").recipes()
    importlib.import_module("geohound.jsflow.sinks.idioms").idioms_of(book)
    importlib.import_module("geohound.orders._vocabulary").topic_vocabulary()
    importlib.import_module("geohound.topics")._own()
    importlib.import_module("geohound.harvesters._protocols").protocol_of("wms")
    source = importlib.import_module("geohound.jsflow.syntax.source")
    for pattern in _around_names():
        source._surroundings(pattern)
    addresses = importlib.import_module("geoweb.addresses")
    for scheme in range(len(addresses.SCHEMES)):
        addresses._patterns(scheme)


def _around_names() -> Iterator[bytes]:
    """What the analysis of scripts looks for around a name, which stands for itself in the pattern."""
    for path in (SOURCE / "geohound/jsflow").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, bytes)
                and b"(?P<at>NAME)" in node.value
            ):
                yield node.value


def _with_use(collected: Collected) -> Collected:
    """With what the methods called on its name in its module say; a `match` at a place that moves is a search."""
    tree = _parsed(collected.place)
    name = _assigned_name(tree, collected.line)
    if not name:
        return collected
    uses = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]
    calls = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and getattr(n.func.value, "id", "") == name
    ]
    fixed = [c for c in calls if _is_at_start(c)]
    at_start = name.startswith("_") and bool(uses) and len(fixed) == len(uses)
    return Collected(**{**asdict(collected), "at_start": at_start})


@cache
def _parsed(place: str) -> ast.Module:
    return ast.parse((SOURCE / place).read_text(encoding="utf-8"))


def _is_at_start(call: Any) -> bool:
    stays = all(isinstance(place, ast.Constant) for place in call.args[1:])
    return call.func.attr in _AT_START and stays


def _assigned_name(tree: ast.Module, line: int) -> str:
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.lineno <= line <= (
            node.end_lineno or node.lineno
        ):
            target = node.targets[0]
            return target.id if isinstance(target, ast.Name) else ""
    return ""


if __name__ == "__main__":
    patterns = collect()
    json.dump(
        {"patterns": [asdict(c) for c in patterns], "missing": uncollected(patterns)},
        sys.stdout,
    )
