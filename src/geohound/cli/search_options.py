"""The options of a search, for the commands that search."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from typer.core import TyperCommand

from geohound import app
from geohound.contracts import SearchIndex
from geohound.model.bbox import Relation
from geohound.model.search.query import FACETS, Query
from geohound.settings import Settings
from geohound.views.parsing import ParameterError, shorten

from .values import text

_UNWANTED = re.compile(r'-(?:[^\W\d_]\w|")')

WORDS = Annotated[
    list[str] | None,
    typer.Argument(
        parser=text,
        help="Words, '\"a phrase\"', prefix*, -excluded. Optional with --bbox.",
    ),
]
BBOX = Annotated[
    str | None,
    typer.Option(metavar="W,S,E,N", help="Bounding box in degrees (WGS 84)."),
]
RELATION = Annotated[
    Relation, typer.Option(case_sensitive=False, help="Spatial relation to --bbox.")
]
KIND = Annotated[
    str | None, typer.Option(metavar="ID,…", help="Service kinds, such as wms,wfs.")
]
TOPIC = Annotated[
    str | None, typer.Option(metavar="ID,…", help="Topics, such as land_cover.")
]
CLASS = Annotated[
    str | None, typer.Option("--class", metavar="ID,…", help="Classes of a topic.")
]
STATE = Annotated[
    str | None, typer.Option(metavar="STATE,…", help="alive, dead, unsure or unknown.")
]
COUNTRY = Annotated[
    str | None,
    typer.Option(metavar="CODE,…", help="Countries of the host, such as de,br."),
]
WHERE = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FACET=VALUE",
        help="Any other facet: provider, language, crs, format, licence …",
    ),
]
YEARS = Annotated[
    str | None, typer.Option(metavar="YEAR[-YEAR]", help="Years that the layers cover.")
]
SYNONYMS = Annotated[bool, typer.Option(help="Also match synonyms and translations.")]


class SearchCommand(TyperCommand):
    """-lakes is a word that is not wanted, not an option; a space before it keeps the parser from reading it as one."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        return super().parse_args(
            ctx, [f" {word}" if _UNWANTED.match(word) else word for word in args]
        )


def given_texts(
    words: Sequence[str] | None,
    single: Mapping[str, str | None],
    lists: Mapping[str, str | None],
    where: Sequence[str] | None,
) -> dict[str, list[str]]:
    """What was asked, as texts by the names that all interfaces share."""
    facets = [*lists.items(), *map(_facet, where or [])]
    return {
        "q": [" ".join(words or ())],
        **{name: [text] for name, text in single.items() if text is not None},
        **{
            name: [text for other, text in facets if text and other == name]
            for name, text in facets
            if text
        },
    }


def _facet(text: str) -> tuple[str, str]:
    """FACET=VALUE in its two parts."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if name not in FACETS or not equals or not value:
        wanted = f"FACET=VALUE, where FACET is one of {', '.join(FACETS)}"
        raise ParameterError(
            "--where", f"--where must be {wanted}, not “{shorten(text)}”."
        )
    return name, value


def known_topics(index: SearchIndex, settings: Settings) -> set[str]:
    """The topics that are defined, and those of services that the catalogue has."""
    held = index.search(Query(limit=0)).facets["topic"]
    return {*app.topics(settings.topic_files), *held}
