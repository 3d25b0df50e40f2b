"""The vector space and the cosine of section 3.3 of Hou, Chen & Wu 2016, worked out by hand."""

from __future__ import annotations

import math

import pytest

from geohound.model.topic import Topic, TopicClass
from geohound.orders._vector_space import VectorSpace

COVER = Topic(
    "cover",
    "Cover",
    (
        TopicClass("forest", "Forest", {"en": ("forest", "tree")}),
        TopicClass(
            "bare", "Bare land", {"en": ("bare ground", "rock"), "de": ("fels*",)}
        ),
    ),
)


def test_groups_of_words_are_dimensions_and_so_is_each_other_word() -> None:
    # Topic (service 1, portal 0.6, theme 0.3): length sqrt(1.45). Text (service 2, hello 2): length sqrt(8), product 2.
    by_hand = 2 / (math.sqrt(1.45) * math.sqrt(8))
    assert by_hand == pytest.approx(0.587, abs=0.001)
    assert VectorSpace().similarity("wms wfs hello hello") == pytest.approx(by_hand)


def test_a_text_of_one_group_alone_has_the_cosine_of_that_axis() -> None:
    assert VectorSpace().similarity("wms " * 50) == pytest.approx(1 / math.sqrt(1.45))


def test_a_text_without_a_word_of_the_topic_is_at_a_right_angle() -> None:
    assert VectorSpace().similarity("apple pie") == 0
    assert VectorSpace().similarity("") == 0


def test_the_classes_of_a_topic_join_the_groups_of_map_services() -> None:
    # Topic: 1.45 + two classes, length sqrt(3.45). Text: service 1, forest 2, hello 1, length sqrt(6), product 3.
    by_hand = 3 / (math.sqrt(3.45) * math.sqrt(6))
    assert VectorSpace(COVER).similarity("wms forest tree hello") == pytest.approx(
        by_hand
    )


def test_a_phrase_counts_where_it_begins() -> None:
    # Text: bare (ground) 1, ground 1, hello 1, length sqrt(3), product 1.
    by_hand = 1 / (math.sqrt(3.45) * math.sqrt(3))
    assert VectorSpace(COVER).similarity("bare ground hello") == pytest.approx(by_hand)
