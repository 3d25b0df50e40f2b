"""Which parts of a script are a library's, where an application was put into one file with the libraries it uses."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest

from tree_sitter import Node

from . import libraries
from .preprocess import Cleaned
from .tree import FUNCTIONS

Span = tuple[int, int]
# What bundlers write before each module: its path.
_MODULE = re.compile(
    rb"^\s{0,9}(?:;?// (?:CONCATENATED MODULE: )?|/\*!\*{3} |/\*{3}/ [\"'])"
    rb"(?P<path>(?:\.{0,2}/)*[\w@.~ /-]{1,300}\.(?:m?js|cjs|tsx?|jsx|vue|json))\b",
    re.MULTILINE,
)
_MODULE_KEY = re.compile(
    rb"[\"'][^\"'\n]{0,200}node_modules/[^\"'\n]{1,200}[\"'](?=\s*(?:\(|:\s*(?:\[\s*)?(?:function|async|\(|[\w$]+\s*=>)))"
)
_COMMENT = re.compile(rb"/\*[!*\s].{0,1500}?\*/", re.DOTALL)
# How a library asks which loader is there before it hands itself over.
_LOADER = re.compile(
    rb"(?<![\w$])define\.amd\b|typeof exports\b|[\"']object[\"']\s*={2,3}\s*typeof exports\b"
)
_ADDRESS = re.compile(rb"https?:|[\"'`]/")
_CALLED = (
    "call_expression",
    "member_expression",
    "parenthesized_expression",
    "unary_expression",
)
_MAX_PARTS = 20_000


def spans(raw: bytes, cleaned: Cleaned, root: Node) -> list[Span]:
    """Where in the cleaned script code of libraries stands, in order, none in another."""
    found = [
        *_by_path(raw, cleaned),
        *_by_key(cleaned.data, root),
        *_by_wrapper(raw, cleaned, root),
        *_by_banner(raw, cleaned, root),
    ]
    if libraries.is_library_text(raw):
        found += _by_name(cleaned.data, root)
    outer: list[Span] = []
    for span in sorted(found):
        if not outer or span[1] > outer[-1][1]:
            outer.append(span)
    return outer


def holds(parts: list[Span], offset: int) -> bool:
    """Does this place stand in one of the parts?"""
    at = bisect_right(parts, (offset, 1 << 62))
    return any(offset < end for _, end in parts[max(0, at - 1) : at])


def _by_path(raw: bytes, cleaned: Cleaned) -> Iterator[Span]:
    """Modules with their path above them: each ends where the next begins."""
    if b"node_modules/" not in raw:
        return
    marks = list(islice(_MODULE.finditer(raw), _MAX_PARTS))
    for mark, after in zip_longest(marks, marks[1:]):
        if b"node_modules/" in mark["path"]:
            yield (
                cleaned.place(mark.start()),
                cleaned.place(after.start() if after else len(raw)),
            )


def _by_key(data: bytes, root: Node) -> Iterator[Span]:
    """Modules in a table under their path."""
    for key in islice(_MODULE_KEY.finditer(data), _MAX_PARTS):
        node = root.descendant_for_byte_range(key.start(), key.end())
        while node is not None and node.type not in (
            "pair",
            "method_definition",
            "program",
        ):
            node = node.parent
        if node is not None and node.type != "program":
            yield node.start_byte, node.end_byte


def _by_wrapper(raw: bytes, cleaned: Cleaned, root: Node) -> Iterator[Span]:
    """Functions that are called at once and hand a whole library to whichever loader is there."""
    for mark in islice(_LOADER.finditer(raw), _MAX_PARTS):
        place = cleaned.place(mark.start())
        node = root.descendant_for_byte_range(place, place)
        while node is not None and node.type not in FUNCTIONS:
            node = node.parent
        while (
            node is not None and node.parent is not None and node.parent.type in _CALLED
        ):
            node = node.parent
        if node and node.type not in FUNCTIONS and _is_part(node, cleaned.data):
            yield node.start_byte, node.end_byte


def _by_banner(raw: bytes, cleaned: Cleaned, root: Node) -> Iterator[Span]:
    """What directly follows the banner of a library."""
    for comment in islice(_COMMENT.finditer(raw), _MAX_PARTS):
        if not libraries.is_banner(comment[0]):
            continue
        begin = cleaned.place(comment.end())
        begin += len(cleaned.data[begin : begin + 200]) - len(
            cleaned.data[begin : begin + 200].lstrip()
        )
        node = root.descendant_for_byte_range(begin, begin)
        while (up := _larger(node)) is not None:
            node = up
        if node is not None and _is_part(node, cleaned.data):
            yield node.start_byte, node.end_byte


def _larger(node: Node | None) -> Node | None:
    """What begins at the same place, short of the whole script."""
    up = node.parent if node is not None else None
    is_larger = (
        node is not None
        and up is not None
        and up.start_byte == node.start_byte
        and up.type != "program"
    )
    return up if is_larger else None


def _by_name(data: bytes, root: Node) -> Iterator[Span]:
    """The statements of a library that hangs all it has on one name."""
    for statement in _statements(root):
        if libraries.is_definition(
            data[statement.start_byte : statement.start_byte + 100]
        ):
            yield statement.start_byte, statement.end_byte


def _statements(root: Node) -> Iterable[Node]:
    return islice(root.named_children, _MAX_PARTS)


def _is_part(node: Node, data: bytes) -> bool:
    """Is there an application beside it? What fills a whole file may be an application that is wrapped so."""
    return bool(
        _ADDRESS.search(data, 0, node.start_byte)
        or _ADDRESS.search(data, node.end_byte)
    )
