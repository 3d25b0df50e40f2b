"""The knowledge base of the search agent: where words occur, what was asked when, and what it brought."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .rules import OVERESTIMATE
from .scoring import NOWHERE, Occurrences

Query = tuple[str, ...]  # one word, or several that must all occur

MAX_WORDS = 20_000  # that are counted in one place; the rarest go first
MAX_URLS = 5_000  # of services, whose words are kept together
MAX_QUERIES = 5_000
MAX_TERMS = 5_000
_TRUSTED_HOSTS = 4  # with a term, after which they weigh as much as what is usual
# a query that ends after so many may have been cut off by the provider
MANY_RESULTS = 80


class ResultCount(NamedTuple):
    """How many results a provider says a word has, and when it said so (UTC, seconds since 1970)."""

    estimate: int
    at: float


@dataclass(slots=True)
class WordCounts:
    """C(S, w) and C(S_O, w) for one place: addresses, link texts or titles."""

    all: Counter[str] = field(default_factory=Counter)
    live: Counter[str] = field(default_factory=Counter)

    def of(self, word: str) -> Occurrences:
        return (
            Occurrences(self.live[word], self.all[word])
            if word in self.live
            else NOWHERE
        )

    def add(self, words: Iterable[str]) -> None:
        self.all.update(words)
        if len(self.all) > 2 * MAX_WORDS:
            self._prune()

    def add_live(self, words: Iterable[str]) -> None:
        """These occurrences, which were counted before, belong to a service."""
        for word in words:
            self.live[word] += 1
            self.all[word] = max(self.all[word], self.live[word])

    def _prune(self) -> None:
        kept = sorted(self.all, key=lambda word: (-self.live[word], -self.all[word]))[
            :MAX_WORDS
        ]
        self.all = Counter({word: self.all[word] for word in kept})


@dataclass(slots=True)
class Brought:
    """What queries with a word have brought so far."""

    results: int = 0
    services: float = 0.0  # those that are not about what the user looks for count less


@dataclass(slots=True)
class Knowledge:
    """All that the agent has learned; kept in the catalogue under an id, and used again."""

    urls: WordCounts = field(default_factory=WordCounts)
    texts: WordCounts = field(default_factory=WordCounts)
    titles: WordCounts = field(default_factory=WordCounts)
    # the words of each
    service_urls: list[frozenset[str]] = field(default_factory=list)
    # when last, UTC in seconds since 1970
    asked: dict[Query, float] = field(default_factory=dict)
    counts: dict[str, ResultCount] = field(default_factory=dict)
    brought: dict[str, Brought] = field(default_factory=dict)  # by word
    # of pages with services: hosts that have each (LC-8)
    terms: Counter[str] = field(default_factory=Counter)
    # the same of all pages that were read
    read_terms: Counter[str] = field(default_factory=Counter)
    # inverse ones, of words asked alone
    correlations: dict[str, float] = field(default_factory=dict)
    rounds: int = 0  # of k queries each, since the beginning
    chosen: int = 0  # queries that the agent chose itself
    correlated_at: int = 0  # the round in which they were computed
    daily_at: float = 0.0  # when queries were last made from the terms of pages
    shown: int = 0  # most results of a query that the provider shows, where it showed fewer than there are
    # estimates by results, summed over so many exhausted queries
    ratios: tuple[float, int] = (0.0, 0)

    def note_asked(self, query: Query, at: float) -> None:
        self.asked.pop(query, None)
        self.asked[query] = at  # the last one is at the end
        while len(self.asked) > MAX_QUERIES:
            del self.asked[next(iter(self.asked))]

    def note_count(self, word: str, estimate: int, at: float) -> None:
        self.counts[word] = ResultCount(estimate, at)

    def note_brought(
        self, query: Query, results: int = 0, services: float = 0.0
    ) -> None:
        for word in query:
            found = self.brought.setdefault(word, Brought())
            found.results += results
            found.services += services

    def note_exhausted(self, estimate: int, results: int) -> None:
        """No more results of a query are shown: how far was the estimate off, or how many does the provider show?"""
        if not estimate or not results:
            return
        if results >= MANY_RESULTS and self.real_count(estimate) > results:
            self.shown = max(self.shown, results)
            return
        total, queries = self.ratios
        self.ratios = total + estimate / results, queries + 1

    @property
    def overestimate(self) -> float:
        """Estimated results for each that there is; as published until ten queries have shown it."""
        total, queries = self.ratios
        unseen = max(0, 10 - queries)
        return (total + unseen * OVERESTIMATE) / (queries + unseen)

    def real_count(self, estimate: int) -> float:
        """How many results there are, by an estimate that is too high (section 3.1.3)."""
        return estimate / self.overestimate

    def note_service_url(self, words: Iterable[str]) -> None:
        self.service_urls.append(frozenset(words))
        if len(self.service_urls) > MAX_URLS:
            del self.service_urls[: MAX_URLS // 10]

    def note_terms(self, words: Iterable[str]) -> None:
        """The terms of a page with services, once for each host."""
        self.terms = _counted(self.terms, words)

    def note_read_terms(self, words: Iterable[str]) -> None:
        """The terms of any page, once for each host."""
        self.read_terms = _counted(self.read_terms, words)

    @property
    def usual_share(self) -> float:
        """Of the hosts that have a term, those that have it on a page with services; over all terms."""
        return self.terms.total() / max(self.terms.total(), self.read_terms.total(), 1)

    def service_shares(self, terms: Iterable[str]) -> dict[str, float]:
        """Of the hosts that have a term, those that have it on a page with services; few hosts count as usual ones."""
        usual = self.usual_share
        shares = {}
        for term in terms:
            live = self.terms[term]
            read = max(live, self.read_terms[term])
            shares[term] = (live + usual * _TRUSTED_HOSTS) / (read + _TRUSTED_HOSTS)
        return shares

    def hours_since(self, query: Query, now: float) -> float:
        """Since it was last asked; infinity where it never was."""
        at = self.asked.get(query)
        return float("inf") if at is None else max(0.0, now - at) / 3600

    def encode(self) -> bytes:
        """As JSON, for a store."""
        body = {
            "places": {name: _pairs(getattr(self, name)) for name in _PLACES},
            "service_urls": [sorted(words) for words in self.service_urls],
            "asked": [[list(query), at] for query, at in self.asked.items()],
            "counts": self.counts,
            "brought": {
                word: [each.results, each.services]
                for word, each in self.brought.items()
            },
            "terms": dict(self.terms.most_common(MAX_TERMS)),
            "read_terms": dict(self.read_terms.most_common(MAX_TERMS)),
            "correlations": self.correlations,
            "rounds": self.rounds,
            "chosen": self.chosen,
            "correlated_at": self.correlated_at,
            "daily_at": self.daily_at,
            "ratios": self.ratios,
            "shown": self.shown,
        }
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "replace"
        )


def _counted(counts: Counter[str], words: Iterable[str]) -> Counter[str]:
    counts.update(words)
    if len(counts) <= 2 * MAX_TERMS:
        return counts
    return Counter(dict(counts.most_common(MAX_TERMS)))


_PLACES = ("urls", "texts", "titles")


def _pairs(counts: WordCounts) -> dict[str, list[int]]:
    kept = sorted(counts.all, key=lambda word: (-counts.live[word], -counts.all[word]))[
        :MAX_WORDS
    ]
    return {word: [counts.live[word], counts.all[word]] for word in kept}


def read_knowledge(body: bytes) -> Knowledge:
    """What `encode` wrote; an empty one where there is nothing yet."""
    if not body:
        return Knowledge()
    said: Mapping[str, Any] = json.loads(body)
    total, queries = said["ratios"]
    return Knowledge(
        **{name: _counts(said["places"][name]) for name in _PLACES},
        service_urls=[frozenset(words) for words in said["service_urls"]],
        asked={tuple(query): at for query, at in said["asked"]},
        counts={word: ResultCount(*count) for word, count in said["counts"].items()},
        brought={word: Brought(*numbers) for word, numbers in said["brought"].items()},
        terms=Counter(said["terms"]),
        read_terms=Counter(said.get("read_terms", {})),  # not in older ones
        correlations=said["correlations"],
        rounds=said["rounds"],
        chosen=said.get("chosen", 0),
        correlated_at=said["correlated_at"],
        daily_at=said["daily_at"],
        ratios=(total, queries),
        shown=said["shown"],
    )


def _counts(pairs: Mapping[str, tuple[int, int]]) -> WordCounts:
    in_all = Counter({word: number for word, (_, number) in pairs.items()})
    return WordCounts(
        in_all, Counter({word: live for word, (live, _) in pairs.items() if live})
    )
