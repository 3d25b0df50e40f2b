"""Geohound as a library: search, identify and crawl from a few lines of Python, also inside a running loop."""

from __future__ import annotations

import asyncio
import html.parser
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import geohound
from geohound import Catalogue, acrawl, aidentify, crawl, identify
from geohound.library import Crawled, Identified
from geohound.library.display import text_table
from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.service import Extent, Layer, Service, Sighting, Verdict
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.settings import SettingsError
from geohound.stores.sqlite import open_store
from geohound.topics import classify
from geoweb import World, ground_truth, running

BRAZIL = BBox(-75.0, -34.0, -34.0, 6.0)
FOREST = Service(
    "wms", "https://forest.example/wms", version="1.3.0", title="Land cover of Brazil <b>2010</b>",
    extent=Extent(BRAZIL),
    layers=(Layer("lc", "Land cover", extent=Extent(BRAZIL), crs=("EPSG:4326",)),),
)  # fmt: skip
FIJI = Service(
    "wfs",
    "https://fiji.example/wfs",
    title="Reefs",
    extent=Extent(BBox(176.0, -21.0, -178.0, -12.0)),
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    store = open_store(tmp_path / "some.db", SystemClock())
    for service in (FOREST, FIJI):
        at = datetime(2026, 1, 1, tzinfo=UTC)
        sighting = Sighting(service.id, service.endpoint, "", Via.SEED, "", at)
        store.catalogue.record_now(
            [Observation(service, sighting, topics=tuple(classify(service)))]
        )
    store.close()
    return str(tmp_path / "some.db")


def test_importing_geohound_costs_nothing_until_something_is_used() -> None:
    code = "import sys, geohound; print(sorted(m for m in sys.modules if m.startswith('geohound')))"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert told.strip() == "['geohound']"
    with pytest.raises(AttributeError, match="nonsense"):
        _ = geohound.nonsense  # type: ignore[attr-defined]


def test_a_filter_may_be_true_or_false_and_a_number_is_answered_with_what_to_write(
    path: str,
) -> None:
    with Catalogue(path) as catalogue:
        assert (
            catalogue.search(https=True).total,
            catalogue.search(https=False).total,
        ) == (2, 0)
        with pytest.raises(TypeError, match="2010 must be a text such as 'wms'"):
            catalogue.search(decade=2010)  # type: ignore[arg-type]


def test_columns_stand_below_each_other_in_every_script() -> None:
    """A Chinese sign is two columns wide, an accent that follows its letter none."""
    lines = text_table(
        ("title", "layers"), [("土地", "1"), ("e\u0301te\u0301", "2"), ("land", "3")]
    ).splitlines()
    assert lines == ["title  layers", "土地   1", "e\u0301te\u0301    2", "land   3"]


def test_a_search_is_a_sequence_of_hits(path: str) -> None:
    with Catalogue(path) as catalogue:
        found = catalogue.search("land cover", bbox=(-60, -20, -50, -10))
        assert [hit.service.id for hit in found] == [FOREST.id]
        assert (len(found), found.total, found[0].service.kind) == (1, 1, "wms")
        assert len(catalogue) == 2
        assert {service.id for service in catalogue} == {FOREST.id, FIJI.id}


def test_an_address_finds_its_service(path: str) -> None:
    with Catalogue(path) as catalogue:
        assert [hit.service.id for hit in catalogue.search(FOREST.endpoint)] == [
            FOREST.id
        ]


def test_filters_go_by_the_name_of_their_facet(path: str) -> None:
    with Catalogue(path) as catalogue:
        assert [h.service.id for h in catalogue.search(kind="wfs")] == [FIJI.id]
        assert [
            h.service.id
            for h in catalogue.search(topic="land_cover", class_=["land_cover"])
        ] == [FOREST.id]
        assert catalogue.search(state="dead").total == 0
        with pytest.raises(TypeError, match="There is no filter 'colour'"):
            catalogue.search(colour="red")
        with pytest.raises(ValueError, match="longitudes"):
            catalogue.search(bbox="0,0,400,1")


@pytest.mark.parametrize(
    "box",
    [(-60, -20, -50, -10), [-60, -20, -50, -10], "-60,-20,-50,-10", "-60 -20 -50 -10"],
)
def test_a_box_may_be_written_in_any_usual_way(path: str, box: Any) -> None:
    with Catalogue(path) as catalogue:
        assert [hit.service.id for hit in catalogue.search(bbox=box)] == [FOREST.id]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            {"bbox": (1, 2, 3)},
            "bbox “1,2,3” cannot be used: a box is four numbers, west,south,east,north",
        ),
        ({"bbox": (0, 0, 400, 1)}, "longitudes go from -180 to 180"),
        (
            {"bbox": ("a", 0, 1, 1)},
            "bbox “a,0,1,1” cannot be used: a box is four numbers",
        ),
        ({"bbox": 7}, "bbox “7” cannot be used"),
        ({"bbox": (float("nan"), 0, 1, 1)}, "four finite numbers"),
        ({"bbox": (1e308, 0, 1e308, 1)}, "cannot be used"),
        (
            {"kind": ["wms", "shapefile"]},
            "kind “shapefile” is not known; use one of .*wms",
        ),
        (
            {"topic": "nonsense"},
            "topic “nonsense” is not known; use one of .*land_cover",
        ),
        ({"limit": -1}, "limit must be a whole number"),
        ({"limit": True}, "limit must be a whole number"),
        ({"offset": "x"}, "offset must be a whole number"),
        (
            {"years": (2000, 2005, 2010)},
            "years must be a year such as 2010, or the first and the last",
        ),
        ({"class_": []}, "class_ must be left out or have a value"),
    ],
)
def test_what_cannot_be_meant_is_answered_with_what_can(
    path: str, asked: dict[str, Any], told: str
) -> None:
    with Catalogue(path) as catalogue, pytest.raises(ValueError, match=told):
        catalogue.search(**asked)


