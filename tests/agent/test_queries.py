"""The queries of a hunt (LC-8): Hou, Chen & Wu 2016, section 5.2, tables 5 and 6."""

from __future__ import annotations

from geohound.agent.queries import (
    MANDATORY,
    daily_queries,
    masked,
    planned_queries,
    words_of,
)
from geohound.model.topic import Topic, TopicClass
from geohound.topics import TOPICS


def test_the_words_come_as_they_are_and_then_with_each_mandatory_word() -> None:
    assert planned_queries(" land   cover ", mandatory=("WMS", "getmap")) == [
        "land cover", "land cover WMS", "land cover getmap",
    ]  # fmt: skip


def test_every_word_of_a_topic_is_combined_with_every_mandatory_word() -> None:
    queries = planned_queries("Fiji", ["forest", "wheat"], ("WMS", "getmap"))
    assert queries == [
        "Fiji", "Fiji WMS", "Fiji getmap", "forest WMS", "forest getmap", "wheat WMS", "wheat getmap",
    ]  # fmt: skip


def test_a_topic_alone_has_no_query_without_a_mandatory_word() -> None:
    assert planned_queries("", ["forest"], ("WMS",)) == ["forest WMS"]


def test_the_mandatory_words_are_the_ten_of_the_publication() -> None:
    """Table 5: three operations of a WMS (five words), related JavaScript libraries (five)."""
    assert MANDATORY == (
        "WMS", "getcapabilities", "getmap", "service", "getfeatureinfo",
        "JavaScript", "OpenLayers", "Arcgis", "Mapbox", "Leaflet",
    )  # fmt: skip
    assert len(planned_queries("land cover")) == 11


def test_words_that_two_classes_share_are_asked_once_and_without_their_star() -> None:
    classes = (
        TopicClass("a", "A", {"en": ("wood*", "tree")}),
        TopicClass("b", "B", {"en": ("tree",), "de": ("Baum",)}),
    )
    assert words_of(Topic("t", "T", classes)) == ["wood", "tree"]


def test_the_product_names_of_a_topic_are_asked_for_beside_its_words() -> None:
    """Hou, Chen & Wu 2016, table 6: 31 land cover products."""
    topic = next(each for each in TOPICS if each.id == "land_cover")
    assert len(topic.products) == 31
    assert {"GlobeLand30", "CORINE", "NLUD-C"} <= set(words_of(topic))
    assert "GlobeLand30 getmap" in planned_queries("", words_of(topic))


def test_a_new_day_asks_for_the_most_frequent_terms_of_fetched_pages() -> None:
    """The maximum-frequency method of the publication; what was asked before is not asked again."""
    terms = {"rivers": 9, "wms": 30, "soil": 5, "forest": 7}
    asked = ["forest getmap"]
    assert daily_queries(terms, asked, ("WMS", "getmap"), 2) == [
        "rivers WMS", "rivers getmap", "soil WMS", "soil getmap",
    ]  # fmt: skip


def test_a_seed_mask_selects_rows_from_the_least_significant_bit_on() -> None:
    """Sidsten 2012, appendix A.4.1: 16 = 10000 in base 2 is the fifth row only."""
    rows = ["first", "second", "third", "fourth", "fifth"]
    assert masked(rows, 16) == ["fifth"]
    assert masked(rows, 0b101) == ["first", "third"]
    assert masked(rows, 0) == []
