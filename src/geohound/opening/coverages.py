"""Opens coverages: WCS in all versions, OGC API Coverages and Maps, EDR."""

from __future__ import annotations

from collections.abc import Sequence

from geohound.urls import with_params

from .features import collection_url
from .parts import Ask, Link, Opening, Preview, Rel, Snippet, encoded, numbers, py, r, sh, snippet
from .places import project, size

_TIFF = ("image/tiff", "image/geotiff", "geotiff", "gtiff", "image/x-geotiff", "image/tiff;application=geotiff")


def open_wcs(ask: Ask) -> Opening:
    version = _version(ask)
    common = {"SERVICE": "WCS", "VERSION": version}
    capabilities = with_params(ask.service.endpoint, {**common, "REQUEST": "GetCapabilities"})
    links = [Link(Rel.CAPABILITIES, "GetCapabilities", capabilities, "text/xml")]
    name = ask.layer.name
    if not name:
        return Opening(ask.box, tuple(links), (_qgis_wcs(ask),))
    base, formats = ask.operation("GetCoverage")
    described = with_params(base, {**common, "REQUEST": "DescribeCoverage", **_identifier(name, version)})
    links.append(Link(Rel.DESCRIPTION, "DescribeCoverage", described, "text/xml"))
    media = _tiff(ask.layer.formats or formats or ask.service.formats, version)
    url = with_params(base, {**common, "REQUEST": "GetCoverage", **_coverage(ask, version, media)})
    links.append(Link(Rel.COVERAGE, "GetCoverage", url, "multipart/related" if _in_parts(version) else "image/tiff"))
    return Opening(ask.box, tuple(links), _wcs_snippets(ask, url, version))


def _version(ask: Ask) -> str:
    """The version to speak: 1.0.0 tells the names of its formats nowhere, and these servers speak 2.0.1 as well."""
    version = ask.service.version or "2.0.1"
    is_known = ask.service.software.startswith(("MapServer", "GeoServer")) and not ask.service.formats
    return "2.0.1" if version < "1.1" and is_known else version


def _identifier(name: str, version: str) -> dict[str, str]:
    if version >= "2":
        return {"COVERAGEID": name}
    # Identifiers by the standard; EOxServer reads the other.
    return {"IDENTIFIERS": name, "IDENTIFIER": name} if version >= "1.1" else {"COVERAGE": name}


def _tiff(formats: tuple[str, ...], version: str) -> str:
    """How this server calls GeoTIFF; 1.0.0 knows the names of formats only layer by layer."""
    offered = {f.lower().replace(" ", ""): f for f in formats}
    return next((offered[f] for f in _TIFF if f in offered), "GeoTIFF" if version < "1.1" else "image/tiff")


def _coverage(ask: Ask, version: str, media: str) -> dict[str, str]:
    """The parameters of GetCoverage, which no two versions have in common."""
    name = ask.layer.name
    west, south, east, north = ask.box.as_tuple()
    has_box = ask.is_asked or bool(ask.layer.extent and ask.layer.extent.box)
    if version >= "2":
        # Axis labels are known from DescribeCoverage only: the whole coverage. GDAL asks for them, see _gdal_wcs.
        return {"COVERAGEID": name, "FORMAT": media}
    if version >= "1.1":
        box = f"{numbers((south, west, north, east), ',')},urn:ogc:def:crs:EPSG::4326"
        return {"IDENTIFIER": name, "FORMAT": media, "BOUNDINGBOX": box}
    four = project(ask.box, "EPSG:4326") or ask.box.as_tuple()
    width, height = size(four, 400)
    request = {"COVERAGE": name, "FORMAT": media, "CRS": "EPSG:4326", "WIDTH": str(width), "HEIGHT": str(height)}
    return request | ({"BBOX": numbers(four, ",")} if has_box else {})


def _qgis_wcs(ask: Ask) -> Snippet:
    uri = f"dpiMode=7&identifier={encoded(ask.layer.name)}&url={encoded(ask.service.endpoint)}"
    return snippet(
        "qgis",
        f"# Layer > Add Layer > Add WCS Layer > New, URL: {ask.service.endpoint}",
        "# or in the Python console:",
        f'iface.addRasterLayer({py(uri)}, {py(ask.title)}, "wcs")',
    )


def _in_parts(version: str) -> bool:
    """WCS 1.1 sends a coverage as the last part of several, which no program takes for a picture."""
    return version.startswith("1.1")


