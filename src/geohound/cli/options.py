"""The options that every command has, spelled once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from geohound import settings as settings_module
from geohound.model.bbox import BBox, parse_bbox
from geohound.model.query import FACETS
from geohound.settings import Settings

from .inputs import Input

USUAL = Settings()  # what holds where neither the command line nor the settings say otherwise, shown by --help
CATALOGUE = Annotated[
    str | None,
    typer.Option(
        "--catalogue",
        metavar="PATH",
        help="The catalogue file.",
        show_default="in your data folder",
        rich_help_panel="Everywhere",
    ),
]
CONFIG = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="A TOML file with settings.", rich_help_panel="Everywhere"),
]
JSON = Annotated[bool, typer.Option("--json", help="One JSON object a line.", rich_help_panel="Everywhere")]
QUIET = Annotated[bool, typer.Option("--quiet", help="Only results and errors.", rich_help_panel="Everywhere")]
VERBOSE = Annotated[bool, typer.Option("--verbose", help="Tell what is being done.", rich_help_panel="Everywhere")]
CONNECT_TO = Annotated[
    list[str] | None,
    typer.Option(
        "--connect-to", metavar="PATTERN=HOST:PORT", help="Send matching names, such as *.test, to one address.",
        rich_help_panel="Network",
    ),
]  # fmt: skip
ALLOW_NET = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-net", metavar="CIDR", help="Allow a private or loopback network, such as 127.0.0.0/8.",
        rich_help_panel="Network",
    ),
]  # fmt: skip

PORT = Annotated[
    int | None,
    typer.Option(min=0, max=65535, show_default=str(USUAL.web_port), help="Port of the portal; 0 for any free one."),
]


class Browser(StrEnum):
    """Which pages are run in a real browser."""

    NEVER = "never"
    AUTO = "auto"
    ALWAYS = "always"


BROWSER = Annotated[
    Browser | None,
    typer.Option(
        "--browser",
        show_default=USUAL.browser,
        help="Run pages in a real browser: auto where reading cannot know; alone it means always.",
    ),
]


class BrowserCommand(TyperCommand):
    """A command whose `--browser` needs no value: the word after it may be an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spelled: list[str] = []
        for word, after in zip(args, [*args[1:], ""], strict=False):
            is_bare = word == "--browser" and after not in tuple(Browser)
            spelled.append(f"--browser={Browser.ALWAYS}" if is_bare else word)
        return super().parse_args(ctx, spelled)


def close(inputs: Iterable[tuple[str, Input]], *, all_done: bool) -> None:
    """End with 2 where the call names what is not there, with 1 where something else failed."""
    if any(meant.wrong for _, meant in inputs):
        raise typer.Exit(2)
    if not all_done:
        raise typer.Exit(1)


def gather(config: str | None, **overrides: Any) -> Settings:
    """Settings from file and environment, with what the command line says on top."""
    loaded = settings_module.load(config)
    given = {name: value for name, value in overrides.items() if value is not None}
    for name in ("connect_to", "allow_nets"):
        if name in given:
            given[name] = (*getattr(loaded, name), *given[name])
    return replace(loaded, **given)


def bbox(text: str | None) -> BBox | None:
    """A box as typed, or the sentence that says what is wrong with it."""
    if not text:
        return None
    try:
        return parse_bbox(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--bbox") from None


def choices(text: str | None, allowed: list[str], hint: str) -> tuple[str, ...]:
    """A comma-separated list of known words."""
    words = tuple(w.strip().lower() for w in (text or "").split(",") if w.strip())
    for word in words:
        if word not in allowed:
            raise typer.BadParameter(f"{word!r} is not known here; choose from {', '.join(allowed)}.", param_hint=hint)
    return words


def values(text: str | None) -> tuple[str, ...]:
    """A comma-separated list."""
    return tuple(word for part in (text or "").split(",") if (word := part.strip()))


def facets(given: list[str]) -> dict[str, tuple[str, ...]]:
    """FACET=VALUE, the values of one facet gathered."""
    gathered: dict[str, tuple[str, ...]] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if name not in FACETS or not equals or not value:
            known = ", ".join(FACETS)
            raise typer.BadParameter(f"write FACET=VALUE, where FACET is one of {known}.", param_hint="--where")
        gathered[name] = (*gathered.get(name, ()), value)
    return gathered


def years(text: str | None) -> tuple[int, int] | None:
    """A year, or the first and last of several."""
    if not text:
        return None
    match = re.fullmatch(r"(\d{4})(?:\s*[-/]\s*(\d{4}))?", text.strip(), re.ASCII)
    if not match:
        raise typer.BadParameter("write a year, such as 2010, or two, such as 1990-2010.", param_hint="--years")
    first, last = int(match[1]), int(match[2] or match[1])
    return min(first, last), max(first, last)
