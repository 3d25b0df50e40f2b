"""Density, clumping, software, growth, exclusive classes and comparison, each worked out by hand, and their charts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from geohound.model.catalogue import Filter, Observation
from geohound.model.health import Check
from geohound.model.location import HostLocation
from geohound.model.service import Layer, Service, Sighting
from geohound.model.topic import Topic, TopicClass
from geohound.model.user_error import UserError
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.reports import CATALOGUE_REPORTS, CatalogueFacts, Table
from geohound.reports.charts import CHARTS, draw
from geohound.reports.charts.bars import draw_grouped
from geohound.reports.charts.svg import WIDTH, Svg
from geohound.reports.charts.world import land_path, read_land
from geohound.reports.density import miles_between
from geohound.reports.files import addresses_in, judgements_in, to_csv, to_png
from geohound.reports.software import software_name
from geohound.stores.sqlite import open_store

MARCH, MAY = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)
LAND = Topic(
    "land",
    "Land",
    (TopicClass("crop", "Cropland", {}), TopicClass("forest", "Forest", {})),
)


def row(
    kind: str,
    url: str,
    place: tuple[str, float, float] | None,
    *topics: str,
    at=MARCH,
    software="",
    task=0,
):
    location = HostLocation(place[0], place[1], place[2], "x") if place else None
    service = Service(kind, url, title=f"T {url}", software=software, location=location)
    sighting = Sighting(service.id, url, "", Via.SEED, "", at, task)
    return Observation(
        service, sighting, topics=tuple(("land", topic) for topic in topics)
    )


ROWS = (
    row(
        "wms",
        "http://a.example/1",
        ("EC", 0.0, 0.0),
        "forest",
        "crop",
        software="GeoServer 2.25.1",
    ),
    row(
        "wfs",
        "http://a.example/2",
        ("EC", 0.0, 0.0),
        "crop",
        software="GeoServer/2.20",
        at=MAY,
    ),
    row(
        "wms",
        "http://b.example/1",
        ("EC", 0.0, 1.0),
        "forest",
        software="MapServer version 7.6",
    ),
    row("wms", "http://c.example.de/1", None, "forest", at=MAY, task=7),
    row("wms", "http://d.example/1", ("CO", 0.0, 10.0), software="ArcGIS Server"),
)


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[CatalogueFacts]:
    store = open_store(tmp_path / "c.db", SystemClock())
    store.catalogue.record_now(ROWS)
    store.catalogue.record_now([Check(ROWS[0].service.id, MAY, True)])
    yield CatalogueFacts(store.catalogue, (LAND,))
    store.close()


def table(name: str, facts: CatalogueFacts) -> Table:
    return CATALOGUE_REPORTS[name].table(facts)


def test_a_degree_of_the_equator_is_69_miles() -> None:
    assert miles_between((0, 0), (0, 1)) == pytest.approx(
        69.09, abs=0.01
    )  # 2 · pi · 3958.8 / 360
    assert miles_between((0, 179.5), (0, -179.5)) == pytest.approx(69.09, abs=0.01)
    assert miles_between((90, 0), (-90, 0)) == pytest.approx(
        3.14159265 * 3958.8, abs=0.1
    )


def test_density_counts_what_is_within_the_radius(facts) -> None:
    """Li, Wang & Bhatia 2016, section 6.2, Fig. 10: a search radius of 150 miles around each location.

    Two services at 0°, one at 1° (69 miles away), one at 10°. A circle of 150 miles has pi · 150² = 70,686 square
    miles: 3 services are 0.424 per 10,000, one is 0.141.
    """
    assert table("density", facts).rows == [
        (0.0, 0.0, 2, 3, 0.424),
        (0.0, 1.0, 1, 3, 0.424),
        (0.0, 10.0, 1, 1, 0.141),
    ]
    assert [r[3] for r in table("density", facts._replace(radius_miles=50.0)).rows] == [
        2,
        1,
        1,
    ]


def test_clumping_groups_hosts_by_their_services(facts) -> None:
    """Li, Yang & Yang 2010, section 6.3: services are clumped on few hosts. Here 2 of 5 are on one of four hosts."""
    assert table("clumping", facts).rows == [("1", 3, 3, 0.6), ("2", 1, 2, 0.4)]


def test_software_is_counted_without_its_version(facts) -> None:
    names = [(r[0], r[1]) for r in table("software", facts).rows]
    assert names == [
        ("GeoServer", 2),
        ("ArcGIS Server", 1),
        ("MapServer", 1),
        ("unknown", 1),
    ]
    assert [software_name(text) for text in ("", "52n SOS", "pygeoapi 0.16")] == [
        "unknown",
        "unknown",
        "pygeoapi",
    ]


def test_countries_are_counted_at_two_dates(facts) -> None:
    """Li, Yang & Yang 2010, figure 13: services by country, found by then and now, side by side."""
    found = table("country-growth", facts._replace(since=MARCH + timedelta(days=1)))
    assert found.rows == [
        ("EC", 2, 3, 1, 0.0, 0.33),
        ("CO", 1, 1, 0, 0.0, 10.0),
        ("DE", 0, 1, 1, "", ""),
    ]


def test_each_service_is_in_the_first_of_its_classes(facts) -> None:
    """Hou, Chen & Wu 2016, table 8: a service of two classes counts in the one that comes first in the sequence."""
    assert [r[:3] for r in table("classes-exclusive", facts).rows] == [
        ("land", "crop", 2),
        ("land", "forest", 2),
    ]
    assert list(table("classes", facts).rows) == [
        ("land", "crop", 2),
        ("land", "forest", 3),
    ]


def test_the_ratio_of_real_ones_comes_with_its_interval(facts) -> None:
    """One of two judged is real: 0.5, and by Wilson's formula with z = 1.96 between 0.095 and 0.905."""
    judged = {
        ("land", "forest", ROWS[2].service.id): True,
        ("", "", ROWS[3].service.id): False,  # of a sheet that names no class
        ("land", "crop", ROWS[3].service.id): True,  # said of another class
    }
    forest = table("classes-exclusive", facts._replace(judged=judged)).rows[1]
    assert forest == ("land", "forest", 2, 2, 1, 0.5, 0.095, 0.905)