_UNPACK = (
    "import email",
    'raw = open("coverage.mime", "rb").read().lstrip()',
    'head = b"Content-Type: multipart/mixed; boundary=" + raw.split()[0][2:]',
    'parts = email.message_from_bytes(head + b"\\n\\n" + raw).get_payload()',
    'open("coverage.tif", "wb").write(parts[-1].get_payload(decode=True))',
)


def _wcs_snippets(ask: Ask, url: str, version: str) -> tuple[Snippet, ...]:
    in_parts = _in_parts(version)
    file = "coverage.mime" if in_parts else "coverage.tif"
    fetch = [f"curl -fsS -o {file} {sh(url)}", *([f"python3 -c {sh('; '.join(_UNPACK))}"] if in_parts else [])]
    return (
        _qgis_wcs(ask),
        snippet(
            "python",
            "from owslib.wcs import WebCoverageService",
            "",
            f"wcs = WebCoverageService({py(ask.service.endpoint)}, version={py(version)})",
            f"print(wcs.contents[{py(ask.layer.name)}].title)",
            "",
            "from urllib.request import urlretrieve",
            "",
            f'urlretrieve({py(url)}, "{file}")',
            *(_UNPACK if in_parts else ()),
        ),
        *(() if in_parts else (_r_raster(url),)),
        _gdal_wcs(ask, url, version, fetch),
        snippet("curl", *fetch),
    )


def _gdal_wcs(ask: Ask, url: str, version: str, fetch: Sequence[str]) -> Snippet:
    """The part that was asked for, where the request itself can only ask for the whole."""
    if version < "2" or not ask.is_asked or ask.box.crosses_antimeridian:
        return snippet("gdal", *fetch, "gdalinfo coverage.tif")
    west, south, east, north = ask.box.as_tuple()
    source = with_params(ask.service.endpoint, {"version": version, "coverage": ask.layer.name})
    part = f"-projwin {numbers((west, north, east, south), ' ')} -projwin_srs EPSG:4326"
    # GDAL does not know every type of coverage; of those that it does not know, all is fetched.
    return snippet(
        "gdal",
        f"gdal_translate {part} {sh(f'WCS:{source}')} coverage.tif || curl -fsS -o coverage.tif {sh(url)}",
        "gdalinfo coverage.tif",
    )


def _r_raster(url: str) -> Snippet:
    return snippet(
        "r",
        "library(terra)",
        f'download.file({r(url)}, "coverage.tif", mode = "wb")',
        'coverage <- rast("coverage.tif")',
        "plot(coverage)",
    )


def open_api_map(ask: Ask) -> Opening:
    """OGC API Maps: a picture of a collection."""
    width, height = size(ask.box.as_tuple())
    request = {"bbox": numbers(ask.box.as_tuple(), ","), "width": str(width), "height": str(height), "f": "png"}
    return _from_collection(ask, "map", request, Rel.MAP, "image/png", "map.png")


def open_api_coverage(ask: Ask) -> Opening:
    """OGC API Coverages: the values within the box."""
    return _from_collection(
        ask, "coverage", {"bbox": numbers(ask.box.as_tuple(), ",")}, Rel.COVERAGE, "", "coverage.out"
    )


def open_edr(ask: Ask) -> Opening:
    """EDR: the values at the middle of the box, which every collection with positions has."""
    x, y = (ask.box.west + ask.box.east) / 2, (ask.box.south + ask.box.north) / 2
    return _from_collection(
        ask,
        "position",
        {"coords": f"POINT({numbers((x, y), ' ')})"},
        Rel.DATA,
        "application/prs.coverage+json",
        "position.json",
    )


def _from_collection(ask: Ask, what: str, request: dict[str, str], rel: Rel, media: str, file: str) -> Opening:
    links = [Link(Rel.CAPABILITIES, "Landing page", ask.service.endpoint, "application/json")]
    if not ask.layer.name:
        return Opening(ask.box, tuple(links), ())
    collection = collection_url(ask)
    base, mark, query = collection.partition("?")
    url = with_params(f"{base}/{what}{mark}{query}", request)
    links.append(Link(Rel.DESCRIPTION, "Collection", collection, "application/json"))
    links.append(Link(rel, what.capitalize(), url, media))
    snippets = (
        snippet("python", "from urllib.request import urlretrieve", "", f'urlretrieve({py(url)}, "{file}")'),
        snippet("r", f'download.file({r(url)}, "{file}", mode = "wb")'),
        snippet("curl", f"curl -fsS -o {file} {sh(url)}"),
    )
    preview = Preview("image", url) if rel is Rel.MAP else None
    return Opening(ask.box, tuple(links), snippets, preview)
