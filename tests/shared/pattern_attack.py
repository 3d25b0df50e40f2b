"""Grows texts over a regular expression that are made from the expression itself to keep it busy."""

from __future__ import annotations

import re
import re._compiler as compiler  # type: ignore[import-not-found]
import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_ONE_CHARACTER = (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY)
_COMMON = "a \n\t0Z_-./\\:;,\"'`<>=&?#%+*!|@~^$(){}[]é\x00"
_MANY = 16  # a repetition that may go on longer than this is grown
_MAX_ATTACKS = 120
_TURNS = (0, 1)
_SUFFIXES = ("", "\x00", "\n!")


@dataclass(frozen=True)
class Attack:
    """A text that grows: its beginning, what is repeated, its end."""

    prefix: str
    pump: str
    suffix: str

    def text(self, size: int) -> str:
        return self.prefix + self.pump * max(1, size // len(self.pump)) + self.suffix


def attacks(pattern: re.Pattern[Any]) -> list[Attack]:
    """Texts in which each repetition, and the whole beginning before it, comes again and again."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    flags = pattern.flags & ~(re.UNICODE if isinstance(source, bytes) else 0)
    tree = parser.parse(source, flags)
    alphabet = _representatives(tree, text)
    grown = dict.fromkeys(_pumps(tree, alphabet))
    found = [
        Attack(prefix, pump, suffix)
        for prefix, pump in grown
        if pump
        for suffix in _SUFFIXES
    ]
    return (
        found[:: max(1, len(found) // _MAX_ATTACKS)]
        if len(found) > 2 * _MAX_ATTACKS
        else found
    )


def _pumps(tree: Any, alphabet: list[str]) -> Iterator[tuple[str, str]]:
    for before, body in _repetitions(tree, []):
        for prefix in dict.fromkeys(
            _sample(before, [letter, *alphabet]) for letter in alphabet
        ):
            yield "", prefix
            yield prefix, prefix
        prefix = _sample(before, alphabet)
        for letter in alphabet:
            for turn in _TURNS:  # of two ways to go on, each with each letter
                piece = _sample(body, [letter, *alphabet], turn)
                yield prefix, piece
                yield "", prefix + piece
            if len(letter) == 1:
                yield prefix, letter
    yield "", _sample(list(tree), alphabet)
    yield "", _sample(list(tree)[:-1], alphabet)
    if _repeats(tree):  # what repeats nothing takes as long at every place
        for letter in alphabet:
            yield "", letter


def _repeats(items: Iterable[Any]) -> bool:
    return any(
        kind in _REPEATS or any(map(_repeats, _bodies(kind, value)))
        for kind, value in items
    )


def _repetitions(
    items: Iterable[Any], before: list[Any]
) -> Iterator[tuple[list[Any], list[Any]]]:
    """Each long repetition with what stands before it and what it repeats."""
    so_far = list(before)
    for item in items:
        kind, value = item
        if kind in _REPEATS:
            _, most, body = value
            if most is op.MAXREPEAT or most > _MANY:
                yield list(so_far), list(body)
            yield from _repetitions(body, so_far)
        else:
            for inner in _bodies(kind, value):
                yield from _repetitions(inner, so_far)
        so_far.append(item)


def _bodies(kind: Any, value: Any) -> list[Any]:
    if kind is op.BRANCH:
        return list(value[1])
    if kind is op.SUBPATTERN:
        return [value[-1]]
    if kind in (op.ASSERT, op.ASSERT_NOT):
        return [value[1]]
    return [value] if kind is op.ATOMIC_GROUP else []


def _sample(items: Iterable[Any], letters: list[str], turn: int = 0) -> str:
    """A short text that the items match, of the first letters that fit."""
    return "".join(_sample_of(kind, value, letters, turn) for kind, value in items)


def _sample_of(kind: Any, value: Any, letters: list[str], turn: int) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind in _ONE_CHARACTER:
        return next((c for c in letters if len(c) == 1 and _fits(kind, value, c)), "")
    if kind in _REPEATS:
        least, most, body = value
        times = min(least, 40) if least else int(most is not op.MAXREPEAT and most > 1)
        return _sample(body, letters, turn) * times
    if kind is op.BRANCH:
        chosen = (ord(letters[0][0]) + turn) % len(value[1])
        return _sample(value[1][chosen], letters, turn)
    if kind is op.ASSERT and value[0] > 0:
        return ""
    return "".join(
        _sample(body, letters, turn)
        for body in _bodies(kind, value)
        if kind is not op.ASSERT_NOT
    )


def _fits(kind: Any, value: Any, letter: str) -> bool:
    key = (str(kind), str(value), letter)
    if key not in _FITTING:
        single = parser.SubPattern(parser.State(), [(kind, value)])
        single.state.str = ""
        _FITTING[key] = compiler.compile(single, re.DOTALL).match(letter) is not None
    return _FITTING[key]


_FITTING: dict[tuple[str, str, str], bool] = {}


def _representatives(tree: Any, source: str) -> list[str]:
    """Letters of the pattern and common ones, one for each way in which the pattern tells letters apart."""
    singles = list(dict.fromkeys((str(k), str(v)) for k, v in _singles(tree)))
    nodes = {(str(k), str(v)): (k, v) for k, v in _singles(tree)}
    chosen: dict[tuple[bool, ...], str] = {}
    for letter in dict.fromkeys(_COMMON + source):
        told_apart = tuple(_fits(*nodes[key], letter) for key in singles[:60])
        chosen.setdefault(told_apart, letter)
    return list(chosen.values())[:40]


def _singles(items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for kind, value in items:
        if kind in _ONE_CHARACTER:
            yield kind, value
        elif kind in _REPEATS:
            yield from _singles(value[2])
        else:
            for body in _bodies(kind, value):
                yield from _singles(body)


def runner(pattern: re.Pattern[Any], *, at_start: bool) -> Callable[[str], None]:
    """Applies a pattern as the code does."""
    is_bytes = isinstance(pattern.pattern, bytes)

    def run(text: str) -> None:
        subject: Any = text.encode("latin-1", "replace") if is_bytes else text
        if at_start:
            pattern.match(subject)
            pattern.fullmatch(subject)
        else:
            for _ in pattern.finditer(subject):
                pass

    return run


def cpu_s(run: Callable[[str], None], text: str, tries: int = 1) -> float:
    """The least CPU time of so many tries: what the machine does beside it is not counted, or only once."""
    best = float("inf")
    for _ in range(tries):
        began = time.thread_time()
        run(text)
        best = min(best, time.thread_time() - began)
    return best