def test_a_sheet_of_ten_of_each_class_is_drawn_and_read_back(facts) -> None:
    """Hou, Chen & Wu 2016, section 5.2: ten random services of each class, five times, are judged by hand."""
    sheet = table("sampling-sheet", facts)
    assert sorted(r[3] for r in sheet.rows) == sorted(
        each.service.id for each in ROWS[:4]
    )
    assert sheet == table("sampling-sheet", facts), "the same for everybody"
    filled = to_csv(
        Table(
            sheet.columns,
            [(*r[:-1], "yes" if r[1] == "crop" else "") for r in sheet.rows],
        )
    ).decode()
    assert judgements_in(filled) == {
        ("land", "crop", ROWS[0].service.id): True,
        ("land", "crop", ROWS[1].service.id): True,
    }
    assert judgements_in("id,real\na,yes\nb,no\nc,\n") == {
        ("", "", "a"): True,
        ("", "", "b"): False,
    }
    with pytest.raises(UserError, match="no sampling sheet"):
        judgements_in("a,b\n1,2\n")


def test_many_of_one_class_are_drawn_in_rounds_of_ten(tmp_path: Path) -> None:
    store = open_store(tmp_path / "many.db", SystemClock())
    store.catalogue.record_now(
        [row("wms", f"http://h{n}.example/", None, "crop") for n in range(70)]
    )
    rounds = [
        r[2]
        for r in table("sampling-sheet", CatalogueFacts(store.catalogue, (LAND,))).rows
    ]
    store.close()
    assert rounds == [n for n in range(1, 6) for _ in range(10)]


def test_places_are_labelled_with_services_of_the_topic_over_all(
    tmp_path: Path, facts
) -> None:
    """Hou, Chen & Wu 2016, figure 9: "the numerators and denominators of these labels", where five or more are."""
    store = open_store(tmp_path / "places.db", SystemClock())
    here, there = ("BR", -8.0, -35.0), ("BR", -15.0, -47.0)
    store.catalogue.record_now(
        [
            row("wms", f"http://h{n}.example/", here, *["crop"][: n < 5])
            for n in range(7)
        ]
        + [row("wms", f"http://f{n}.example/", there, "crop") for n in range(4)]
    )
    rows = table("topic-places", CatalogueFacts(store.catalogue, (LAND,))).rows
    store.close()
    assert rows == [
        ("land", -8.0, -35.0, 5, 7, "5/7"),
        ("land", -15.0, -47.0, 4, 4, ""),
    ]
    assert {r[-1] for r in table("topic-places", facts).rows} == {""}


