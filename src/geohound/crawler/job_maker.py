"""From a leased candidate to the job of a worker, with what must be recalled: workers have no database."""

from __future__ import annotations

from typing import NamedTuple

from geohound.contracts import CatalogueStore, Examiner, KeptPages, RobotsCache
from geohound.model.compact_sets import HashSet
from geohound.model.crawl.job import CachedRobots, Job
from geohound.model.crawl.kept_page import KeptPage
from geohound.model.service import NOTHING_KNOWN
from geohound.model.visit import Candidate, Purpose, Via

from .watched_sites import WatchedSites

_FILES = frozenset({Via.SCRIPT, Via.CONFIG})
_NO_SERVICES = frozenset({Purpose.HARVEST, Purpose.FILE, Purpose.WATCHER})


class Copies(NamedTuple):
    """Pages that other tasks than ours read, not longer ago than `max_age_s`."""

    pages: KeptPages
    max_age_s: float
    task: int


class Jobs:
    """Makes the jobs of one crawl."""

    def __init__(
        self,
        catalogue: CatalogueStore,
        robots: RobotsCache | None,
        examiner: Examiner,
        copies: Copies | None = None,
        watched: WatchedSites | None = None,
    ) -> None:
        """Pages of which there are `copies` are not asked for again.

        `watched` knows better where a watcher reports that a page has changed.
        """
        self._watched = watched
        self._catalogue = catalogue
        self._robots = robots
        self._examiner = examiner
        self._copies = copies if copies and copies.max_age_s > 0 else None
        self._restarts = 0
        self._sent = HashSet()  # origins of which the workers have heard

    def make(self, candidate: Candidate) -> Job:
        url, purpose = candidate.url, candidate.purpose
        known = (
            NOTHING_KNOWN if purpose in _NO_SERVICES else self._catalogue.known_at(url)
        )
        file_format = candidate.clue if purpose is Purpose.FILE else ""
        is_file, robots = candidate.via in _FILES, self._robots_of(url)
        harvester, cursor = candidate.harvester, candidate.cursor
        copy = self._copy_of(candidate) if known == NOTHING_KNOWN else None
        events = (
            self._watched.events(url)
            if self._watched is not None and candidate.is_page
            else ()
        )
        return Job(
            url,
            purpose,
            candidate.depth,
            is_file,
            harvester,
            cursor,
            known,
            file_format,
            robots,
            copy,
            events,
            is_guess=candidate.via is Via.LIKELY,
        )

    def _copy_of(self, candidate: Candidate) -> KeptPage | None:
        """What another task read lately. Seeds are always read: who names a page wants it as it is now (PH-5).

        A copy of our own is there where a kill came between keeping and settling: that page is read again, and counts.
        """
        if self._copies is None or not candidate.is_page or candidate.depth == 0:
            return None
        if self._watched is not None and self._watched.is_reported(candidate.url):
            return None
        copy = self._copies.pages.recent(candidate.url, self._copies.max_age_s)
        return None if copy is not None and copy.task == self._copies.task else copy

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
        return tuple(
            self._robots.cached(
                [f"{s}://{h}" for s in ("http", "https") for h in (bare, f"www.{bare}")]
            )
        )
