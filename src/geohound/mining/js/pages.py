"""What a page's own markup says to its scripts: handlers in attributes, addresses in elements, its base."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from . import addresses, calls
from .config import Row
from .model import Script

_HTML = re.compile(
    r"\s*(?:<!doctype html|<html|<head|<body|<!--|<meta|<div|<script|<title|<p\b|"
    r"<\?xml[^>]{0,200}\?>\s*<!doctype html)",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<([a-z][\w-]{0,60})((?:\s+[\w:@.-]{1,60}(?:\s*=\s*(?:\"[^\"]{0,20000}\"|'[^']{0,20000}'|"
    r"[^\s\"'>]{1,2000}))?)+)\s*/?>",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"([\w:@.-]{1,60})\s*=\s*(?:\"([^\"]{0,20000})\"|'([^']{0,20000})'|([^\s\"'>]{1,2000}))")
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style|pre|code|textarea)\b.*?(?:</\1|\Z)", re.IGNORECASE | re.DOTALL)
_BASE = re.compile(r"<base\s[^>]{0,300}?href\s*=\s*[\"']?([^\"'\s>]{1,500})", re.IGNORECASE)
_HELD = re.compile(
    r"^(?:data-)?(?:[\w-]*(?:url|uri|service|server|endpoint|wms|wfs|wmts)[\w-]*|src|href)$", re.IGNORECASE
)
_FILE = re.compile(r"\.(?:json|xml|json5|ya?ml)(?:$|[?#])", re.IGNORECASE)
_MAX_TAGS = 20_000
_MAX_HANDLERS = 500


def is_page(text: str) -> bool:
    return bool(_HTML.match(text[:2000].lstrip("\ufeff")))


def base_of(text: str) -> str:
    found = _BASE.search(text[:200_000])
    return unescape(found[1]) if found else ""


def handlers(script: Script) -> Script | None:
    """The code in onclick and the like, as one script."""
    code = []
    for _, name, value in _attributes(script.text):
        if name.startswith("on") and len(name) > 4:
            code.append(f"(function (event) {{ {value} }})();")
        elif name.startswith(("@", "v-on:", "ng-click")):
            code.append(f"/* template */ void ({value});")
        if len(code) >= _MAX_HANDLERS:
            break
    return Script(script.url, "\n".join(code), is_inline=True) if code else None


def rows(text: str) -> Iterator[Row]:
    """Addresses in the attributes of custom elements and in data attributes."""
    for tag in _tags(text):
        name = tag[1].lower()
        pairs = [(k, unescape(a or b or c)) for k, a, b, c in _ATTRIBUTE.findall(tag[2])]
        is_custom = "-" in name
        shape: dict[str, str | None] = {k.lower().removeprefix("data-").replace("-", ""): v for k, v in pairs}
        kind = addresses.kind_of_name(name) or calls.kind_of_shape(shape, {})
        for key, value in pairs:
            if (is_custom or key.startswith("data-")) and _HELD.match(key) and len(value) < 2000:
                yield value, addresses.kind_of_name(key) or (kind if is_custom else None), f"{name} {key}"


def files(text: str) -> Iterator[str]:
    """Configuration files that data attributes name."""
    for _, name, value in _attributes(text):
        if (name.startswith("data-") or "config" in name) and _FILE.search(value) and len(value) < 500:
            yield value


def _tags(text: str) -> Iterator[re.Match[str]]:
    bare = _HIDDEN.sub(" ", text[:3_000_000])
    for count, tag in enumerate(_TAG.finditer(bare)):
        if count >= _MAX_TAGS:
            return
        yield tag


def _attributes(text: str) -> Iterator[tuple[str, str, str]]:
    for tag in _tags(text):
        for key, a, b, c in _ATTRIBUTE.findall(tag[2]):
            yield tag[1].lower(), key.lower(), unescape(a or b or c)
