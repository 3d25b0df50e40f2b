"""How two readings of a service differ, as its biography says it."""

from __future__ import annotations

from dataclasses import replace

from geohound.model.bbox import BBox
from geohound.model.biography import LifeChange, differences
from geohound.model.service import Access, Extent, Layer, Service


def layer(name: str, title: str = "", west: float = 0.0) -> Layer:
    return Layer(
        name, title or name.title(), extent=Extent(BBox(west, 0.0, west + 1, 1.0))
    )


OLD = Service(
    "wms",
    "http://a.test/wms",
    "1.1.1",
    title="Roads",
    layers=(layer("a"), layer("b"), layer("c")),
    fingerprint="1",
)


def test_the_same_reading_differs_in_nothing() -> None:
    assert differences(OLD, OLD) == []


def test_layers_are_added_removed_renamed_and_moved() -> None:
    new = replace(
        OLD,
        layers=(layer("a", west=5.0), layer("bee", "B"), layer("d")),
        fingerprint="2",
    )
    assert differences(OLD, new) == [
        (LifeChange.LAYERS_ADDED, "1: d"),
        (LifeChange.LAYERS_REMOVED, "1: c"),
        (LifeChange.LAYERS_RENAMED, "1: b → bee"),
        (LifeChange.LAYERS_MOVED, "1: a"),
    ]


def test_another_title_of_a_layer_is_a_new_name() -> None:
    new = replace(OLD, layers=(layer("a", "Streets"), layer("b"), layer("c")))
    assert differences(OLD, new) == [(LifeChange.LAYERS_RENAMED, "1: A → Streets")]


def test_licence_title_and_version_are_named() -> None:
    new = replace(
        OLD, title="Streets", version="1.3.0", access=Access(licence="CC-BY-4.0")
    )
    assert differences(OLD, new) == [
        (LifeChange.TITLE, "Roads → Streets"),
        (LifeChange.VERSION, "1.1.1 → 1.3.0"),
        (LifeChange.LICENCE, "– → CC-BY-4.0"),
    ]


def test_of_many_layers_a_few_are_named() -> None:
    new = replace(OLD, layers=(*OLD.layers, *(layer(f"n{i}") for i in range(1000))))
    ((_, detail),) = differences(OLD, new)
    assert detail == "1000: n0, n1, n2, n3, n4 and 995 more"


def test_what_has_no_name_is_content_and_an_edge_that_trembles_is_nothing() -> None:
    assert differences(OLD, replace(OLD, fingerprint="2")) == [
        (LifeChange.CONTENT, "the service describes itself otherwise")
    ]
    assert (
        differences(OLD, replace(OLD, layers=(layer("a", west=0.004), *OLD.layers[1:])))
        == []
    )
