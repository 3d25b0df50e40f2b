"""From bytes to a syntax tree, however strange they are."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
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
# Memory goes by tokens, not by bytes: what the tree takes for each mark with what stands around it, fitted to common
# code within an eighth. What is denser than any code, such as lists of single letters, takes up to twice as much.
_PIECE = 4096
_BYTES_OF_CODE = 52  # that the tree takes for each byte of dense minified code
_DENSEST = 3  # halves of a byte: so much more than its length does no piece of common code take
_MARKS = {
    ",": 420, ";": 300, "=": 250, "([{": 220, ".": 150, "?:": 200, "+-*/%&|<>!~^": 280, "\n": 400, "\"'`": 25,
}  # fmt: skip
_PRICES = {mark.encode(): price for marks, price in _MARKS.items() for mark in marks}
_QUOTES = (b'"', b"'", b"`")


def parse(data: bytes, room: int) -> tuple[Tree, int, int]:
    """The tree, how many bytes of the script it covers, and how many of `room` it took.

    Room is counted in bytes of minified code; none of what is nested too deep is read.
    """
    whole = len(data)
    data, left_out, taken = fitting(data, room)
    tree, stop = _parsed(data)
    is_read = stop == len(data)
    return tree, min(stop, whole - left_out), taken if is_read else stop


def _parsed(data: bytes) -> tuple[Tree, int]:
    stop = len(data) if depth_of(data) <= MAX_NESTING else 0
    tree = _within_reason(data[:stop]) if _is_code(data[:stop]) else None
    if tree is None:
        stop = min(stop, _BEGINNING)
        tree = _parser().parse(data[:stop])
    if _is_too_deep(tree.root_node):
        return _parser().parse(b""), 0
    return tree, stop


def fitting(data: bytes, room: int) -> tuple[bytes, int, int]:
    """What there is room for, how many bytes were left out within it, and how much room it takes.

    Of what is too much, stretches of marks without any string go first: no address stands there.
    """
    pieces = [data[at : at + _PIECE] for at in range(0, len(data), _PIECE)]
    left_out = 0
    sizes = list(map(_size, pieces))
    if sum(sizes) > room:
        for i, piece in enumerate(pieces):
            if _is_dull(piece, sizes[i]):
                pieces[i], sizes[i] = b" " * len(piece), 0
                left_out += len(piece)
    taken = list(accumulate(sizes))
    count = bisect_right(taken, room)
    if not left_out and count == len(pieces):
        return data, 0, sum(sizes)
    return b"".join(pieces[:count]), left_out, taken[count - 1] if count else 0


def _size(piece: bytes) -> int:
    """How many bytes of minified code take as much memory."""
    memory = sum(piece.count(mark) * price for mark, price in _PRICES.items())
    size = memory // _BYTES_OF_CODE
    return size + max(0, size - _DENSEST * len(piece) // 2)


def _is_dull(piece: bytes, size: int) -> bool:
    return size > len(piece) and not any(quote in piece for quote in _QUOTES)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_javascript.language()))


def _is_code(data: bytes) -> bool:
    """Do most samples of a long script look like code?"""
    if len(data) <= _SAMPLES * _SAMPLE:
        return True
    step = len(data) // _SAMPLES
    strange = plain = 0
    while strange * 2 < _SAMPLES and plain * 2 <= _SAMPLES:
        at = step * (strange + plain)
        if _is_strange(data[at : at + _SAMPLE]):
            strange += 1
        else:
            plain += 1
    return plain * 2 > _SAMPLES


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
        node = max(_children(node), key=lambda child: child.descendant_count)
        if node.descendant_count < _MAX_DEPTH:
            return False
    return True


def _children(node: Node) -> Iterator[Node]:
    """One after the other: a list of all would stay with the node."""
    cursor = node.walk()
    is_there = cursor.goto_first_child()
    while is_there:
        if cursor.node is not None:
            yield cursor.node
        is_there = cursor.goto_next_sibling()
