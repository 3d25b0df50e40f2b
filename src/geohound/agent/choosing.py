"""Which queries the agent asks next: the best words alone or in pairs, and now and then something else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from .knowledge import Brought, Knowledge, Query
from .queries import MANDATORY
from .rules import AgentRules
from .scoring import inverse_correlation, pair_score, time_factor, word_score

MAX_PAIRED = 40  # words that are tried in pairs
MAX_CORRELATED = 200  # the best words, whose correlations are computed
# results after which what a word has brought weighs as much as what all have
_TRUSTED_RESULTS = 20
_HOPE = (0.1, 10.0)


class ScoredQuery(NamedTuple):
    query: Query
    score: float
    explores: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.query)


def ranked_words(
    known: Knowledge, rules: AgentRules, now: float
) -> list[tuple[str, float]]:
    """Words of services with their scores p(w), the best first; those below the least score are left out."""
    words = {*known.urls.live, *known.texts.live, *known.titles.live}
    scored = [(word, _single(word, known, rules, now)) for word in words]
    usable = [each for each in scored if each[1] >= rules.score.least_score]
    return sorted(usable, key=lambda each: (-each[1], each[0]))


def _single(word: str, known: Knowledge, rules: AgentRules, now: float) -> float:
    factor = time_factor(known.hours_since((word,), now), rules.score.half_life_h)
    return _plain(word, known, rules) * factor


def _plain(word: str, known: Knowledge, rules: AgentRules) -> float:
    """p(w) without its time factor."""
    places = known.urls.of(word), known.texts.of(word), known.titles.of(word)
    return word_score(*places, 1.0, rules.score)


def words_to_count(
    known: Knowledge, rules: AgentRules, now: float, subject: Query = ()
) -> list[str]:
    """Those of the k·5 best words whose number of results is unknown, or older than 90 hours.

    Where the user gave words, the best queries are mostly with them: of these nobody needs a number.
    """
    words = ranked_words(known, rules, now)
    alone = [_alone(word, score, known, rules) for word, score in words]
    scored = _on_subject(alone, subject, words, known, rules, now)
    usable = _by_precision(scored, known, rules)
    best = sorted(usable, key=lambda each: -each.score)[
        : rules.queries_per_round * rules.counted_per_query
    ]
    return [
        each.text
        for each in best
        if len(each.query) == 1 and _is_stale(each.text, known, rules, now)
    ]


def _is_stale(word: str, known: Knowledge, rules: AgentRules, now: float) -> bool:
    count = known.counts.get(word)
    return count is None or now - count.at > rules.refresh_counts_h * 3600


def renew_correlations(known: Knowledge, rules: AgentRules, now: float) -> None:
    """Compute the inverse correlations of the best words with all that were asked; every ten rounds."""
    is_due = (
        known.rounds - known.correlated_at >= rules.correlation_rounds
        or not known.correlations
    )
    if not rules.score.uses_correlation or not is_due:
        return
    known.correlated_at = known.rounds
    asked = {word for query in known.asked for word in query}
    best = [word for word, _ in ranked_words(known, rules, now)[:MAX_CORRELATED]]
    known.correlations = {
        word: inverse_correlation(word, asked, known.service_urls, 1.0) for word in best
    }


def next_queries(
    known: Knowledge, rules: AgentRules, now: float, limit: float, subject: Query = ()
) -> list[ScoredQuery]:
    """The k best queries; `limit` is how many estimated results are too many for one word.

    Where the user gave words, queries without them count less (`drift`).
    """
    words = ranked_words(known, rules, now)
    small = [each for each in words if _results(each[0], known) <= limit]
    large = [word for word, _ in words if _results(word, known) > limit][:MAX_PAIRED]
    found = [_alone(word, score, known, rules) for word, score in small]
    found += _pairs(large, known, rules, now)
    found = _on_subject(found, subject, words, known, rules, now)
    usable = _by_precision(found, known, rules)
    best = sorted(usable, key=lambda each: (-each.score, each.query))[
        : rules.queries_per_round
    ]
    return _explored(best, known, rules, subject)


def _results(word: str, known: Knowledge) -> int:
    count = known.counts.get(word)
    return count.estimate if count else 0


def _alone(word: str, score: float, known: Knowledge, rules: AgentRules) -> ScoredQuery:
    correlation = _correlation(word, known, rules, 1.0)
    return ScoredQuery((word,), score * correlation * hope((word,), known, rules))


def _correlation(word: str, known: Knowledge, rules: AgentRules, share: float) -> float:
    """c_w, computed for m = 1, for another m; words below the exclusion limit are left out."""
    if not rules.score.uses_correlation:
        return 1.0
    alone = known.correlations.get(word, 1.0)
    value = 1.0 - (1.0 - alone) * share
    return value if value >= rules.score.least_correlation else 0.0


def _pairs(
    words: Sequence[str], known: Knowledge, rules: AgentRules, now: float
) -> list[ScoredQuery]:
    """All pairs of words that have too many results alone, with their scores p(w1, w2)."""
    factors = {
        pair: time_factor(known.hours_since(pair, now), rules.score.half_life_h)
        for pair in combinations(sorted(words), 2)
    }
    scores = {word: _plain(word, known, rules) for word in words}
    share = rules.score.pair_correlation
    found = []
    for pair, factor in factors.items():
        first, second = pair
        others = _others(first, second, factors), _others(second, first, factors)
        score = pair_score(
            (scores[first], scores[second]), factor, others, rules.score.pair_divisor
        )
        correlation = min(_correlation(word, known, rules, share) for word in pair)
        found.append(ScoredQuery(pair, score * correlation * hope(pair, known, rules)))
    return found


def _others(
    word: str, partner: str, factors: dict[tuple[str, str], float]
) -> Iterable[float]:
    """The time factors of the pairs of a word with all but its partner."""
    return [
        factor
        for pair, factor in factors.items()
        if word in pair and partner not in pair
    ]


def _on_subject(
    found: list[ScoredQuery],
    subject: Query,
    words: Sequence[tuple[str, float]],
    known: Knowledge,
    rules: AgentRules,
    now: float,
) -> list[ScoredQuery]:
    """These queries, which count less where the user gave words, beside those with his words."""
    if not subject:
        return found
    drifting = [each._replace(score=each.score * rules.drift) for each in found]
    return drifting + _with_subject(subject, words, known, rules, now)


def _with_subject(
    subject: Query,
    words: Sequence[tuple[str, float]],
    known: Knowledge,
    rules: AgentRules,
    now: float,
) -> list[ScoredQuery]:
    """The words that the user gave together with each learned one."""
    found = []
    for word, _ in words:
        query = (*subject, word)
        if word in subject:
            continue
        factor = time_factor(known.hours_since(query, now), rules.score.half_life_h)
        correlation = _correlation(word, known, rules, rules.score.pair_correlation)
        score = _plain(word, known, rules) * factor * correlation
        found.append(ScoredQuery(query, score * hope(query, known, rules)))
    return found


def _by_precision(
    found: Sequence[ScoredQuery], known: Knowledge, rules: AgentRules
) -> list[ScoredQuery]:
    """The queries with at least the least score, each by how often its words stand on pages with services.

    The published score counts addresses, link texts and titles; most words of these stand on many other pages, too.
    """
    usable = [each for each in found if each.score >= rules.score.least_score]
    if not rules.weighs_results:
        return usable
    shares = known.service_shares({word for each in usable for word in each.query})
    usual = known.usual_share
    return [
        each._replace(score=each.score * _precision(each.query, shares, usual))
        for each in usable
    ]


def _precision(query: Query, shares: Mapping[str, float], usual: float) -> float:
    """The shares of the words, compared with what is usual; squared, as the score squares what was found."""
    if not usual:
        return 1.0
    logs = [math.log(max(shares[word], 1e-9) / usual) for word in query]
    return math.exp(2 * sum(logs) / len(logs))


def hope(words: Query, known: Knowledge, rules: AgentRules) -> float:
    """What queries with these words have brought, compared with all: 1 where nothing is known yet.

    The published score looks at links alone, and so asks on for more of the same (section 4.3.1, the local maximum).
    """
    if not rules.weighs_results:
        return 1.0
    results = sum(each.results for each in known.brought.values())
    services = sum(each.services for each in known.brought.values())
    usual = (services + 1) / (results + _TRUSTED_RESULTS)
    logs = [
        math.log(_rate(known.brought.get(word, Brought()), usual) / usual)
        for word in words
    ]
    least, most = _HOPE
    return min(most, max(least, math.exp(sum(logs) / len(logs))))


def _rate(brought: Brought, usual: float) -> float:
    return (brought.services + usual * _TRUSTED_RESULTS) / (
        brought.results + _TRUSTED_RESULTS
    )


def _explored(
    best: list[ScoredQuery], known: Knowledge, rules: AgentRules, subject: Query
) -> list[ScoredQuery]:
    """Every n-th query leaves what is known to work: else the agent stays with the services that look like the first.

    It takes a term of pages with services that was never asked for. Where nothing scores high enough any more,
    nothing is explored either.
    """
    every = rules.explores_every
    if not every or not best:
        return best
    made: list[ScoredQuery] = []
    for place, each in enumerate(best, known.chosen):
        fresh = (
            exploring_query(known, subject, made)
            if place % every == every - 1
            else None
        )
        made.append(fresh or each)
    return made


def exploring_query(
    known: Knowledge, subject: Query, beside: Sequence[ScoredQuery] = ()
) -> ScoredQuery | None:
    """The term, of those that no query has had, of which most hosts have it on a page with services.

    The words of addresses and titles are much the same everywhere; texts also speak the other languages. Where the
    user gave words, the term is asked with these.
    """
    used = {word for query in known.asked for word in query} | {
        word for each in beside for word in each.query
    }
    used |= {word.lower() for word in MANDATORY} | set(subject)
    shares = known.service_shares(term for term in known.terms if term not in used)
    if not shares:
        return None
    best = max(shares, key=lambda term: (shares[term], known.terms[term], term))
    return ScoredQuery((*subject, best), 0.0, explores=True)
