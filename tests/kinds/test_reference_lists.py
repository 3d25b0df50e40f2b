"""Long lists of reference systems are read as short ones are."""

from __future__ import annotations

import pytest

from geohound.kinds._elements import crs_codes

PLAIN = [f"EPSG:{code}" for code in range(2000, 2100)]


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        (["AUTO:42001", *PLAIN, "CRS:84"], ["AUTO:42001", *PLAIN, "CRS:84"]),
        # The numbers of EPSG have no 84: servers that write it mean longitude first.
        ([*PLAIN[:50], "EPSG:84", *PLAIN[50:]], [*PLAIN[:50], "CRS:84", *PLAIN[50:]]),
        # As WFS writes a code that is there already; several in one element; twice.
        (
            [*PLAIN[:60], "urn:ogc:def:crs:EPSG::2056", *PLAIN[60:]],
            PLAIN,
        ),
        ([*PLAIN, "EPSG:4326 EPSG:3857"], [*PLAIN, "EPSG:4326", "EPSG:3857"]),
        ([*PLAIN, *PLAIN], PLAIN),
        ([None, "", *PLAIN, None], PLAIN),
    ],
)
def test_what_a_long_list_names_is_read_one_by_one(
    named: list[str | None], meant: list[str]
) -> None:
    assert crs_codes(named) == tuple(meant)


def test_of_endless_lists_the_first_ten_thousand_count() -> None:
    endless = [f"EPSG:{code}" for code in range(100_000, 130_000)]
    assert crs_codes(endless) == tuple(endless[:10_000])
