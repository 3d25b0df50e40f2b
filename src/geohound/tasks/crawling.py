"""A crawl as a task: its counters, its checkpoint, and the events for those who watch it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from geohound import urls
from geohound.crawler.crawl_plan import CrawlParts
from geohound.crawler.engine import Crawl
from geohound.model.crawl.event import Progressed
from geohound.model.crawl.frontier import VisitRecord
from geohound.model.crawl.task import Checkpoint, Ending
from geohound.model.visit import Candidate, Lane
from geohound.politeness import TaskPoliteness

from . import metrics
from .progress import Progress
from .reasons import why
from .seeds import Missed
from .usage import machine_load, measure

MAX_MISSED = 100  # seeds, and catalogues, that the summary names
MAX_FETCHING = 6  # URLs that an event names
MAX_WAITING_HOSTS = 3  # that an event names
_GROUPS = {Lane.PAGES: "fetchers", Lane.PROBES: "testers"}


class CrawlWork:
    """A crawl that a runner can run."""

    def __init__(
        self,
        crawl: Crawl,
        counted: Progress,
        missed: Callable[[], Missed],
        pids: Sequence[int] = (),
        learned: str = "",
        hosts: TaskPoliteness | None = None,
    ) -> None:
        self._crawl = crawl
        self._counted = counted
        self._what_missed = missed
        self._pids = pids  # of the processes that read pages, beside this one
        self._learned = learned
        self._hosts = hosts
        self._missed = Missed()

    async def run(self) -> Ending:
        self._counted.begin()
        try:
            ending = Ending(await self._crawl.run())
        finally:
            self._keep_learned()
        if self._is_finished:
            await self._crawl.parts.frontier.flush()
            self._missed = self._what_missed()
            ending = _ending(self._missed)
        self._counted.ending = ending
        return ending

    def feed(self, *, is_fed: bool) -> None:
        """More URLs will be added from outside, so an empty frontier does not end the crawl yet."""
        self._crawl.is_fed = is_fed

    def wait_for_grants(self, *, is_waiting: bool) -> None:
        """Other shards may return part of their budget, so a spent budget does not end the crawl yet."""
        self._crawl.awaits_grants = is_waiting

    def allow(self, pages: int) -> None:
        """Set the budget of page visits, over all runs."""
        self._crawl.allow(pages)

    def renew_tests(self) -> None:
        """New links came in: the services they name are tested even if the page budget is spent."""
        self._crawl.renew_tests()

    @property
    def allowance(self) -> int:
        return self._crawl.allowance

    @property
    def visits(self) -> int:
        return self._crawl.visits

    @property
    def has_more(self) -> bool:
        """Is any URL waiting, whether or not the budget allows to visit it?"""
        return bool(self._crawl.parts.frontier.stats().queued)

    @property
    def is_idle(self) -> bool:
        return self._crawl.is_idle

    @property
    def in_flight(self) -> int:
        return self._crawl.in_flight

    @property
    def parts(self) -> CrawlParts:
        return self._crawl.parts

    @property
    def _is_finished(self) -> bool:
        """Is nothing left? What was in flight when a run ended is left for the next one."""
        numbers = self._crawl.parts.frontier.stats()
        return not numbers.queued and not numbers.leased

    def _keep_learned(self) -> None:
        """Write what was learned to the file that the user named, for the next crawl."""
        if self._learned:
            Path(self._learned).expanduser().write_bytes(
                self._crawl.parts.order.state()
            )

    def stop(self) -> None:
        self._crawl.stop()

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.summary(), self._crawl.parts.order.state())

    def summary(self) -> dict[str, Any]:
        """The numbers so far, those of the whole task; `run` has those of this run."""
        crawl, parts = self._crawl, self._crawl.parts
        numbers = parts.frontier.stats()
        return self._counted.summary() | {
            "drops": {
                str(reason): n
                for reason, n in Counter(numbers.drops).most_common()
                if n
            },
            "queue": numbers.queued,
            "active_hosts": numbers.active_hosts,
            "inactive_hosts": numbers.inactive_hosts,
            "explored_hosts": numbers.explored_hosts,
            "task": crawl.plan.task,
            "finished": self._is_finished and not self._missed,
            "unreached": _named(self._missed.seeds),
            "unread": _named(self._missed.catalogues),
            "in_flight": crawl.in_flight,
            "fetchers": crawl.pools[Lane.PAGES].size,
            "testers": crawl.pools[Lane.PROBES].size,
            "cut_off": crawl.is_cut_off,
            "hosts_elsewhere": self._hosts.elsewhere if self._hosts else 0,
        }

    def progress(self) -> Progressed:
        now, usage = self.summary(), measure(self._pids)
        names = (
            "pages", "visits", "requests", "bytes", "services", "layers", "hosts", "tested", "queue", "in_flight",
            "fetchers", "testers", "elapsed_s", "pages_per_s", "drops", "started_at", "seconds_per_page",
            "active_hosts", "inactive_hosts", "explored_hosts", "known",
        )  # fmt: skip
        run = now["run"]
        waiting, hosts = self._waiting()
        return Progressed(
            **{name: now[name] for name in names},
            run_s=run["elapsed_s"],
            run_pages_per_s=run["pages_per_s"],
            cpu_s=round(usage.cpu_s, 2),
            memory_mb=round(usage.memory_mb, 1),
            waiting=waiting,
            waiting_hosts=hosts,
            machine_load=round(machine_load(), 2),
            asleep=tuple(_GROUPS[lane] for lane in self._crawl.asleep),
            fetching=tuple(
                (each.url, self._why(each))
                for each in self._crawl.fetching[:MAX_FETCHING]
            ),
        )

    def _why(self, candidate: Candidate) -> str:
        return why(candidate, self._crawl.parts.order.explain)

    def _waiting(self) -> tuple[str, tuple[str, ...]]:
        """What a crawl that seems to stand still is waiting for, and for which hosts."""
        crawl, frontier = self._crawl, self._crawl.parts.frontier
        numbers = frontier.stats()
        if crawl.is_cut_off:
            return "network", ()
        awaits_answers = crawl.awaits_last_pages or crawl.is_quiet
        if crawl.in_flight and (awaits_answers or not numbers.queued):
            asked = dict.fromkeys(urls.host(each.url) for each in crawl.fetching)
            return "answers", tuple(asked)[:MAX_WAITING_HOSTS]
        if crawl.in_flight or not numbers.queued:
            return "", ()
        awaited = tuple(frontier.awaited(MAX_WAITING_HOSTS))
        if self._hosts and self._hosts.elsewhere:
            return "other processes", awaited
        return "active hosts" if numbers.inactive_hosts else "hosts", awaited

    def metrics(self) -> bytes:
        """The numbers as Prometheus reads them."""
        return metrics.page(self._counted, self.summary())


def _ending(missed: Missed) -> Ending:
    """Of a run that has nothing left to do."""
    if missed.catalogues:
        return Ending.SOURCE_FAILED
    return Ending.UNREACHED if missed.seeds else Ending.FINISHED


def _named(visits: Sequence[VisitRecord]) -> list[dict[str, str]]:
    return [
        {"url": visit.url, "reason": str(visit.reason)} for visit in visits[:MAX_MISSED]
    ]
