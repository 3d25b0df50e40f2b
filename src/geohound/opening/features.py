"""Opens what gives features: WFS, OGC API Features and Records, ArcGIS feature layers, STAC items."""

from __future__ import annotations

from urllib.parse import quote

from geohound.urls import params_lower, with_params

from .maps import layer_number, query_url
from .parts import Ask, Link, Opening, Preview, Rel, Snippet, js, numbers, py, quoted, r, sh, sh_layer, snippet
from .places import in_axis_order, project

_GEOJSON = "application/geo+json"
_GML = "application/gml+xml"
_LIMIT = "10"
_PREVIEW_LIMIT = "200"


def open_wfs(ask: Ask) -> Opening:
    version = ask.service.version or "2.0.0"
    common = {"SERVICE": "WFS", "VERSION": version}
    capabilities = with_params(ask.service.endpoint, {**common, "REQUEST": "GetCapabilities"})
    links = [Link(Rel.CAPABILITIES, "GetCapabilities", capabilities, "text/xml")]
    name = ask.layer.name
    if not name:
        return Opening(ask.box, tuple(links), (_qgis_wfs(ask, version),))
    base, formats = ask.operation("GetFeature")
    typename = "TYPENAMES" if version >= "2" else "TYPENAME"
    json_format = _json_format(ask.layer.formats or formats)
    request = {
        **common,
        "REQUEST": "GetFeature",
        typename: name,
        "COUNT" if version >= "2" else "MAXFEATURES": _LIMIT,
        **(_wfs_box(ask, version) if ask.is_asked else {}),
        **({"OUTPUTFORMAT": json_format} if json_format else {}),
    }
    if json_format and _offers_degrees(ask):
        # GeoJSON in metres is read as degrees by everybody.
        request["SRSNAME"] = "EPSG:4326" if version < "1.1" else "urn:ogc:def:crs:EPSG::4326"
    url = with_params(base, request)
    media = _GEOJSON if json_format else _GML
    links.append(Link(Rel.FEATURES, "GetFeature", url, media))
    described = with_params(base, {**common, "REQUEST": "DescribeFeatureType", "TYPENAME": name})
    links.append(Link(Rel.DESCRIPTION, "DescribeFeatureType", described, "text/xml"))
    preview = None
    if json_format:
        preview = Preview("geojson", with_params(url, {"COUNT" if version >= "2" else "MAXFEATURES": _PREVIEW_LIMIT}))
    return Opening(ask.box, tuple(links), _wfs_snippets(ask, url, version, json_format), preview)


def _offers_degrees(ask: Ask) -> bool:
    return not ask.layer.crs or bool({"EPSG:4326", "CRS:84"} & set(ask.layer.crs))


def _json_format(formats: tuple[str, ...]) -> str:
    """How this server calls GeoJSON; the official name first, JSON with padding never."""
    offered = [f for f in formats if "json" in f.lower() and "javascript" not in f.lower()]
    best = [f for f in offered if "geo" in f.lower()] or offered
    return best[0] if best else ""


def _wfs_box(ask: Ask, version: str) -> dict[str, str]:
    """The box: plain in the layer's own CRS in 1.0.0, with a CRS and in its axis order from 1.1 on."""
    if version < "1.1":
        own = next((c for c in ask.layer.crs if ":" in c), "EPSG:4326")
        four = project(ask.box, own)
        return {"BBOX": numbers(four, ",")} if four else {}
    four = in_axis_order(ask.box.as_tuple(), "EPSG:4326")
    return {"BBOX": f"{numbers(four, ',')},urn:ogc:def:crs:EPSG::4326"}


def _qgis_source(ask: Ask) -> str:
    named = f"typename={quoted(ask.layer.name)} url={quoted(ask.service.endpoint)}"
    return f"pagingEnabled='true' restrictToRequestBBOX='1' {named}"


