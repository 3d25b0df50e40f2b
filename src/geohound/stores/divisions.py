"""Which part of a divided task a host falls to, as a number that databases can compare."""

from __future__ import annotations

import zlib

from geohound.model.crawl.shard import Shard
from geohound.urls import site

PARTS = 65_536  # the shards of a task have equal ranges of these


def part_of(host: str) -> int:
    """One and the same for all hosts of a registered domain, so that one process asks them."""
    return zlib.crc32(site(f"http://{host}/").encode()) % PARTS


def parts_of(shard: Shard | None) -> tuple[int, int]:
    """The first and the last part of a shard; of a task that is not divided, all."""
    if shard is None:
        return 0, PARTS - 1
    first = shard.number * PARTS // shard.count
    return first, (shard.number + 1) * PARTS // shard.count - 1
