"""What a page's own markup says to its scripts: handlers in attributes, addresses in elements, its base."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import islice
from urllib.parse import unquote

from geohound.jsflow.model import Script

from .config import Row, addresses_in_json
from .idioms import Idioms

_HTML = re.compile(
    r"\s*(?:<!doctype html|<html|<head|<body|<!--|<meta|<div|<script|<title|<p\b|"
    r"<\?xml[^>]{0,200}\?>\s*<!doctype html)",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<([a-z][\w-]{0,60})((?:\s++[\w:@.-]{1,60}+(?:\s*+=\s*+(?:\"[^\"]{0,20000}+\"|'[^']{0,20000}+'|"
    r"[^\s\"'<>]{1,2000}+))?+)++)\s*+/?>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"(?<![\w:@.-])([\w:@.-]{1,60})\s*+=\s*+(?:\"([^\"]{0,20000})\"|'([^']{0,20000})'|([^\s\"'>]{1,2000}))"
)
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|pre|code|textarea)\b.*?(?:</\1|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_BASE = re.compile(
    r"<base\s[^>]{0,300}?href\s*=\s*[\"']?([^\"'\s>]{1,500})", re.IGNORECASE
)
_FILE = re.compile(r"\.(?:json|xml|json5|ya?ml)(?:$|[?#])", re.IGNORECASE)
# The names of rows in templates: what handlers in them are called with is not known.
_REPEATED = re.compile(
    r"(?:ng-repeat|v-for)\s*=\s*[\"']\s*+(?:\(\s*+)?(\w{1,40})[\w\s,()]{0,60}?\s(?:in|of)\s"
)
_MAX_SEARCHED = 300_000
# A custom element, or an attribute that any of the functions below asks for.
_RELEVANT = re.compile(
    r"<\w+-|[\s\"'](?:on\w{3}|data-|href\s*=\s*[\"']?javascript:|@|v-on:|ng-click|[\w:.-]{0,60}?config)",
    re.IGNORECASE,
)
_MAX_TAGS = 20_000
_MAX_HANDLERS = 500
Pairs = Sequence[tuple[str, str]]


def is_page(text: str) -> bool:
    return bool(_HTML.match(text[:2000].lstrip("\ufeff")))


@dataclass(frozen=True, slots=True)
class Markup:
    """What the elements of a page say."""

    base: str
    handlers: Script | None  # the code in onclick and the like, as one script
    # addresses in the attributes of custom elements and in data attributes
    rows: tuple[Row, ...]
    files: tuple[str, ...]  # configuration files that data attributes name


def read(page: Script, idioms: Idioms) -> Markup:
    """All of it in one walk over the tags that can matter, which are few."""
    code: list[str] = []
    rows: list[Row] = []
    files: list[str] = []
    repeated = ", ".join(
        dict.fromkeys(m[1] for m in _REPEATED.finditer(page.text[:_MAX_SEARCHED]))
    )
    for tag in _tags(page.text):
        pairs = [
            (key, unescape(a or b or c)) for key, a, b, c in _ATTRIBUTE.findall(tag[2])
        ]
        code += _handlers(pairs, repeated)
        rows += _rows(tag[1].lower(), pairs, idioms)
        files += _files(pairs)
    handlers = (
        Script(page.url, "\n".join(code[:_MAX_HANDLERS]), is_inline=True)
        if code
        else None
    )
    return Markup(_base_of(page.text), handlers, tuple(rows), tuple(files))


def _base_of(text: str) -> str:
    found = _BASE.search(text[:200_000])
    return unescape(found[1]) if found else ""


def _handlers(pairs: Pairs, rows: str) -> Iterator[str]:
    for key, value in pairs:
        name = key.lower()
        if name.startswith("on") and len(name) > 4:
            yield f"(function (event) {{ {value} }})();"
        elif name.startswith(("@", "v-on:", "ng-click")):
            yield f"/* template */ (function ({rows}) {{ void ({value}); }});"
        elif name == "href" and value[:11].lower() == "javascript:":
            yield f"(function () {{ {unquote(value[11:])} }})();"


def _rows(name: str, pairs: Pairs, idioms: Idioms) -> Iterator[Row]:
    for key, value in pairs:
        # of a custom element, or a data attribute
        is_data = "-" in name or key.startswith("data-")
        if is_data and value[:1] in ("{", "["):
            yield from addresses_in_json(value, idioms)
        elif len(value) >= 2000:
            continue
        elif is_data and idioms.attribute.match(key):
            yield (
                value,
                idioms.kind_of_name(key) or _kind_of_element(name, pairs, idioms),
                f"{name} {key}",
            )


def _kind_of_element(name: str, pairs: Pairs, idioms: Idioms) -> str | None:
    shape: dict[str, str | None] = {
        k.lower().removeprefix("data-").replace("-", ""): v for k, v in pairs
    }
    return idioms.kind_of_name(name) or idioms.kind_of_shape(shape, {})


def _files(pairs: Pairs) -> Iterator[str]:
    for key, value in pairs:
        name = key.lower()
        if (
            (name.startswith("data-") or "config" in name)
            and _FILE.search(value)
            and len(value) < 500
        ):
            yield value


def _tags(text: str) -> Iterator[re.Match[str]]:
    bare = _HIDDEN.sub(" ", text[:3_000_000])
    for tag in islice(_TAG.finditer(bare), _MAX_TAGS):
        if _RELEVANT.search(tag[0]):
            yield tag
