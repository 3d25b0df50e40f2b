"""From a leased candidate to the job of a worker, with what must be recalled: workers have no database."""

from __future__ import annotations

from geohound.contracts import Catalogue, Examiner, RobotsCache
from geohound.model.compact import HashSet
from geohound.model.job import CachedRobots, Job
from geohound.model.service import NOTHING_KNOWN
from geohound.model.visit import Candidate, Purpose, Via

_FILES = frozenset({Via.SCRIPT, Via.CONFIG})


class Jobs:
    """Makes the jobs of one crawl."""

    def __init__(self, catalogue: Catalogue, robots: RobotsCache | None, examiner: Examiner) -> None:
        self._catalogue = catalogue
        self._robots = robots
        self._examiner = examiner
        self._restarts = 0
        self._sent = HashSet()  # origins of which the workers have heard

    def make(self, candidate: Candidate) -> Job:
        url, purpose = candidate.url, candidate.purpose
        known = NOTHING_KNOWN if purpose is Purpose.HARVEST else self._catalogue.known_at(url)
        is_file, robots = candidate.via in _FILES, self._robots_of(url)
        return Job(url, purpose, candidate.depth, is_file, candidate.harvester, known, robots)

    def _robots_of(self, url: str) -> tuple[CachedRobots, ...]:
        """The robots.txt of a host that no worker has heard of; with www and without, since both lead to each other."""
        if self._robots is None:
            return ()
        if self._examiner.restarts != self._restarts:
            self._restarts, self._sent = self._examiner.restarts, HashSet()
        scheme, _, host = "/".join(url.split("/", 3)[:3]).partition("://")
        if not self._sent.add(hash((scheme, host))):
            return ()
        bare = host.removeprefix("www.")
        return tuple(self._robots.cached([f"{s}://{h}" for s in ("http", "https") for h in (bare, f"www.{bare}")]))
