"""The query sets of Sidsten 2012, section 3.1.3: their sizes are published, most of their words too."""

from __future__ import annotations

from geohound.agent.query_sets import (
    COMPONENTS,
    OPTIONAL,
    PROTOCOL,
    component_set,
    first_set,
    in_url,
    parameter_set,
    within_limit,
)
from geohound.agent.rules import SEED_QUERIES

C2 = [f"part{n}" for n in range(6)]
C3 = [f"word{n}" for n in range(12)]


def test_the_four_sets_have_the_published_sizes_and_no_query_twice() -> None:
    """|Q1| = 57, |Q2| = 6 + 6·5 = 36, |Q3| = 12 + 12·5 = 72, |Q4| = 7 + 66 - 10 + 7·25 = 238; 403 in all."""
    assert (len(PROTOCOL), len(COMPONENTS), len(OPTIONAL)) == (5, 7, 7)
    sets = (
        first_set(),
        component_set(C2),
        component_set(C3),
        parameter_set([*COMPONENTS, *C2, *C3]),
    )
    assert [len(queries) for queries in sets] == [57, 36, 72, 238]
    assert len(set().union(*sets)) == 403


def test_components_are_never_asked_two_at_a_time() -> None:
    """They are specific enough: 21 of 78 queries could be removed."""
    assert not [
        query
        for query in first_set()
        if len(query) == 2 and set(query) <= set(COMPONENTS)
    ]


def test_the_seed_queries_are_four_components_and_one_protocol_word() -> None:
    """Section 3.3.1."""
    assert set(SEED_QUERIES) - set(COMPONENTS) == {"request=getcapabilities"}
    assert len(SEED_QUERIES) == 5


def test_queries_with_too_many_results_are_left_out() -> None:
    """Section 3.1.3: those with an estimate of more than 400,000 were not examined."""
    queries = [("arcgis",), ("esrimap",), ("wmsservlet",)]
    estimates = {("arcgis",): 400_001, ("esrimap",): 400_000}
    assert within_limit(queries, estimates, 400_000) == [("esrimap",), ("wmsservlet",)]


def test_words_inside_addresses_are_asked_for_with_the_operator_of_the_provider() -> (
    None
):
    """Section 3.1.3 (Yahoo!: instreamset:url:) and table 3.1."""
    assert (
        in_url("service=wms request=getcapabilities", "inurl:")
        == "inurl:service=wms inurl:request=getcapabilities"
    )
    assert (
        in_url("rivers service=wms", "instreamset:url:")
        == "rivers instreamset:url:service=wms"
    )
