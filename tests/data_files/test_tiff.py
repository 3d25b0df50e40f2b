"""A TIFF that breaks off is seen, wherever it does; files are written by Pillow."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from geohound.data_files.tiff import is_cut_off, is_tiff


def written(big: bool) -> bytes:
    file = io.BytesIO()
    Image.effect_noise((40, 30), 90).save(file, "TIFF", big_tiff=big, strip_size=400)
    return file.getvalue()


@pytest.mark.parametrize("big", [False, True])
def test_a_whole_one_is_not_cut_off_and_every_half_of_it_is(big: bool) -> None:
    body = written(big)
    assert is_tiff(body)
    assert not is_cut_off(body)
    assert not is_cut_off(body + b"more")
    assert all(is_cut_off(body[:end]) for end in range(8, len(body) - 400, 97))


@given(st.binary(max_size=300))
def test_whatever_comes_after_the_head_is_read_without_harm(rest: bytes) -> None:
    for head in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        assert is_cut_off(head + rest) in (True, False)
