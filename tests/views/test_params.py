"""Search parameters: what each may be, and the one sentence that is said of a wrong one on every surface."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.model.bbox import BBox, Relation
from geohound.model.health import HealthState
from geohound.model.search.query import FACETS, Query
from geohound.views.params import (
    API,
    COMMAND_LINE,
    LIBRARY,
    PAGES,
    SearchParams,
    read_query,
)
from geohound.views.parsing import ParameterError, fields, read_box, read_years

SURFACES = (COMMAND_LINE, API, PAGES, LIBRARY)
KINDS = {"kind": ("wms", "wfs", "ogcapi-features")}


def ask(interface=API, **texts: str | Sequence[str]) -> Query:
    given = {
        name.rstrip("_"): [text] if isinstance(text, str) else text
        for name, text in texts.items()
    }
    return read_query(given, interface, KINDS)


def test_every_facet_is_a_parameter() -> None:
    assert set(FACETS) <= set(fields(SearchParams))


@pytest.mark.parametrize("interface", SURFACES)
def test_a_query_has_what_was_asked(interface) -> None:
    query = ask(
        interface, q="land  cover\n-lakes", bbox="-75,-34,-34,6", relation="within", kind="wms,wfs", state="alive",
        topic="land_cover", class_=["water", "forest"], country="de,br", provider="Water, Ice & Co", years="1990-2010",
        expand="false", limit="7", offset="3",
    )  # fmt: skip
    assert query == Query(
        text="land cover -lakes",
        bbox=BBox(-75, -34, -34, 6),
        relation=Relation.WITHIN,
        kinds=("wms", "wfs"),
        states=(HealthState.ALIVE,),
        topics=("land_cover",),
        classes=("water", "forest"),
        countries=("de", "br"),
        where={"provider": ("Water, Ice & Co",)},
        years=(1990, 2010),
        expand=False,
        limit=7,
        offset=3,
    )


def test_what_is_not_asked_is_as_usual() -> None:
    assert ask(API) == ask(PAGES) == ask(LIBRARY) == Query()
    assert ask(COMMAND_LINE) == Query(limit=10)


def test_kinds_and_states_are_taken_in_capitals_each_once_repeated_or_joined() -> None:
    query = ask(kind=["WMS, wfs,", "wms"], state="Dead")
    assert (query.kinds, query.states) == (("wms", "wfs"), (HealthState.DEAD,))


def test_a_value_keeps_its_capitals_where_the_catalogue_has_some() -> None:
    assert ask(class_="inlandWaters", country="DE").filters() == {
        "class": ("inlandWaters",),
        "country": ("DE",),
    }


@pytest.mark.parametrize("interface", SURFACES)
@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (
            "bbox",
            "1,2,3",
            "{} “1,2,3” cannot be used: a box is four numbers, west,south,east,north, for example",
        ),
        ("bbox", "a,b,c,d", "{} “a,b,c,d” cannot be used: a box is four numbers"),
        ("bbox", "here", "{} “here” cannot be used: a box is four numbers"),
        (
            "bbox",
            "0,0,200,10",
            "{} “0,0,200,10” cannot be used: longitudes go from -180 to 180.",
        ),
        (
            "bbox",
            "0,-91,20,10",
            "{} “0,-91,20,10” cannot be used: latitudes go from -90 to 90",
        ),
        (
            "bbox",
            "nan,0,1,1",
            "{} “nan,0,1,1” cannot be used: a box needs four finite numbers.",
        ),
        ("bbox", "0,0,inf,1", "a box needs four finite numbers."),
        ("bbox", "1" * 300, "{} must be four short numbers"),
        (
            "relation",
            "near",
            "{} “near” is not known; use one of contains, overlaps, within.",
        ),
        (
            "kind",
            "wms,gopher",
            "{} “gopher” is not known; use one of ogcapi-features, wfs, wms.",
        ),
        (
            "state",
            "ill",
            "{} “ill” is not known; use one of alive, dead, unknown, unsure.",
        ),
        ("limit", "-1", "{} must be a whole number from "),
        ("limit", "ten", ", not “ten”."),
        ("limit", "٣", ", not “٣”."),
        ("limit", "9" * 6000, "{} must be a whole number from "),
        ("offset", "x", "{} must be a whole number from 0 to "),
        (
            "years",
            "soon",
            "{} must be a year such as 2010, or the first and the last such as 1990-2010, not “soon”.",
        ),
        ("years", "2000-2005-2010", "{} must be a year such as 2010"),
        ("expand", "perhaps", "{} must be true or false, not “perhaps”."),
        ("expand", "1", "{} must be true or false, not “1”."),
        ("provider", "x" * 201, "{} may have at most 200 characters, not 201."),
        ("colour", "red", "There is no parameter “colour” here; use bbox, class, "),
        ("kind", "", "{} must be left out or have a value."),
        ("limit", " ", "{} must be left out or have a value."),
        ("bbox", "", "{} must be left out or have a value."),
        ("topic", "\x1b[31m", None),
    ],
)
def test_what_cannot_be_used_is_answered_with_what_can(
    interface, name: str, text: str, sentence: str | None
) -> None:
    if sentence is None:  # free text: finds nothing
        assert ask(interface, **{name: text}).filters() == {name: (text,)}
        return
    with pytest.raises(ParameterError) as raised:
        ask(interface, **{name: text})
    spelled = interface.parameter_names.get(name, name)
    assert raised.value.parameter == spelled
    assert sentence.format(spelled) in raised.value.sentence
    assert len(raised.value.sentence) < 400


@pytest.mark.parametrize(
    ("interface", "name", "spelled"),
    [
        (COMMAND_LINE, "bbox", "--bbox"), (COMMAND_LINE, "class", "--class"), (COMMAND_LINE, "crs", "--where crs"),
        (LIBRARY, "class", "class_"), (LIBRARY, "bbox", "bbox"), (API, "class", "class"), (PAGES, "bbox", "bbox"),
    ],
)  # fmt: skip
def test_a_parameter_is_named_as_the_surface_spells_it(
    interface, name: str, spelled: str
) -> None:
    with pytest.raises(
        ParameterError, match=f"^{spelled} must be left out or have a value"
    ):
        ask(interface, **{name: ""})


def test_the_words_of_a_stranger_cannot_drive_a_terminal() -> None:
    with pytest.raises(ParameterError) as raised:
        ask(kind="\x1b]0;owned\x07")
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    ("interface", "limit", "offset"),
    [(API, 100, 10_000), (PAGES, 100, 10_000), (COMMAND_LINE, 1000, 10**9)],
)
def test_strangers_get_shorter_lists(interface, limit: int, offset: int) -> None:
    assert ask(interface, limit=str(limit), offset=str(offset)).limit == limit
    with pytest.raises(ParameterError, match=f"from 1 to {limit:,}"):
        ask(interface, limit=str(limit + 1))
    with pytest.raises(ParameterError, match=f"from 0 to {offset:,}"):
        ask(interface, offset=str(offset + 1))


def test_strangers_type_shorter_texts() -> None:
    long = "x" * 501
    for interface in (API, PAGES):
        with pytest.raises(ParameterError, match="at most 500 characters, not 501"):
            ask(interface, q=long)
    assert ask(LIBRARY, q=long).text == ask(COMMAND_LINE, q=long).text == long


def test_what_may_be_given_once_is_not_taken_twice() -> None:
    with pytest.raises(ParameterError, match="limit may be given once, not 2 times"):
        ask(limit=["1", "2"])
    with pytest.raises(
        ParameterError, match="provider may have at most 100 values, not 101"
    ):
        ask(provider=[str(n) for n in range(101)])
    with pytest.raises(
        ParameterError, match="provider may have at most 100 values, not 101"
    ):
        ask(provider=["the same"] * 101)
    with pytest.raises(
        ParameterError, match="country may have at most 100 values, not 101"
    ):
        ask(country=",".join(map(str, range(101))))


@pytest.mark.parametrize(
    "text", ["-75,-34,-34,6", "-75 -34 -34 6", " -75; -34; -34; 6", "-75,6,-34,-34"]
)
def test_a_box_may_be_written_in_any_usual_way(text: str) -> None:
    """The last one has its north side first, as GDAL's -projwin takes it."""
    assert read_box(text) == BBox(-75, -34, -34, 6)


@pytest.mark.parametrize(
    "text", ["0.30000000000000004,60,25,65", "1e-05,60,25,65", "-1.5E-7,-0,25,65"]
)
def test_a_box_may_be_written_as_programs_write_numbers(text: str) -> None:
    """Half of the sums of decimals have 17 digits, and small numbers come with an exponent."""
    box = read_box(text)
    assert box is not None
    assert box.west == float(text.partition(",")[0])


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("2010", (2010, 2010)),
        ("1990-2010", (1990, 2010)),
        ("2010 / 1990", (1990, 2010)),
        ("", None),
    ],
)
def test_years_may_be_one_or_the_first_and_the_last(
    text: str, years: tuple[int, int] | None
) -> None:
    assert read_years(text) == years


@given(
    st.dictionaries(
        st.sampled_from([*fields(SearchParams), "colour"]),
        st.lists(st.text(), max_size=3),
    )
)
def test_whatever_is_given_is_a_query_or_a_sentence(
    texts: dict[str, list[str]],
) -> None:
    for interface in SURFACES:
        try:
            assert isinstance(read_query(texts, interface, KINDS), Query)
        except ParameterError as error:
            assert error.sentence.endswith(".")
            assert error.parameter
