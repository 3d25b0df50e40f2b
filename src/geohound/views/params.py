"""The parameters of a search, typed once for all interfaces: command line, API, pages and library.

An interface collects its arguments as texts; an invalid one is reported in one sentence with the parameter's name in
that interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from geohound.model.bbox import Relation
from geohound.model.health import HealthState
from geohound.model.search.query import FACETS, Query, Sort

from .parsing import IDS, Choices, Texts, read, read_box, read_years

MAX_OFFSET = 10_000
MAX_LAYER_OFFSET = 1_000_000
_MAX_LOCAL = 10**9  # for local searches
_MAX_VALUES = 100
# Numbers as programs write them, such as 0.30000000000000004 and 1e-05.
_SMALL = r"[0-9](\.[0-9]{1,20})?[eE]-[0-9]{1,3}"
_LONGITUDE = (
    rf"-?(180(\.0{{1,20}})?|(1[0-7][0-9]|[1-9]?[0-9])(\.[0-9]{{1,20}})?|{_SMALL})"
)
_LATITUDE = rf"-?(90(\.0{{1,20}})?|[1-8]?[0-9](\.[0-9]{{1,20}})?|{_SMALL})"
_BOX_PATTERN = f"^{_LONGITUDE},{_LATITUDE},{_LONGITUDE},{_LATITUDE}$"
_HIT_CURSOR = (
    r"^k[0-9a-f]{1,8}\.[0-9a-f]{8}\.[0-9a-f]{8}\.[0-9a-f]{1,8}(\.[0-9a-f]{1,8})?$"
)


def _filter(facet: str) -> Meta:
    return Meta(
        max_length=_MAX_VALUES,
        description=f"only services of this {facet}; repeated: of any of them",
    )


_Value = Annotated[str, Meta(min_length=1, max_length=200)]
_Values = tuple[_Value, ...]
_Words = Annotated[
    str,
    Meta(
        max_length=500,
        description='words, "phrases", prefixes*, -excluded words, or an address',
    ),
]
_Box = Annotated[
    str,
    Meta(
        description="west,south,east,north in degrees; west above east crosses the antimeridian",
        extra_json_schema={
            "pattern": _BOX_PATTERN
        },  # as documented; spaces instead of commas are accepted
    ),
]
_Years = Annotated[
    str,
    Meta(
        description="only what covers some of these years: 2010 or 2000-2010",
        extra_json_schema={"pattern": "^[0-9]{4}(-[0-9]{4})?$"},
    ),
]
_Limit = Annotated[int, Meta(ge=1, le=100, description="how many at most")]
_Lines = Annotated[
    Literal["json", "jsonl"], Meta(description="jsonl: the whole list, a record a line")
]


class SearchParams(
    msgspec.Struct, frozen=True, kw_only=True, rename={"class_": "class"}
):
    """The parameters of a search; limits as for anonymous users of pages and API."""

    q: _Words = ""
    bbox: _Box = ""
    relation: Annotated[
        Relation, Meta(description="spatial relation of the layer's box to bbox")
    ] = Relation.OVERLAPS
    kind: Annotated[_Values, _filter("kind")] = ()
    state: Annotated[tuple[HealthState, ...], _filter("state")] = ()
    topic: Annotated[_Values, _filter("topic")] = ()
    class_: Annotated[_Values, _filter("class of a topic")] = ()
    country: Annotated[_Values, _filter("country of the host")] = ()
    provider: Annotated[_Values, _filter("provider")] = ()
    language: Annotated[_Values, _filter("language")] = ()
    crs: Annotated[_Values, _filter("reference system")] = ()
    format: Annotated[_Values, _filter("format")] = ()
    licence: Annotated[_Values, _filter("licence")] = ()
    quality: Annotated[_Values, _filter("quality")] = ()
    https: Annotated[
        _Values, _filter("kind of address: yes where it is encrypted, no")
    ] = ()
    cors: Annotated[
        _Values, _filter("use by web pages: yes of any site, some of those it names")
    ] = ()
    decade: Annotated[_Values, _filter("decade, such as 2010s")] = ()
    years: _Years = ""
    expand: Annotated[bool, Meta(description="also find synonyms and translations")] = (
        True
    )
    sort: Annotated[Sort, Meta(description="which results come first")] = Sort.RELEVANCE
    limit: _Limit = 20
    offset: Annotated[
        int, Meta(ge=0, le=MAX_OFFSET, description="how many to skip")
    ] = 0


class ApiSearch(SearchParams, frozen=True, kw_only=True):
    """A search by the API, with a cursor."""

    cursor: Annotated[
        str, Meta(pattern=_HIT_CURSOR, description="the value of `next` in a response")
    ] = ""
    f: _Lines = "json"


class ExportableSearch(ApiSearch, frozen=True, kw_only=True):
    """A search by the API whose results may be had in any export format."""

    f: Annotated[
        str,
        Meta(
            max_length=40,
            description="the format: json in pages, all others the whole list",
        ),
    ] = "json"  # type: ignore[assignment]


class LocalSearch(SearchParams, frozen=True, kw_only=True):
    """A local search, without limits."""

    q: str = ""
    limit: Annotated[int, Meta(ge=0, le=_MAX_LOCAL)] = 20
    offset: Annotated[int, Meta(ge=0, le=_MAX_LOCAL)] = 0


class CommandLineSearch(LocalSearch, frozen=True, kw_only=True):
    """A search by the command line."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 10


