"""Which queries the agent asks next, from a small knowledge base worked by hand."""

from __future__ import annotations

import pytest

from geohound.agent.choosing import (
    exploring_query,
    hope,
    next_queries,
    ranked_words,
    renew_correlations,
    words_to_count,
)
from geohound.agent.knowledge import Knowledge, ResultCount, read_knowledge
from geohound.agent.rules import PUBLISHED, AgentRules, ScoreRules

NOW, HOUR = 1_800_000_000.0, 3600.0
LIMIT = 400_000
PLAIN = AgentRules(
    ScoreRules(uses_correlation=False), weighs_results=False, explores_every=0
)


def known(**live: int) -> Knowledge:
    """Words that stand in addresses of services alone: p(w) = 0.25 · n²/n = n/4."""
    made = Knowledge()
    for word, times in live.items():
        made.urls.add([word] * times)
        made.urls.add_live([word] * times)
    return made


def test_the_best_word_is_asked_and_next_time_another() -> None:
    base = known(geoserver=12, esrimap=8)
    assert ranked_words(base, PLAIN, NOW) == [("geoserver", 3.0), ("esrimap", 2.0)]
    assert [each.query for each in next_queries(base, PLAIN, NOW, LIMIT)] == [
        ("geoserver",)
    ]
    base.note_asked(("geoserver",), NOW)
    assert [each.query for each in next_queries(base, PLAIN, NOW, LIMIT)] == [
        ("esrimap",)
    ]


def test_after_50_days_a_query_is_worth_half_again() -> None:
    base = known(geoserver=12)
    base.note_asked(("geoserver",), NOW - 1200 * HOUR)
    assert ranked_words(base, PLAIN, NOW) == [("geoserver", pytest.approx(1.5))]


def test_links_in_vain_lower_a_word() -> None:
    """0.25 · 4²/16"""
    base = known(wms=4)
    base.urls.add(["wms"] * 12)
    assert ranked_words(base, AgentRules(ScoreRules(least_score=0.1)), NOW) == [
        ("wms", 0.25)
    ]


def test_words_below_the_least_score_are_not_asked_and_the_agent_stops() -> None:
    """OSS-6: `resultUpdateScoreLowThreshold` (Sidsten 2012, appendix A.4.1)."""
    assert next_queries(known(rare=1), PLAIN, NOW, LIMIT) == []


def test_counts_are_fetched_for_the_five_best_words_and_again_after_90_hours() -> None:
    base = known(a1=20, b1=19, c1=18, d1=17, e1=16, f1=15)
    assert words_to_count(base, PLAIN, NOW) == ["a1", "b1", "c1", "d1", "e1"]
    base.counts = {
        "a1": ResultCount(10, NOW - 89 * HOUR),
        "b1": ResultCount(10, NOW - 91 * HOUR),
    }
    assert words_to_count(base, PLAIN, NOW) == ["b1", "c1", "d1", "e1"]
    twice = AgentRules(queries_per_round=2)
    assert (
        len(words_to_count(known(**{f"w{n}x": 40 - n for n in range(20)}), twice, NOW))
        == 10
    )


def test_words_with_too_many_results_are_asked_in_pairs_alone() -> None:
    """(3 + 2) / 2 = 2.5 for the pair; the third word has few results and stays alone with 1.0."""
    base = known(arcgis=12, ogcwms=8, esrimap=4)
    base.counts = {word: ResultCount(400_001, NOW) for word in ("arcgis", "ogcwms")}
    rules = AgentRules(
        PLAIN.score, queries_per_round=9, weighs_results=False, explores_every=0
    )
    assert next_queries(base, rules, NOW, LIMIT) == [
        (("arcgis", "ogcwms"), pytest.approx(2.5), False), (("esrimap",), pytest.approx(1.0), False),
    ]  # fmt: skip


