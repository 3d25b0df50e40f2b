"""Opens map layers: WMS in all versions, and ArcGIS map and image services."""

from __future__ import annotations

from urllib.parse import urlencode

from geohound.urls import with_params

from .parts import Ask, Link, Opening, Preview, Rel, Snippet, encoded, js, numbers, py, quoted, r, sh, snippet
from .places import Four, choose_crs, in_axis_order, project, size

_PREFERRED_CRS = ("EPSG:4326", "EPSG:3857", "CRS:84", "EPSG:900913")
_PICTURES = ("image/png", "image/png8", "image/png; mode=24bit", "image/jpeg", "image/gif", "image/webp")


def open_wms(ask: Ask) -> Opening:
    service = ask.service
    version = service.version or "1.3.0"
    capabilities = with_params(
        service.endpoint, {"SERVICE": "WMS", **_version(version), "REQUEST": _named(version, "GetCapabilities")}
    )
    links = [Link(Rel.CAPABILITIES, "GetCapabilities", capabilities, "text/xml")]
    if not ask.layer.name:
        return Opening(ask.box, tuple(links), (_connect(ask),))
    base, formats = ask.operation("GetMap")
    media = _picture(formats)
    crs = choose_crs(ask.layer.crs, _PREFERRED_CRS)
    four = project(ask.box, crs)
    if not crs or four is None:
        crs, four = "EPSG:4326", ask.box.as_tuple()
    width, height = size(four)
    corners = in_axis_order(four, crs) if version >= "1.3" else four
    request = {
        "SERVICE": "WMS",
        **_version(version),
        "REQUEST": _named(version, "GetMap"),
        "LAYERS": ask.layer.name,
        "STYLES": "",
        "CRS" if version >= "1.3" else "SRS": crs,
        "BBOX": numbers(corners, ","),
        "WIDTH": str(width),
        "HEIGHT": str(height),
        "FORMAT": _old_format(media) if version < "1.1" else media,
        **({"TRANSPARENT": "TRUE"} if "png" in media or "gif" in media else {}),
    }
    url = with_params(base, request)
    links.append(Link(Rel.MAP, "GetMap", url, media))
    if ask.layer.queryable:
        links.append(Link(Rel.DATA, "GetFeatureInfo", _feature_info(base, request, version), "text/plain"))
    picture = _Picture(ask, url, crs, four, (width, height), media)
    preview = Preview("wms", base, {"LAYERS": ask.layer.name, "VERSION": version, "FORMAT": media, "CRS": crs})
    return Opening(ask.box, tuple(links), _wms_snippets(picture, base, version), preview)


def _version(version: str) -> dict[str, str]:
    return {"WMTVER": version} if version < "1.1" else {"VERSION": version}


def _named(version: str, operation: str) -> str:
    """WMS 1.0.0 knows its operations by shorter names."""
    return {"GetMap": "map", "GetCapabilities": "capabilities"}[operation] if version < "1.1" else operation


def _old_format(media: str) -> str:
    return media.rpartition("/")[2].upper()


def _picture(formats: tuple[str, ...]) -> str:
    """The best of the formats on offer; WMS 1.0.0 writes PNG for image/png."""
    offered = {f.lower() if "/" in f else f"image/{f.lower()}": f for f in formats}
    return next((wanted for wanted in _PICTURES if wanted in offered or not offered), "image/png")


