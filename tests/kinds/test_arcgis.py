"""ArcGIS services are read from JSON and from directory pages, and their refusals are understood."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from geohound.document import Document
from geohound.kinds import arcgis
from geohound.model.service import BoxFault, Refusal, RefusalReason, Service
from geohound.model.visit import Response

REST = "https://gis.town.test/arcgis/rest/services"


def read(value: Any, url: str) -> list[Service | Refusal]:
    body = value if isinstance(value, bytes) else orjson.dumps(value)
    document = Document(
        Response(url, url, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC))
    )
    return [
        found for kind in arcgis.KINDS if (found := kind.read(document)) is not None
    ]


def read_one(value: Any, url: str) -> Service:
    (found,) = read(value, url)
    assert isinstance(found, Service)
    return found


def around(
    west: float, south: float, east: float, north: float, wkid: int
) -> dict[str, Any]:
    return {
        "xmin": west,
        "ymin": south,
        "xmax": east,
        "ymax": north,
        "spatialReference": {"wkid": wkid},
    }


MAP = {
    "currentVersion": 10.91,
    "serviceDescription": "Land use",
    "mapName": "Layers",
    "copyrightText": "All rights reserved",
    "layers": [
        {
            "id": 0,
            "name": "Land",
            "parentLayerId": -1,
            "subLayerIds": [1, 2],
            "minScale": 0,
            "maxScale": 0,
        },
        {
            "id": 1,
            "name": "Forest",
            "parentLayerId": 0,
            "subLayerIds": None,
            "minScale": 50000,
            "maxScale": 1000,
        },
        {"id": 2, "name": "Fields", "parentLayerId": 0, "subLayerIds": None},
    ],
    "tables": [{"id": 3, "name": "Owners"}],
    "spatialReference": {"wkid": 102100, "latestWkid": 3857},
    "singleFusedMapCache": False,
    "fullExtent": around(556597.45, 5942074.07, 1669792.36, 7361866.11, 102100),
    "supportedImageFormatTypes": "PNG32,PNG24,JPG",
    "documentInfo": {
        "Title": "Land use of the town",
        "Author": "Town",
        "Keywords": "land,use",
        "Subject": "",
    },
    "capabilities": "Map,Query,Data",
    "supportedExtensions": "WMSServer, FeatureServer",
}


def test_a_map_service_has_layers_groups_tables_box_and_further_doors() -> None:
    service = read_one(MAP, f"{REST}/Plan/LandUse/MapServer?f=pjson")
    assert (service.kind, service.endpoint) == (
        "arcgis-mapserver",
        f"{REST}/Plan/LandUse/MapServer",
    )
    assert (service.title, service.version, service.provider.name) == (
        "Land use of the town",
        "10.91",
        "Town",
    )
    assert [(layer.name, layer.parent) for layer in service.layers] == [
        ("Land", ""),
        ("Forest", "Land"),
        ("Fields", "Land"),
        ("Owners", ""),
    ]
    assert service.layers[1].scale == (1000, 50000)
    assert service.layers[1].links == (f"{REST}/Plan/LandUse/MapServer/1",)
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == pytest.approx((5, 47, 15, 55), abs=0.01)
    assert service.links == (
        "https://gis.town.test/arcgis/services/Plan/LandUse/MapServer/WMSServer?SERVICE=WMS&REQUEST=GetCapabilities",
        f"{REST}/Plan/LandUse/FeatureServer",
    )
    assert service.access.licence == "proprietary"


def test_a_feature_service_is_known_by_its_fields_and_by_its_address() -> None:
    value = {
        "currentVersion": 11.1,
        "capabilities": "Query",
        "supportedQueryFormats": "JSON, geoJSON",
        "maxRecordCount": 2000,
        "layers": [{"id": 0, "name": "Wells"}],
        "tables": [],
        "fullExtent": around(5, 47, 15, 55, 4326),
    }
    for url in (
        f"{REST}/Wells/FeatureServer?f=json",
        "http://elsewhere.test/wells.json",
    ):
        assert read_one(value, url).kind == "arcgis-featureserver"
    assert read_one(value, f"{REST}/Wells/MapServer?f=json").kind == "arcgis-mapserver"


def test_a_single_layer_stands_for_its_service() -> None:
    value = {
        "currentVersion": 10.81,
        "id": 4,
        "name": "Wells",
        "type": "Feature Layer",
        "description": "Water wells",
        "geometryType": "esriGeometryPoint",
        "extent": around(5, 47, 15, 55, 4326),
        "capabilities": "Map,Query,Data",
    }
    service = read_one(value, f"{REST}/Water_Supply/MapServer/4?f=json")
    assert (service.kind, service.endpoint) == (
        "arcgis-mapserver",
        f"{REST}/Water_Supply/MapServer",
    )
    assert service.title == "Water Supply"
    assert [
        (layer.name, layer.abstract, layer.queryable) for layer in service.layers
    ] == [("Wells", "Water wells", True)]


def test_an_image_service_is_one_layer_and_vector_tiles_name_none() -> None:
    image = {
        "currentVersion": 10.7,
        "name": "Air/Photo",
        "bandCount": 3,
        "pixelType": "U8",
        "pixelSizeX": 1,
        "extent": around(5, 47, 15, 55, 4326),
    }
    assert (
        read_one(image, f"{REST}/Air/Photo/ImageServer?f=json").layers[0].name
        == "Air/Photo"
    )
    tiles = {
        "currentVersion": 10.7,
        "name": "Base",
        "tiles": ["tile/{z}/{y}/{x}.pbf"],
        "defaultStyles": "resources/styles",
        "tileInfo": {},
        "fullExtent": around(0, 0, 0, 0, 4326),
    }
    service = read_one(tiles, f"{REST}/Base/VectorTileServer?f=json")
    assert (service.kind, len(service.layers)) == ("arcgis-vectortileserver", 0)
    assert service.extent is not None
    assert service.extent.box is None
    assert service.extent.faults == (BoxFault.EMPTY,)


def test_a_directory_lists_services_and_folders() -> None:
    value = {
        "currentVersion": 10.91,
        "folders": ["Plan"],
        "services": [
            {"name": "Base", "type": "MapServer"},
            {"name": "Tools", "type": "GPServer"},
        ],
    }
    service = read_one(value, f"{REST}/?f=pjson")
    assert (service.kind, service.endpoint) == ("arcgis-directory", REST)
    assert service.links == (f"{REST}/Base/MapServer", f"{REST}/Plan")


def test_a_folder_names_its_services_from_the_top() -> None:
    value = {
        "currentVersion": 10.91,
        "folders": [],
        "services": [{"name": "Plan/Zones", "type": "FeatureServer"}],
    }
    assert read_one(value, f"{REST}/Plan?f=json").links == (
        f"{REST}/Plan/Zones/FeatureServer",
    )


@pytest.mark.parametrize(
    ("code", "message", "reason"),
    [
        (499, "Token Required", RefusalReason.LOGIN_WALL),
        (498, "Invalid Token", RefusalReason.LOGIN_WALL),
        (403, "Permission denied", RefusalReason.LOGIN_WALL),
        (404, "Service not found", RefusalReason.NOT_FOUND),
        (500, "Service Plan/LandUse/MapServer not found", RefusalReason.NOT_FOUND),
        (500, "Error performing query", RefusalReason.SERVER_ERROR),
        (400, "Invalid URL", RefusalReason.EXCEPTION_REPORT),
    ],
)
def test_an_error_with_status_200_is_a_refusal(
    code: int, message: str, reason: RefusalReason
) -> None:
    (found,) = read(
        {"error": {"code": code, "message": message, "details": []}},
        f"{REST}/LandUse/MapServer?f=json",
    )
    assert isinstance(found, Refusal)
    assert (found.reason, found.kind) == (reason, "arcgis-mapserver")


def test_errors_of_others_are_no_refusal_of_arcgis() -> None:
    assert (
        read(
            {"error": {"code": 400, "message": "bad"}},
            "http://api.town.test/v1/profile",
        )
        == []
    )
    assert read({"error": "not found"}, f"{REST}/LandUse/MapServer") == []


PAGE = b"""<html><head><title>Folder: /</title></head><body><td>ArcGIS REST Services Directory</td>
<a href="/arcgis/rest/login">Login</a> <ul><li><a href="/arcgis/rest/services/Plan">Plan</a></li></ul>
<li><a href="/arcgis/rest/services/Base/MapServer">Base</a> (MapServer)</li></body></html>"""


def test_a_directory_page_lists_its_children() -> None:
    service = read_one(PAGE, REST)
    assert service.kind == "arcgis-directory"
    assert service.links == (f"{REST}/Plan", f"{REST}/Base/MapServer")
    assert [layer.name for layer in service.layers] == ["Base/MapServer"]


def test_a_map_service_page_lists_its_layers() -> None:
    page = b"""<html><title>Plan/LandUse (MapServer)</title><body>ArcGIS REST Services Directory
    <a href="/arcgis/rest/services/Plan/LandUse/MapServer/0">Forest &amp; fields</a> (0)
    <a href="/arcgis/rest/services/Plan/LandUse/MapServer/legend">Legend</a></body></html>"""
    service = read_one(page, f"{REST}/Plan/LandUse/MapServer")
    assert (service.kind, service.title) == ("arcgis-mapserver", "Plan/LandUse")
    assert [layer.name for layer in service.layers] == ["Forest & fields"]


def test_a_login_page_of_the_directory_is_a_wall() -> None:
    page = b"<html><title>Login</title>ArcGIS REST Services Directory<input type='password' name='p'></html>"
    (found,) = read(page, REST)
    assert isinstance(found, Refusal)
    assert (found.reason, found.kind) == (RefusalReason.LOGIN_WALL, "arcgis-directory")


@pytest.mark.parametrize(
    "value",
    [
        {
            "geometryType": "esriGeometryPoint",
            "fields": [],
            "features": [{"attributes": {}}],
        },
        {"version": 8, "sources": {}, "layers": [{"id": "a", "type": "line"}]},
        {"layers": []},
        {"tilejson": "2.0.0", "tiles": ["a"]},
        {"currentVersion": "1.2.3", "name": "app"},
        {"operationalLayers": [], "baseMap": {}, "version": "2.0"},
        {"folders": [], "services": []},
        b"<html><body>ArcGIS is a product</body></html>",
    ],
)
def test_look_alikes_are_no_service(value: Any) -> None:
    assert read(value, "http://www.town.test/data.json") == []


def test_suspicion_needs_the_paths_of_arcgis() -> None:
    kinds = {kind.id: kind for kind in arcgis.KINDS}
    assert kinds["arcgis-mapserver"].suspects(
        f"{REST}/LandUse/MapServer/0/query?where=1=1"
    )
    assert kinds["arcgis-directory"].suspects(f"{REST}?f=html")
    assert not kinds["arcgis-mapserver"].suspects(
        "http://a.test/cgi-bin/mapserver/wms?map=x"
    )
    probes = kinds["arcgis-mapserver"].probe_urls(
        f"{REST}/LandUse/MapServer/0/query?where=1=1&token=t"
    )
    assert probes == (f"{REST}/LandUse/MapServer?token=t&f=json",)


def test_the_soap_catalogue_leads_to_its_rest_twin() -> None:
    directory = arcgis.KINDS[0]
    assert directory.suspects("https://gis.town.test/arcgis/services?wsdl")
    assert directory.probe_urls("https://gis.town.test/arcgis/services?wsdl") == (
        f"{REST}?f=json",
    )


@pytest.mark.parametrize(
    "directory",
    [
        {"currentVersion": 9.31, "services": [{"name": "Roads", "type": "MapServer"}]},
        {"currentVersion": 9.31, "folders": ["Water"]},
    ],
    ids=["without folders", "without services"],
)
def test_old_directories_leave_out_what_is_empty(directory: dict[str, Any]) -> None:
    found = read_one(directory, f"{REST}?f=json")
    assert found.kind == "arcgis-directory"
    assert len(found.links) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"currentVersion": 3, "services": [{"name": "Haircut", "type": "beauty"}]},
        {"currentVersion": 3, "services": []},
        {"currentVersion": 3, "folders": []},
        {"services": [{"name": "Roads", "type": "MapServer"}]},
    ],
    ids=["services of a shop", "nothing listed", "no folder", "no version"],
)
def test_what_merely_lists_services_is_no_directory(other: dict[str, Any]) -> None:
    assert not read(other, "https://shop.test/api")


def test_a_feature_service_may_say_no_more_than_its_layers() -> None:
    sparse = {
        "currentVersion": 10.81,
        "layers": [{"id": 0, "name": "Wells"}],
        "tables": [],
    }
    found = read_one(sparse, f"{REST}/Water/FeatureServer?f=json")
    assert (found.kind, found.title) == ("arcgis-featureserver", "Water")
    assert [layer.name for layer in found.layers] == ["Wells"]


def test_the_first_feature_services_did_not_tell_their_version() -> None:
    """ArcGIS REST API: `currentVersion` of feature services was added at 10.0 SP1."""
    first = {
        "serviceDescription": "Edit the wells of the county",
        "layers": [{"id": 0, "name": "Wells"}],
        "tables": [],
    }
    found = read_one(first, f"{REST}/Water/FeatureServer?f=json")
    assert (found.kind, found.version) == ("arcgis-featureserver", "")
    assert [layer.name for layer in found.layers] == ["Wells"]
    for name in first:
        less = {key: value for key, value in first.items() if key != name}
        assert not read(less, f"{REST}/Water/FeatureServer?f=json")


def test_a_feature_service_without_version_or_tables_says_what_can_be_asked() -> None:
    asked = {
        "maxRecordCount": 2000,
        "capabilities": "Query,Sync",
        "spatialReference": {"wkid": 102100, "latestWkid": 3857},
        "layers": [{"id": 0, "name": "Wells"}],
    }
    found = read_one(asked, f"{REST}/Water/FeatureServer?f=json")
    assert found.kind == "arcgis-featureserver"
    for name in asked:
        less = {key: value for key, value in asked.items() if key != name}
        assert not read(less, f"{REST}/Water/FeatureServer?f=json")


def test_a_saved_map_without_a_name_is_called_by_its_short_description() -> None:
    generic = {**MAP, "documentInfo": {"Title": "Untitled"}, "mapName": "Map"}
    assert read_one(generic, "file:///saved.json").title == "Land use"
    told_at_length = {**generic, "serviceDescription": "Land use of the county. " * 9}
    assert read_one(told_at_length, "file:///saved.json").title == "Untitled"


def test_what_programs_call_a_map_gives_way_to_the_name_of_the_service() -> None:
    for documented in ("Map", "Layers", "Untitled", "untitled.mxd", ""):
        named = {**MAP, "documentInfo": {"Title": documented}, "mapName": "Layers"}
        assert (
            read_one(named, f"{REST}/Planning/Land_use/MapServer?f=json").title
            == "Land use"
        )


def test_a_reference_may_be_given_by_its_text_alone() -> None:
    """ETRS89 / UTM zone 32N (EPSG:25832): 500,000 m east is 9°, 5,500,000 m north is close to 49.65°."""
    wkt = (
        'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",'
        'SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],'
        'PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],'
        'PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],'
        'UNIT["Meter",1.0]]'
    )
    extent = {
        "xmin": 500000,
        "ymin": 5500000,
        "xmax": 510000,
        "ymax": 5510000,
        "spatialReference": {"wkt": wkt},
    }
    found = read_one(
        {**MAP, "fullExtent": extent, "spatialReference": {"wkt": wkt}},
        f"{REST}/Land/MapServer?f=json",
    )
    assert found.crs == ("EPSG:25832",)
    assert found.extent is not None
    assert found.extent.box is not None
    assert found.extent.box.west == pytest.approx(9.0, abs=0.01)
    assert found.extent.box.south == pytest.approx(49.65, abs=0.02)


def test_a_grid_of_a_towns_own_is_read_by_its_text() -> None:
    """A false easting of its own has no code: x of 1,000,000 is then the central meridian, 9°."""
    wkt = (
        'PROJCS["Town_grid",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],'
        'PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],'
        'PARAMETER["False_Easting",1000000.0],PARAMETER["False_Northing",-5000000.0],PARAMETER["Central_Meridian",9.0],'
        'PARAMETER["Scale_Factor",1.0],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]'
    )
    extent = {
        "xmin": 1000000,
        "ymin": 500000,
        "xmax": 1010000,
        "ymax": 510000,
        "spatialReference": {"wkt": wkt},
    }
    found = read_one(
        {**MAP, "fullExtent": extent, "spatialReference": {"wkt": wkt}},
        f"{REST}/Land/MapServer?f=json",
    )
    assert found.extent is not None
    assert found.extent.box is not None
    assert found.extent.box.west == pytest.approx(9.0, abs=0.01)
    assert found.extent.box.south == pytest.approx(
        49.63, abs=0.05
    )  # 5,500 km along a meridian of 111.2 km a degree
