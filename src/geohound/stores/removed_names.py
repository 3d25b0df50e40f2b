"""Names in a catalogue of before, when those of removed accounts could be given again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

SPECS = "SELECT spec FROM task"
NAMES = """
SELECT owner FROM saved_search UNION SELECT judge FROM judgement UNION SELECT account FROM credential
UNION SELECT about FROM audit WHERE what = 'account removed'"""
GIVEN = "SELECT name FROM account"
KEEP = "INSERT INTO account (name, role, created_at, subject, password_hash) VALUES "


def gone(
    specs: Iterable[bytes], names: Iterable[str], given: Iterable[str]
) -> list[str]:
    """Whose tasks, searches or judgements are still there, though nobody has the account."""
    owners = (_owner(orjson.loads(spec)) for spec in specs)
    return sorted({*owners, *names} - {"", *given})


def _owner(spec: Mapping[str, Any]) -> str:
    return str(spec.get("owner") or "")
