"""From bytes to a syntax tree, however strange they are."""

from __future__ import annotations

import time
from functools import cache
from itertools import accumulate

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser, Tree

from .preprocess import MAX_NESTING

_CHUNK = 4096
_MAX_DEPTH = 4_000  # the terms of one long sum are a branch each
_STEPS = {40: 1, 91: 1, 123: 1, 41: -1, 93: -1, 125: -1}
_NO_BRACKETS = bytes(set(range(256)) - _STEPS.keys())
# Some nonsense costs the parser the square of its length, and it counts nothing that could be bounded. What is no code
# is known by samples, the same on every machine: in pieces of code the parser stumbles 10 to 80 times a kilobyte, in
# nonsense 100 to 1,500 times. Only its beginning is kept.
_BEGINNING = 4096
_SAMPLES = 16
_SAMPLE = 2048
_MOST_STUMBLES = 100 * _SAMPLE // 1024
# Nonsense between the samples is left to the clock, with room for a machine fifteen times slower than code needs.
_GRACE_S = 2.0
_SLOWEST_S = 3e-6


def parse(data: bytes, room: int) -> tuple[Tree, int]:
    """The tree, and how many bytes it covers: those that there is room for, none of what is nested too deep."""
    stop = min(len(data), room) if depth_of(data) <= MAX_NESTING else 0
    tree = _within_reason(data[:stop]) if _is_code(data[:stop]) else None
    if tree is None:
        stop = min(stop, _BEGINNING)
        tree = _parser().parse(data[:stop])
    if _is_too_deep(tree.root_node):
        return _parser().parse(b""), 0
    return tree, stop


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_javascript.language()))


def _is_code(data: bytes) -> bool:
    """Do most samples of a long script look like code?"""
    if len(data) <= _SAMPLES * _SAMPLE:
        return True
    step = len(data) // _SAMPLES
    pieces = (data[at : at + _SAMPLE] for at in range(0, _SAMPLES * step, step))
    return sum(map(_is_strange, pieces)) * 2 < _SAMPLES


def _is_strange(piece: bytes) -> bool:
    """Do many of its words fit nowhere? The rows of an array that is cut do: they stand between commas."""
    found, waiting = 0, [_parser().parse(piece).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR":
            commas = sum(child.type == "," for child in node.children)
            found += max(1, node.child_count - 2 * commas)
        waiting += node.children if node.has_error else ()
    return found > _MOST_STUMBLES


def _within_reason(data: bytes) -> Tree | None:
    """None for what is no code."""
    began = time.thread_time()
    is_strange = False

    def read(offset: int, _: object) -> bytes:
        nonlocal is_strange
        is_strange = (
            is_strange or time.thread_time() - began > _GRACE_S + _SLOWEST_S * offset
        )
        return b"" if is_strange else data[offset : offset + _CHUNK]

    tree = _parser().parse(read)
    return None if is_strange else tree


def depth_of(data: bytes) -> int:
    """How deep the brackets are nested, those in strings included."""
    return max(
        accumulate(map(_STEPS.__getitem__, data.translate(None, _NO_BRACKETS))),
        default=0,
    )


def _is_too_deep(node: Node) -> bool:
    """Trees can be deep without brackets, too: the heaviest branch is followed down."""
    for _ in range(_MAX_DEPTH):
        if not node.child_count:
            return False
        node = max(node.children, key=lambda child: child.descendant_count)
        if node.descendant_count < _MAX_DEPTH:
            return False
    return True
