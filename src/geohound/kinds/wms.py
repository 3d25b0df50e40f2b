"""Web Map Service, 1.0.0 to 1.3.0: layers with all that they inherit."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from geohound import urls
from geohound.document import Document
from geohound.document.safe_xml import (
    NAMES,
    Element,
    attribute,
    child,
    index,
    local,
    text,
)
from geohound.kinds import _ows, _wms_layers
from geohound.kinds._elements import first, href, read_keywords, said, words
from geohound.kinds._layer_query import LayerQuery, capabilities
from geohound.kinds._licence import read_access
from geohound.kinds._reader import choose_title
from geohound.kinds._request_boxes import (
    MERCATOR,
    choose_crs,
    in_axis_order,
    project,
    size,
)
from geohound.kinds._signature import xml
from geohound.model.addresses import (
    VIEW_LIMIT_S,
    Addresses,
    Clarity,
    Kvp,
    ScriptIdioms,
    terms,
)
from geohound.model.bbox import short_numbers
from geohound.model.layer_request import LayerRequest, Rel, ServerType, WmsPicture
from geohound.model.service import Operation, Provider, Service

_OLD_OPERATIONS = {
    "Map": "GetMap",
    "Capabilities": "GetCapabilities",
    "FeatureInfo": "GetFeatureInfo",
}
_PREFERRED_CRS = ("EPSG:4326", "EPSG:3857", "CRS:84", "EPSG:900913")
_IMAGES = (
    "image/png",
    "image/png8",
    "image/png; mode=24bit",
    "image/jpeg",
    "image/gif",
    "image/webp",
)


def _read(document: Document) -> Service | None:
    root, digest = document.skim(_wms_layers.LAYER, _wms_layers.digest)
    if root is None:
        return None
    default = "1.3.0" if local(root) == "WMS_Capabilities" else "1.1.1"
    version = attribute(root, "version").strip() or default
    capability = child(root, "Capability")
    walk = _wms_layers.walk(
        capability if capability is not None else root, digest, version
    )
    # one more, to know that there are more
    layers = list(islice(walk, _ows.MAX_LAYERS + 1))
    about = _read_about(root, capability, document.url)
    if len(layers) == 1:
        about = replace(about, title=choose_title(about.title, layers[0].title))
    return _ows.build(document, about, version, layers)


def _read_about(root: Element, capability: Element | None, base: str) -> Service:
    about = index(child(root, "Service"))
    operations = _read_operations(child(capability, "Request"), base)
    asked = next((o.get for o in operations if o.name == "GetCapabilities"), "")
    contact = first(about, "ContactInformation")
    person = child(contact, "ContactPersonPrimary")
    site = href(first(about, "OnlineResource")) or said(about, "OnlineResource")
    return Service(
        "wms",
        urls.endpoint(base),
        title=choose_title(
            said(about, "Title"), text(child(capability, "Layer"), "Title")
        ),
        abstract=said(about, "Abstract"),
        keywords=read_keywords(about),
        provider=Provider(
            name=text(person, "ContactOrganization"),
            contact=text(person, "ContactPerson") or text(contact, "ContactPosition"),
            email=text(contact, "ContactElectronicMailAddress"),
            site=site,
        ),
        access=read_access(said(about, "Fees"), said(about, "AccessConstraints")),
        operations=operations,
        online_resource=asked or site,
        language=_ows.read_language(root, capability),
        name=said(about, "Name"),
    )


def _read_operations(request: Element | None, base: str) -> tuple[Operation, ...]:
    found = []
    for element in request if request is not None else ():
        name = local(element)
        get, post = _ows.addresses(element, base)
        formats = []
        for part in element:
            # in 1.0.0 formats are elements: <Format><PNG/></Format>
            if NAMES[part.tag] == "Format":
                formats += [local(f) for f in part] if len(part) else [words(part)]
        found.append(
            Operation(
                _OLD_OPERATIONS.get(name, name),
                get,
                post,
                tuple(f for f in formats if f),
            )
        )
    return tuple(found)


def _requests(query: LayerQuery) -> list[LayerRequest]:
    version = query.service.version or "1.3.0"
    asked = {
        "SERVICE": "WMS",
        **_version(version),
        "REQUEST": _named(version, "GetCapabilities"),
    }
    server = capabilities(query, ServerType.WMS, version, asked)
    if not query.layer.name:
        return [server]
    picture = _picture(query, version)
    if not query.layer.queryable:
        return [server, picture]
    information = LayerRequest(
        Rel.DATA, "GetFeatureInfo", _feature_info(picture), "text/plain"
    )
    return [server, picture, information]


def _picture(query: LayerQuery, version: str) -> WmsPicture:
    """GetMap in a CRS that the layer offers, its corners in the order that this version wants."""
    layer = query.layer
    base, formats = query.operation("GetMap")
    media = _image_format(formats)
    crs = choose_crs(layer.crs, _PREFERRED_CRS)
    bounds = project(query.box, crs)
    if not crs or bounds is None:
        crs, bounds = "EPSG:4326", query.box.as_tuple()
    width, height = size(bounds, query.longest_px)
    corners = in_axis_order(bounds, crs) if version >= "1.3" else bounds
    request = {
        "SERVICE": "WMS",
        **_version(version),
        "REQUEST": _named(version, "GetMap"),
        "LAYERS": layer.name,
        "STYLES": "",
        "CRS" if version >= "1.3" else "SRS": crs,
        "BBOX": short_numbers(corners, ","),
        "WIDTH": str(width),
        "HEIGHT": str(height),
        "FORMAT": media.rpartition("/")[2].upper() if version < "1.1" else media,
        **({"TRANSPARENT": "TRUE"} if "png" in media or "gif" in media else {}),
    }
    return WmsPicture(
        Rel.MAP,
        "GetMap",
        urls.with_params(base, request),
        media,
        crs=crs,
        bounds=bounds,
        size_px=(width, height),
        base=base,
        version=version,
        name=layer.name,
        has_mercator=not layer.crs or not MERCATOR.isdisjoint(layer.crs),
    )


def _version(version: str) -> dict[str, str]:
    return {"WMTVER": version} if version < "1.1" else {"VERSION": version}


def _named(version: str, operation: str) -> str:
    """WMS 1.0.0 knows its operations by shorter names."""
    return (
        {"GetMap": "map", "GetCapabilities": "capabilities"}[operation]
        if version < "1.1"
        else operation
    )


def _image_format(formats: tuple[str, ...]) -> str:
    """The best of the formats on offer; WMS 1.0.0 writes PNG for image/png."""
    offered = {f.lower() if "/" in f else f"image/{f.lower()}" for f in formats}
    return next(
        (wanted for wanted in _IMAGES if wanted in offered or not offered), "image/png"
    )


def _feature_info(picture: WmsPicture) -> str:
    """What is at the middle of the picture."""
    across, down = ("I", "J") if picture.version >= "1.3" else ("X", "Y")
    width, height = picture.size_px
    return urls.with_params(
        picture.url,
        {
            "REQUEST": "GetFeatureInfo",
            "QUERY_LAYERS": picture.name,
            "INFO_FORMAT": "text/plain",
            across: str(width // 2),
            down: str(height // 2),
        },
    )


_ADDRESSES = Addresses(
    response_limit_s=VIEW_LIMIT_S,
    rank=1,
    lives_anywhere=True,
    name="wms",
    clarity=Clarity.ANYWHERE,
    ends=(
        "wms",
        "wms-c",
        r"wms\.(?:php|asp|aspx|ashx|cgi|jsp)",
        r"wmsserver(?:\.\w+)?",
    ),
    kvp=Kvp(
        services=("wms", "wmsc", "wms-c"),
        requests=("getmap", "map", "getfeatureinfo", "getlegendgraphic"),
        asked_as="WMS",
        with_layers=("getmap", "map"),
        alone=("getmap",),
    ),
    servers=("wmsserver",),
    shown=("wms", "getmap", "service=w"),
    labels=terms(
        "wms wmsc ogcwms wmslayer wmstilelayer tilewms imagewms tiledwms wmstiled singletilewms wmsgroup wmstime "
        "wmsgetcapabilities gxpwmssource gxpwmscsource wmsv111 wmsv130 webmapservice layerwms openlayerslayerwms "
        "hslayerslayerwms wmsimagelayer urnogcservicetypewms httpwwwopengisnetspecowcgeojson10reqwms "
        "httpwwwopengisnetspecowc10reqwms"
    ),
    scripts=ScriptIdioms(
        calls="OpenLayers.Layer.WMS|1 OpenLayers.Layer.WMS.Untiled|1 OpenLayers.Layer.WMS.Post|1 "
        "OpenLayers.Layer.MapServer|1 OpenLayers.Layer.MapServer.Untiled|1 OpenLayers.Control.WMSGetFeatureInfo|0.url "
        "ol.source.TileWMS|0.url,0.urls ol.source.ImageWMS|0.url,0.urls ol.source.TiledWMS|0.url,0.urls "
        "ol.source.SingleImageWMS|0.url tileLayer.wms|0 TileLayer.WMS|0 TileLayer.BetterWMS|0 tileLayer.betterWms|0 "
        "nonTiledLayer.wms|0 NonTiledLayer.WMS|0 WMS.prototype.initialize.call|1 singleTileWMSLayer|0 "
        "L.WMS.source|0 L.WMS.Source|0 L.WMS.layer|0 L.WMS.overlay|0 L.WMS.Overlay|0 L.WMS.tileLayer|0 "
        "L.Geoserver.wms|0 L.Geoserver.legend|0 L.Geoserver.wmsImage|0 L.timeDimension.layer.wms|0 "
        "WMSLayer|0,0.url,0.data,0.service WMSLayerInfo|0.url WebMapServiceImageryProvider|0.url WmsLayer|0.service "
        "WmsUrlBuilder|0 WmsTimeDimensionedLayer|0.service WMSSource|0.url GeoExt.data.WMSCapabilitiesStore|0.url "
        "GeoExt.data.WMSDescribeLayerStore|0.url ImageMapType|0 WMSGetFeatureInfo|0.url",
        parameters=frozenset(["layers", "layer"]),
        with_layers=frozenset(
            terms(
                "format transparent version styles style crs srs info_format infoformat tiled imageformat uppercase "
                "singletile ratio isbaselayer attribution opacity maxzoom querylayers queryable legend title layername"
            )
        ),
        keys=frozenset(["servertype", "wms_name"]),
        built_in=tuple(
            (f"WorldWind.{name}", f"https://worldwind{host}")
            for host, names in (
                ("25.arc.nasa.gov/wms", "BMNGLayer BMNGLandsatLayer BlueMarbleLayer"),
                ("26.arc.nasa.gov/elev", "EarthElevationModel WorldWindow"),
            )
            for name in names.split()
        ),
        groups=("wmsParameters", "wms"),
        words=("wms", "getmap", "servertype", "bbox-epsg", "worldwind."),
    ),
)

KINDS = (
    _ows.OwsKind(
        id="wms",
        title="Web Map Service",
        protocol="OGC:WMS",
        reader=_read,
        requester=_requests,
        addresses=_ADDRESSES,
        signature=xml("WMS_Capabilities", "WMT_MS_Capabilities"),
        path=_ows.address_pattern("wms", "wms-?c", "ncwms"),
        second_version="1.1.1",
    ),
)
