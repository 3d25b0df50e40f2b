"""Data: which calls and which shapes of objects take the address of a service, and where in them it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from geohound.jsflow.addresses import kind_of_name
from geohound.jsflow.model import words
from geohound.jsflow.values.domain import HOLE

# callee (the end of its dotted name) | where the address stands | kind; "" is told by the address alone.
# where: an argument's number, or number.key of an object, several joined by a comma; * means any argument.
_TABLE = """
OpenLayers.Layer.WMS|1|wms
OpenLayers.Layer.WMS.Untiled|1|wms
OpenLayers.Layer.WMS.Post|1|wms
OpenLayers.Layer.MapServer|1|wms
OpenLayers.Layer.MapServer.Untiled|1|wms
OpenLayers.Layer.WMTS|0.url|wmts
OpenLayers.Layer.WFS|1|wfs
OpenLayers.Layer.KaMap|1|
OpenLayers.Layer.TMS|1|tms
OpenLayers.Layer.XYZ|1|
OpenLayers.Layer.ArcGIS93Rest|1|arcgis
OpenLayers.Layer.ArcGISCache|1|arcgis
OpenLayers.Protocol.WFS|0.url|wfs
OpenLayers.Protocol.WFS.v1_0_0|0.url|wfs
OpenLayers.Protocol.WFS.v1_1_0|0.url|wfs
OpenLayers.Protocol.WFS.v2_0_0|0.url|wfs
OpenLayers.Protocol.CSW|0.url|csw
OpenLayers.Protocol.CSW.v2_0_2|0.url|csw
OpenLayers.Protocol.SOS|0.url|sos
OpenLayers.WPSClient|0.servers|wps
OpenLayers.Control.WMSGetFeatureInfo|0.url|wms
OpenLayers.Control.WMTSGetFeatureInfo|0.url|wmts
ol.source.TileWMS|0.url,0.urls|wms
ol.source.ImageWMS|0.url,0.urls|wms
ol.source.TiledWMS|0.url,0.urls|wms
ol.source.SingleImageWMS|0.url|wms
ol.source.WMTS|0.url,0.urls|wmts
ol.source.TileArcGISRest|0.url,0.urls|arcgis
ol.source.ImageArcGISRest|0.url|arcgis
tileLayer.wms|0|wms
TileLayer.WMS|0|wms
TileLayer.BetterWMS|0|wms
tileLayer.betterWms|0|wms
nonTiledLayer.wms|0|wms
NonTiledLayer.WMS|0|wms
WMS.prototype.initialize.call|1|wms
singleTileWMSLayer|0|wms
L.WMS.source|0|wms
L.WMS.Source|0|wms
L.WMS.layer|0|wms
L.WMS.overlay|0|wms
L.WMS.Overlay|0|wms
L.WMS.tileLayer|0|wms
L.Geoserver.wms|0|wms
L.Geoserver.wfs|0|wfs
L.Geoserver.legend|0|wms
L.Geoserver.wmsImage|0|wms
L.tileLayer.wmts|0|wmts
L.TileLayer.WMTS|0|wmts
L.timeDimension.layer.wms|0|wms
L.wfs|0.url|wfs
L.WFS|0.url|wfs
L.WFST|0.url|wfs
L.wfst|0.url|wfs
esri.dynamicMapLayer|0.url,0|arcgis
esri.tiledMapLayer|0.url,0|arcgis
esri.featureLayer|0.url,0|arcgis
esri.imageMapLayer|0.url,0|arcgis
esri.query|0.url|arcgis
WMSLayer|0,0.url,0.data,0.service|wms
WMSLayerInfo|0.url|wms
WMTSLayer|0,0.url|wmts
WFSLayer|0,0.url|wfs
WCSLayer|0,0.url|wcs
OGCFeatureLayer|0.url|ogcapi-features
ArcGISDynamicMapServiceLayer|0|arcgis
ArcGISTiledMapServiceLayer|0|arcgis
ArcGISImageServiceLayer|0|arcgis
FeatureLayer|0,0.url|arcgis
MapImageLayer|0.url|arcgis
TileLayer|0.url|arcgis
ImageryLayer|0.url|arcgis
ImageryTileLayer|0.url|arcgis
WebMapServiceImageryProvider|0.url|wms
WebMapTileServiceImageryProvider|0.url|wmts
ArcGisMapServerImageryProvider|0.url,0|arcgis
ArcGisMapServerImageryProvider.fromUrl|0|arcgis
WmsLayer|0.service|wms
WmsUrlBuilder|0|wms
WmsTimeDimensionedLayer|0.service|wms
WmtsLayer|0.service|wmts
WmtsUrlBuilder|0|wmts
WMSSource|0.url|wms
WMTSSource|0.url|wmts
WFSSource|0.url|wfs
GeoExt.data.WMSCapabilitiesStore|0.url|wms
GeoExt.data.WFSCapabilitiesStore|0.url|wfs
GeoExt.data.WMSDescribeLayerStore|0.url|wms
ImageMapType|0|wms
WMSGetFeatureInfo|0.url|wms
"""

ROWS: tuple[tuple[str, tuple[str, ...], str], ...] = tuple(
    (callee, tuple(where.split(",")), kind)
    for callee, where, kind in (line.split("|") for line in _TABLE.strip().splitlines())
)
BY_LAST: dict[str, list[tuple[str, tuple[str, ...], str]]] = {}
for _row in ROWS:
    BY_LAST.setdefault(_row[0].rpartition(".")[2], []).append(_row)


def rows(paths: list[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where the address stands in a call of one of these names, and the kind."""
    for path in paths:
        for callee, where, kind in BY_LAST.get(path.rpartition(".")[2], ()):
            if path == callee or path.endswith(f".{callee}") or callee.endswith(f".{path}"):
                yield where, kind


