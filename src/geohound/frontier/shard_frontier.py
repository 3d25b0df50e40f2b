"""The frontier of one shard: links to the domains of other shards are sent to them."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any

from geohound import urls
from geohound.model.compact_sets import Recent
from geohound.model.crawl.shard import Shard
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate

from .frontier import Frontier
from .pending import PendingUrl, host_of
from .url_keys import candidate_key, url_key

MOST_REMEMBERED = 200_000  # links that were sent: what is forgotten may be sent again, and its owner knows it


@lru_cache(50_000)
def _number_of(host: str, count: int) -> int:
    return zlib.crc32(urls.site(f"http://{host}/").encode()) % count


def shard_of(url: str, count: int) -> int:
    """The shard that owns a URL: all hosts of a registered domain have one owner, so that one process asks them.

    Files have no host to be polite to: each is read by whoever its name falls to.
    """
    if url.startswith("file:"):
        return zlib.crc32(url.encode()) % count
    return _number_of(host_of(url), count)


class ShardFrontier(Frontier):
    """Admits what belongs here; the rest is written, with the batch that settles its page, for its owner to read."""

    def __init__(self, *parts: Any, shard: Shard) -> None:
        self._shard = shard
        # the least depth at which a URL was sent
        self._sent: Recent[int, int] = Recent(MOST_REMEMBERED)
        super().__init__(*parts)

    def owns(self, url: str) -> bool:
        return shard_of(url, self._shard.count) == self._shard.number

    def knows(self, url: str, depth: int = 255) -> bool:
        if self.owns(url):
            return super().knows(url, depth)
        sent_at = self._sent.get(url_key(url))
        return sent_at is not None and sent_at <= depth

    def _enter(self, candidate: Candidate) -> PendingUrl | FailureReason | None:
        url = candidate.url
        if not url.startswith(("http://", "https://")) or self.owns(url):
            return super()._enter(candidate)
        key = candidate_key(candidate)
        sent_at = self._sent.get(key)
        if sent_at is None or candidate.depth < sent_at:
            self._sent.put(key, candidate.depth)
            to = self._shard.parent, shard_of(url, self._shard.count)
            self._outbox.batch().sent.setdefault(to, []).append(candidate)
        return None