def test_a_word_that_was_just_asked_in_one_pair_is_worth_less_in_another() -> None:
    """a+b was just asked: for a+c the sum of complements is 1 for a, so (4 + 2) / (2 + 1); b+c likewise."""
    base = known(a1=16, b1=12, c1=8)
    base.counts = {word: ResultCount(10**6, NOW) for word in ("a1", "b1", "c1")}
    base.note_asked(("a1", "b1"), NOW)
    rules = AgentRules(
        PLAIN.score, queries_per_round=9, weighs_results=False, explores_every=0
    )
    assert next_queries(base, rules, NOW, LIMIT) == [
        (("a1", "c1"), pytest.approx(2.0), False), (("b1", "c1"), pytest.approx(5 / 3), False),
    ]  # fmt: skip


def test_a_word_that_always_stands_beside_one_already_asked_is_left_out() -> None:
    """Section 3.3.3; the correlations are computed every ten rounds."""
    base = known(geoserver=12, topp=12, esrimap=4)
    base.service_urls = [frozenset({"geoserver", "topp"})] * 12 + [
        frozenset({"esrimap"})
    ] * 4
    base.note_asked(("geoserver",), NOW)
    rules = AgentRules(weighs_results=False, explores_every=0)
    assert [each.query for each in next_queries(base, rules, NOW, LIMIT)] == [("topp",)]
    base.rounds, base.correlations = 9, {"topp": 1.0}
    renew_correlations(base, rules, NOW)
    assert [each.query for each in next_queries(base, rules, NOW, LIMIT)] == [
        ("topp",)
    ], "not yet computed anew"
    base.rounds = 10
    renew_correlations(base, rules, NOW)
    assert [each.query for each in next_queries(base, rules, NOW, LIMIT)] == [
        ("esrimap",)
    ]


def test_what_queries_have_brought_weighs_in_and_lets_the_agent_leave_a_local_maximum() -> (
    None
):
    """usual = (10 + 1) / (100 + 20); a word with 40 results in vain: (0 + 20u) / 60 / u = 1/3; never asked: 1."""
    base = known(geoserver=12, esrimap=8)
    base.note_brought(("geoserver",), results=40, services=0)
    base.note_brought(("other",), results=60, services=10)
    rules = AgentRules(explores_every=0)
    assert hope(("geoserver",), base, rules) == pytest.approx(1 / 3)
    assert hope(("esrimap",), base, rules) == 1.0
    assert next_queries(base, rules, NOW, LIMIT)[0].query == ("esrimap",), (
        "2.0 against 3.0 / 3"
    )
    assert next_queries(base, PUBLISHED, NOW, LIMIT)[0].query == ("geoserver",)


def test_words_that_stand_on_pages_without_services_count_less() -> None:
    """Usual are 10 of 20; geoserver (4 + 2) / (14 + 4) = 1/3, esrimap (6 + 2) / (6 + 4) = 0.8: 3 · (2/3)², 2 · 1.6²."""
    base = known(geoserver=12, esrimap=8)
    base.note_terms(["geoserver"] * 4 + ["esrimap"] * 6)
    base.note_read_terms(["geoserver"] * 14 + ["esrimap"] * 6)
    rules = AgentRules(PLAIN.score, queries_per_round=2, explores_every=0)
    chosen = next_queries(base, rules, NOW, LIMIT)
    assert [(each.text, each.score) for each in chosen] == [
        ("esrimap", pytest.approx(5.12)),
        ("geoserver", pytest.approx(4 / 3)),
    ]
    published = next_queries(base, PUBLISHED, NOW, LIMIT)
    assert [(each.text, each.score) for each in published] == [("geoserver", 3.0)]


def test_every_third_query_explores_the_term_that_stands_most_on_pages_with_services() -> (
    None
):
    """Usual are 46 of 92; land (30 + 2) / (60 + 4) = 0.5, rivers (15 + 2) / (15 + 4) = 0.89, bridges 3 / 5 = 0.6."""
    base = known(geoserver=40, esrimap=36, mapserver=32)
    base.note_terms(["land"] * 30 + ["rivers"] * 15 + ["bridges"])
    base.note_read_terms(["land"] * 60 + ["rivers"] * 15 + ["bridges"] + ["the"] * 16)
    shares = base.service_shares(["land", "rivers", "bridges"])
    assert shares == pytest.approx({"land": 0.5, "rivers": 17 / 19, "bridges": 0.6})
    rules = AgentRules(queries_per_round=3, explores_every=3)
    chosen = next_queries(base, rules, NOW, LIMIT)
    assert [each.explores for each in chosen] == [False, False, True]
    assert chosen[2].query == ("rivers",)
    base.note_asked(("rivers",), NOW)
    found = exploring_query(base, ())
    assert found is not None
    assert found.query == ("bridges",)


