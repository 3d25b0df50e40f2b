"""Learns during the crawl which links lead to services, and at which hosts more are hidden: Geohound's own order."""

from __future__ import annotations

import math
import zlib
from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from geohound.model.compact_sets import Recent
from geohound.model.visit import LAST, Candidate, Link, Outcome, Page, Via

from ._base import BaseOrder, address
from ._features import LinkFeatures, host_of, in_words, split_url
from ._hosts import HostEstimates
from ._model import LogisticModel
from ._prior import LINKS

MAX_PAGES = 100_000
MAX_LINKS = 60_000
MAX_CLUE = 200
SUCCESS = 4.0  # weight of a successful page relative to others
AGAIN = 0.3  # of that, for each further service of the same page
PATIENCE = 8  # visits after which a page counts as unsuccessful: tests take a while
# visits, or more with a long queue: rescoring all links must stay cheap
_REVIEW_EVERY = 200
_REVIEW_SHARE = 25
_NOTICEABLE = 0.5  # by which a score must have grown
MAX_STATE = 64 << 20
_SAME_DIGITS = str.maketrans("123456789", "000000000")
DOUBTFUL = 0.5  # candidates of less confidence are tested last
_LEAST = 0.01
_VERSION = b"GHO4"  # of the learned state
FeatureIds = tuple[int, ...]


class SeenLink(NamedTuple):
    """A link that is not visited yet: its features, the page with it, the last score."""

    slots: FeatureIds
    above: str
    score: float


@dataclass(slots=True)
class PageStats:
    """A page: the features of the link that led to it, the features of its content, and its successes."""

    slots: FeatureIds = ()
    shared: FeatureIds = ()  # by all its links
    paid: int = 0


