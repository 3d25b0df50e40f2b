"""Response headers as libcurl hands them over, line by line, read once the answer is there."""

from __future__ import annotations

import re

_FOLD = re.compile(r"\r?\n[ \t]+")
_FIRST_ONLY = frozenset({"location", "content-type"})  # joined, two would make a third that nobody sent

_JOINTS = {"x-robots-tag": "\n"}  # a crawler's name in one would claim the rules of the next, for everybody


def has_end(lines: list[bytes]) -> bool:
    """Did the blank line come that ends the headers?"""
    return b"\r\n" in lines or b"\n" in lines


def final_lines(lines: list[bytes]) -> list[bytes]:
    """The lines of the last answer, status line first: no interim answers (100, 103), no trailers."""
    if lines.count(b"\r\n") == 1 and lines[-1] == b"\r\n":
        return lines
    start = 0
    for at in range(len(lines) - 1, 0, -1):
        if lines[at].startswith(b"HTTP/") and lines[at - 1] in (b"\r\n", b"\n"):
            start = at
            break
    for at in range(start, len(lines)):
        if lines[at] in (b"\r\n", b"\n"):
            return lines[start:at]
    return lines[start:]


def read_headers(lines: list[bytes]) -> dict[str, str]:
    """Lower-case names; several values joined by a comma; folded lines unfolded, nonsense skipped."""
    text = _decode(b"".join(lines[1:]))
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    found: dict[str, str] = {}
    for line in text.split("\n"):
        name, colon, value = line.partition(":")
        if not colon:
            continue
        name = name.strip().lower()
        if name not in found:
            found[name] = value.strip()
        elif name not in _FIRST_ONLY:
            found[name] += _JOINTS.get(name, ", ") + value.strip()
    return found


def _decode(raw: bytes) -> str:
    """Headers are Latin-1 by the letter, but addresses in Location often come as UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def one_line(value: str) -> str:
    """A value to send: it cannot bring a header of its own along."""
    return " ".join(value.split())
