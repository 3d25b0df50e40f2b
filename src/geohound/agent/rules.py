"""What the search agent goes by: the published formulas' weights and limits (Sidsten 2012), and our own additions."""

from __future__ import annotations

from dataclasses import dataclass, field

SEED_QUERIES = (
    "geoserver",
    "wmsservlet",
    "esrimap",
    "wmsconnector",
    "request=getcapabilities",
)  # Q_S, section 3.3.1
PUBLISHED_RESULTS = 2000  # of one query (appendix A, downloadBOSSPageLimit)
# estimated results for each that there is, on average (section 3.1.3)
OVERESTIMATE = 65.0


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """The scores of words and pairs (sections 3.3.2 and 3.3.3, defaults of appendix A)."""

    url_weight: float = 0.25  # k_U
    text_weight: float = 0.25  # k_A
    title_weight: float = 0.5  # k_T
    half_life_h: float = 1200.0  # t_h
    # L: estimated results beyond which a word is asked in pairs alone
    too_many: int = 400_000
    pair_divisor: float = 2.0  # c_d
    uses_correlation: bool = True
    pair_correlation: float = 0.75  # c_F
    least_correlation: float = 0.01  # a word below it is left out
    # a query below it is not asked; the published value is not known
    least_score: float = 0.5


@dataclass(frozen=True, slots=True)
class AgentRules:
    """How many queries a round has, what they may cost, and from what the agent learns."""

    score: ScoreRules = field(default_factory=ScoreRules)
    queries_per_round: int = 1  # k; section 4.3.1: 1 is best
    # result counts are fetched for the k·5 best words (section 3.3)
    counted_per_query: int = 5
    refresh_counts_h: float = 90.0
    # after which the inverse correlations are computed anew
    correlation_rounds: int = 10
    deepens: bool = True  # further pages only of queries that bring much; False, as published: all pages of each
    # further pages in a round: they are read before more are asked for
    deepened: int = 2
    learns_from_live: bool = True  # False, as published: from every OGC link
    # what queries have brought so far counts, too; False as published
    weighs_results: bool = True
    # the n-th query of this many explores; 0, as published: none does
    explores_every: int = 2
    drift: float = 0.5  # factor for queries without the words that the user gave; 1, as published: they count alike
    off_subject: float = 0.1  # what a service counts that is not about these words; 1, as published: as any other


PUBLISHED = AgentRules(
    deepens=False,
    learns_from_live=False,
    weighs_results=False,
    explores_every=0,
    drift=1.0,
    off_subject=1.0,
)


def limit_for(rules: ScoreRules, max_results: int) -> float:
    """Estimated results that are too many for a provider that shows so many of one query.

    The published limit belongs to 2,000 results a query: who shows fewer shows a smaller part of the same word.
    """
    return rules.too_many * min(1.0, max_results / PUBLISHED_RESULTS)
