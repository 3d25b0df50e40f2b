"""What the search for addresses hands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from geohound.jsflow.syntax.source import Source
from geohound.jsflow.values.domain import Value

MAX_FUNCTION = 6_000


MAX_GUESSED = 150_000  # in longer scripts only requests beside the name of a service are looked at


class SinkValue(NamedTuple):
    """A value, the kind that its surroundings name, and the subdomain to put in."""

    value: Value
    kind: str | None = None
    subdomain: str = ""


@dataclass(slots=True)
class SinkMatch:
    """A string that reached a place where the address of a service stands."""

    text: str
    hint: str | None
    how: str
    node: Node
    source: Source
    call: str
    subdomains: str = ""
    must_be_sure: bool = False
