"""Response headers as libcurl hands them over, line by line, read once the answer is there."""

from __future__ import annotations

from functools import lru_cache

_SHORT_BYTES = 80
# joined, two would make a third that nobody sent
_FIRST_ONLY = frozenset({"location", "content-type"})
# a crawler's name in one would claim the rules of the next, for everybody
_JOINTS = {"x-robots-tag": "\n"}


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
    found: dict[str, str] = {}
    last = ""
    for line in lines[1:]:
        name, value = _read_short(line) if len(line) <= _SHORT_BYTES else _read(line)
        if not name:
            if value and last:
                found[last] += " " + value
            continue
        last = name
        if name not in found:
            found[name] = value
        elif name in _FIRST_ONLY:
            last = ""
        else:
            found[name] += _JOINTS.get(name, ", ") + value
    return found


def _read(line: bytes) -> tuple[str, str]:
    """Name and value; no name if the line goes on with the one before it, and no value either if it is nonsense."""
    text = _decode(line)
    if text[:1] in (" ", "\t"):
        return "", text.strip()
    name, colon, value = text.partition(":")
    return (name.strip().lower(), value.strip()) if colon else ("", "")


# Servers say the same in every answer: most lines have been read before.
_read_short = lru_cache(maxsize=8192)(_read)


def _decode(raw: bytes) -> str:
    """Headers are Latin-1 by the letter, but addresses in Location often come as UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def one_line(value: str) -> str:
    """A value to send: it cannot bring a header of its own along."""
    return value if value.isprintable() else " ".join(value.split())