# Keys under which objects carry an address, most telling first.
_URL_NAMES = (
    "url urls baseUrl baseURL base_url serviceUrl serviceURL service_url serverUrl server_url endpoint wmsUrl wms_url "
    "wmsURL wfsUrl wmtsUrl URL Url uri href server host data service address onlineResource getMapUrl "
    "getCapabilitiesUrl capabilitiesUrl tiles source_url dataUrl ogcUrl owsUrl src base path serverURL "
    "layerUrl layerURL mapUrl"
)
URL_KEYS = tuple(_URL_NAMES.split())
# Keys that hold addresses for people or programs, not of services.
IGNORED_KEYS = re.compile(
    r"^(?:xmlns\w*|schema_?location|namespace\w*|feature_?ns|feature_?namespace|target_?namespace|attributions?|copyright\w*|credits?|"
    r"docs?|documentation\w*|help\w*|home_?page|website|more_?info\w*|info_?(?:url|link)?|metadata\w*|licen[sc]e\w*|about|"
    r"contact\w*|terms\w*|download\w*|thumbnail\w*|icon\w*|logo\w*|image\w*|preview\w*|print\w*|geocod\w*|"
    r"forum|blog|wiki|faq|support|feedback|links?|href|description|title|abstract|comment|page_\w+|status\w*|\w*(?:help|docs?|guide|manual|tutorial|terms|policy|licen[sc]e)(?:_?ur[li]|_?link)?|example\w*|placeholder|schema|profile|rel|tooltip|catalogue?_?link)$",
    re.IGNORECASE,
)
# Callees whose strings are for people or for reading, never requests for maps.
IGNORED_CALLEES = re.compile(
    r"(?:^|\.)(?:log|warn|error|debug|info|alert|Error|TypeError|addAttribution|describe|it|test|expect|assert|namespaceURI|"
    r"createElementNS|getElementsByTagNameNS|setAttributeNS|createDocument|evaluate|registerNamespace|setNamespace|"
    r"indexOf|includes|startsWith|endsWith|match|test|search|hasOwnProperty|attr)$"
)
REQUESTS = re.compile(
    r"(?:^|\.)(?:fetch|ajax|get|post|getJSON|axios|open|request|GET|POST|json|xml|text|load|issue|xhr|xhrGet|jsonp|send|query)$"
)
# Keys whose presence tells what an object with an address is for.
_SHAPES: tuple[tuple[str, frozenset[str]], ...] = (
    (
        "wmts",
        frozenset(["matrixset", "tilematrixset", "tilematrixsetid", "tilematrixsets", "matrixids", "requestencoding"]),
    ),
    (
        "wfs",
        words("typename typenames featuretype featureprefix featurens featuretypes srsname"),
    ),
    ("wms", frozenset(["servertype"])),
    ("csw", frozenset(["outputschema", "elementsetname"])),
    ("wps", frozenset(["processid", "processidentifier"])),
)
_WITH_LAYERS = words(
    "format transparent version styles style crs srs info_format infoformat tiled imageformat uppercase "
    "singletile ratio isbaselayer attribution opacity maxzoom querylayers queryable legend title "
    "layername"
)
_TYPE_KEYS = words(
    "type kind servicetype service service_type xtype ptype protocol format provider layertype layer_type "
    "sourcetype class source datatype ogctype typ servertype mode plugin factory"
)


def kind_of_shape(fields: dict[str, str | None], parameters: dict[str, str | None]) -> str | None:
    """The kind that an object with these keys (in lower case, strings with their values) is for."""
    for key in _TYPE_KEYS & fields.keys():
        value = fields[key]
        if value and len(value) < 60 and "/" not in value and (kind := kind_of_name(value)):
            return kind
    for names in (parameters, fields):
        asked = names.get("service") or ""
        if asked and (kind := kind_of_name(asked)):
            return kind
        if asked and names is parameters and HOLE not in asked:  # of another kind of service
            return None
        for kind, keys in _SHAPES:
            if keys & names.keys():
                return kind
    if fields.get("type") in ("vector", "raster", "raster-dem") and (fields.get("url") or "").endswith(".json"):
        return "tilejson"
    if _speaks_of_other(fields):
        return None
    if "layers" in parameters or "layer" in parameters:
        return "wms"
    if fields.get("layers") is not None and _WITH_LAYERS & fields.keys():
        return "wms"
    return None


def _speaks_of_other(fields: dict[str, str | None]) -> bool:
    """A format or version that no map has."""
    version, form = fields.get("version") or "1", fields.get("format") or "image"
    return not re.match(rf"1|{HOLE}", version) or bool(re.match(r"(?:application/)?(?:json|xml|csv|html)\b", form))
