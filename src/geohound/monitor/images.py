"""What a picture shows: nothing, one colour, something, or that it is broken."""

from __future__ import annotations

import io
import warnings
from typing import Final

from geohound.model.service import Refusal, RefusalReason

MAX_PIXELS: Final = 4_000_000


def judge_image(body: bytes, size_px: tuple[int, int] | None = None) -> Refusal | None:
    """Why a picture is no map; None where it shows something."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - only who asks for maps needs it

    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(body)) as image:
                image.load()
                shown = image.convert("RGBA")
    except UnidentifiedImageError:
        return Refusal(RefusalReason.MALFORMED, "not a picture that can be read")
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        return Refusal(
            RefusalReason.TRUNCATED, f"a picture that breaks off: {error}"[:200]
        )
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return Refusal(RefusalReason.TOO_LARGE, f"more than {MAX_PIXELS:,} pixels")
    if size_px is not None and shown.size != size_px:
        return Refusal(
            RefusalReason.MALFORMED,
            f"{_by(shown.size)} pixels instead of {_by(size_px)}",
        )
    extrema = shown.getextrema()
    colours = [(int(low), int(high)) for low, high in extrema]  # type: ignore[misc]
    if colours[3][1] == 0:
        return Refusal(RefusalReason.BLANK_IMAGE, "all of it is transparent")
    if all(low == high for low, high in colours):
        colour = "".join(f"{low:02x}" for low, _ in colours[:3])
        return Refusal(
            RefusalReason.BLANK_IMAGE, f"all of it has one colour, #{colour}"
        )
    return None


def _by(size: tuple[int, int]) -> str:
    return f"{size[0]} x {size[1]}"
