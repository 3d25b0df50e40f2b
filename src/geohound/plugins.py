"""The registries: every part of one is imported, and a malformed one fails loudly."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from geohound import contracts
from geohound.model.topic import Topic

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class MalformedPartError(Exception):
    """A registry holds something that is not a part."""


REGISTRIES: Mapping[str, type[Any]] = MappingProxyType(
    {
        "kinds": contracts.Kind,
        "snippets": contracts.SnippetWriter,
        "orders": contracts.Order,
        "harvesters": contracts.Harvester,
        "searchers": contracts.Searcher,
        "exporters": contracts.Exporter,
        "topics": Topic,
    }
)


@cache
def discover(registry: str) -> Mapping[str, Any]:
    """All parts of a registry by id: ours first, in the order of their files, then those of installed plug-ins."""
    contract = REGISTRIES[registry]
    parts: dict[str, Any] = {}
    for module in _modules(registry):
        exported = getattr(module, registry.upper(), None)
        if not exported:
            raise MalformedPartError(
                f"{module.__name__} must export {registry.upper()}, a tuple of parts"
            )
        for part in exported:
            _check(part, contract, module)
            if part.id in parts:
                raise MalformedPartError(
                    f"{module.__name__}: there is already a part called {part.id!r}"
                )
            parts[part.id] = part
    return MappingProxyType(parts)


@cache
def _installed() -> tuple[EntryPoint, ...]:
    """What installed packages offer us; looking through all of them takes a hundredth of a second."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - for who has parts to find

    offered = entry_points()
    return tuple(
        entry
        for registry in REGISTRIES
        for entry in offered.select(group=f"geohound.{registry}")
    )


def _modules(registry: str) -> list[ModuleType]:
    package = importlib.import_module(f"geohound.{registry}")
    names = sorted(
        m.name
        for m in pkgutil.iter_modules(package.__path__)
        if not m.name.startswith("_")
    )
    ours = [importlib.import_module(f"geohound.{registry}.{name}") for name in names]
    theirs = [e.load() for e in _installed() if e.group == f"geohound.{registry}"]
    return ours + theirs


def _check(part: Any, contract: type[Any], module: ModuleType) -> None:
    wanted = [n for n in contract.__annotations__ if not n.startswith("_")]
    wanted += [
        n for n, v in vars(contract).items() if callable(v) and not n.startswith("_")
    ]
    missing = [n for n in wanted if not hasattr(part, n)]
    if missing:
        name = getattr(part, "id", repr(part))
        raise MalformedPartError(
            f"{module.__name__}: {name} lacks {', '.join(missing)} ({contract.__name__})"
        )