def test_a_list_is_compared_by_endpoint_whatever_its_scheme(facts) -> None:
    """Li, Yang & Yang 2010, figure 11 and Hou, Chen & Wu 2016, table 7: claimed, live, hosts, live layers of each."""
    store = facts.catalogue
    # the last was never looked at
    for observation, layers in ((ROWS[0], 3), (ROWS[1], 2), (ROWS[2], 7)):
        named = tuple(Layer(f"l{number}") for number in range(layers))
        store.record_now(
            [replace(observation, service=replace(observation.service, layers=named))]
        )
    store.record_now([Check(ROWS[1].service.id, MAY, True)])
    text = "title,url\nA,https://www.a.example/1/\nB,http://b.example/1\nX,http://x.example/wms?SERVICE=WMS\nY,none\n"
    listed = addresses_in(text)
    assert len(listed) == 3
    found = table("comparison", facts._replace(listed=listed))
    assert found.rows == [
        ("services claimed", 5, 3, 2),
        ("of these answering, as far as looked at here", 2, 1, 1),
        ("live layers, as far as looked at here", 5, 3, 3),
        ("only there", 3, 1, 0),
        ("hosts", 4, 3, 2),
        ("hosts only there", 2, 1, 0),
    ]
    alone = table("difference", facts._replace(listed=listed)).rows
    assert [r[0] for r in alone] == ["list", "catalogue", "catalogue", "catalogue"]
    assert alone[0] == ("list", "http://x.example/wms?SERVICE=WMS")


def test_a_report_on_the_catalogue_can_be_about_one_task(facts) -> None:
    assert [
        r[0] for r in table("countries", facts._replace(which=Filter(task=7))).rows
    ] == ["DE"]


def test_every_chart_is_of_a_report_and_every_drawn_document_is_xml(facts) -> None:
    more = facts._replace(listed=["http://x.example/"], since=MAY, now=MAY)
    drawn = {
        name: draw(name, "<Title> & more", table(name, more))
        for name in CHARTS
        if name in CATALOGUE_REPORTS
    }
    assert {name for name, svg in drawn.items() if svg is None} <= {
        "sources",
        "candidates",
    }
    for name, svg in drawn.items():
        if svg is not None:
            root = ET.fromstring(svg)
            assert root.tag == "{http://www.w3.org/2000/svg}svg", name
            assert root[0].text == "<Title> & more"
            assert "style" not in svg


def test_hostile_texts_stay_texts_in_charts_and_cells() -> None:
    hostile = Table(
        ("software", "services", "hosts", "wms"),
        [("</text><script>alert(1)</script>\x00", 1, 1, 1)],
    )
    svg = draw("software", "x", hostile)
    assert svg is not None
    assert "<script" not in svg
    ET.fromstring(svg)
    assert (
        to_csv(Table(("a",), [("=1+1",), ("@x",), ("-2",), (-2,)]))
        == b"a\n'=1+1\n'@x\n'-2\n-2\n"
    )


def test_a_chart_becomes_a_picture(facts) -> None:
    svg = draw("countries", "Countries", table("countries", facts))
    assert svg is not None
    assert to_png(svg).startswith(b"\x89PNG\r\n")


def test_outlines_are_read_from_topojson_and_their_absence_is_no_trouble(
    tmp_path: Path,
) -> None:
    """Two points of an arc as differences, scaled and moved: (0, 0), (2, 1) times 10 from -5 on."""
    file = tmp_path / "world.json"
    file.write_text(
        '{"transform": {"scale": [10, 10], "translate": [-5, 0]}, "arcs": [[[0, 0], [2, 1]]],'
        ' "objects": {"countries": {"geometries": [{"type": "Polygon", "arcs": [[0]]},'
        ' {"type": "MultiPolygon", "arcs": [[[-1]]]}]}}}'
    )
    assert list(read_land(file)) == [[(-5, 0), (15, 10)], [(15, 10), (-5, 0)]]
    assert list(read_land(tmp_path / "none.json")) == []