def _qgis_wfs(ask: Ask, version: str) -> Snippet:
    uri = f"{_qgis_source(ask)} version='{version}'"
    return snippet(
        "qgis",
        f"# Layer > Add Layer > Add WFS / OGC API - Features Layer > New, URL: {ask.service.endpoint}",
        "# or in the Python console:",
        f'iface.addVectorLayer({py(uri)}, {py(ask.title)}, "WFS")',
    )


def _wfs_snippets(ask: Ask, url: str, version: str, json_format: str) -> tuple[Snippet, ...]:
    name = ask.layer.name
    box = ask.box.as_tuple()
    asked = f', bbox=({numbers(box)}, "urn:ogc:def:crs:EPSG::4326")' if ask.is_asked else ""
    wanted = f", outputFormat={py(json_format)}" if json_format else ""
    file = "features.json" if json_format else "features.gml"
    spatial = f" -spat {numbers(box, ' ')} -spat_srs EPSG:4326" if ask.is_asked else ""
    found = [
        _qgis_wfs(ask, version),
        snippet(
            "python",
            "from owslib.wfs import WebFeatureService",
            "",
            f"wfs = WebFeatureService({py(ask.service.endpoint)}, version={py(_owslib_version(version))})",
            f"features = wfs.getfeature(typename=[{py(name)}], maxfeatures={_LIMIT}{asked}{wanted})",
            f'with open("{file}", "wb") as file:',
            "    content = features.read()",
            "    file.write(content if isinstance(content, bytes) else content.encode())",
        ),
        _r_features(url),
        snippet("gdal", f"ogr2ogr -f GPKG layer.gpkg {sh('WFS:' + ask.service.endpoint)} {sh_layer(name)}{spatial}"),
        snippet("curl", f"curl -fsS -o {file} {sh(url)}"),
    ]
    return (*found, *(_browser_snippets(ask, url) if json_format else ()))


def _owslib_version(version: str) -> str:
    return version if version in ("1.0.0", "1.1.0", "2.0.0") else "2.0.0" if version >= "2" else "1.1.0"


def _r_features(url: str) -> Snippet:
    return snippet("r", "library(sf)", f"features <- st_read({r(url)})", "plot(st_geometry(features))")


def _browser_snippets(ask: Ask, url: str) -> tuple[Snippet, ...]:
    """GeoJSON in a map on a web page; the server must allow other sites to read it (CORS)."""
    box = ask.box
    return (
        snippet(
            "openlayers",
            'import GeoJSON from "ol/format/GeoJSON.js";',
            'import VectorLayer from "ol/layer/Vector.js";',
            'import VectorSource from "ol/source/Vector.js";',
            "",
            f"const source = new VectorSource({{ format: new GeoJSON(), url: {js(url)} }});",
            "map.addLayer(new VectorLayer({ source }));",
        ),
        snippet(
            "leaflet",
            f"const features = await (await fetch({js(url)})).json();",
            "L.geoJSON(features).addTo(map);",
            f"map.fitBounds([[{numbers((box.south, box.west))}], [{numbers((box.north, box.east))}]]);",
        ),
    )


def join(root: str, path: str) -> str:
    """A path below the root of an API, its parameters (an access key) kept."""
    base, mark, query = root.partition("?")
    return f"{base.rstrip('/')}/{path}{mark}{query}"


def collection_url(ask: Ask) -> str:
    return join(ask.service.endpoint, f"collections/{quote(ask.layer.name, safe='', errors='replace')}")


