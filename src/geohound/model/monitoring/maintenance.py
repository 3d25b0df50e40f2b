"""Maintenance that was announced for a host: nobody looks at it then, and others can read when it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

HOW = (
    "write HOST BEGIN END TEXT, with times as 2026-11-20T01:00Z, "
    "as in 'maps.example.org 2026-11-20T01:00Z 2026-11-20T03:00Z new disks'"
)


class Maintenance(NamedTuple):
    host: str
    begins: datetime
    ends: datetime
    about: str = ""


def read_maintenance(text: str) -> Maintenance:
    """One line of the settings; ValueError says what is wrong with it."""
    host, begins, ends, *about = [*text.split(maxsplit=3), "", "", ""][:4]
    try:
        window = Maintenance(
            host.lower(), _time(begins), _time(ends), " ".join(" ".join(about).split())
        )
    except ValueError:
        raise ValueError(f"{text!r} is no maintenance: {HOW}.") from None
    if window.begins >= window.ends:
        raise ValueError(f"{text!r} ends before it begins: {HOW}.")
    return window


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def end_of_maintenance(
    windows: Sequence[Maintenance], host: str, now: datetime
) -> datetime | None:
    """Until when this host is worked on; None where it is not now. A domain stands for its hosts, ports do not count."""
    name = host.partition(":")[0]
    running = (each for each in windows if each.begins <= now < each.ends)
    return max(
        (each.ends for each in running if f".{name}".endswith(f".{each.host}")),
        default=None,
    )


def announced(windows: Iterable[Maintenance], now: datetime) -> list[Maintenance]:
    """What has not ended yet, the next one first."""
    return sorted(
        (each for each in windows if each.ends > now), key=lambda each: each.begins
    )
