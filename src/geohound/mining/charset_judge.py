"""In which encoding was this written, where nothing reliable says so? In the one that makes usual text of it."""

from __future__ import annotations

import codecs
import re
import tomllib
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_FALLBACK = "cp1252"
_WINDOW_BYTES = 65_536
_SAMPLE_BYTES = 2_048
_ASCII = re.compile(r"[\x00-\x7f]+")
_HIGH = re.compile(rb"[\x80-\xff]")
_BREAKS = re.compile(rb"[<>\r\n]")  # none of them is part of a character in any of the encodings
_RANGE = re.compile(r"(.)-(.)")
_AMONG_ASCII = re.compile(r"[a-z](?=[^\x00-\x7f])|(?<=[^\x00-\x7f])[a-z]")
_IN_A_ROW = re.compile(r"[^\W\d_a-zA-Z]{3,}")
_MARKS = frozenset("«»“”„‘’–—…·°§©®€№ ")  # in texts of every kind
_WORTH = {"common": 1.0, "capital": 0.5, "mark": 0.5, "rare": 0.3}
_STRANGE = -1.0
_OUT_OF_PLACE = 0.7  # what a character loses that stands where those of its writing do not


class _Writing(NamedTuple):
    codecs: tuple[str, ...]
    worths: dict[str, float]
    joins: bool


class _Look(NamedTuple):
    """A text as some codec reads it: its characters beside ASCII, and where they stand."""

    counts: Counter[str]
    among_ascii: int
    in_a_row: int


def judge(sample: bytes) -> str:
    """The codec under which this looks most like text; Western, where none is better."""
    looks = {codec: _look_at(text) for codec in _codecs() if (text := _decode(sample, codec))}
    best, most = _FALLBACK, 0.0
    for writing in _writings():
        for codec in writing.codecs:
            worth = _worth(looks[codec], writing) if codec in looks else 0.0
            if worth > most:
                best, most = codec, worth
    return best


def is_mostly(sample: bytes, codec: str) -> bool:
    """Does it say something in this encoding, and only some of it is broken?"""
    text = _decode(sample, codec, "replace")
    beside_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") * 2 < beside_ascii


def _decode(sample: bytes, codec: str, errors: str = "strict") -> str:
    try:  # half a character at the end is no error
        return codecs.getincrementaldecoder(codec)(errors).decode(sample)
    except UnicodeDecodeError:
        return ""


def sample_of(body: bytes) -> bytes:
    """The first pieces of the page that are not plain ASCII."""
    found = _HIGH.search(body)
    if not found:
        return b""
    start = max(body.rfind(mark, 0, found.start()) for mark in (b"<", b">", b"\n")) + 1
    start = max(start, found.start() - _SAMPLE_BYTES // 2)
    pieces = _BREAKS.split(body[start : start + _WINDOW_BYTES])
    return b"\n".join(piece for piece in pieces if not piece.isascii())[:_SAMPLE_BYTES]


def _look_at(text: str) -> _Look:
    return _Look(Counter(_ASCII.sub("", text)), len(_AMONG_ASCII.findall(text)), sum(map(len, _IN_A_ROW.findall(text))))


def _worth(look: _Look, writing: _Writing) -> float:
    """How usual its characters beside ASCII are, from -1 to 1."""
    worths = writing.worths
    worth = sum(number * worths.get(char, _STRANGE) for char, number in look.counts.items())
    misplaced = look.in_a_row if writing.joins else look.among_ascii
    return (worth - _OUT_OF_PLACE * misplaced) / max(look.counts.total(), 1)


@cache
def _codecs() -> tuple[str, ...]:
    return tuple(dict.fromkeys(codec for writing in _writings() for codec in writing.codecs))


@cache
def _writings() -> tuple[_Writing, ...]:
    told = tomllib.loads(files(__package__).joinpath("charsets.toml").read_text("utf-8"))
    return tuple(
        _Writing(tuple(row["codecs"]), _worths(row["common"], row["rare"]), row.get("joins", False))
        for row in told["writing"]
    )


def _worths(common: str, rare: str) -> dict[str, float]:
    letters = dict.fromkeys(_spelt_out(rare), _WORTH["rare"]) | dict.fromkeys(_MARKS, _WORTH["mark"])
    frequent = dict.fromkeys(_spelt_out(common), _WORTH["common"])
    capitals = {char.upper(): _WORTH["capital"] for char in frequent if len(char.upper()) == 1}
    rare_capitals = {char.upper(): _WORTH["rare"] / 2 for char in letters if len(char.upper()) == 1}
    return rare_capitals | letters | capitals | frequent


def _spelt_out(letters: str) -> str:
    """With ranges such as ぁ-ゖ as all that they hold."""
    return _RANGE.sub(lambda m: "".join(map(chr, range(ord(m[1]), ord(m[2]) + 1))), letters)
