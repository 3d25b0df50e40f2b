"""What several pages show: choices of a form, and where in a list a page stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """One box to tick in the form."""

    id: str
    label: str
    count: int | None
    is_chosen: bool


@dataclass(frozen=True)
class FacetGroup:
    """The boxes of one facet."""

    name: str
    title: str
    choices: Sequence[Choice]


@dataclass(frozen=True)
class Paging:
    """Where in a list this page stands, and the addresses before and after it."""

    first: int
    last: int
    total: int
    before: str
    after: str
