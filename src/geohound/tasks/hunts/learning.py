"""What the agent learns from the pages that a hunt reads, and from the services that answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from geohound import urls
from geohound.agent.knowledge import Knowledge
from geohound.agent.subject import Subject
from geohound.agent.words import text_words, url_words
from geohound.crawler.observer import CrawlObserver
from geohound.model.compact_sets import HashSet, Recent
from geohound.model.crawl.job import PageRead, Report
from geohound.model.service import Service
from geohound.model.visit import Candidate, Page, Purpose
from geohound.tasks.source_yields import SourceYields
from geohound.urls.address_book import AddressBook

from .results import ResultBook

MAX_LINKS = 200  # of a page, whose words count
# of which titles and terms are remembered until their services answer
_MAX_PAGES = 5_000
LATEST_REQUESTS = 500  # of the crawl, by which its gain is judged
_MAX_TEXT = 4_000  # characters of a page, whose terms count


@dataclass(slots=True)
class _ReadPage:
    title: list[str]
    terms: list[str]
    is_counted: bool = False  # as one with a service


@dataclass(slots=True)
class Gains:
    """New services and requests, of the results of queries and of the crawl beyond them."""

    services: defaultdict[str, float] = field(
        default_factory=lambda: defaultdict(float)
    )  # what they count
    requests: Counter[str] = field(default_factory=Counter)
    found: int = 0  # services, whoever found them

    def note_requests(self, name: str, count: int) -> None:
        """What the crawl brought long ago counts half, and half of that later: it is asked what it brings now."""
        self.requests[name] += count
        if name == "crawl" and self.requests[name] >= 2 * LATEST_REQUESTS:
            self.requests[name] //= 2
            self.services[name] /= 2

    def per_request(self, name: str) -> float:
        return self.services[name] / self.requests[name] if self.requests[name] else 0.0


class HuntObserver:
    """An observer in front of another: it counts for sources, steps and gains, and teaches the agent."""

    def __init__(
        self,
        inner: CrawlObserver,
        yields: SourceYields,
        results: ResultBook,
        known: Knowledge,
        book: AddressBook,
    ) -> None:
        self._inner = inner
        self._yields = yields
        self._results = results
        self._known = known
        self._book = book
        self.gains = Gains()
        self.learns_from_live = True
        self.subject = Subject()
        self.off_subject = 1.0  # what a service counts that is not about the subject
        self.is_learning = True
        # results of queries that were asked for, whatever came of it
        self.read: set[str] = set()
        self._links = HashSet()  # that were counted
        self._pages: Recent[str, _ReadPage] = Recent(_MAX_PAGES)
        self._hosts_terms = HashSet()  # of pages with services
        self._hosts_read = HashSet()

    def on_report(self, candidate: Candidate, report: Report) -> None:
        self._yields.note(candidate)
        self._yields.note_services(
            (service.endpoint for service in report.services), candidate
        )
        is_of_search = self._results.query_of(candidate) is not None
        self.gains.note_requests("search" if is_of_search else "crawl", report.asked)
        if candidate.url in self._results.found_by:
            self.read.add(candidate.url)
        if self.is_learning and isinstance(report.result, PageRead):
            self._learn(candidate, report.result)
        self._inner.on_report(candidate, report)

    def on_service(
        self, service: Service, candidate: Candidate, score: float | None = None
    ) -> None:
        self._yields.count_service(candidate)
        asked = self._results.query_of(candidate)
        is_about = self.subject.is_about(service)
        worth = 1.0 if is_about else self.off_subject
        self.gains.services["search" if asked else "crawl"] += worth
        self.gains.found += 1
        if asked is not None:
            step = self._results.step(*asked)
            if step is not None:
                step.services += 1
                step.on_subject += is_about
            self._known.note_brought(tuple(asked[1].lower().split()), services=worth)
        self._inner.on_service(service, candidate, score)

    def on_known(self, service: Service, score: float | None = None) -> None:
        self._inner.on_known(service, score)

    def on_files(self, count: int) -> None:
        self._inner.on_files(count)

    def on_skipped(self, candidate: Candidate) -> None:
        if self.is_learning and self.learns_from_live:
            self._learn_live(candidate)
        self._inner.on_skipped(candidate)

    def _learn(self, candidate: Candidate, read: PageRead) -> None:
        if read.page is not None:
            self._learn_page(candidate.url, read.page, read)
        if read.services and self.learns_from_live:
            self._learn_live(candidate)

    def _learn_page(self, url: str, page: Page, read: PageRead) -> None:
        known = self._known
        title = text_words(page.title)
        known.titles.add(title)
        terms = text_words(f"{page.title} {page.text[:_MAX_TEXT]}")
        self._pages.put(url, _ReadPage(title, terms))
        known.note_read_terms(_new_on(urls.host(url), terms, self._hosts_read))
        for link in read.links[:MAX_LINKS]:
            if not self._links.add(hash(link.url)):
                continue
            known.urls.add(url_words(link.url))
            known.texts.add(text_words(link.text))
            if (
                not self.learns_from_live
                and self._book.classify(link.url)[0] is urls.ServiceHint.CERTAIN
            ):
                self._count_live(link.url, link.text, url)

    def _learn_live(self, candidate: Candidate) -> None:
        """A service answered: its address, the text of the link and the title of its page count."""
        if candidate.purpose is Purpose.PROBE or self._book.looks_like_service(
            candidate.url
        ):
            self._count_live(
                candidate.url,
                candidate.clue if candidate.found_on else "",
                candidate.found_on,
            )
        else:
            self._count_page(candidate.url)

    def _count_live(self, url: str, text: str, found_on: str) -> None:
        words = url_words(url)
        self._known.urls.add_live(words)
        self._known.note_service_url(words)
        self._known.texts.add_live(text_words(text))
        self._count_page(found_on)

    def _count_page(self, url: str) -> None:
        """A page with a service: its title counts once, its terms once for each host."""
        page = self._pages.get(url)
        if page is None or page.is_counted:
            return
        page.is_counted = True
        self._known.titles.add_live(page.title)
        self._known.note_terms(_new_on(urls.host(url), page.terms, self._hosts_terms))


def _new_on(host: str, terms: Sequence[str], known: HashSet) -> list[str]:
    """Those that no earlier page of the host had."""
    return [term for term in terms if known.add(hash((host, term)))]