def open_items(ask: Ask) -> Opening:
    """OGC API Features and Records, and the collections of a STAC API."""
    links = [Link(Rel.CAPABILITIES, "Landing page", ask.service.endpoint, "application/json")]
    if not ask.layer.name:
        return Opening(ask.box, tuple(links), (snippet("curl", f"curl -fsS {sh(ask.service.endpoint)}"),))
    records = ask.service.kind != "ogcapi-features"
    links.append(Link(Rel.DESCRIPTION, "Collection", collection_url(ask), "application/json"))
    request = {"limit": _LIMIT}
    if ask.is_asked:
        request["bbox"] = numbers(ask.box.as_tuple(), ",")
    url = with_params(_items_link(ask), request)
    links.append(Link(Rel.RECORDS if records else Rel.FEATURES, "Items", url, _GEOJSON))
    owslib = "Records" if ask.service.kind == "ogcapi-records" else "Features"
    asked = f", bbox=[{numbers(ask.box.as_tuple())}]" if ask.is_asked else ""
    driver = "STACIT" if ask.service.kind == "stac-api" else "OAPIF"
    snippets = [
        snippet(
            "qgis",
            f"# Layer > Add Layer > Add WFS / OGC API - Features Layer > New, URL: {ask.service.endpoint}",
            "# or in the Python console:",
            f'iface.addVectorLayer({py(_qgis_source(ask))}, {py(ask.title)}, "OAPIF")',
        ),
        snippet(
            "python",
            f"from owslib.ogcapi.{owslib.lower()} import {owslib}",
            "",
            f"api = {owslib}({py(ask.service.endpoint)})",
            f"items = api.collection_items({py(ask.layer.name)}, limit={_LIMIT}{asked})",
            'print(len(items["features"]), "items")',
        ),
        _r_features(url),
        snippet("gdal", f"ogr2ogr -f GPKG layer.gpkg {sh('OAPIF:' + ask.service.endpoint)} {sh_layer(ask.layer.name)}")
        if driver == "OAPIF"
        else snippet("gdal", f"ogr2ogr -f GeoJSON items.json {sh(url)}"),
        snippet("curl", f"curl -fsS -H 'Accept: {_GEOJSON}, application/json' -o items.json {sh(url)}"),
        *_browser_snippets(ask, url),
    ]
    return Opening(
        ask.box, tuple(links), tuple(snippets), Preview("geojson", with_params(url, {"limit": _PREVIEW_LIMIT}))
    )


def _items_link(ask: Ask) -> str:
    """The address that the collection itself gives for its items as JSON, else the one that the standard fixes.

    Several views of one list are told apart by `f` in most servers; HTML and RDF are for others.
    """
    built = join(ask.service.endpoint, f"collections/{quote(ask.layer.name, safe='', errors='replace')}/items")
    for link in ask.layer.links:
        view = params_lower(link).get("f", "").lower()
        path = link.partition("?")[0].rstrip("/")
        if path.endswith("/items") and view in ("json", "geojson", "application/geo+json"):
            return link
    return built


def open_arcgis_features(ask: Ask) -> Opening:
    root = ask.service.endpoint.partition("?")[0].rstrip("/")
    described = with_params(ask.service.endpoint, {"f": "json"})
    links = [Link(Rel.CAPABILITIES, "Service document", described, "application/json")]
    number = layer_number(ask) or "0"
    url = query_url(ask)
    links.append(Link(Rel.FEATURES, "Query", url, _GEOJSON))
    layer_url = f"{root}/{number}"
    links.append(Link(Rel.DESCRIPTION, "Layer document", with_params(layer_url, {"f": "json"}), "application/json"))
    uri = f"crs='EPSG:4326' url={quoted(layer_url)}"
    snippets = (
        snippet(
            "qgis",
            f"# Layer > Add Layer > Add ArcGIS REST Server Layer > New, URL: {root}",
            "# or in the Python console:",
            f'iface.addVectorLayer({py(uri)}, {py(ask.title)}, "arcgisfeatureserver")',
        ),
        snippet(
            "python",
            "import json",
            "from urllib.request import urlopen",
            "",
            f"features = json.load(urlopen({py(url)}))",
            'print(len(features["features"]), "features")',
        ),
        _r_features(url),
        snippet("gdal", f"ogr2ogr -f GPKG layer.gpkg {sh(url)}"),
        snippet("curl", f"curl -fsS -o features.json {sh(url)}"),
        *_browser_snippets(ask, url),
    )
    preview = Preview("geojson", with_params(url, {"resultRecordCount": _PREVIEW_LIMIT}))
    return Opening(ask.box, tuple(links), snippets, preview)
