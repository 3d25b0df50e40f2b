"""Open a drawer: import every part in it and fail loudly if one is malformed."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType, ModuleType
from typing import Any

from geohound import contracts
from geohound.model.topic import Topic


class MalformedPartError(Exception):
    """A drawer holds something that is not a part."""


DRAWERS: Mapping[str, type[Any]] = MappingProxyType(
    {
        "kinds": contracts.Kind,
        "orders": contracts.Order,
        "harvesters": contracts.Harvester,
        "searchers": contracts.Searcher,
        "exporters": contracts.Exporter,
        "topics": Topic,
    }
)


@cache
def discover(drawer: str) -> Mapping[str, Any]:
    """All parts of a drawer by id: ours first, in the order of their files, then those of installed plug-ins."""
    contract = DRAWERS[drawer]
    parts: dict[str, Any] = {}
    for module in _modules(drawer):
        exported = getattr(module, drawer.upper(), None)
        if not exported:
            raise MalformedPartError(f"{module.__name__} must export {drawer.upper()}, a tuple of parts")
        for part in exported:
            _check(part, contract, module)
            if part.id in parts:
                raise MalformedPartError(f"{module.__name__}: there is already a part called {part.id!r}")
            parts[part.id] = part
    return MappingProxyType(parts)


def _modules(drawer: str) -> list[ModuleType]:
    package = importlib.import_module(f"geohound.{drawer}")
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_"))
    ours = [importlib.import_module(f"geohound.{drawer}.{name}") for name in names]
    return ours + [entry.load() for entry in entry_points(group=f"geohound.{drawer}")]


def _check(part: Any, contract: type[Any], module: ModuleType) -> None:
    wanted = [n for n in contract.__annotations__ if not n.startswith("_")]
    wanted += [n for n, v in vars(contract).items() if callable(v) and not n.startswith("_")]
    missing = [n for n in wanted if not hasattr(part, n)]
    if missing:
        name = getattr(part, "id", repr(part))
        raise MalformedPartError(f"{module.__name__}: {name} lacks {', '.join(missing)} ({contract.__name__})")
