"""A task that is divided: each shard has the hosts of some registered domains, and is a task of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from geohound.model.visit import Candidate


@dataclass(frozen=True, slots=True)
class Shard:
    """Which part of which task."""

    parent: int  # the task that was divided
    number: int  # from 0
    count: int


class Parcel(NamedTuple):
    """Links that one shard found and another owns."""

    number: int  # by which it is acknowledged
    links: tuple[Candidate, ...]


class ShardNumbers(NamedTuple):
    """How the exchange of a divided task stands."""

    shards: int
    idle: int
    short: int  # of those, shards that would go on if they were granted more pages
    parcels: int  # under way
    granted: int  # pages that shards may visit, or have visited
