"""Boxes, checked against shapely on the plane where the antimeridian plays no part, and by hand where it does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import MultiPolygon, box
from shapely.ops import unary_union

from geohound.model.bbox import (
    BBox,
    intersection_area,
    is_within,
    overlap_ratio,
    overlaps,
    union,
)

whole_degrees = st.integers(-180, 180)


@st.composite
def boxes(draw: st.DrawFn) -> BBox:
    south = draw(st.integers(-90, 89))
    west = draw(st.integers(-180, 179))
    east = draw(whole_degrees.filter(lambda e: (e - west) % 360))
    return BBox(west, south, east, draw(st.integers(south + 1, 90)))


def polygon(b: BBox) -> MultiPolygon:
    return unary_union([box(*p.as_tuple()) for p in b.parts()])


@given(boxes(), boxes())
def test_shared_area_is_what_shapely_says(a: BBox, b: BBox) -> None:
    assert intersection_area(a, b) == pytest.approx(
        polygon(a).intersection(polygon(b)).area
    )


@given(boxes(), boxes())
def test_overlap_agrees_with_shapely_on_two_turns_of_the_globe(
    a: BBox, b: BBox
) -> None:
    unrolled = [
        box(a.west + turn, a.south, a.west + turn + a.width, a.north)
        for turn in (-360, 0, 360)
    ]
    other = box(b.west, b.south, b.west + b.width, b.north)
    assert overlaps(a, b) == any(part.intersects(other) for part in unrolled)


@given(boxes(), boxes())
def test_a_box_is_within_the_union_of_itself_and_another(a: BBox, b: BBox) -> None:
    whole = union([a, b])
    assert whole is not None
    assert is_within(a, whole)
    assert is_within(b, whole)


@given(boxes())
def test_every_box_is_within_itself_and_overlaps_itself_fully(a: BBox) -> None:
    assert is_within(a, a)
    assert overlaps(a, a)
    assert overlap_ratio(a, a) == pytest.approx(1.0)


def test_a_box_across_the_antimeridian_is_narrow() -> None:
    fiji = BBox(177, -19, -178, -16)
    assert fiji.width == 5
    assert overlaps(fiji, BBox(179, -17, 180, -16))
    assert not overlaps(fiji, BBox(-10, -19, 10, -16))
    assert overlaps(BBox(170, 0, 180, 1), BBox(-180, 0, -170, 1))
    assert is_within(BBox(179, -18, -179, -17), fiji)


def test_the_union_takes_the_short_way_round() -> None:
    assert union([BBox(170, 0, 175, 1), BBox(-175, 0, -170, 1)]) == BBox(
        170, 0, -170, 1
    )
