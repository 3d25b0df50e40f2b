"""Boxes in millionths of a degree: the relations and the ratio, against shapely and against the model."""

from __future__ import annotations

import random

import numpy as np
import pytest
import shapely

from geohound.model.bbox import BBox, Relation, is_within, overlap_ratio, overlaps
from geohound.search.boxes import (
    EMPTY_BOX,
    match_relation,
    overlap_ratios,
    relation_mask,
    to_integers,
)
from geohound.search.in_memory_index import _envelopes

PAIRS = 10_000
WORLD = BBox(-180, -90, 180, 90)


def random_box(rng):
    """All over the globe, often on the meridians and poles where mistakes hide; steps of a quarter degree."""
    west = rng.choice([-180, 180, 0, rng.randint(-720, 720) / 4])
    width = rng.choice([0, 0.5, 20, 359.75, 360, rng.randint(0, 1440) / 4])
    south = rng.choice([-90, 90, 0, rng.randint(-360, 360) / 4])
    north = min(90.0, south + rng.choice([0, 5, 180, rng.randint(0, 720) / 4]))
    if width == 360:
        return BBox(-180, south, 180, north)
    east = west + width
    return BBox(west, south, east - 360 if east > 180 else east, north)


def columns(boxes):
    return np.array([to_integers(box) for box in boxes], dtype=np.int32).T


def shape(west, south, east, north):
    """A box as shapely sees it: a point or a line where it has no width or height."""
    if west < east and south < north:
        return shapely.box(west, south, east, north)
    return (
        shapely.LineString([(west, south), (east, north)])
        if (west, south) != (east, north)
        else shapely.Point(west, south)
    )


def unrolled(box):
    """The same box three times side by side, so that no meridian is an edge of the plane."""
    east = box.west + box.width
    return [
        shape(box.west + turn, box.south, east + turn, box.north)
        for turn in (-360, 0, 360)
    ]


def covers(outer, inner):
    return shapely.unary_union(unrolled(outer)).covers(unrolled(inner)[1])


EXPECTED = {
    Relation.OVERLAPS: lambda layer, asked: any(
        s.intersects(unrolled(asked)[1]) for s in unrolled(layer)
    ),
    Relation.WITHIN: lambda layer, asked: covers(asked, layer),
    Relation.CONTAINS: covers,
}


@pytest.mark.slow
@pytest.mark.parametrize("relation", list(Relation))
def test_each_relation_agrees_with_shapely_on_10_000_random_pairs(relation):
    rng = random.Random(f"pairs {relation}")
    held = 0
    for _ in range(PAIRS // 100):
        asked = random_box(rng)
        layers = [random_box(rng) for _ in range(99)] + [asked]
        told = relation_mask(columns(layers), relation, asked)
        for box, holds in zip(layers, told.tolist(), strict=True):
            assert holds == EXPECTED[relation](box, asked), (box, asked)
        held += int(told.sum())
    assert PAIRS * 0.02 < held < PAIRS * 0.9  # both answers occur often


def test_the_model_says_the_same_of_single_boxes():
    rng = random.Random(7)
    for _ in range(2000):
        one, other = random_box(rng), random_box(rng)
        row = columns([one])
        assert bool(relation_mask(row, Relation.OVERLAPS, other)[0]) == overlaps(
            one, other
        ), (one, other)
        assert bool(relation_mask(row, Relation.WITHIN, other)[0]) == is_within(
            one, other
        ), (one, other)
        assert bool(relation_mask(row, Relation.CONTAINS, other)[0]) == is_within(
            other, one
        ), (one, other)
        assert overlap_ratios(row, other)[0] == pytest.approx(
            overlap_ratio(one, other), abs=1e-6
        ), (one, other)


def test_a_polar_cap_holds_a_box_across_the_antimeridian():
    cap = columns([BBox(-180, 60, 180, 90)])
    assert relation_mask(cap, Relation.CONTAINS, BBox(170, 70, -170, 90))[0]
    assert not relation_mask(cap, Relation.CONTAINS, BBox(170, 59, -170, 90))[0]


def test_what_has_no_box_stands_nowhere():
    nowhere = np.array([EMPTY_BOX], dtype=np.int32).T
    for relation in Relation:
        for asked in (WORLD, BBox(0, 0, 0, 0), BBox(170, -90, -170, 90)):
            assert not relation_mask(nowhere, relation, asked)[0]


@pytest.mark.parametrize("relation", [Relation.OVERLAPS, Relation.WITHIN])
def test_the_whole_world_holds_every_box_and_each_fits_by_its_area(relation):
    world = BBox(-180, -90, 180, 90)
    boxes = [BBox(-10, 35, 30, 70), BBox(170, -30, -170, 10), BBox(5, 5, 5, 5), world]
    columns = np.array([*(to_integers(box) for box in boxes), EMPTY_BOX], np.int32).T
    assert relation_mask(columns, relation, world).tolist() == [
        True,
        True,
        True,
        True,
        False,
    ]
    places, ratios = match_relation(columns, relation, world)
    assert places.tolist() == [0, 1, 2, 3]
    assert ratios == pytest.approx([40 * 35 / 64800, 20 * 40 / 64800, 0, 1])


def test_whatever_meets_a_box_is_in_a_hull_that_meets_it():
    rng = random.Random(5)
    for _ in range(300):
        sizes = np.array([rng.randint(1, 4) for _ in range(20)])
        edges = columns([random_box(rng) for _ in range(sizes.sum())])
        hulls, asked = _envelopes(edges, np.cumsum(sizes) - sizes), random_box(rng)
        met = np.repeat(relation_mask(hulls, Relation.OVERLAPS, asked), sizes)
        for relation in Relation:
            assert not (relation_mask(edges, relation, asked) & ~met).any()