def test_an_outline_across_the_180th_meridian_is_drawn_at_both_edges_and_not_across_the_map() -> (
    None
):
    """From 170 E to 170 W: no step within a part is wider than twenty degrees of 360."""
    square = ((170.0, 0.0), (-170.0, 0.0), (-170.0, 10.0), (170.0, 10.0), (170.0, 0.0))
    parts = [
        part.split("L")
        for part in land_path((square,)).strip("Z").replace("Z", "").split("M")
        if part
    ]
    assert len(parts) == 2
    for part in parts:
        xs = [float(point.split(",")[0]) for point in part]
        assert max(xs) - min(xs) == pytest.approx(20 / 360 * WIDTH, abs=0.2)


def test_different_things_are_not_added_up_to_one_bar() -> None:
    """Two hosts with forty services: forty is the longest bar, and both begin at the same line."""
    root = ET.fromstring(
        draw_grouped(Svg("x"), [("a", [2.0, 40.0])], ("hosts", "services"))
    )
    bars = [each.attrib for each in root.iter("{http://www.w3.org/2000/svg}rect")][-2:]
    widths = [float(each["width"]) for each in bars]
    assert bars[0]["x"] == bars[1]["x"]
    assert widths[1] == pytest.approx(20 * widths[0], rel=0.01)
    assert "42" not in "".join(root.itertext())


def test_uptime_counts_the_checks_of_each_day(facts) -> None:
    """On 1 May one good; on 2 May one good, two failed and one that said nothing: a third of three is good."""
    checks = [(1, True), (2, False), (3, False), (4, None)]
    service = ROWS[0].service.id
    day = MAY + timedelta(days=1)
    facts.catalogue.record_now(
        [Check(service, day + timedelta(hours=hours), ok) for hours, ok in checks]
    )
    rows = table("uptime", facts._replace(now=day + timedelta(hours=23))).rows
    assert len(rows) == 30
    assert rows[-2:] == [
        ("2026-05-01", 1, 0, 0, "100.0 %"),
        ("2026-05-02", 1, 2, 1, "33.3 %"),
    ]
    assert rows[0] == ("2026-04-03", 0, 0, 0, "")
    assert table("uptime", facts._replace(now=day + timedelta(days=60))).rows == []


def test_a_report_on_a_search_is_about_what_it_found_alone(facts) -> None:
    """Of the five services the two of host a.example, both in Ecuador and both about crops."""
    found = facts._replace(only={ROWS[0].service.id, ROWS[1].service.id})
    assert [row[:3] for row in table("countries", found).rows] == [("EC", 2, 1)]
    assert [row[:3] for row in table("sites", found).rows] == [("a.example", 2, 1)]
    assert table("classes", found).rows == [("land", "crop", 2), ("land", "forest", 1)]
    assert [row[:2] for row in table("availability", found).rows] == [("a.example", 2)]
    assert [row[:2] for row in table("urls", found).rows] == [("1", 1), ("2", 1)]


def test_growth_ends_at_the_later_of_two_dates(facts) -> None:
    """Of three services in Ecuador two were found in March, one in May."""
    rows = table(
        "country-growth", facts._replace(since=MARCH, now=MAY - timedelta(days=1))
    ).rows
    assert {row[0]: row[1:4] for row in rows} == {"EC": (0, 2, 2), "CO": (0, 1, 1)}


def test_numbers_beside_bars_say_what_they_count() -> None:
    table = Table(("width", "depth", "pages", "tests", "services"), [(1, 0, 8, 0, 2)])
    assert ">width 1 · depth 0<" in str(draw("depth-width", "Depth and width", table))


def test_the_colours_of_a_density_map_have_a_scale_from_one_to_most() -> None:
    rows = [(10.0, 20.0, 3, 1_250, 0.1), (50.0, 8.0, 1, 1, 0.1)]
    columns = ("lat", "lon", "services", "within_radius", "per_10000_sq_miles")
    drawn = str(draw("density", "Density", Table(columns, rows)))
    assert ">1<" in drawn
    assert ">1,250<" in drawn
    assert drawn.count("<circle") == 2


def test_a_place_has_one_circle_for_the_topic_that_has_most_there() -> None:
    columns = ("topic", "lat", "lon", "of_topic", "services", "label")
    rows = [("a", 1.0, 2.0, 7, 8, "7/8"), ("b", 1.0, 2.0, 8, 8, "8/8")]
    drawn = str(draw("topic-places", "Places", Table(columns, rows)))
    assert drawn.count("<circle") == 1
    assert ">8/8<" in drawn
    assert ">7/8<" not in drawn
