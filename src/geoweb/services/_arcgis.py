"""The JSON documents of ArcGIS REST services."""

from __future__ import annotations

from urllib.parse import urlsplit

from geoweb.box import Box
from geoweb.protocol import ServiceSpec

from ._content import Offering
from ._features import Feature, corners
from ._service import Call
from ._tiling import HALF_M, MAX_ZOOM, SCALE_0
from ._wms_capabilities import mercator

MAX_RECORDS = 1000
_GEOMETRY = {
    "point": "esriGeometryPoint",
    "line": "esriGeometryPolyline",
    "polygon": "esriGeometryPolygon",
}
_FIELDS = (
    ("OBJECTID", "esriFieldTypeOID"), ("name", "esriFieldTypeString"), ("value", "esriFieldTypeDouble"),
    ("date", "esriFieldTypeString"),
)  # fmt: skip


def service_name(spec: ServiceSpec) -> str:
    """The name below the directory: Folder/Name."""
    path = urlsplit(spec.endpoint).path.rstrip("/").rpartition("/")[0]
    return path.partition("/services/")[2] or path.rpartition("/")[2]


def info(version: str) -> dict[str, object]:
    auth = {
        "isTokenBasedSecurity": True,
        "tokenServicesUrl": "",
        "shortLivedTokenValidity": 60,
    }
    return {
        "currentVersion": float(version),
        "fullVersion": version + ".0",
        "authInfo": auth,
    }


def extent(call: Call, box: Box) -> dict[str, object]:
    """Degrees, or metres of Web Mercator where the box fits that map."""
    metres = call.spec.seed % 2 == 1 and box.north <= 85 and box.south >= -85
    west, south, east, north = mercator(box) if metres else corners(box)
    reference = (
        {"wkid": 102100, "latestWkid": 3857}
        if metres
        else {"wkid": 4326, "latestWkid": 4326}
    )
    return {
        "xmin": west,
        "ymin": south,
        "xmax": east,
        "ymax": north,
        "spatialReference": reference,
    }


def _head(call: Call) -> dict[str, object]:
    c = call.content
    box = extent(call, c.box)
    return {
        "currentVersion": float(call.spec.version),
        "serviceDescription": c.abstract,
        "description": c.abstract,
        "copyrightText": f"{c.organisation}. {c.constraints}",
        "spatialReference": box["spatialReference"],
        "initialExtent": box,
        "fullExtent": box,
        "units": "esriDecimalDegrees",
        "documentInfo": {
            "Title": c.title, "Author": c.person, "Comments": "", "Subject": c.topic, "Category": "",
            "Keywords": ",".join(c.keywords),
        },
    }  # fmt: skip


def map_server(call: Call) -> dict[str, object]:
    layers = [
        {
            "id": o.number, "name": o.title, "parentLayerId": -1, "defaultVisibility": True,
            "subLayerIds": None,
            "minScale": o.scale[1] if o.scale else 0, "maxScale": o.scale[0] if o.scale else 0,
            "type": "Feature Layer", "geometryType": _GEOMETRY[o.shape],
        }
        for o in call.content.offerings
    ]  # fmt: skip
    return {
        **_head(call),
        "mapName": "Layers",
        "layers": layers,
        "tables": [],
        "singleFusedMapCache": call.spec.seed % 3 == 0,
        "supportedImageFormatTypes": "PNG32,PNG24,PNG,JPG",
        "supportedQueryFormats": "JSON, geoJSON",
        "supportsDynamicLayers": False,
        "capabilities": "Map,Query,Data",
        "exportTilesAllowed": False,
        "maxRecordCount": MAX_RECORDS,
        "maxImageHeight": 2048,
        "maxImageWidth": 2048,
    }


def feature_server(call: Call) -> dict[str, object]:
    layers = [
        {
            "id": o.number,
            "name": o.title,
            "parentLayerId": -1,
            "type": "Feature Layer",
            "geometryType": _GEOMETRY[o.shape],
        }
        for o in call.content.offerings
    ]
    return {
        **_head(call),
        "hasVersionedData": False,
        "maxRecordCount": MAX_RECORDS,
        "supportedQueryFormats": "JSON, geoJSON, PBF",
        "capabilities": "Query",
        "syncEnabled": False,
        "allowGeometryUpdates": False,
        "layers": layers,
        "tables": [],
    }


