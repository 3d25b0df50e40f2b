"""An answer that somebody saved in a file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from geohound.model.visit import Response

from . import Document


def read_saved(path: Path, max_bytes: int) -> Document:
    """A saved answer, read as if it had just come."""
    with path.open("rb") as file:
        body = file.read(max_bytes + 1)
    address = path.resolve().as_uri()
    return Document(
        Response(
            address,
            address,
            200,
            {},
            body[:max_bytes],
            datetime.now(UTC),
            truncated=len(body) > max_bytes,
        )
    )
