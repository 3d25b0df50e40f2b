"""Bundles for development, taken apart: modules that stand in strings for eval become code again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from geohound.jsflow.model import Script

_EVAL = re.compile(
    r"(?<![\w$.])eval\(\s*+(?:__webpack_require__\.ts\(\s*+)?\"(?P<code>(?:[^\"\\]++|\\.)*+)\""
)
_ORIGIN = re.compile(
    r"sourceURL=webpack(?:-internal)?://[^\n]{0,300}?(?P<key>\./[^?\s]{1,300})"
)
_MAX_PARTS = 3_000


def opened(script: Script) -> Script:
    """The script, with each module that it keeps in a string as an entry of a bundle."""
    if "eval(" not in script.text or "sourceURL=" not in script.text:
        return script
    found = list(islice(_EVAL.finditer(script.text), _MAX_PARTS))
    if sum(len(m[0]) for m in found) * 2 < len(script.text):  # those of a library in it
        return script
    entries = list(_entries(found))
    if not entries:
        return script
    return replace(script, text="({" + ",\n".join(entries) + "})", is_module=False)


def _entries(found: list[re.Match[str]]) -> Iterator[str]:
    for match in found:
        code = _unquoted(match["code"])
        origin = _ORIGIN.search(code[-600:])
        if origin is None or "node_modules" in origin["key"]:
            continue
        head = f"{json.dumps(origin['key'])}: function(module, exports, __webpack_require__)"
        yield f"{head} {{ var __webpack_exports__ = exports;\n{code}\n}}"


def _unquoted(literal: str) -> str:
    try:
        return str(json.loads(f'"{literal}"', strict=False))
    except ValueError:
        return ""