class Adaptive(BaseOrder):
    id = "adaptive"
    title = "Adaptive: learns which links lead to services"
    ranks_hosts = True

    def __init__(self) -> None:
        self._pages: OrderedDict[str, PageStats] = OrderedDict()
        self._links: Recent[str, SeenLink] = Recent(MAX_LINKS)  # the latest
        # whose links are being scored, its host, statistics and value
        self._page: Page | None = None
        self._page_host, self._page_stats, self._page_value = "", PageStats(), 0.0
        self._pending: deque[PageStats] = deque()
        self._since_review = 0

    @cached_property
    def _model(self) -> LogisticModel:
        """Built on first use: the instance in the registry needs none."""
        return LogisticModel(LINKS, 0.3, 4.0, 30.0)

    @cached_property
    def _features(self) -> LinkFeatures[int]:
        return LinkFeatures(self._model.slots.__getitem__)

    @cached_property
    def _hosts(self) -> HostEstimates:
        return HostEstimates(self._model.slots.__getitem__)

    def seed(self, url: str, position: int) -> float:
        """Seeds come before all links."""
        self._hosts.record(host_of(url))
        return 10.0 - min(position, 10_000) / 1000

    def score(self, link: Link, page: Page) -> float:
        if page is not self._page:
            self._start_page(page)
        url, clue = address(link, page), (link.text or link.context)[:MAX_CLUE]
        host = host_of(url)
        slots = self._slots(url, clue)
        value = self._model.value(slots) + self._page_value
        if host != self._page_host and self._hosts.is_unknown(host):
            words = (
                self._features.anchor(clue)
                + self._features.host(host)
                + self._page_stats.shared
            )
            self._hosts.add_link(host, self._page_host, words)
        self._links.put(url, SeenLink(slots, page.url, value))
        return value if link.confidence == 1.0 else _doubted(value, link.confidence)

    def _slots(self, url: str, clue: str) -> FeatureIds:
        """Features of the link itself."""
        host, folder, name = split_url(url)
        read = self._features
        return (
            read.anchor(clue)
            + read.host(host)
            + read.folder(folder)
            + read.name(name.translate(_SAME_DIGITS))
        )

    def _start_page(self, page: Page) -> None:
        """Compute once what all links of a page share."""
        stats = self._pages.get(page.url) or self._remember(page.url)
        if not stats.shared:
            stats.shared = self._features.page(
                page.title, page.text, page.language, page.software
            )
        self._page, self._page_stats, self._page_host = page, stats, host_of(page.url)
        self._page_value = self._model.value(stats.shared)

    def _above_value(self, url: str) -> float:
        stats = self._pages.get(url)
        return 0.0 if stats is None else self._model.value(stats.shared)

    def revised(self) -> Iterable[tuple[str, float]]:
        """Links that were scored before the model learned are rescored now and then."""
        is_due = self._since_review >= max(
            _REVIEW_EVERY, len(self._links) // _REVIEW_SHARE
        )
        if not is_due:
            return ()
        self._since_review = 0
        raised: list[tuple[str, float]] = []
        above: dict[str, float] = {}
        for url, seen in self._links.items():
            if seen.above not in above:
                above[seen.above] = self._above_value(seen.above)
            today = self._model.value(seen.slots) + above[seen.above]
            if today > seen.score + _NOTICEABLE:
                self._links.replace(url, seen._replace(score=today))
                raised.append((url, today))
        return raised

    def rescore(self, candidate: Candidate) -> float:
        if candidate.via is Via.SEED:
            return candidate.score
        return self._model.value(self._seen(candidate).slots) + self._above_value(
            candidate.found_on
        )

    def _seen(self, candidate: Candidate) -> SeenLink:
        known = self._links.get(candidate.url)
        return known or SeenLink(
            self._slots(candidate.url, candidate.clue),
            candidate.found_on,
            candidate.score,
        )

    def host_bonus(self, host: str) -> float:
        return self._hosts.bonus(host)

    def learn(self, outcome: Outcome) -> None:
        candidate = outcome.candidate
        if not candidate.is_page:
            if outcome.new_services:
                self._reward(candidate.found_on, outcome.new_services)
            return
        self._since_review += 1
        url = candidate.url
        stats = self._pages.get(url) or self._remember(url)
        if candidate.via is not Via.SEED:
            above = self._pages.get(candidate.found_on)
            stats.slots = self._seen(candidate).slots + (above.shared if above else ())
            self._links.discard(url)
        chance = self._model.chance(stats.slots) if stats.slots else 0.0
        self._hosts.visited(host_of(url), chance, stats.shared)
        self._pending.append(stats)
        if outcome.new_services:
            self._reward(url, outcome.new_services)
        if len(self._pending) > PATIENCE:
            judged = self._pending.popleft()
            if judged.slots and not judged.paid:
                self._model.learn(judged.slots, 0.0, 1.0)

    def _reward(self, url: str, count: int) -> None:
        """A page led to new services."""
        stats = self._pages.get(url)
        if stats is None:
            return
        if not stats.paid:
            self._hosts.paid(host_of(url))
        if stats.slots:
            self._model.learn(
                stats.slots, 1.0, SUCCESS * (AGAIN if stats.paid else 1.0)
            )
        stats.paid += count

    def _remember(self, url: str) -> PageStats:
        stats = self._pages[url] = PageStats()
        if len(self._pages) > MAX_PAGES:
            self._pages.popitem(last=False)
        return stats

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        host, folder, name = split_url(candidate.url)
        read: LinkFeatures[str] = LinkFeatures(str)
        names = [*read.anchor(candidate.clue), *read.host(host), *read.folder(folder)]
        names += read.name(name.translate(_SAME_DIGITS))
        model, stats = self._model, self._pages.get(candidate.found_on)
        parts = [(n, model.weights[model.slots[n]]) for n in names]
        if stats is not None:
            parts.append(("the page it stands on", model.value(stats.shared)))
        said = [(in_words(name), weight) for name, weight in parts]
        said.append((f"its host: {self._hosts.explain(host)}", self.host_bonus(host)))
        return sorted(
            ((what, weight) for what, weight in said if weight),
            key=lambda part: -abs(part[1]),
        )

    def state(self) -> bytes:
        parts = self._model.state(), self._hosts.state()
        return _VERSION + zlib.compress(
            b"".join(len(part).to_bytes(4, "little") + part for part in parts), 6
        )

    def restore(self, state: bytes) -> None:
        if not state:
            return
        if not state.startswith(_VERSION):
            raise ValueError(
                "this is no learned order, or one of another version of Geohound"
            )
        model, hosts = _parts(state)
        self._model.restore(model)
        self._hosts.restore(hosts)

    def average(self, states: Sequence[bytes]) -> None:
        """Weights of links are averaged; what is known of hosts is of use only where they are crawled."""
        self._model.average(
            [_parts(state)[0] for state in states if state.startswith(_VERSION)]
        )


def _doubted(value: float, confidence: float) -> float:
    """The score of what may be no service: the less sure, the later; what probably is none after everything else."""
    score = value + math.log(max(confidence, _LEAST))
    return score - LAST if confidence < DOUBTFUL else score


def _parts(state: bytes) -> tuple[bytes, bytes]:
    """A stored state taken apart: the model of links, and what is known of hosts."""
    try:
        plain = zlib.decompressobj().decompress(state[len(_VERSION) :], MAX_STATE)
    except zlib.error as error:
        raise ValueError("this is no learned order") from error
    end = 4 + int.from_bytes(plain[:4], "little")
    return plain[4:end], plain[end + 4 :]


ORDERS = (Adaptive(),)
