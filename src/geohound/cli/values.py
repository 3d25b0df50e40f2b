"""Reads the numbers and words of the command line, and says in a sentence which ones are valid.

The help shows the names of these functions as the types of arguments.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from ipaddress import ip_address, ip_network

import typer

from geohound.views.parsing import shorten

_HALFWAY_MILES = 12_450  # around the Earth
_ROUTE = re.compile(r"[^=]+=[^=]+:[0-9]{1,5}")
_MOST = 10**12  # more than anybody means, and less than any store refuses


def whole(least: int = 0, most: int = _MOST) -> Callable[[str | int], int]:
    """A parser of whole numbers within bounds."""
    limits = f", {least:,} or more" if most == _MOST else f" from {least:,} to {most:,}"

    def number(value: str | int) -> int:
        try:
            found = int(value)
        except ValueError:
            found = least - 1
        if not least <= found <= most:
            raise typer.BadParameter(
                f"must be a whole number{limits}, not “{shorten(str(value))}”."
            )
        return found

    return number


def seconds(value: str | float) -> float:
    """A duration that ends."""
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not 0 <= found <= _MOST:
        raise typer.BadParameter(
            f"must be a number of seconds, 0 or more, not “{shorten(str(value))}”."
        )
    return found


def route(value: str) -> str:
    """Which host is reached where."""
    if not _ROUTE.fullmatch(value):
        example = "*.test=127.0.0.1:8123"
        raise typer.BadParameter(
            f"needs PATTERN=HOST:PORT, such as {example}, not “{shorten(value)}”."
        )
    return value


def network(value: str) -> str:
    """Addresses that share a prefix."""
    try:
        ip_network(value, strict=False)
    except ValueError:
        raise typer.BadParameter(
            f"needs a network such as 127.0.0.0/8, not “{shorten(value)}”."
        ) from None
    return value


def text(value: str) -> str:
    """Any words."""
    return value


def miles(value: str | float) -> float:
    """A distance."""
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not 0.0 < found <= _HALFWAY_MILES:
        limits = f"more than 0 and at most {_HALFWAY_MILES:,}"
        raise typer.BadParameter(
            f"must be a number of miles, {limits}, not “{shorten(str(value))}”."
        )
    return found


def ip(value: str) -> str:
    """The address of one machine."""
    try:
        return str(ip_address(value))
    except ValueError:
        raise typer.BadParameter(
            f"must be an IP address such as 127.0.0.1, not “{shorten(value)}”."
        ) from None
