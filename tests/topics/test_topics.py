"""Topics: words that name a class are found as words, in every text of a service, in several languages.

Land cover has the 97 words and 12 classes of table 3 of Hou, Chen & Wu 2016.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound import app
from geohound.model.service import Layer, Service
from geohound.plugins import discover
from geohound.topics import TOPICS, Classifier, ContainsClassifier, classify
from geohound.topics.files import TopicError, read_topic

CLASSIFIER = Classifier(TOPICS)
BY_ID = {topic.id: topic for topic in TOPICS}


def land_cover(text: str) -> set[str]:
    return {c for topic, c in CLASSIFIER.classify_text(text) if topic == "land_cover"}


def test_the_land_cover_topic_has_the_papers_97_words_in_12_classes() -> None:
    """LC-4: the keywords of table 3."""
    sizes = [len(each.words["en"]) for each in BY_ID["land_cover"].classes]
    assert sizes == [3, 14, 6, 9, 5, 9, 8, 5, 11, 18, 4, 5]
    words = [word for each in BY_ID["land_cover"].classes for word in each.words["en"]]
    assert len(words) == len(set(words)) == 97


def test_every_english_word_of_every_topic_names_its_own_class() -> None:
    for topic in TOPICS:
        for each in topic.classes:
            for listed in each.words.values():
                for word in listed:
                    assert (topic.id, each.id) in CLASSIFIER.classify_text(
                        word.rstrip("*")
                    ), word


def test_the_standard_topics_are_complete() -> None:
    assert len(BY_ID["inspire"].classes) == 34
    assert len(BY_ID["iso19115"].classes) == 21
    for topic in TOPICS:
        assert min(len(each.words) for each in topic.classes) >= 4, (
            f"{topic.id} speaks too few languages"
        )


@pytest.mark.parametrize(
    "text",
    [
        "research", "seasonal", "transport", "report", "iceberg lettuce", "plantation owner", "salty", "coroner",
        "see the most seen of them", "priceless", "mossy oak brands", "streets", "Portugal", "dwarfed",
    ],
)  # fmt: skip
def test_a_word_within_another_word_is_no_match(text: str) -> None:
    assert land_cover(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Land cover 2010", {"land_cover"}),
        ("LANDCOVER", {"land_cover"}),
        ("global_land_cover_2010", {"land_cover"}),
        ("LandUse2018", {"land_cover"}),
        ("landuse", {"land_cover"}),
        ("land\n  cover", {"land_cover"}),
        ("land-cover", {"land_cover"}),
        ("cover of the land", set()),
        ("Lakes, rivers & marshes", {"water", "wetland"}),
        ("builtUpAreas", {"impervious_area"}),
        ("CropLand", {"cropland"}),
        ("topp:glaciers", {"snow"}),
        ("savanna", {"grassland"}),
        ("Wälder", {"forest"}),
        ("WALDFLÄCHEN", {"forest"}),
        ("Forêts et prairies", {"forest", "grassland"}),
        ("Forets", {"forest"}),
        ("humedales", {"wetland"}),
        ("全国土地覆盖数据", {"land_cover"}),
        ("Карта ледников", {"snow"}),
    ],
)
def test_names_and_titles_give_their_class(text: str, expected: set[str]) -> None:
    assert land_cover(text) == expected


@pytest.mark.parametrize(
    "service",
    [
        Service("wms", "https://a.example/", title="Tundra"),
        Service("wms", "https://a.example/", abstract="All of the tundra."),
        Service("wms", "https://a.example/", keywords=("x", "tundra")),
        Service("wms", "https://a.example/", layers=(Layer("a"), Layer("tundra_2010"))),
        Service("wms", "https://a.example/", layers=(Layer("a", "Tundra"),)),
        Service(
            "wms", "https://a.example/", layers=(Layer("a", abstract="the tundra"),)
        ),
        Service(
            "wms", "https://a.example/", layers=(Layer("a", keywords=("tundra",)),)
        ),
    ],
)
def test_every_text_of_a_service_and_its_layers_is_read(service: Service) -> None:
    assert ("land_cover", "tundra") in classify(service)


def test_a_phrase_does_not_run_from_one_text_into_the_next() -> None:
    apart = Service(
        "wms", "https://a.example/", title="Our land", abstract="Cover story"
    )
    assert not [c for c in classify(apart) if c[0] == "land_cover"]


def test_the_words_of_an_address_say_nothing() -> None:
    text = Service(
        "wms",
        "https://a.example/",
        abstract="See https://water.example/forest/ for more.",
    )
    assert not [c for c in classify(text) if c[0] == "land_cover"]


def test_classes_come_in_the_order_of_the_topic_without_repetition() -> None:
    service = Service(
        "wms",
        "https://a.example/",
        title="Snow, lake, forest",
        abstract="forests and lakes",
    )
    assert [c for topic, c in classify(service) if topic == "land_cover"] == [
        "forest",
        "water",
        "snow",
    ]


def test_the_code_of_an_iso_category_in_a_keyword_is_enough() -> None:
    service = Service(
        "csw", "https://a.example/", keywords=("imageryBaseMapsEarthCover",)
    )
    assert ("iso19115", "imageryBaseMapsEarthCover") in classify(service)


def test_the_drawer_and_a_users_own_file_are_found(tmp_path: Path) -> None:
    mine = tmp_path / "bees.toml"
    mine.write_text('id = "bees"\ntitle = "Bees"\n[classes.hive]\nen = ["bee hive*"]\n')
    assert {"land_cover", "inspire", "iso19115"} <= set(discover("topics"))
    found = Classifier(app.topics((str(mine),)).values()).classify_text(
        "Bee hives of Graz"
    )
    assert ("bees", "hive") in found


@pytest.mark.parametrize(
    "text",
    [
        "id = 1",
        "nonsense",
        'id="a"\ntitle="b"\n[classes.c]\nen="word"\n',
        'id="a"\ntitle="b"\n[classes]\n',
    ],
)
def test_a_broken_topic_file_is_refused_with_its_name(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "broken.toml"
    path.write_text(text)
    with pytest.raises(TopicError, match=r"broken\.toml"):
        read_topic(path)


@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    CLASSIFIER.classify_text(text)


@given(
    st.lists(
        st.sampled_from(["forest", "sea", "xyz", "land", "cover", "土地覆盖"]),
        max_size=8,
    )
)
def test_more_text_never_takes_a_class_away(words: list[str]) -> None:
    for n in range(len(words)):
        assert set(CLASSIFIER.classify_text(" ".join(words[:n]))) <= set(
            CLASSIFIER.classify_text(" ".join(words))
        )


def test_a_very_large_service_is_sorted_quickly() -> None:
    layers = tuple(
        Layer(
            f"ws:forest_areas_{n}",
            f"Forest areas {n}",
            "Surveyed by the office of land and water.",
            ("forest",),
        )
        for n in range(20_000)
    )
    started = time.process_time()
    assert ("land_cover", "forest") in classify(
        Service("wms", "https://a.example/", layers=layers)
    )
    assert time.process_time() - started < 4.0  # 200 µs a layer; a tenth of it is usual


def test_hostile_tokens_cost_no_more_than_their_length() -> None:
    started = time.process_time()
    classify(
        Service(
            "wms", "https://a.example/", abstract="a" * 1_000_000, title="aB" * 500_000
        )
    )
    classify(
        Service(
            "wms",
            "https://a.example/",
            keywords=tuple("land " * 3000 for _ in range(20)),
        )
    )
    classify(Service("wms", "https://a.example/", abstract="水" * 1_000_000))
    assert time.process_time() - started < 3.0


def test_section_3_3_classifies_by_the_name_of_the_service_too() -> None:
    """LC-4: "service name, service abstract, service keywords" (section 3.3)."""
    assert ("land_cover", "forest") in CLASSIFIER.classify(
        Service("wms", "http://a.test/", name="forest_inventory")
    )


def test_contains_matches_as_published_where_words_do_not() -> None:
    # Table 3: "port" is a word of impervious area, "ice" of snow; section 3.3: metadata that contain one of them.
    service = Service("wms", "http://a.test/", title="Transport services")
    published = ContainsClassifier([BY_ID["land_cover"]]).classify(service)
    assert set(published) == {("land_cover", "impervious_area"), ("land_cover", "snow")}
    assert not [pair for pair in CLASSIFIER.classify(service) if pair in published]


def test_contains_reads_all_texts_of_service_and_layers_each_by_itself() -> None:
    by_contains = ContainsClassifier([BY_ID["land_cover"]])
    layer = Layer("a", title="Old TUNDRA", abstract="x")
    assert by_contains.classify(Service("wms", "http://a.test/", name="SNOWY", layers=(layer,))) == [
        ("land_cover", "tundra"), ("land_cover", "snow"),
    ]  # fmt: skip
    assert (
        by_contains.classify(
            Service("wms", "http://a.test/", title="tun", abstract="dra")
        )
        == []
    )