def test_kinds_are_taken_in_capitals_and_years_alone(path: str) -> None:
    with Catalogue(path) as catalogue:
        assert [hit.service.id for hit in catalogue.search(kind="WFS")] == [FIJI.id]
        assert catalogue.search(years=2010).query.years == (2010, 2010)
        with pytest.raises(TypeError, match="must be a text"):
            catalogue.search(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"scope": "planet"}, "scope “planet” is not known; use one of any"),
        ({"kinds": "foo"}, "kinds “foo” is not known"),
        ({"bbox": (1, 2)}, "bbox “1,2” cannot be used"),
    ],
)
def test_a_crawl_that_cannot_be_meant_is_not_begun(
    tmp_path: Path, asked: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        geohound.crawl("http://a.test/", catalogue=str(tmp_path / "new.db"), **asked)
    assert not (tmp_path / "new.db").exists()


def test_awaiting_a_search_brings_the_same(path: str) -> None:
    with Catalogue(path) as catalogue:
        assert asyncio.run(catalogue.asearch("reefs"))[0].service.id == FIJI.id


def test_results_print_as_a_table(path: str) -> None:
    with Catalogue(path) as catalogue:
        lines = repr(catalogue.search("land cover")).splitlines()
        assert lines[0] == "1 service."
        assert lines[1].split() == ["kind", "title", "layers", "state", "endpoint"]
        assert "Land cover of Brazil" in lines[2]
        assert repr(catalogue.search("zzz")).startswith("0 services.")
        assert repr(catalogue).endswith("some.db: 2 services, 1 layers>")


class Tags(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_a_notebook_shows_a_table_and_a_map_and_no_mark_up_of_strangers(
    path: str,
) -> None:
    with Catalogue(path) as catalogue:
        shown = catalogue.search(bbox=BBox(-180.0, -90.0, 180.0, 90.0))._repr_html_()
    tags = Tags(shown).found
    assert "b" not in {tag for tag, _ in tags}
    assert "&lt;b&gt;2010" in shown
    boxes = [
        attributes
        for tag, attributes in tags
        if tag == "rect" and attributes.get("fill") == "#b5541c"
    ]
    assert len(boxes) == 3  # Brazil, and Fiji on both sides of the antimeridian
    assert {
        "x": "105.00",
        "y": "84.00",
        "width": "41.00",
        "height": "40.00",
    }.items() <= next(b for b in boxes if b["x"] == "105.00").items()


def test_missing_companions_are_named_in_a_sentence(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "geopandas", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with Catalogue(path) as catalogue:
        found = catalogue.search("land cover")
        with pytest.raises(ImportError, match="pip install geopandas"):
            found.to_geodataframe()
        with pytest.raises(ImportError, match="pip install pyarrow"):
            found.to_arrow()
        assert found.to_records()[0]["bbox"] == [-75.0, -34.0, -34.0, 6.0]


class FakeFrame:
    """Stands in for GeoDataFrame and Table, which are not installed with the development tools."""

    def __init__(self, records: list[dict[str, Any]], **more: Any) -> None:
        self.records, self.more = records, more


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    arrow = SimpleNamespace(
        Table=SimpleNamespace(from_pylist=FakeFrame), schema=dict, string=lambda: "text", float64=lambda: "number",
        int64=lambda: "whole", list_=lambda inner: [inner],
    )  # fmt: skip
    monkeypatch.setitem(
        sys.modules, "geopandas", SimpleNamespace(GeoDataFrame=FakeFrame)
    )
    monkeypatch.setitem(sys.modules, "pyarrow", arrow)


SUMMARY = {
    "finished": True,
    "services": 2,
    "layers": 1,
    "hosts": 2,
    "pages": 9,
    "elapsed_s": 1.0,
    "queue": 0,
}


@pytest.mark.parametrize(
    "brought",
    [
        Identified("https://a.test/", Verdict((FOREST, FIJI))),
        Crawled("c.db", SUMMARY, lambda: iter((FOREST, FIJI))),
    ],
)
def test_what_identify_and_crawl_bring_can_be_gone_over_shown_and_handed_on(
    brought: Any, tables: None
) -> None:
    assert list(brought) == [FOREST, FIJI]
    assert "Reefs" in repr(brought)
    assert "Land cover of Brazil &lt;b&gt;" in brought._repr_html_()
    assert (
        len(
            [
                tag
                for tag, at in Tags(brought._repr_html_()).found
                if at.get("fill") == "#b5541c"
            ]
        )
        == 3
    )
    frame = brought.to_geodataframe()
    assert [record["id"] for record in frame.records] == [FOREST.id, FIJI.id]
    assert frame.more["geometry"][0].bounds == BRAZIL.as_tuple()
    assert len(frame.more["geometry"][1].geoms) == 2, (
        "on both sides of the antimeridian"
    )
    table = brought.to_arrow()
    assert table.records[0]["layers"] == ["lc"]
    assert list(table.more["schema"]) == list(table.records[0])


def test_tables_of_nothing_have_the_columns_of_something(
    path: str, tables: None
) -> None:
    with Catalogue(path) as catalogue:
        columns = list(catalogue.search("reefs").to_rows()[0])
        assert list(catalogue.search("zzz").to_arrow().more["schema"]) == columns
        assert catalogue.search("zzz").to_geodataframe().more["columns"] == columns
    assert "is no service" in Identified("https://a.test/", Verdict())._repr_html_()
    assert Crawled("c.db", SUMMARY)._repr_html_().startswith("<p>2 services")


def test_a_layer_opens_by_name(path: str) -> None:
    with Catalogue(path) as catalogue:
        opening = catalogue.open(FOREST.id, "lc", bbox="-60,-20,-50,-10")
        assert "BBOX=-20,-60,-10,-50" in opening.links[1].url
        with pytest.raises(KeyError, match="no layer 'none'"):
            catalogue.open(FOREST, "none")
        with pytest.raises(KeyError, match="There is no service"):
            catalogue.get("0" * 16)


def test_settings_that_do_not_exist_are_refused(path: str) -> None:
    with pytest.raises(SettingsError, match="no setting called 'speed'"):
        Catalogue(path, speed=9)
    with pytest.raises(ValueError, match="not a web address"):
        identify("http://")


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[dict[str, Any], dict[str, object]]]:
    """What is true of a small geoweb, and the options that lead there."""
    world = World(seed=5, hosts=4, pages=40, trouble=False)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = running(world)
    _, port = asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
    try:
        yield ground_truth(world), {
            "connect_to": f"*=127.0.0.1:{port}", "allow_nets": "127.0.0.0/8", "host_delay_s": 0.0, "retries": 0,
            "slow_host_factor": 0.0, "retry_after_s": 0.2,
            "first_byte_timeout_s": 2.0, "total_timeout_s": 4.0,
        }  # fmt: skip
    finally:
        asyncio.run_coroutine_threadsafe(
            server.__aexit__(None, None, None), loop
        ).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_identify_works_with_and_without_a_running_loop(web) -> None:
    truth, options = web
    address = next(
        s["endpoint"] for s in truth["services"] if s["alive"] and s["kind"] == "wms"
    )
    plainly = identify(address, **options)
    assert plainly
    assert [s.kind for s in plainly] == [
        s.kind for s in asyncio.run(aidentify(address, **options))
    ]

    async def as_in_a_notebook() -> str:
        return repr(identify(address, **options))

    assert plainly.services[0].kind in asyncio.run(as_in_a_notebook())
    nothing = identify("http://nowhere.test/", **options)
    assert not nothing
    assert "is no service" in repr(nothing)


@pytest.mark.slow
def test_a_crawl_fills_a_catalogue_that_can_be_searched(web, tmp_path: Path) -> None:
    truth, options = web
    target = str(tmp_path / "crawled.db")
    crawled = crawl(
        *truth["seeds"], catalogue=target, max_pages=200, max_time_s=10.0, **options
    )
    assert crawled.summary["services"] > 0
    assert target in repr(crawled)
    assert (
        len(list(crawled)) == len(crawled.to_records()) == crawled.summary["services"]
    )
    assert "<svg" in crawled._repr_html_()
    again = crawl(
        "http://nowhere.test/", catalogue=target, max_pages=1, max_time_s=5.0, **options
    )
    assert list(again) == [], "what an earlier crawl has met is not its own"
    with Catalogue(target) as catalogue:
        assert len(catalogue) == crawled.summary["services"]
    with pytest.raises(ValueError, match="at least one address"):
        asyncio.run(acrawl())


def test_crawl_is_a_function_whatever_was_imported_before() -> None:
    look = "print(callable(geohound.crawl))"
    code = f"import geohound.app; {look}; geohound.Catalogue; {look}"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert told.split() == ["True", "True"]


def test_a_table_of_nothing_has_its_columns_all_the_same(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, Any] = {}

    def frame(records: list[dict[str, Any]], **more: Any) -> str:
        made.update(more, records=records)
        return "frame"

    monkeypatch.setitem(sys.modules, "geopandas", SimpleNamespace(GeoDataFrame=frame))
    with Catalogue(path) as catalogue:
        assert catalogue.search("nothing of the kind").to_geodataframe() == "frame"
        assert made["records"] == []
        assert {"id", "kind", "title", "endpoint", "bbox"} <= set(made["columns"])
        catalogue.search("land cover").to_geodataframe()
    assert list(made["columns"]) == list(made["records"][0])


def test_a_catalogue_is_opened_by_code_that_awaits(path: str) -> None:
    async def count() -> int:
        async with Catalogue(path) as catalogue:
            return (await catalogue.asearch("land cover")).total

    assert asyncio.run(count()) == 1


def test_a_notebook_can_complete_the_names_for_users() -> None:
    assert {"Catalogue", "identify", "aidentify", "crawl", "acrawl"} <= set(
        dir(geohound)
    )