def test_every_second_query_explores_whatever_else_a_round_asks() -> None:
    """One query a round, and beside it one of the plan: the queries that were asked are an even number each time."""
    base = known(geoserver=40, esrimap=36, mapserver=32)
    base.note_terms(["rivers", "bridges"])
    rules = AgentRules(explores_every=2)
    explored = []
    for turn in range(4):
        base.note_asked((f"planned{turn}",), NOW)
        (chosen,) = next_queries(base, rules, NOW, LIMIT)
        base.note_asked(chosen.query, NOW)
        base.chosen += 1
        explored.append(chosen.explores)
    assert explored == [False, True, False, True]


def test_the_words_of_the_user_stay_in_the_queries_unless_others_are_worth_twice_as_much() -> (
    None
):
    base = known(geoserver=12, esrimap=8)
    chosen = next_queries(base, PLAIN, NOW, LIMIT, ("land", "cover"))
    assert [each.text for each in chosen] == ["land cover geoserver"]
    base.note_asked(chosen[0].query, NOW)
    assert (
        next_queries(base, PLAIN, NOW, LIMIT, ("land", "cover"))[0].text
        == "land cover esrimap"
    ), "2.0 against 1.5"


def test_estimates_are_corrected_by_what_exhausted_queries_have_shown() -> None:
    """Section 3.1.3: 65 times too many on average; after ten queries with a ratio of 20 it is their mean."""
    base = Knowledge()
    assert base.real_count(6500) == pytest.approx(100)
    base.note_exhausted(2000, 100)
    assert base.overestimate == pytest.approx((20 + 9 * 65) / 10)
    for _ in range(9):
        base.note_exhausted(2000, 100)
    assert base.overestimate == pytest.approx(20)


def test_a_knowledge_base_comes_back_as_it_was_kept() -> None:
    base = known(geoserver=12, esrimap=8)
    base.titles.add(["maps", "rivers"])
    base.titles.add_live(["maps"])
    base.note_asked(("arcgis", "ogcwms"), NOW)
    base.note_count("arcgis", 10**6, NOW)
    base.note_brought(("arcgis",), 10, 2)
    base.note_service_url(["geoserver", "ows"])
    base.note_terms(["rivers", "地图"])
    base.note_read_terms(["rivers", "roads"])
    base.note_exhausted(100, 10)
    base.chosen = 3
    base.rounds = 7
    base.daily_at = NOW
    base.correlations = {"ows": 0.5}
    base.shown = 100
    assert read_knowledge(base.encode()) == base
    assert read_knowledge(b"") == Knowledge()


def test_with_words_of_the_user_no_number_is_fetched_of_words_that_are_asked_with_them() -> (
    None
):
    """p = 20 alone counts half without the subject: all five best queries are with it, until these were asked."""
    base = known(**{f"w{n}x": 40 - n for n in range(5)})
    assert len(words_to_count(base, PLAIN, NOW)) == 5
    assert words_to_count(base, PLAIN, NOW, ("land", "cover")) == []
    for n in range(5):
        base.note_asked(("land", "cover", f"w{n}x"), NOW)
    assert words_to_count(base, PLAIN, NOW, ("land", "cover")) == [
        f"w{n}x" for n in range(5)
    ]


def test_with_words_of_the_user_exploring_stays_with_them() -> None:
    base = known(geoserver=10)
    base.note_terms(["soil", "geology"])
    chosen = exploring_query(base, ("land", "cover"))
    assert chosen is not None
    assert chosen.query[:2] == ("land", "cover")
    assert chosen.query[2] in ("soil", "geology")