def _feature_info(base: str, request: dict[str, str], version: str) -> str:
    middle = {"I" if version >= "1.3" else "X": int(request["WIDTH"]) // 2}
    middle["J" if version >= "1.3" else "Y"] = int(request["HEIGHT"]) // 2
    asked = {**request, "REQUEST": "GetFeatureInfo", "QUERY_LAYERS": request["LAYERS"], "INFO_FORMAT": "text/plain"}
    return with_params(base, asked | {k: str(v) for k, v in middle.items()})


class _Picture:
    """A picture to fetch, and where on earth it lies: what all snippets of map services share."""

    def __init__(self, ask: Ask, url: str, crs: str, four: Four, px: tuple[int, int], media: str) -> None:
        self.ask, self.url, self.crs, self.four, self.px, self.media = ask, url, crs, four, px, media
        self.file = f"map.{media.partition('/')[2].partition(';')[0][:3].replace('jpe', 'jpg')}"

    def curl(self) -> Snippet:
        return snippet("curl", f"curl -fsS -o {self.file} {sh(self.url)}")

    def gdal(self) -> Snippet:
        west, south, east, north = self.four
        # The picture has no place of its own: it is told where it lies.
        return snippet(
            "gdal",
            f"curl -fsS -o {self.file} {sh(self.url)}",
            f"gdal_translate -a_srs {sh(_plain_crs(self.crs))} -a_ullr {numbers((west, north, east, south), ' ')} "
            f"{self.file} map.tif",
        )

    def r(self) -> Snippet:
        west, south, east, north = self.four
        return snippet(
            "r",
            "library(terra)",
            f'download.file({r(self.url)}, "{self.file}", mode = "wb")',
            f'map <- rast("{self.file}")',
            f"ext(map) <- c({numbers((west, east, south, north))})",
            f"crs(map) <- {r(_plain_crs(self.crs))}",
            "plot(map)",
        )

    def python(self) -> Snippet:
        return snippet(
            "python",
            "from urllib.request import urlretrieve",
            "",
            f'urlretrieve({py(self.url)}, "{self.file}")',
        )


def _plain_crs(crs: str) -> str:
    """PROJ calls CRS:84 by its longer name, and the number of early Google Maps by the official one."""
    return {"CRS:84": "OGC:CRS84", "EPSG:900913": "EPSG:3857"}.get(crs, crs)


def _wms_snippets(picture: _Picture, base: str, version: str) -> tuple[Snippet, ...]:
    ask, layer = picture.ask, picture.ask.layer
    uri = (
        f"contextualWMSLegend=0&crs={encoded(picture.crs)}&dpiMode=7&format={encoded(picture.media)}"
        f"&layers={encoded(layer.name)}&styles=&url={encoded(base)}"
    )
    west, south, east, north = ask.box.as_tuple()
    owslib = snippet(
        "python",
        "from owslib.wms import WebMapService",
        "",
        f"wms = WebMapService({py(ask.service.endpoint)}, version={py(version)})",
        f"image = wms.getmap(layers=[{py(layer.name)}], styles=[''], srs={py(picture.crs)}, "
        f"bbox=({numbers(picture.four)}), size={picture.px}, format={py(picture.media)}, transparent=True)",
        f'with open("{picture.file}", "wb") as file:',
        "    file.write(image.read())",
    )
    return (
        snippet(
            "qgis",
            f"# Layer > Add Layer > Add WMS/WMTS Layer > New, URL: {ask.service.endpoint}",
            "# or in the Python console:",
            f'iface.addRasterLayer({py(uri)}, {py(ask.title)}, "wms")',
        ),
        owslib if version in ("1.1.1", "1.3.0") else picture.python(),
        picture.r(),
        picture.gdal(),
        picture.curl(),
        snippet(
            "openlayers",
            'import ImageLayer from "ol/layer/Image.js";',
            'import ImageWMS from "ol/source/ImageWMS.js";',
            'import { transformExtent } from "ol/proj.js";',
            "",
            f"const params = {{ LAYERS: {js(layer.name)}, VERSION: {js(version)}, FORMAT: {js(picture.media)} }};",
            f"map.addLayer(new ImageLayer({{ source: new ImageWMS({{ url: {js(base)}, params }}) }}));",
            f'map.getView().fit(transformExtent([{numbers(ask.box.as_tuple())}], "EPSG:4326", '
            "map.getView().getProjection()));",
        ),
        snippet(
            "leaflet",
            f"L.tileLayer.wms({js(base)}, {{ layers: {js(layer.name)}, version: {js(version)}, "
            f"format: {js(picture.media)}, transparent: true }}).addTo(map);",
            f"map.fitBounds([[{numbers((south, west))}], [{numbers((north, east))}]]);",
        ),
    )


def _connect(ask: Ask) -> Snippet:
    return snippet("qgis", f"# Layer > Add Layer > Add WMS/WMTS Layer > New, URL: {ask.service.endpoint}")


def open_arcgis_map(ask: Ask) -> Opening:
    """MapServer and ImageServer: a picture by export, and the features of a layer by query."""
    root = ask.service.endpoint.partition("?")[0].rstrip("/")
    is_image = ask.service.kind == "arcgis-imageserver"
    four = project(ask.box, "EPSG:3857") or ask.box.as_tuple()
    width, height = size(four)
    number = layer_number(ask)
    request = {
        "bbox": numbers(four, ","),
        "bboxSR": "3857",
        "imageSR": "3857",
        "size": f"{width},{height}",
        "format": "jpgpng" if is_image else "png32",
        "transparent": "true",
        "f": "image",
        **({"layers": f"show:{number}"} if number and not is_image else {}),
    }
    export = f"{root}/{'exportImage' if is_image else 'export'}"
    url = with_params(export, request)
    links = [
        Link(
            Rel.CAPABILITIES, "Service document", with_params(ask.service.endpoint, {"f": "json"}), "application/json"
        ),
        Link(Rel.MAP, "Map", url, "image/png"),
    ]
    if number and not is_image:
        links.append(Link(Rel.FEATURES, "Query", query_url(ask), "application/geo+json"))
    picture = _Picture(ask, url, "EPSG:3857", four, (width, height), "image/png")
    preview = Preview("arcgis", root, {"LAYERS": request.get("layers", ""), "IMAGE": "1" if is_image else ""})
    return Opening(ask.box, tuple(links), _arcgis_snippets(picture, root, request), preview)


def layer_number(ask: Ask) -> str:
    number = ask.layer.links[0].rstrip("/").rpartition("/")[2] if ask.layer.links else ""
    return number if number.isdecimal() and len(number) < 7 else ""


def query_url(ask: Ask) -> str:
    """Ten features of a layer as GeoJSON, those in the box where one was named."""
    root = ask.service.endpoint.partition("?")[0].rstrip("/")
    request = {"where": "1=1", "outFields": "*", "outSR": "4326", "resultRecordCount": "10", "f": "geojson"}
    if ask.is_asked:
        request |= {
            "geometry": numbers(ask.box.as_tuple(), ","),
            "geometryType": "esriGeometryEnvelope",
            "inSR": "4326",
            "spatialRel": "esriSpatialRelIntersects",
        }
    return f"{root}/{layer_number(ask) or '0'}/query?{urlencode(request)}"


def _arcgis_snippets(picture: _Picture, root: str, request: dict[str, str]) -> tuple[Snippet, ...]:
    ask = picture.ask
    is_image = ask.service.kind == "arcgis-imageserver"
    uri = f"crs='EPSG:3857' format='PNG32' layer={quoted(layer_number(ask))} url={quoted(root)}"
    source = "ImageArcGISRest"
    shown = f", params: {{ LAYERS: {js(request['layers'])} }}" if "layers" in request else ""
    south_west, north_east = (ask.box.south, ask.box.west), (ask.box.north, ask.box.east)
    plugin = "imageMapLayer" if is_image else "dynamicMapLayer"
    numbers_shown = f", layers: [{layer_number(ask)}]" if "layers" in request else ""
    return (
        snippet(
            "qgis",
            f"# Layer > Add Layer > Add ArcGIS REST Server Layer > New, URL: {root}",
            "# or in the Python console:",
            f'iface.addRasterLayer({py(uri)}, {py(ask.title)}, "arcgismapserver")',
        ),
        picture.python(),
        picture.r(),
        picture.gdal(),
        picture.curl(),
        snippet(
            "openlayers",
            'import ImageLayer from "ol/layer/Image.js";',
            f'import {source} from "ol/source/{source}.js";',
            "",
            f"map.addLayer(new ImageLayer({{ source: new {source}({{ url: {js(root)}{shown} }}) }}));",
        ),
        snippet(
            "leaflet",
            "// with the plug-in esri-leaflet",
            f"L.esri.{plugin}({{ url: {js(root)}{numbers_shown} }}).addTo(map);",
            f"map.fitBounds([[{numbers(south_west)}], [{numbers(north_east)}]]);",
        ),
    )
