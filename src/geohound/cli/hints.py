"""Commands that messages suggest, with the options of this call that they need: they work as they are copied."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

_ON_THE_NETWORK = frozenset(
    {
        "crawl",
        "resume",
        "hunt",
        "harvest",
        "monitor",
        "check",
        "identify",
        "mine",
        "serve",
    }
)  # commands that have --connect-to and --allow-net
_OPTIONS = {
    "catalogue": "--catalogue",
    "config": "--config",
    "connect_to": "--connect-to",
    "allow_nets": "--allow-net",
}
_EVERYWHERE = ("catalogue", "config")
_given: dict[str, Sequence[str]] = {}  # of this call: a process has one


def note(given: Mapping[str, str | Sequence[str] | None]) -> None:
    """Remember what the command line says; what comes from the environment holds for the next call too."""
    _given.clear()
    for name in _OPTIONS:
        value = given.get(name)
        if value:
            _given[name] = [value] if isinstance(value, str) else value


def command(words: str) -> str:
    """`geohound` with these words, of which the first one is a command, as it has to be typed after this call."""
    takes_all = words.split(maxsplit=1)[0] in _ON_THE_NETWORK
    options = [
        part
        for name, values in _given.items()
        if takes_all or name in _EVERYWHERE
        for value in values
        for part in (_OPTIONS[name], value)
    ]
    return " ".join(["geohound", words, *map(shlex.quote, options)])
