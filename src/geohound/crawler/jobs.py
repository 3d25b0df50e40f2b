"""From a leased candidate to the job of a worker, with what must be recalled: workers have no database."""

from __future__ import annotations

from geohound.contracts import Catalogue, Examiner, RobotsCache
from geohound.model.compact import HashSet
from geohound.model.job import CachedRobots, Job, Purpose
from geohound.model.visit import Candidate, Via

from .proposing import HARVEST_MARK

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
        url, _, harvester = candidate.url.partition(HARVEST_MARK)
        if harvester:
            return Job(url, Purpose.HARVEST, candidate.depth, harvester=harvester, robots=self._robots_of(url))
        purpose = Purpose.PROBE if candidate.probe else Purpose.PAGE
        known, is_file = self._catalogue.known_at(url), candidate.via in _FILES
        return Job(url, purpose, candidate.depth, is_file, known=known, robots=self._robots_of(url))

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
