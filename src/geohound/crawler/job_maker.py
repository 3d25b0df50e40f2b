"""From a leased candidate to the job of a worker, with what must be recalled: workers have no database."""

from __future__ import annotations

from geohound.contracts import CatalogueStore, Examiner, KeptPages, RobotsCache
from geohound.model.compact_sets import HashSet
from geohound.model.service import NOTHING_KNOWN
from geohound.model.visit import Candidate, Purpose, Via
from geohound.model.work.job import CachedRobots, Job
from geohound.model.work.kept_page import KeptPage

from .watched_sites import WatchedSites

_FILES = frozenset({Via.SCRIPT, Via.CONFIG})
_NO_SERVICES = frozenset({Purpose.HARVEST, Purpose.FILE, Purpose.WATCHER})


class Jobs:
    """Makes the jobs of one crawl."""

    def __init__(
        self,
        catalogue: CatalogueStore,
        robots: RobotsCache | None,
        examiner: Examiner,
        kept_pages: KeptPages | None = None,
        revisit_after_s: float = 0.0,
        watched: WatchedSites | None = None,
    ) -> None:
        """Pages that were read in the last `revisit_after_s`, by whatever task, are not asked for again.

        `watched` knows better where a watcher reports that a page has changed.
        """
        self._watched = watched
        self._catalogue = catalogue
        self._robots = robots
        self._examiner = examiner
        self._kept_pages = kept_pages if revisit_after_s > 0 else None
        self._revisit_after_s = revisit_after_s
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
        )

    def _copy_of(self, candidate: Candidate) -> KeptPage | None:
        """What another task read lately. Seeds are always read: who names a page wants it as it is now (PH-5)."""
        if self._kept_pages is None or not candidate.is_page or candidate.depth == 0:
            return None
        if self._watched is not None and self._watched.is_reported(candidate.url):
            return None
        return self._kept_pages.recent(candidate.url, self._revisit_after_s)

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
