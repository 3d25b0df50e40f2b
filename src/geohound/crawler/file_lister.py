"""Lists the data files that a crawl meets, and asks for the headers of some of them, within limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from datetime import timedelta

from geohound import urls
from geohound.contracts import DataFileStore
from geohound.model.compact_sets import HashSet
from geohound.model.crawl.data_file import DataFile, FileHead
from geohound.model.crawl.job import FileLink, Report
from geohound.model.visit import LAST, Candidate, Purpose, Via, order_score

from .crawl_plan import CrawlParts, Plan
from .link_scoring import admit
from .observer import CrawlObserver

_GONE = frozenset({404, 410})


class FileLister:
    """The data files of one crawl: each is listed by its name at once, and what a look at it says is added later."""

    def __init__(
        self,
        store: DataFileStore,
        plan: Plan,
        parts: CrawlParts,
        observer: CrawlObserver,
    ) -> None:
        self._store = store
        self._plan = plan
        self._parts = parts
        self._observer = observer
        self._listed = HashSet()
        asked = store.asked(plan.task)
        self._asked_hosts = Counter(map(urls.host, asked))
        self._asked = len(asked)

    def list(self, found: Sequence[FileLink], page: Candidate) -> None:
        """Keep the files that a page links to, and queue requests for the headers of those that limits allow."""
        new = [link for link in found if self._may_list(link)]
        if not new:
            return
        now, task = self._parts.clock.now(), self._plan.task
        self._store.record(
            [
                DataFile(link.url, link.format, page.url, now, task, link.text)
                for link in new
            ]
        )
        self._observer.on_files(len(new))
        lately = self._asked_lately([link.url for link in new])
        asked = [
            _look_at(link, page)
            for link in new
            if link.url not in lately and self._may_ask(link.url)
        ]
        admit(asked, self._plan.scope, self._parts.frontier)

    def _may_list(self, link: FileLink) -> bool:
        return len(self._listed) < self._plan.files.listed and self._listed.add(
            hash(link.url)
        )

    def _asked_lately(self, links: Collection[str]) -> AbstractSet[str]:
        """What some task has asked about within `revisit_after` is not asked about again."""
        since = self._parts.clock.now() - timedelta(seconds=self._plan.revisit_after_s)
        return self._store.asked_since(links, since)

    def _may_ask(self, url: str) -> bool:
        host, limits = urls.host(url), self._plan.files
        if (
            self._asked >= limits.asked
            or self._asked_hosts[host] >= limits.asked_per_host
        ):
            return False
        self._asked += 1
        self._asked_hosts[host] += 1
        return True

    def answered(self, candidate: Candidate, report: Report, head: FileHead) -> None:
        """Keep what a file's headers and first bytes say; what is not there, or no data file, leaves the list."""
        head = FileHead() if report.status in _GONE else head
        self._store.answered(
            listed_as(candidate), head, report.status, self._parts.clock.now()
        )
        if not head.format:
            self._observer.on_files(-1)


def listed_as(candidate: Candidate) -> str:
    """The address under which a file is listed: that of the link, wherever it redirects to."""
    return candidate.found_on if candidate.via is Via.REDIRECT else candidate.url


def _look_at(link: FileLink, page: Candidate) -> Candidate:
    """After everything else that its host is asked."""
    score = order_score(page.score) - LAST
    return Candidate(
        link.url, Via.LINK, page.url, link.format, score, page.depth + 1, Purpose.FILE
    )
