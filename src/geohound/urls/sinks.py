"""Sites that no crawl follows links to: social media and other sinks (PH-4)."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path

from . import host, site

ALL = "*"


def sinks(changes: Collection[str] = ()) -> frozenset[str]:
    """The built-in sites and those that are named; without those that have a minus before them ("-*": all of them)."""
    named = [name.strip().lower() for name in changes]
    removed = {name[1:] for name in named if name.startswith("-")}
    added = {name for name in named if name and not name.startswith("-")}
    kept = frozenset() if ALL in removed else _built_in() - removed
    return kept | added


def is_sink(url: str, known: Collection[str]) -> bool:
    """Does this URL lead to one of these sites, or to a host below one?"""
    return bool(known) and (site(url) in known or host(url) in known)


@cache
def _built_in() -> frozenset[str]:
    lines = Path(__file__).with_name("sinks.txt").read_text("utf-8").splitlines()
    names = (line.partition("#")[0].strip() for line in lines)
    return frozenset(name for name in names if name)
