"""Web Feature Service, 1.0.0 to 2.0.2: feature types are its layers."""

from __future__ import annotations

from collections.abc import Iterator

from geohound.document import Document
from geohound.document.safe_xml import Element, child, children, index, local, text
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    KEYWORDS,
    crs_codes,
    first,
    glean,
    href,
    read_corners,
    read_keywords,
    texts,
    unique,
    words,
)
from geohound.kinds._layer_query import GEOJSON, XML, LayerQuery, capabilities
from geohound.kinds._licence import read_access
from geohound.kinds._request_boxes import in_axis_order, project
from geohound.kinds._signature import xml
from geohound.model.addresses import Addresses, Clarity, Kvp, ScriptIdioms, terms
from geohound.model.bbox import short_numbers
from geohound.model.layer_request import LayerRequest, Rel, ServerType, WfsFeatures
from geohound.model.service import (
    Extent,
    Layer,
    Operation,
    Provider,
    Refusal,
    RefusalReason,
    Service,
)
from geohound.urls import endpoint, with_params

_FEATURE_TYPE = frozenset({"FeatureType"})
_OWN_CRS = ("SRS", "DefaultSRS", "DefaultCRS")
_OTHER_CRS = ("OtherSRS", "OtherCRS")
_BOXES = ("WGS84BoundingBox", "LatLongBoundingBox", "LatLonBoundingBox")
_SPOKEN = frozenset({"Name", "Title", "Abstract"})
_KEPT = frozenset({*_BOXES, *KEYWORDS, "OutputFormats", "MetadataURL"})
_EDGES = ("minx", "miny", "maxx", "maxy")
_DEGREES = "urn:ogc:def:crs:EPSG::4326"
_SCHEMA_LOCATION = "{http://www.w3.org/2001/XMLSchema-instance}schemaLocation"
MAX_LOCATIONS = 200


def _read(document: Document) -> Service | Refusal | None:
    if document.root_name == "FeatureCollection":
        return _read_features(document)
    root, digest = document.skim(_FEATURE_TYPE, _read_feature_type)
    if root is None:
        return None
    about = _read_about(root, document.url)
    is_old = child(root, "Service") is not None or child(root, "Capability") is not None
    default = (
        "2.0.0"
        if "wfs/2" in document.root_namespace
        else "1.0.0"
        if is_old
        else "1.1.0"
    )
    version = _ows.version_of(root, about, default)
    layers = []
    for element in _feature_types(root):
        layer = digest(element)
        if layer.name:
            layers.append(layer)
            if len(layers) > _ows.MAX_LAYERS:
                break
    return _ows.build(document, about, version, layers)


def _read_features(document: Document) -> Refusal | None:
    """An answer to GetFeature (wfs:FeatureCollection in Table 1 of Li, Wang & Bhatia 2016): it leads to its WFS.

    Servers name themselves in the location of the schema, a DescribeFeatureType request.
    """
    if "opengis.net/wfs" not in document.root_namespace or document.head is None:
        return None
    locations = (document.head.get(_SCHEMA_LOCATION) or "").split()[:MAX_LOCATIONS]
    named = [
        place
        for place in locations
        if "describefeaturetype" in place.lower() and place.startswith("http")
    ]
    asked = with_params(
        endpoint((named or [document.url])[0]),
        {"SERVICE": "WFS", "REQUEST": "GetCapabilities"},
    )
    return Refusal(RefusalReason.OTHER_KIND, "features of a WFS", "wfs", (asked,))


def _feature_types(root: Element) -> Iterator[Element]:
    """Types of every list: some servers send two."""
    for group in children(root, "FeatureTypeList"):
        yield from children(group, "FeatureType")


def _read_feature_type(element: Element) -> Layer:
    own: list[str | None] = []
    others: list[str | None] = []
    listed = dict.fromkeys(_OWN_CRS, own) | dict.fromkeys(_OTHER_CRS, others)
    heard, parts = glean(element, _SPOKEN, _KEPT, listed)
    codes = crs_codes(own + others)
    box = next((parts[name][0] for name in _BOXES if name in parts), None)
    formats = first(parts, "OutputFormats")
    return Layer(
        name=heard.get("Name", ""),
        title=heard.get("Title", ""),
        abstract=heard.get("Abstract", ""),
        keywords=read_keywords(parts),
        extent=_read_box(box, codes) if box is not None else None,
        crs=codes,
        formats=texts(children(formats, "Format")) if formats is not None else (),
        queryable=True,
        links=unique(href(m) or words(m) for m in parts.get("MetadataURL", ())),
    )


def _read_box(element: Element, crs: tuple[str, ...]) -> Extent:
    if local(element) == "WGS84BoundingBox" and len(element):
        return read_corners(element, "CRS:84")
    return _boxes.extent([element.get(n) for n in _EDGES], hints=crs[:4])


def _read_about(root: Element, base: str) -> Service:
    about = child(root, "Service")
    if about is None:
        return _ows.read_common("wfs", root, base)
    operations = tuple(_read_old_operations(child(root, "Capability", "Request"), base))
    site = href(child(about, "OnlineResource")) or text(about, "OnlineResource")
    asked = next((o.get for o in operations if o.name == "GetCapabilities"), "")
    return Service(
        "wfs",
        endpoint(base),
        name=words(child(about, "Name")),
        title=words(child(about, "Title")),
        abstract=words(child(about, "Abstract")),
        keywords=read_keywords(index(about)),
        provider=Provider(site=site),
        access=read_access(text(about, "Fees"), text(about, "AccessConstraints")),
        operations=operations,
        online_resource=asked or site,
    )


