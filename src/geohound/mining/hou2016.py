"""The JavaScript invocation rules of Hou, Chen & Wu (2016) as published, for comparison (LC-1, LC-2).

Judgements decide by the names of script links whether a page may use a WMS, and which of its scripts are read: those
with a keyword in the name of their file, and no library, neither one that the judgements name nor one that everybody
knows. `ol.js` is the name of a file, not the end of another one such as `control.js`. Rule 1 takes the address out of a
known call; rule 2, only where rule 1 finds nothing in a script, takes every web address. The paper lists the functions
of rule 1; what is cut out of a match follows its pseudocode, step by step. Its script engine runs one statement by
itself, so a value that needs another variable stays unknown: here such a statement is evaluated as literals and their
sum, which is all that can succeed there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlsplit

from geohound import jsflow

KEYWORDS = (
    "map",
    "initial",
    "wms",
    "layer",
    "conus",
    "capabilities",
    "demo",
    "query",
    "content",
)
MAX_MATCHES = 2_000
MAX_CALL = 2_000
MAX_STATEMENTS = 100_000
_CALLS = re.compile(r"(Layer\.WMS|ImageWMS|TileWMS|WMSLayer|tileLayer\.wms)\s{0,20}\(")
_ADDRESS = re.compile(
    r"https?://[a-zA-Z0-9\-.]+\.[a-zA-Z]{2,3}(?::[a-zA-Z0-9]*)?/?[a-zA-Z0-9\-._?!,/\\+&%$#=~]*"
)
_LITERAL = re.compile(r"\s{0,200}+(?:\"([^\"\\\n]*)\"|'([^'\\\n]*)')\s*+")
_LIBRARY = re.compile(
    r"openlayers|arcgis|leaflet|mapbox|(?<![a-z0-9])ol(?:-debug)?\.js", re.IGNORECASE
)
# or a string, whose brackets do not count
_BRACKET = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()]")
_STATEMENT = re.compile(r"\bvar\s{1,20}([A-Za-z_$][\w$]{0,80})\s{0,20}=")


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """An address that a rule took out of a script."""

    url: str
    rule: int
    line: int


def is_judged(script_links: Iterable[str]) -> bool:
    """May this page use a WMS: does one of its script links name a known library?"""
    return any(_LIBRARY.search(link) for link in script_links)


def is_read(script_link: str) -> bool:
    """Is this script read: does the name of its file hold a keyword, and is it no library itself?"""
    if _LIBRARY.search(script_link) or jsflow.is_library(script_link):
        return False
    name = _file_name(script_link)
    return any(word in name for word in KEYWORDS)


def _file_name(link: str) -> str:
    """The last part of the path: host, folders and parameters name other things than the script."""
    try:
        path = urlsplit(link).path
    except ValueError:
        return ""
    return path.rpartition("/")[2].lower()


def candidates(source: str) -> list[RuleMatch]:
    """Rule 1, and where it yields nothing, rule 2."""
    return list(_rule_1(source)) or list(_rule_2(source))


def _rule_1(source: str) -> Iterator[RuleMatch]:
    statements: dict[str, int] | None = None
    lines = _Lines(source)
    for call in islice(_CALLS.finditer(source), MAX_MATCHES):
        inside = source[call.end() : call.end() + MAX_CALL]
        address = _argument(call[1], inside[: _length(inside)])
        if "http://" not in address and "https://" not in address:
            if statements is None:
                statements = _statements(source)
            address = _evaluate(address, statements, source)
        if address:
            yield RuleMatch(address.strip("\"' "), 1, lines.of(call.start()))


class _Lines:
    """Line numbers of places that come in order, each stretch counted once."""

    def __init__(self, source: str) -> None:
        self._source, self._at, self._line = source, 0, 1

    def of(self, place: int) -> int:
        self._line += self._source.count("\n", self._at, place)
        self._at = place
        return self._line


def _length(inside: str) -> int:
    """Up to the bracket that ends the call: those in strings and those that were opened inside do not."""
    depth = 1
    for token in _BRACKET.finditer(inside):
        if token[0] in "()":
            depth += 1 if token[0] == "(" else -1
        if depth == 0:
            return token.start()
    return len(inside)


def _argument(function: str, inside: str) -> str:
    """Steps 8 to 27: the text between two commas, after `url:`, or up to the first comma."""
    if function == "Layer.WMS":
        parts = inside.split(",", 2)
        return parts[1].strip() if len(parts) > 1 else ""
    if function in ("ImageWMS", "TileWMS"):
        _, mark, rest = inside.partition("url:")
        return rest.partition(",")[0].strip().rstrip("}").strip() if mark else ""
    return inside.partition(",")[0].strip()


def _statements(source: str) -> dict[str, int]:
    """Where the value of each `var name =` begins; of a name that has several, the first."""
    found: dict[str, int] = {}
    for statement in islice(_STATEMENT.finditer(source), MAX_STATEMENTS):
        found.setdefault(statement[1], statement.end())
    return found


def _evaluate(name: str, statements: dict[str, int], source: str) -> str:
    """Steps 32 to 43: run the statement from `var name =` to its semicolon, where it stands on its own feet."""
    at = statements.get(name)
    return _sum(source[at : at + MAX_CALL].partition(";")[0]) if at is not None else ""


def _sum(expression: str) -> str:
    total, at = "", 0
    while literal := _LITERAL.match(expression, at):
        total += literal[1] if literal[1] is not None else literal[2]
        at = literal.end()
        if expression[at : at + 1] != "+":
            return total if expression[at : at + 1] in ("", ",") else ""
        at += 1
    return ""


def _rule_2(source: str) -> Iterator[RuleMatch]:
    lines = _Lines(source)
    for address in islice(_ADDRESS.finditer(source), MAX_MATCHES):
        yield RuleMatch(address[0], 2, lines.of(address.start()))
