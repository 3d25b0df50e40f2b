"""Weights that are baked into segments do not change without a new format of segments."""

from __future__ import annotations

from hashlib import sha256

from geohound.search import weights
from geohound.search.segments import FORMAT


def test_whoever_changes_what_is_baked_into_segments_gives_them_a_new_format():
    baked = repr(
        (
            [tuple(field) for field in weights.FIELDS],
            weights.SATURATION,
            sorted(weights.QUALITY.items()),
        )
    )
    assert (FORMAT, sha256(baked.encode()).hexdigest()[:12]) == (4, "96a3a1496702"), (
        "Segments that were written with other weights are searched as if they had these: give segments.FORMAT the "
        "next number, and this test the new digest."
    )
