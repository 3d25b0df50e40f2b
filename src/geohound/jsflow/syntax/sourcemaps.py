"""Bundles taken apart: the sources inside a source map, and modules that stand in strings for eval."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from geohound import urls
from geohound.jsflow.model import Script

_FOREIGN = re.compile(
    r"node_modules|/webpack/|webpack/bootstrap|\.(?:css|scss|less|svg|png|html)(?:$|\?)|\(webpack\)|^external ",
    re.IGNORECASE,
)
_EVAL = re.compile(r"(?<![\w$.])eval\(\s*(?:__webpack_require__\.ts\()?\s*\"(?P<code>(?:[^\"\\]++|\\.)*+)\"")
_ORIGIN = re.compile(r"sourceURL=webpack(?:-internal)?://[^\n]*?(?P<key>\./[^?\s]{1,300})")
_MAX_PARTS = 3_000
_MAX_CHARS = 20_000_000


def expand(script: Script) -> Iterator[Script]:
    """The script itself, or the sources that it carries."""
    text = script.text
    if '"sourcesContent"' in text and text[:2000].lstrip(")]}'\n ").startswith("{"):
        yield from _sources(script)
    elif "eval(" in text and "sourceURL=" in text:
        yield from _evals(script)
    else:
        yield script


def _sources(script: Script) -> Iterator[Script]:
    try:
        data = json.loads(script.text[script.text.index("{") :])
        pairs = list(zip(data["sources"], data["sourcesContent"], strict=False))[:_MAX_PARTS]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    left = _MAX_CHARS
    for name, content in pairs:
        if not isinstance(name, str) or not isinstance(content, str) or _FOREIGN.search(name) or len(content) > left:
            continue
        left -= len(content)
        address = urls.canonical(re.sub(r"^webpack://[^/]*/", "", name), script.url) or script.url
        yield Script(address, content, is_module=True)


def _evals(script: Script) -> Iterator[Script]:
    """Each module becomes an entry of a bundle again, its code no longer a string."""
    parts: list[str] = []
    for count, match in enumerate(_EVAL.finditer(script.text)):
        if count >= _MAX_PARTS:
            break
        try:
            code = json.loads(f'"{match["code"]}"', strict=False)
        except ValueError:
            continue
        origin = _ORIGIN.search(code[-600:])
        if origin is None or "node_modules" in origin["key"]:
            continue
        head = f"{json.dumps(origin['key'])}: function(module, exports, __webpack_require__)"
        parts.append(f"{head} {{ var __webpack_exports__ = exports;\n{code}\n}}")
    if not parts:
        yield script
        return
    yield Script(
        script.url, "({" + ",\n".join(parts) + "})", is_inline=script.is_inline, line_offset=script.line_offset
    )