def layer(call: Call, offering: Offering) -> dict[str, object]:
    return {
        "currentVersion": float(call.spec.version),
        "id": offering.number,
        "name": offering.title,
        "type": "Feature Layer",
        "description": offering.abstract,
        "geometryType": _GEOMETRY[offering.shape],
        "copyrightText": call.content.organisation,
        "extent": extent(call, offering.box),
        "minScale": offering.scale[1] if offering.scale else 0,
        "maxScale": offering.scale[0] if offering.scale else 0,
        "displayField": "name",
        "objectIdField": "OBJECTID",
        "fields": [{"name": n, "type": t, "alias": n} for n, t in _FIELDS],
        "capabilities": "Map,Query,Data"
        if call.spec.kind == "arcgis-mapserver"
        else "Query",
        "maxRecordCount": MAX_RECORDS,
        "supportedQueryFormats": "JSON, geoJSON",
        "advancedQueryCapabilities": {"supportsPagination": True},
    }


def feature_set(
    offering: Offering, features: list[Feature], more: bool
) -> dict[str, object]:
    """Esri's own JSON for the answer to a query."""

    def geometry(feature: Feature) -> dict[str, object]:
        if feature.shape == "point":
            return {"x": feature.points[0][0], "y": feature.points[0][1]}
        path = [list(p) for p in feature.points]
        # Esri's outer rings run clockwise, GeoJSON's the other way.
        return {"paths": [path]} if feature.shape == "line" else {"rings": [path[::-1]]}

    rows = [
        {
            "attributes": {
                "OBJECTID": f.code,
                "name": f.name,
                "value": f.value,
                "date": f.date,
            },
            "geometry": geometry(f),
        }
        for f in features
    ]
    return {
        "displayFieldName": "name",
        "objectIdFieldName": "OBJECTID",
        "geometryType": _GEOMETRY[offering.shape],
        "spatialReference": {"wkid": 4326, "latestWkid": 4326},
        "fields": [{"name": n, "type": t, "alias": n} for n, t in _FIELDS],
        "features": rows,
        **({"exceededTransferLimit": True} if more else {}),
    }


def image_server(call: Call) -> dict[str, object]:
    box = extent(call, call.content.box)
    return {
        "currentVersion": float(call.spec.version),
        "serviceDescription": call.content.abstract,
        "name": service_name(call.spec),
        "description": call.content.abstract,
        "extent": box,
        "initialExtent": box,
        "fullExtent": box,
        "spatialReference": box["spatialReference"],
        "pixelSizeX": 0.01,
        "pixelSizeY": 0.01,
        "bandCount": 1 + call.spec.seed % 4,
        "pixelType": "U8",
        "minPixelSize": 0,
        "maxPixelSize": 0,
        "copyrightText": call.content.organisation,
        "serviceDataType": "esriImageServiceDataTypeGeneric",
        "minValues": [0],
        "maxValues": [255],
        "capabilities": "Image,Metadata",
        "maxImageHeight": 2048,
        "maxImageWidth": 2048,
    }


def vector_tile_server(call: Call) -> dict[str, object]:
    box = extent(call, call.content.box)
    levels = [
        {
            "level": z,
            "resolution": 2 * HALF_M / 512 / (1 << z),
            "scale": SCALE_0 / 2 / (1 << z),
        }
        for z in range(MAX_ZOOM + 1)
    ]
    tiling = {
        "rows": 512, "cols": 512, "dpi": 96, "format": "pbf", "origin": {"x": -HALF_M, "y": HALF_M},
        "spatialReference": {"wkid": 102100, "latestWkid": 3857}, "lods": levels,
    }  # fmt: skip
    return {
        "currentVersion": float(call.spec.version),
        "name": service_name(call.spec),
        "copyrightText": call.content.organisation,
        "capabilities": "TilesOnly",
        "type": "indexedVector",
        "defaultStyles": "resources/styles",
        "tiles": ["tile/{z}/{y}/{x}.pbf"],
        "initialExtent": box,
        "fullExtent": box,
        "minScale": SCALE_0,
        "maxScale": SCALE_0 / (1 << MAX_ZOOM),
        "tileInfo": tiling,
        "maxzoom": MAX_ZOOM,
        "minLOD": 0,
        "maxLOD": MAX_ZOOM,
    }


def vector_style(call: Call) -> dict[str, object]:
    types = {"point": "circle", "line": "line", "polygon": "fill"}
    layers = [
        {"id": o.slug, "type": types[o.shape], "source": "esri", "source-layer": o.slug}
        for o in call.content.offerings
    ]
    return {
        "version": 8,
        "sources": {"esri": {"type": "vector", "url": "../../"}},
        "layers": layers,
    }
