"""The options that every command has, spelled once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from geohound import settings as settings_module
from geohound.settings import Settings

from . import hints
from .inputs import Input, is_file
from .values import network, route, seconds, whole

USUAL = Settings()  # what holds where neither the command line nor the settings say otherwise, shown by --help


def _catalogue(default: str) -> Any:
    return typer.Option(
        "--catalogue",
        metavar="PATH_OR_URL",
        help="Catalogue: a file, or postgresql://user@host/database.",
        show_default=default,
        rich_help_panel="Common options",
    )


CATALOGUE = Annotated[str | None, _catalogue("in your data folder")]
CATALOGUE_OF_THE_DEMO = Annotated[
    str | None, _catalogue("a temporary one, deleted on exit")
]
CONFIG = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="TOML file with settings.",
        rich_help_panel="Common options",
    ),
]
JSON = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print JSON, one object per line.",
        rich_help_panel="Common options",
    ),
]
QUIET = Annotated[
    bool,
    typer.Option(
        "--quiet",
        help="Print only results and errors.",
        rich_help_panel="Common options",
    ),
]
VERBOSE = Annotated[
    bool,
    typer.Option(
        "--verbose", help="Print more details.", rich_help_panel="Common options"
    ),
]
CONNECT_TO = Annotated[
    list[str] | None,
    typer.Option(
        "--connect-to", parser=route, metavar="PATTERN=HOST:PORT",
        help="Connect to HOST:PORT for host names that match PATTERN.",
        rich_help_panel="Network",
    ),
]  # fmt: skip
ALLOW_NET = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-net", parser=network, metavar="CIDR", help="Allow a private or loopback network, such as 127.0.0.0/8.",
        rich_help_panel="Network",
    ),
]  # fmt: skip

PORT = Annotated[
    int | None,
    typer.Option(
        parser=whole(0, 65535),
        metavar="N",
        show_default=str(USUAL.web_port),
        help="Port of the portal; 0 = any free port.",
    ),
]

# what crawls, hunts and harvests share
MAX_TIME = Annotated[
    float | None,
    typer.Option(
        parser=seconds,
        metavar="S",
        show_default="no limit",
        help="Time limit of this run, in seconds, waiting for hosts included.",
    ),
]
MAX_PAGES = Annotated[
    int | None,
    typer.Option(
        parser=whole(1),
        metavar="N",
        show_default=f"{USUAL.page_limit}",
        help="Maximum number of pages to try, read or not.",
    ),
]
KINDS = Annotated[
    str | None,
    typer.Option(
        metavar="ID,…",
        show_default="all",
        help="Keep only these service kinds, such as wms,wfs.",
    ),
]
BBOX = Annotated[
    str | None,
    typer.Option(
        metavar="W,S,E,N",
        help="Keep only services whose extent intersects this box.",
    ),
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
        help="Run pages in a browser: auto = where static analysis is not enough; no value = always.",
    ),
]


class Rules(StrEnum):
    """How scripts are read."""

    STATIC = "static"
    HOU2016 = "hou2016"


RULES = Annotated[
    Rules | None,
    typer.Option(
        "--rules",
        show_default=USUAL.rules,
        help="How pages are read: static = scripts are analysed; hou2016 = rules of Hou, Chen & Wu 2016.",
    ),
]


class BrowserCommand(TyperCommand):
    """A command whose `--browser` needs no value: the word after it may be an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spelled: list[str] = []
        for word, after in zip(args, [*args[1:], ""], strict=False):
            is_bare = word == "--browser" and _is_no_value(after)
            spelled.append(f"--browser={Browser.ALWAYS}" if is_bare else word)
        return super().parse_args(ctx, spelled)


def _is_no_value(word: str) -> bool:
    """Is the word after `--browser` nothing, another option, or an input, so that it cannot be meant as a value?"""
    is_input = (
        any(sign in word for sign in ".:/") or word == "localhost" or is_file(word)
    )
    return not word or word.startswith("-") or is_input


def close(inputs: Iterable[tuple[str, Input]], *, all_done: bool) -> None:
    """End with 2 where the call names what is not there, with 1 where something else failed."""
    if any(meant.wrong for _, meant in inputs):
        raise typer.Exit(2)
    if not all_done:
        raise typer.Exit(1)


def gather(config: str | None, **overrides: Any) -> Settings:
    """Settings from file and environment, with what the command line says on top."""
    hints.note({**overrides, "config": config})
    loaded = settings_module.load(config)
    given = {name: value for name, value in overrides.items() if value is not None}
    for name in ("connect_to", "allow_nets"):
        if name in given:
            given[name] = (*getattr(loaded, name), *given[name])
    return replace(loaded, **given)