class ExportSearch(LocalSearch, frozen=True, kw_only=True):
    """A search whose results go to a file: all of them, unless a limit is given."""

    limit: Annotated[int, Meta(ge=0, le=_MAX_LOCAL)] = 0


class SuggestParams(msgspec.Struct, frozen=True, kw_only=True):
    """The text typed so far."""

    q: _Words = ""


class LayerWindow(msgspec.Struct, frozen=True, kw_only=True):
    """Which layers of a service: there may be tens of thousands."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="how many at most")] = 100
    offset: Annotated[
        int, Meta(ge=0, le=MAX_LAYER_OFFSET, description="how many to skip")
    ] = 0
    cursor: Annotated[
        str,
        Meta(pattern="^o[0-9]{1,7}$", description="the value of `next` in a response"),
    ] = ""
    f: _Lines = "json"

    @property
    def first(self) -> int:
        """A cursor names the offset."""
        return int(self.cursor[1:]) if self.cursor else self.offset


class OpenParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which layer to open, and at which box."""

    layer: Annotated[
        str,
        Meta(max_length=500, description="the layer's name; the first one by default"),
    ] = ""
    bbox: _Box = ""


@dataclass(frozen=True, slots=True)
class SearchInterface:
    """An interface of the search: its parameters and their names there."""

    params: type[SearchParams]
    parameter_names: Mapping[str, str] = field(default_factory=dict)


_OPTIONS = {
    name: f"--{name}" for name in ("bbox", "relation", *IDS, "years", "limit", "offset")
}
_WHERE = {name: f"--where {name}" for name in FACETS if name not in IDS}
COMMAND_LINE = SearchInterface(
    CommandLineSearch, {"q": "WORDS", "expand": "--synonyms", **_OPTIONS, **_WHERE}
)
EXPORTS = SearchInterface(ExportSearch, COMMAND_LINE.parameter_names)
LIBRARY = SearchInterface(LocalSearch, {"q": "text", "class": "class_"})
PAGES = SearchInterface(SearchParams)
API = SearchInterface(ApiSearch)
EXPORTABLE = SearchInterface(ExportableSearch)


def read_query(texts: Texts, interface: SearchInterface, choices: Choices) -> Query:
    """The query in these parameters; ParameterError reports the first invalid one."""
    params = read(interface.params, texts, choices, interface.parameter_names)
    filters = {name: getattr(params, name) for name in FACETS if name not in IDS}
    return Query(
        text=read_words(params.q),
        bbox=read_box(params.bbox, interface.parameter_names.get("bbox", "bbox")),
        relation=params.relation,
        kinds=params.kind,
        states=params.state,
        topics=params.topic,
        classes=params.class_,
        countries=params.country,
        where={name: values for name, values in filters.items() if values},
        years=read_years(params.years, interface.parameter_names.get("years", "years")),
        expand=params.expand,
        sort=params.sort,
        limit=params.limit,
        offset=params.offset,
        after=params.cursor if isinstance(params, ApiSearch) else "",
    )


def read_words(text: str) -> str:
    """The text with whitespace normalised and unprintable characters as blanks."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
