"""Print for people or for machines."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer


def line(record: Any) -> None:
    """One JSON object on a line of its own, at once."""
    from geohound.views.encoding import encode  # noqa: PLC0415 - lines for people do without it

    sys.stdout.buffer.write(encode(record) + b"\n")
    sys.stdout.buffer.flush()


def say(text: str) -> None:
    """A plain line; what comes from the network is never read as markup, nor as terminal control."""
    sys.stdout.write(printable(text) + "\n")


def complain(text: str) -> None:
    """A line to standard error."""
    sys.stderr.write(printable(text) + "\n")


def count(number: int, thing: str) -> str:
    """How many, with an s where it belongs: 1 service, 1,234 services."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def have_output() -> None:
    """Where the caller closed standard output or standard error (`>&-`), what goes there is dropped."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = io.FileIO(os.devnull, "w")
            setattr(sys, name, io.TextIOWrapper(nowhere, "utf-8"))


def is_of_output(error: OSError) -> bool:
    """Is it about standard output, such as a full disk, and about no file that has a name?"""
    return error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT) and not error.filename


def drop_output() -> None:
    """The reader (head, less) has gone; do not let the interpreter complain about the same pipe again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def to_a_reader() -> Iterator[None]:
    """Print all of this, or as much as is read: who looks at the first lines only has seen enough."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        raise typer.Exit(0) from None


def advice(trouble: str) -> str:
    """What to do about a message that begins with the reason of a failure, on a line of its own; empty if nothing."""
    from geohound.model.failure import reason_in  # noqa: PLC0415

    reason = reason_in(trouble)
    if reason is None or "allow_ports" in trouble:  # the message itself says what to do
        return ""
    means = reason.means
    return f"\n  {means.text} {means.advice}".rstrip()


def printable(text: str) -> str:
    """Control characters, which could drive a terminal, made harmless."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
