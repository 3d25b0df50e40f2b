"""Declared boxes become boxes one can trust, with the reason wherever they were not taken as they stood."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.kinds import _boxes
from geohound.kinds._boxes import cover, crs_code, crs_list, extent, is_lat_first
from geohound.model.bbox import BBox
from geohound.model.service import BoxFault, Extent

GERMANY = (5.9, 47.3, 15.0, 55.0)


def box_of(found: Extent) -> tuple[float, float, float, float]:
    assert found.box is not None
    return found.box.as_tuple()


def test_an_honest_box_is_taken_as_it_stands() -> None:
    found = extent(["5.9", "47.3", "15.0", "55.0"])
    assert box_of(found) == GERMANY
    assert found.faults == ()
    assert found.declared == GERMANY


@pytest.mark.parametrize(
    ("numbers", "wanted", "faults"),
    [
        ((5, 100, 15, 120), (100, 5, 120, 15), {BoxFault.SWAPPED_AXES}),
        (
            (0, -90, 360, 90),
            (-180, -90, 180, 90),
            {BoxFault.ZERO_TO_360, BoxFault.WHOLE_WORLD},
        ),
        ((200, -10, 220, 10), (-160, -10, -140, 10), {BoxFault.ZERO_TO_360}),
        (
            (170, -50, 190, -30),
            (170, -50, -170, -30),
            {BoxFault.ZERO_TO_360, BoxFault.ANTIMERIDIAN},
        ),
        ((170, -50, -170, -30), (170, -50, -170, -30), {BoxFault.ANTIMERIDIAN}),
        ((20, 1, 10, 2), (10, 1, 20, 2), {BoxFault.MIN_ABOVE_MAX}),
        ((20, 3, 10, 2), (10, 2, 20, 3), {BoxFault.MIN_ABOVE_MAX}),
        ((-180, -90, 180, 90), (-180, -90, 180, 90), {BoxFault.WHOLE_WORLD}),
        (
            (-200, -91, 200, 91),
            (-180, -90, 180, 90),
            {BoxFault.OUT_OF_RANGE, BoxFault.WHOLE_WORLD},
        ),
    ],
)
def test_a_faulty_box_is_repaired_and_the_fault_is_named(
    numbers: tuple[float, ...], wanted: tuple[float, ...], faults: set[BoxFault]
) -> None:
    found = extent(numbers)
    assert box_of(found) == pytest.approx(wanted)
    assert set(found.faults) == faults
    assert found.declared == pytest.approx(numbers)


@pytest.mark.parametrize(
    ("numbers", "fault"),
    [
        (("NaN", "1", "2", "3"), BoxFault.NOT_A_NUMBER),
        (("a", "1", "2", "3"), BoxFault.NOT_A_NUMBER),
        ((None, "1", "2", "3"), BoxFault.NOT_A_NUMBER),
        (("inf", "1", "2", "3"), BoxFault.NOT_A_NUMBER),
        ((1, 2, 3), BoxFault.NOT_A_NUMBER),
        ((500000, 5000000, 600000, 5100000), BoxFault.PROJECTED),
        ((0, 0, -1, -1), BoxFault.EMPTY),
        ((0, 0, 0, 0), BoxFault.EMPTY),
        ((100, 300, 200, 400), BoxFault.OUT_OF_RANGE),
    ],
)
def test_a_box_beyond_repair_is_given_up_with_its_fault(
    numbers: tuple[object, ...], fault: BoxFault
) -> None:
    found = extent(numbers)  # type: ignore[arg-type]
    assert found.box is None
    assert fault in found.faults


def test_metres_in_a_degree_field_are_read_by_the_only_projected_crs_of_the_layer() -> (
    None
):
    found = extent(
        (500000, 5000000, 600000, 5100000), hints=["EPSG:25832", "EPSG:4326"]
    )
    # the central meridian of zone 32 is 9° east, at easting 500,000
    west, south, east, north = box_of(found)
    assert west == pytest.approx(9.0, abs=0.01)
    assert 10.2 < east < 10.4
    assert 45.1 < south < 45.2
    assert 46.0 < north < 46.1
    assert found.faults == (BoxFault.PROJECTED,)


def test_metres_that_could_be_of_several_grids_are_not_guessed() -> None:
    found = extent(
        (500000, 5000000, 600000, 5100000), hints=["EPSG:25832", "EPSG:25833"]
    )
    assert found.box is None


def test_the_axis_order_of_the_authority_is_followed_and_its_neglect_noticed() -> None:
    assert (
        box_of(extent((47.3, 5.9, 55.0, 15.0), "EPSG:4326", axis_order="authority"))
        == GERMANY
    )
    ignored = extent((120, 5, 140, 15), "EPSG:4326", axis_order="authority")
    assert box_of(ignored) == (120, 5, 140, 15)
    assert ignored.faults == (BoxFault.SWAPPED_AXES,)
    assert box_of(extent(GERMANY, "CRS:84", axis_order="authority")) == GERMANY


def test_projected_boxes_become_degrees() -> None:
    # Web Mercator, by its formula: x = R·λ, y = R·ln tan(π/4 + φ/2).
    radius = 6378137.0
    x = [radius * math.radians(v) for v in (GERMANY[0], GERMANY[2])]
    y = [
        radius * math.log(math.tan(math.pi / 4 + math.radians(v) / 2))
        for v in (GERMANY[1], GERMANY[3])
    ]
    assert box_of(extent((x[0], y[0], x[1], y[1]), "EPSG:3857")) == pytest.approx(
        GERMANY
    )
    north_first = extent(
        (5000000, 3400000, 5100000, 3500000), "EPSG:31467", axis_order="authority"
    )
    assert box_of(north_first)[1] == pytest.approx(45.1, abs=0.2)


def test_degrees_under_a_projected_label_are_taken_as_degrees() -> None:
    found = extent(GERMANY, "EPSG:3857")
    assert box_of(found) == GERMANY
    assert BoxFault.OUT_OF_RANGE in found.faults


def test_three_dimensional_boxes_lose_their_height() -> None:
    assert box_of(extent((5.9, 47.3, -10, 15.0, 55.0, 300))) == GERMANY


@pytest.mark.parametrize(
    "name",
    [
        "EPSG:4326",
        "epsg:4326",
        "urn:ogc:def:crs:EPSG::4326",
        "urn:ogc:def:crs:EPSG:6.9:4326",
        "urn:x-ogc:def:crs:EPSG:4326",
        "http://www.opengis.net/gml/srs/epsg.xml#4326",
        "http://www.opengis.net/def/crs/EPSG/0/4326",
        "4326",
    ],
)
def test_all_spellings_of_a_crs_are_one_code(name: str) -> None:
    assert crs_code(name) == "EPSG:4326"


def test_longitude_first_wgs_84_has_one_name() -> None:
    names = (
        "CRS:84",
        "urn:ogc:def:crs:OGC:1.3:CRS84",
        "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
        "WGS84",
    )
    assert {crs_code(n) for n in names} == {"CRS:84"}
    assert crs_code("IGNF:LAMB93") == "IGNF:LAMB93"
    assert crs_list(" EPSG:4326 EPSG:3857\n") == ("EPSG:4326", "EPSG:3857")


def test_the_authority_says_which_axis_is_first() -> None:
    assert is_lat_first("EPSG:4326")
    assert is_lat_first("EPSG:31467")
    assert not is_lat_first("CRS:84")
    assert not is_lat_first("EPSG:3857")
    assert not is_lat_first("EPSG:25832")


def test_a_service_covers_its_layers_and_world_defaults_do_not_blur_it() -> None:
    layers = [
        extent((5, 47, 10, 50)),
        extent((8, 45, 15, 55)),
        extent((-180, -90, 180, 90)),
        None,
    ]
    found = cover(layers)
    assert found is not None
    assert found.box == BBox(5, 45, 15, 55)
    assert cover([None, extent((0, 0, 0, 0))]) is None


ANY = st.one_of(
    st.floats(),
    st.text(max_size=8),
    st.none(),
    st.integers(),
    st.floats(-400, 400).map(str),
)
CODES = st.sampled_from(
    [
        "CRS:84",
        "EPSG:4326",
        "EPSG:3857",
        "EPSG:25832",
        "EPSG:3995",
        "nonsense",
        "EPSG:999999",
        "",
    ]
)


@given(
    st.lists(ANY, max_size=7),
    CODES,
    st.sampled_from(["xy", "authority"]),
    st.lists(CODES, max_size=3),
)
def test_no_numbers_whatever_break_it(
    numbers: list, crs: str, order: str, hints: list[str]
) -> None:
    found = extent(numbers, crs, axis_order=order, hints=hints)  # type: ignore[arg-type]
    assert found.box is not None or found.faults


@pytest.mark.slow
def test_thousands_of_projections_in_one_document_cost_a_bounded_time() -> None:
    began = time.process_time()
    for code in range(2000, 32_000):
        extent([400_000, 5_000_000, 500_000, 5_100_000], f"EPSG:{code}")
    assert time.process_time() - began < 8
    _boxes._transformed_at.clear()
    _boxes._loaded_at.clear()
