"""A report in the making, and the fetcher that counts the requests made for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from geohound import urls
from geohound.contracts import Fetcher
from geohound.fetcher_wrapper import FetcherWrapper, NextFetch
from geohound.model.failure import FailureReason
from geohound.model.service import Proof, Service, Verdict
from geohound.model.visit import Failure, Link, Page, Response, Validators, Visit
from geohound.model.work.data_file import FileHead
from geohound.model.work.harvest import HarvestPage
from geohound.model.work.job import FileLink, PageRead, Redirected, Sketch
from geohound.model.work.kept_page import KeptPage
from geohound.model.work.watched import WatcherReport

NOTHING_SEEN = Verdict()


@dataclass(slots=True)
class ReportDraft:
    """A report in the making."""

    status: int = 0
    elapsed_s: float = 0.0
    failure: Failure | None = None
    redirect: str = ""
    harvested: HarvestPage | None = None
    head: FileHead | None = None
    watcher: WatcherReport | None = None
    objection: FailureReason | None = None
    in_vain: FailureReason | None = None
    services: tuple[Service, ...] = ()
    proofs: tuple[Proof, ...] = ()
    listed: tuple[str, ...] = ()
    listed_as: str = ""
    final: str = ""
    page: Page | None = None
    links: list[Link] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    data_files: list[FileLink] = field(default_factory=list)
    sketch: Sketch | None = None
    is_cached: bool = False
    drops: Counter[FailureReason] = field(default_factory=Counter)
    asked: int = 0
    bytes: int = 0
    address: str = ""
    hosts: set[str] = field(default_factory=set)
    kept: KeptPage | None = None
    is_copy: bool = False
    validators: Validators | None = None
    catalogues: tuple[tuple[str, str], ...] = ()  # behind the page: harvester, address
    verdict: Verdict = NOTHING_SEEN  # on what was asked, from which the checks of known services follow

    def note(self, verdict: Verdict) -> None:
        self.services = verdict.services
        self.proofs = verdict.proofs
        self.verdict = verdict
        if verdict.refusal and verdict.refusal.lists:
            self.listed = tuple(verdict.refusal.lists)
            self.listed_as = verdict.refusal.detail

    def result(
        self,
    ) -> PageRead | HarvestPage | FileHead | WatcherReport | Redirected | Failure:
        if self.failure is not None:
            return self.failure
        if self.harvested is not None:
            return self.harvested
        if self.head is not None:
            return self.head
        if self.watcher is not None:
            return self.watcher
        if self.redirect:
            return Redirected(self.redirect)
        return PageRead(
            self.services, self.proofs, self.objection, self.final, self.page, tuple(self.links), tuple(self.files),
            self.sketch, self.is_cached, self.in_vain, tuple(self.data_files), self.validators,
            self.catalogues,
        )  # fmt: skip


def stays(url: str, target: str) -> bool:
    return urls.site(url) == urls.site(target)


class CountingFetcher(FetcherWrapper):
    """A fetcher that counts every visit in the report, stays on the site and remembers the last answer."""

    follows = staticmethod(stays)

    def __init__(
        self,
        fetcher: Fetcher,
        draft: ReportDraft,
        reading: Callable[[], None],
        waiting: Callable[[None], None],
    ) -> None:
        super().__init__(fetcher)
        self._draft = draft
        self._reading = reading
        self._waiting = waiting
        self.last: Visit | None = None

    async def ask(self, url: str, onward: NextFetch) -> Visit:  # noqa: ARG002 - `onward` knows it
        self._waiting(None)
        self.last = None  # nobody reads it any more, and it may be large
        visit = await onward()
        self._reading()  # whoever asked reads it now, without a break
        self.last = visit
        self._draft.asked += 1
        self._draft.address = self._draft.address or visit.address
        if isinstance(visit, Response):
            self._draft.bytes += len(visit.body)
            self._draft.hosts.add(urls.host(visit.final_url))
        return visit