def _read_old_operations(request: Element | None, base: str) -> Iterator[Operation]:
    """WFS 1.0.0 names operations and formats by empty elements."""
    for element in request if request is not None else ():
        get, post = _ows.addresses(element, base)
        formats = tuple(
            local(f) for group in children(element, "ResultFormat") for f in group
        )
        yield Operation(local(element), get, post, formats)


def _requests(query: LayerQuery) -> list[LayerRequest]:
    version = query.service.version or "2.0.0"
    common = {"SERVICE": "WFS", "VERSION": version}
    server = capabilities(
        query, ServerType.WFS, version, {**common, "REQUEST": "GetCapabilities"}
    )
    name = query.layer.name
    if not name:
        return [server]
    base, formats = query.operation("GetFeature")
    json_format = _json_format(query.layer.formats or formats)
    limit_name = "COUNT" if version >= "2" else "MAXFEATURES"
    request = {
        **common,
        "REQUEST": "GetFeature",
        "TYPENAMES" if version >= "2" else "TYPENAME": name,
        limit_name: str(query.limit),
        **(_box_filter(query, version) if query.is_part else {}),
        **({"OUTPUTFORMAT": json_format} if json_format else {}),
    }
    if json_format and _offers_degrees(query.layer):
        # GeoJSON in metres is read as degrees by everybody.
        request["SRSNAME"] = "EPSG:4326" if version < "1.1" else _DEGREES
    features = WfsFeatures(
        Rel.FEATURES,
        "GetFeature",
        with_params(base, request),
        GEOJSON if json_format else "application/gml+xml",
        limit_name=limit_name,
        version=version,
        name=name,
        output_format=json_format,
    )
    described = with_params(
        base, {**common, "REQUEST": "DescribeFeatureType", "TYPENAME": name}
    )
    return [
        server,
        features,
        LayerRequest(Rel.DESCRIPTION, "DescribeFeatureType", described, XML),
    ]


def _offers_degrees(layer: Layer) -> bool:
    return not layer.crs or not {"EPSG:4326", "CRS:84"}.isdisjoint(layer.crs)


def _json_format(formats: tuple[str, ...]) -> str:
    """How this server calls GeoJSON; the official name first, JSON with padding never."""
    offered = [
        f for f in formats if "json" in f.lower() and "javascript" not in f.lower()
    ]
    best = [f for f in offered if "geo" in f.lower()] or offered
    return best[0] if best else ""


def _box_filter(query: LayerQuery, version: str) -> dict[str, str]:
    """The box: plain in the layer's own CRS in 1.0.0, with a CRS and in its axis order from 1.1 on."""
    if version < "1.1":
        own = next((c for c in query.layer.crs if ":" in c), "EPSG:4326")
        bounds = project(query.box, own)
        return {"BBOX": short_numbers(bounds, ",")} if bounds else {}
    bounds = in_axis_order(query.box.as_tuple(), "EPSG:4326")
    return {"BBOX": f"{short_numbers(bounds, ',')},{_DEGREES}"}


_ADDRESSES = Addresses(
    rank=2,
    lives_anywhere=True,
    name="wfs",
    clarity=Clarity.ANYWHERE,
    ends=("wfs", r"wfsserver(?:\.\w+)?"),
    kvp=Kvp(
        services=("wfs", "wfs-t"),
        requests=terms(
            "getfeature describefeaturetype getpropertyvalue liststoredqueries describestoredqueries"
        ),
        asked_as="WFS",
        with_version=("getfeature",),
    ),
    servers=("wfsserver",),
    labels=terms(
        "wfs ogcwfs wfst wfslayer wfsgroup wfsgetcapabilities wfs2 layerwfs urnogcservicetypewfs "
        "httpwwwopengisnetspecowcgeojson10reqwfs httpwwwopengisnetspecowc10reqwfs"
    ),
    scripts=ScriptIdioms(
        calls="OpenLayers.Layer.WFS|1 OpenLayers.Protocol.WFS|0.url OpenLayers.Protocol.WFS.v1_0_0|0.url "
        "OpenLayers.Protocol.WFS.v1_1_0|0.url OpenLayers.Protocol.WFS.v2_0_0|0.url L.Geoserver.wfs|0 L.wfs|0.url "
        "L.WFS|0.url L.WFST|0.url L.wfst|0.url WFSLayer|0,0.url WFSSource|0.url GeoExt.data.WFSCapabilitiesStore|0.url",
        keys=frozenset(
            terms(
                "typename typenames featuretype featureprefix featurens featuretypes srsname"
            )
        ),
        posted=("GetFeature", "Transaction"),
        words=("wfs", "getfeature", "typename", "featuretype"),
    ),
)

KINDS = (
    _ows.OwsKind(
        id="wfs",
        title="Web Feature Service",
        protocol="OGC:WFS",
        reader=_read,
        requester=_requests,
        addresses=_ADDRESSES,
        signature=xml("WFS_Capabilities", "FeatureCollection"),
        path=_ows.address_pattern("wfs", "tinyows"),
        second_version="1.1.0",
    ),
)
