"""Lists of seeds in the forms in which people publish them; the registry's form is that of dataportals-registry."""

from __future__ import annotations

import json

import pytest

from geohound.harvesters._seed_lists import Seed, ranked, read_seeds, read_typed

PORTAL = {
    "name": "Geoportal of a town",
    "catalog_type": "Geoportal",
    "status": "active",
    "software": {"id": "geoserver"},
    "link": "https://geo.town.test/",
    "owner": {"link": "https://www.town.test"},
    "endpoints": [
        {"type": "sitemap", "url": "https://geo.town.test/sitemap.xml"},
        {
            "type": "wms130",
            "url": "https://geo.town.test/geoserver/ows?service=WMS",
            "version": "1.3.0",
        },
        {"type": "csw202", "url": "https://geo.town.test/csw"},
        {
            "type": "arcgis:rest:services",
            "url": "https://geo.town.test/arcgis/rest/services",
        },
        {"type": "rest", "url": "no address"},
    ],
}


def test_the_endpoints_of_a_registry_come_best_expected_yield_first() -> None:
    gone = {
        **PORTAL,
        "status": "inactive",
        "link": "https://gone.test/",
        "endpoints": [],
    }
    seeds = read_seeds("\n".join(map(json.dumps, [PORTAL, gone])))
    assert [seed.type for seed in seeds] == [
        "arcgis:rest:services",
        "csw202",
        "wms130",
        "",
        "sitemap",
    ]
    assert [seed.url for seed in seeds][3] == "https://geo.town.test/", (
        "the owner's own site is no portal"
    )
    assert {seed.name for seed in seeds} == {"Geoportal of a town"}


@pytest.mark.parametrize(
    ("kind", "protocol"),
    [("wms130", "OGC:WMS"), ("wfs200", "OGC:WFS"), ("csw202", "OGC:CSW"), ("thredds:catalog", "UNIDATA:THREDDS"),
     ("sitemap", "")],
)  # fmt: skip
def test_the_types_of_a_registry_are_known_by_their_protocols(
    kind: str, protocol: str
) -> None:
    assert Seed("https://a.test/", "", kind).listed.protocol == protocol


@pytest.mark.parametrize(
    "text",
    [
        "name;type;url\nRivers;wms;https://a.test/wms\nWe;;https://a.test/about\n",
        "url,title,protocol\nhttps://a.test/about,We,\nhttps://a.test/wms,Rivers,wms\n",
        "\ufeffName\tType\tURL\r\nRivers\twms\thttps://a.test/wms\r\nWe\t\thttps://a.test/about\r\n",
        '[{"url": "https://a.test/about", "name": "We"},'
        ' {"url": "https://a.test/wms", "name": "Rivers", "type": "wms"}]',
        '{"services": [{"endpoint": "https://a.test/wms", "title": "Rivers", "kind": "wms"},'
        ' {"link": "https://a.test/about", "title": "We"}]}',
    ],
)
def test_columns_and_members_are_known_by_their_names(text: str) -> None:
    assert read_seeds(text) == [
        Seed("https://a.test/wms", "Rivers", "wms"),
        Seed("https://a.test/about", "We", ""),
    ]


def test_a_plain_list_gives_every_address_once_in_its_order() -> None:
    text = "# ours\nhttps://b.test/x, see also https://a.test/wms.\nhttps://b.test/x\n"
    assert [seed.url for seed in read_seeds(text)] == [
        "https://b.test/x",
        "https://a.test/wms",
    ]
    assert read_typed(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1, null, {}]",
        '{"a": 1}',
        "url\n",
        "url\n" + '"' * 200_000,
        "[" * 5_000,
    ],
)
def test_what_is_no_list_is_an_empty_one(text: str) -> None:
    assert read_seeds(text) == []


@pytest.mark.parametrize(
    "kind", ["geoserver:version", "geoserver:settings", "geonode:documents"]
)
def test_what_is_no_service_comes_last(kind: str) -> None:
    seeds = [
        Seed("http://a.test/1", "", kind),
        Seed("http://a.test/2"),
        Seed("http://a.test/3", "", "wms130"),
    ]
    assert [seed.type for seed in ranked(seeds)] == ["wms130", "", kind]


def test_what_sources_have_brought_moves_the_order() -> None:
    """By the table a CSW promises 10 and a THREDDS 20; six CSW brought 240: (10 · 3 + 240) / 9 = 30."""
    seeds = [
        Seed("http://a.test/1", "", "thredds:catalog"),
        Seed("http://a.test/2", "", "csw202"),
    ]
    assert [seed.type for seed in ranked(seeds)] == ["thredds:catalog", "csw202"]
    assert [seed.type for seed in ranked(seeds, {"csw": (240, 6)})] == [
        "csw202",
        "thredds:catalog",
    ]
    assert [seed.type for seed in ranked(seeds, {"csw": (0, 6)})] == [
        "thredds:catalog",
        "csw202",
    ]
