"""What is gathered for a report, and the fetcher that counts the requests made for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from geohound import urls
from geohound.contracts import Fetcher
from geohound.fetcher_wrapper import FetcherWrapper, NextFetch
from geohound.model.crawl.job import FileLink, PageRead, Sketch
from geohound.model.crawl.kept_page import KeptPage
from geohound.model.failure import FailureReason
from geohound.model.service import Verdict
from geohound.model.visit import Link, Page, Response, Validators, Visit

NOTHING_SEEN = Verdict()


@dataclass(slots=True)
class ReportDraft:
    """What is gathered step by step: about the answer, and about the page that it holds."""

    status: int = 0
    elapsed_s: float = 0.0
    # on what was asked, from which the checks of known services follow
    verdict: Verdict = NOTHING_SEEN
    drops: Counter[FailureReason] = field(default_factory=Counter)
    kept: KeptPage | None = None
    is_copy: bool = False
    # the page
    objection: FailureReason | None = None
    in_vain: FailureReason | None = None
    final: str = ""
    page: Page | None = None
    links: list[Link] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    data_files: list[FileLink] = field(default_factory=list)
    sketch: Sketch | None = None
    is_cached: bool = False
    validators: Validators | None = None
    catalogues: tuple[tuple[str, str], ...] = ()  # behind the page: harvester, address

    def page_read(self) -> PageRead:
        return PageRead(
            self.verdict.services,
            self.verdict.proofs,
            self.objection,
            self.final,
            self.page,
            links=tuple(self.links),
            files=tuple(self.files),
            sketch=self.sketch,
            is_cached=self.is_cached,
            in_vain=self.in_vain,
            data_files=tuple(self.data_files),
            validators=self.validators,
            catalogues=self.catalogues,
        )


def stays(url: str, target: str) -> bool:
    return urls.site(url) == urls.site(target)


class CountingFetcher(FetcherWrapper):
    """The fetcher of one job: it counts its requests, stays on the site and remembers the last answer."""

    follows = staticmethod(stays)

    def __init__(
        self,
        fetcher: Fetcher,
        reading: Callable[[], None],
        waiting: Callable[[None], None],
    ) -> None:
        super().__init__(fetcher)
        self._reading = reading
        self._waiting = waiting
        self._is_read_here = True
        self.last: Visit | None = None
        self.asked = 0
        self.bytes = 0
        self.hosts: set[str] = set()
        self.address = ""  # numeric, that was asked first

    @contextmanager
    def read_elsewhere(self) -> Iterator[None]:
        """Meanwhile answers are read by another process, which may break without harm to this one."""
        self._is_read_here = False
        try:
            yield
        finally:
            self._is_read_here = True

    async def ask(self, url: str, onward: NextFetch) -> Visit:  # noqa: ARG002 - `onward` knows it
        self._waiting(None)
        self.last = None  # nobody reads it any more, and it may be large
        visit = await onward()
        if self._is_read_here:
            self._reading()  # whoever asked reads it now, without a break
        self.last = visit
        self.asked += 1
        self.address = self.address or visit.address
        if isinstance(visit, Response):
            self.bytes += len(visit.body)
            self.hosts.add(urls.host(visit.final_url))
        return visit
