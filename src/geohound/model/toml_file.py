"""Files in TOML that users write: what stands in one, or a sentence about what is wrong with it."""

from __future__ import annotations

import string
import tomllib
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from .user_error import UserError


def read_toml(
    path: Path, what: str, error: type[UserError] = UserError
) -> dict[str, Any]:
    """The entries of a file, of which `what` says for messages what sort it is."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as trouble:
        raise error(f"The {what} {path} cannot be read: {trouble.strerror}.") from None
    except UnicodeDecodeError:
        raise error(
            f"The {what} {path} is not valid TOML: it is no UTF-8 text."
        ) from None
    except tomllib.TOMLDecodeError as trouble:
        raise error(f"The {what} {path} is not valid TOML: {trouble}.") from None


def unknown_entries(said: dict[str, Any], known: AbstractSet[str]) -> str:
    """What is wrong with the names of entries; empty: nothing."""
    unknown = sorted(set(said) - known)
    return f"has an unknown entry: {', '.join(unknown)}" if unknown else ""


def other_places(url: str, known: AbstractSet[str]) -> str:
    """What is wrong with the places in braces of an address; empty: nothing."""
    try:
        places = {
            name for _, name, _, _ in string.Formatter().parse(url) if name is not None
        }
    except ValueError:
        places = {""}
    if places <= known:
        return ""
    named = ", ".join(f"{{{name}}}" for name in sorted(known))
    return f"has a url with other places than {named}"
