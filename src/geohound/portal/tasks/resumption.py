"""What may be said with a task that is to go on: a larger limit of pages."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from geohound.views.parsing import ParameterError

MOST_PAGES = 1_000_000_000
WRONG = f"max_pages must be a whole number from 1 to {MOST_PAGES:,}."


class Resumption(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a task goes on; an empty body leaves all as it was."""

    max_pages: (
        Annotated[
            int,
            Meta(ge=1, le=MOST_PAGES, description="pages to try in all, over all runs"),
        ]
        | None
    ) = None


def read_resumption(body: bytes) -> Resumption:
    """ParameterError where the body is something else."""
    if not body.strip():
        return Resumption()
    try:
        said = msgspec.json.decode(body)
        if isinstance(said, dict):  # 400.0 is a whole number
            said = {
                name: int(value)
                if isinstance(value, float) and value.is_integer()
                else value
                for name, value in said.items()
            }
        return msgspec.convert(said, Resumption)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ParameterError(
            "max_pages",
            f'Send nothing, or JSON such as {{"max_pages": 400}}: {WRONG}',
        ) from None


def typed_limit(text: str) -> int | None:
    """The field of the form; None where nothing was typed."""
    if not text.strip():
        return None
    if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 9 and int(text)):
        raise ParameterError("max_pages", WRONG)
    return int(text)
