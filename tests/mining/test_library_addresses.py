"""What libraries carry in their own code is not the page's, where a bundle holds them."""

from __future__ import annotations

from dataclasses import replace

from geohound.jsflow import Endpoint
from geohound.mining.library_addresses import of_the_page

OWN = "https://gis.parks.test/arcgis/rest/services/Trails/MapServer"
BASE_MAPS = [
    f"https://server.arcgisonline.com/ArcGIS/rest/services/{name}/MapServer"
    for name in (
        "World_Street_Map", "World_Topo_Map", "World_Imagery", "NatGeo_World_Map",
        "World_Shaded_Relief", "Ocean/World_Ocean_Base", "Canvas/World_Dark_Gray_Base",
    )
]  # fmt: skip


def found(*addresses: str) -> list[Endpoint]:
    plain = Endpoint("", "", "arcgis-mapserver", "call", "", 0, "", 0.9)
    return [replace(plain, endpoint=each, url=each) for each in addresses]


def left(*addresses: str) -> list[str]:
    return [each.endpoint for each in of_the_page(found(*addresses))]


def test_a_whole_table_of_base_maps_is_the_librarys() -> None:
    assert left(OWN, *BASE_MAPS) == [OWN]


def test_the_base_maps_that_a_page_names_itself_are_its_own() -> None:
    assert left(OWN, *BASE_MAPS[:3]) == [OWN, *BASE_MAPS[:3]]


def test_one_service_found_twice_is_no_table() -> None:
    cesium = (
        "https://ibasemaps-api.arcgis.com/arcgis/rest/services/World_Imagery/MapServer"
    )
    assert left(cesium, cesium + "/") == [cesium, cesium + "/"]


def test_a_name_that_only_begins_like_one_of_a_library_is_another() -> None:
    others = [
        each.replace("/MapServer", "_of_ours/MapServer") for each in BASE_MAPS[:3]
    ]
    others += ["https://maps.arcgisonline.com.test/ArcGIS/rest/services/World_Imagery"]
    assert left(*others, *BASE_MAPS) == others
