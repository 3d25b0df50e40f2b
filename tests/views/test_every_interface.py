"""Command line, API, pages and library, given the same parameters, ask the catalogue the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from typer.testing import CliRunner

from geohound import Catalogue
from geohound import app as wiring
from geohound.cli import program
from geohound.model.bbox import BBox, Relation
from geohound.model.catalogue import Observation
from geohound.model.health import Check, HealthState
from geohound.model.search.query import Query
from geohound.model.service import Extent, Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.portal.app import create_app
from geohound.search.index import CatalogueIndex
from geohound.settings import Settings
from geohound.stores.sqlite import open_store

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
FINLAND = Extent(BBox(19.1, 59.3, 31.6, 70.1), (19.1, 59.3, 31.6, float("inf")))
RIVERS = Service(
    "wms", "https://rivers.example/wms", version="1.3.0", title="Rivers \ud800", extent=FINLAND,
    layers=(Layer("hy:rivers", "Rivers", extent=FINLAND, crs=("EPSG:3067", "CRS:84")), Layer("hy:lakes")),
)  # fmt: skip

PROMISED = (  # of show
    "id", "kind", "version", "versions", "endpoint", "title", "abstract", "keywords", "layers", "bbox", "software",
    "provider", "access", "aliases", "health", "location", "sightings", "history",
)  # fmt: skip


@pytest.fixture(scope="module")
def surfaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """One catalogue, everybody who may search it, and the queries that reach its index."""
    path = tmp_path_factory.mktemp("views") / "some.db"
    store = open_store(path, SystemClock())
    seen = Sighting(
        RIVERS.id, RIVERS.endpoint, "https://water.example/", Via.LINK, "“Maps”", NOON
    )
    store.catalogue.record_now(
        [Observation(RIVERS, seen, topics=(("land_cover", "water"),))]
    )
    store.catalogue.record_now([Check(RIVERS.id, NOON, True, elapsed_s=0.2)])
    store.catalogue.record_now(
        [Check(RIVERS.id, NOON + timedelta(days=1), False, "timeout", 30.0)]
    )
    store.close()
    asked: list[Query] = []
    search = CatalogueIndex.search

    def noting(index: CatalogueIndex, query: Query) -> Any:
        asked.append(query)
        return search(index, query)

    patch = pytest.MonkeyPatch()
    patch.setattr(CatalogueIndex, "search", noting)
    with (
        wiring.open_catalogue(Settings(catalogue=str(path))) as opened,
        Catalogue(str(path)) as catalogue,
    ):
        parts = (opened.catalogue, opened.index, wiring.kinds())
        app = create_app(*parts, classifier=wiring.classifier(()), past=opened.past)
        with TestClient(app) as client:
            yield SimpleNamespace(
                path=path,
                client=client,
                catalogue=catalogue,
                command=program("search"),
                asked=asked,
            )
    patch.undo()


BOXES = st.tuples(
    st.floats(-180, 180).map(lambda v: round(v, 6)), st.floats(-90, 0).map(lambda v: round(v, 6)),
    st.floats(-180, 180).map(lambda v: round(v, 6)), st.floats(0, 90).map(lambda v: round(v, 6)),
)  # fmt: skip
WORDS = st.sampled_from(
    [
        "rivers",
        "land cover",
        '"a phrase"',
        "begin*",
        "-unwanted",
        "Gewässer",
        "土地",
        "x,y",
        "%26",
    ]
)
VALUES = st.sampled_from(
    ["Water, Ice & Co", "CC-BY-4.0", "EPSG:4326", "image/png", "a=b", "ÄÖ"]
)
PARAMETERS = st.fixed_dictionaries(
    {"limit": st.integers(1, 100), "offset": st.integers(0, 10_000)},
    optional={
        "q": st.lists(WORDS, min_size=1, max_size=3),
        "bbox": BOXES,
        "relation": st.sampled_from(list(Relation)),
        "kind": st.lists(
            st.sampled_from(["wms", "WFS", "stac-api"]), min_size=1, max_size=3
        ),
        "state": st.lists(st.sampled_from(list(HealthState)), min_size=1, max_size=2),
        "topic": st.lists(
            st.sampled_from(["land_cover", "inspire"]), min_size=1, max_size=2
        ),
        "class": st.lists(
            st.sampled_from(["water", "inlandWaters"]), min_size=1, max_size=2
        ),
        "country": st.lists(st.sampled_from(["de", "BR"]), min_size=1, max_size=2),
        "provider": st.lists(VALUES, min_size=1, max_size=2),
        "licence": st.lists(VALUES, min_size=1, max_size=2),
        "years": st.tuples(st.integers(1600, 2100), st.integers(1600, 2100)),
        "expand": st.booleans(),
    },
)
LISTS = ("kind", "state", "topic", "class", "country", "provider", "licence")
OPTIONS = ("kind", "state", "topic", "class", "country")


def words_of(asked: dict[str, Any]) -> list[str]:
    """As it is typed into a shell."""
    words = [f"--limit={asked['limit']}", f"--offset={asked['offset']}"]
    if "bbox" in asked:
        words.append(f"--bbox={','.join(map(str, asked['bbox']))}")
    if "relation" in asked:
        words.append(f"--relation={asked['relation']}")
    if "years" in asked:
        words.append("--years={}-{}".format(*asked["years"]))
    words += [f"--{name}={','.join(asked[name])}" for name in OPTIONS if name in asked]
    words += [
        f"--where={name}={value}"
        for name in ("provider", "licence")
        for value in asked.get(name, ())
    ]
    words += [] if asked.get("expand", True) else ["--no-synonyms"]
    return [*words, *asked.get("q", ())]


def pairs_of(asked: dict[str, Any]) -> dict[str, Any]:
    """As it stands in an address."""
    pairs: dict[str, Any] = {
        name: asked[name]
        for name in ("limit", "offset", "relation", *LISTS)
        if name in asked
    }
    if "bbox" in asked:
        pairs["bbox"] = ",".join(map(str, asked["bbox"]))
    if "years" in asked:
        pairs["years"] = "{}-{}".format(*asked["years"])
    if "expand" in asked:
        pairs["expand"] = str(asked["expand"]).lower()
    return pairs | ({"q": " ".join(asked["q"])} if "q" in asked else {})


def arguments_of(asked: dict[str, Any]) -> dict[str, Any]:
    """As it is written in a notebook."""
    named = {
        ("class_" if name == "class" else name): value
        for name, value in asked.items()
        if name != "q"
    }
    return named | ({"text": " ".join(asked["q"])} if "q" in asked else {})


@fuzzed(40)
@given(PARAMETERS)
def test_the_same_parameters_are_the_same_query_on_every_surface(
    surfaces, asked: dict[str, Any]
) -> None:
    by_library = surfaces.catalogue.search(**arguments_of(asked)).query

    surfaces.asked.clear()
    done = CliRunner().invoke(
        surfaces.command,
        ["search", *words_of(asked), "--catalogue", str(surfaces.path)],
    )
    assert done.exit_code == 0, done.output
    by_command_line = surfaces.asked[0]

    surfaces.asked.clear()
    assert (
        surfaces.client.get("/api/v1/search", params=pairs_of(asked)).status_code == 200
    )
    by_api = surfaces.asked[0]

    surfaces.asked.clear()
    assert surfaces.client.get("/", params=pairs_of(asked)).status_code == 200
    # a page has a box to tick for each kind
    by_page = replace(surfaces.asked[0], facet_values=by_api.facet_values)

    assert by_library == by_command_line == by_api == by_page
    assert (by_api.limit, by_api.offset) == (asked["limit"], asked["offset"])
    assert by_api.kinds == tuple(
        dict.fromkeys(kind.lower() for kind in asked.get("kind", ()))
    )


@pytest.mark.parametrize(
    ("name", "text", "rest"),
    [
        ("bbox", "1,2,3", " “1,2,3” cannot be used: a box is four numbers"),
        ("kind", "gopher", " “gopher” is not known; use one of arcgis-directory"),
        ("years", "soon", " must be a year such as 2010"),
    ],
)
def test_what_is_wrong_is_said_in_the_same_words_everywhere(
    surfaces, name: str, text: str, rest: str
) -> None:
    answer = surfaces.client.get("/api/v1/search", params={name: text})
    assert answer.json()["parameter"] == name
    assert answer.json()["detail"].startswith(name + rest)
    assert name + rest in surfaces.client.get("/", params={name: text}).text
    with pytest.raises(ValueError, match=f"^{name + rest}"):
        surfaces.catalogue.search(**{name: text})
    done = CliRunner().invoke(
        surfaces.command,
        ["search", f"--{name}={text}", "--catalogue", str(surfaces.path)],
    )
    assert str(done.exception).startswith(f"--{name}{rest}")


def test_a_box_of_four_fields_is_the_box_of_one(surfaces) -> None:
    surfaces.asked.clear()
    surfaces.client.get(
        "/", params={"west": "-5", "south": "1", "east": "9", "north": "7"}
    )
    surfaces.client.get("/", params={"bbox": "-5,1,9,7"})
    assert surfaces.asked[0].bbox == surfaces.asked[1].bbox


def test_a_service_has_the_same_record_everywhere(surfaces) -> None:
    done = CliRunner().invoke(
        program("show"),
        ["show", RIVERS.id, "--json", "--catalogue", str(surfaces.path)],
    )
    by_command_line = json.loads(done.stdout)
    # A command says what it was asked for and how long it took, as `identify` does.
    assert by_command_line.pop("input") == RIVERS.id
    assert by_command_line.pop("refusal") is None
    assert by_command_line.pop("elapsed_ms") >= 0
    by_api = surfaces.client.get(f"/api/v1/services/{RIVERS.id}").json()
    by_library = surfaces.catalogue.describe(RIVERS.id)
    assert by_command_line == by_api == by_library
    for name in [
        "id",
        "kind",
        "version",
        "versions",
        "endpoint",
        "title",
        "abstract",
        "keywords",
        "layers",
        "bbox",
        "software",
        "provider",
        "access",
    ]:
        assert name in by_api
    assert set(PROMISED) <= set(by_api)
    assert (by_api["id"], by_api["state"], by_api["health"]["reason"]) == (
        RIVERS.id,
        "unsure",
        "timeout",
    )
    assert by_api["layers"][0]["crs"] == ["EPSG:3067", "CRS:84"]


def test_a_hit_has_the_same_record_everywhere(surfaces) -> None:
    done = CliRunner().invoke(
        surfaces.command,
        ["search", "rivers", "--json", "--catalogue", str(surfaces.path)],
    )
    hit, last = map(json.loads, done.stdout.splitlines())
    by_api = surfaces.client.get("/api/v1/search", params={"q": "rivers"}).json()
    assert [hit] == by_api["hits"] == surfaces.catalogue.search("rivers").to_records()
    assert last["summary"]["facets"] == by_api["facets"]
    (listed,) = surfaces.client.get("/api/v1/services").json()["services"]
    (line,) = surfaces.client.get("/api/v1/services?f=jsonl").text.splitlines()
    assert listed == json.loads(line)
    assert listed == {name: hit[name] for name in listed}, (
        "a list has fewer fields, and the same in them"
    )
