"""Layers in Python: OWSLib, xarray, pystac and siphon where they speak the protocol, the standard library else."""

from __future__ import annotations

from geohound.model.bbox import short_numbers
from geohound.model.layer_request import (
    ApiItems,
    DapDataset,
    FeatureRequest,
    LayerRequest,
    Rel,
    ServerRequest,
    ServerType,
    WcsCoverage,
    WfsFeatures,
    WmsPicture,
    WmtsTile,
)
from geohound.model.service import Layer, Service

from ._multipart import UNPACK
from ._quoting import lines, py
from ._writer import Writer, file_of, is_json, is_json_document

_LIMIT = "10"
_CONTENTS = (
    "for name, offering in server.contents.items():",
    "    print(name, offering.title)",
)
_PROCESSES = (
    "for process in server.processes:",
    "    print(process.identifier, process.title)",
)
_OFFERINGS = (
    "for name, offering in server.contents.items():",
    "    print(name, offering.description)",
)
# OWSLib has a module for each protocol, named after it, with one class that talks to a server.
_OWSLIB = {
    ServerType.WMS: ("WebMapService", _CONTENTS),
    ServerType.WMTS: ("WebMapTileService", _CONTENTS),
    ServerType.WFS: ("WebFeatureService", _CONTENTS),
    ServerType.WCS: ("WebCoverageService", _CONTENTS),
    ServerType.WPS: ("WebProcessingService", _PROCESSES),
    ServerType.SOS: ("SensorObservationService", _OFFERINGS),
}


def write(service: Service, _layer: Layer, request: LayerRequest) -> str:
    match request:
        case WmsPicture(version="1.1.1" | "1.3.0"):
            return _wms(service, request)
        case WmtsTile():
            return _wmts(service, request)
        case WfsFeatures():
            return _wfs(service, request)
        case ApiItems():
            return _items(service, request)
        case FeatureRequest() if is_json(request):
            return lines(
                *_load_json("features", request.url),
                'print(len(features["features"]), "features")',
            )
        case WcsCoverage():
            return _wcs(service, request)
        case DapDataset():
            return lines(
                "import xarray",
                "",
                f"dataset = xarray.open_dataset({py(request.dataset)})",
                "print(dataset)",
            )
        case ServerRequest():
            return _server(service, request)
        case _:
            return _plain(request)


def _plain(request: LayerRequest) -> str:
    if is_json_document(request):
        asked = f"print(json.load(urlopen({py(request.url)})))"
        return lines("import json", "from urllib.request import urlopen", "", asked)
    return lines(*_retrieve(request))


def _retrieve(request: LayerRequest) -> tuple[str, ...]:
    return (
        "from urllib.request import urlretrieve",
        "",
        f'urlretrieve({py(request.url)}, "{file_of(request)}")',
    )


def _load_json(name: str, url: str) -> tuple[str, ...]:
    return (
        "import json",
        "from urllib.request import urlopen",
        "",
        f"{name} = json.load(urlopen({py(url)}))",
    )


def _wms(service: Service, request: WmsPicture) -> str:
    return lines(
        "from owslib.wms import WebMapService",
        "",
        f"wms = WebMapService({py(service.endpoint)}, version={py(request.version)})",
        f"image = wms.getmap(layers=[{py(request.name)}], styles=[''], srs={py(request.crs)}, "
        f"bbox=({short_numbers(request.bounds)}), size={request.size_px}, format={py(request.media_type)}, "
        "transparent=True)",
        f'with open("{file_of(request)}", "wb") as file:',
        "    file.write(image.read())",
    )


def _wmts(service: Service, request: WmtsTile) -> str:
    return lines(
        "from owslib.wmts import WebMapTileService",
        "",
        f"wmts = WebMapTileService({py(service.endpoint)})",
        f"tile = wmts.gettile(layer={py(request.name)}, tilematrixset={py(request.grid)}, "
        f"tilematrix={py(request.level)}, row={request.row}, column={request.column}, "
        f"format={py(request.media_type)})",
        f'with open("{file_of(request)}", "wb") as file:',
        "    file.write(tile.read())",
    )


def _wfs(service: Service, request: WfsFeatures) -> str:
    box = short_numbers(request.box.as_tuple())
    part = f', bbox=({box}, "urn:ogc:def:crs:EPSG::4326")' if request.is_part else ""
    wanted = (
        f", outputFormat={py(request.output_format)}" if request.output_format else ""
    )
    version = _wfs_version(request.version)
    return lines(
        "from owslib.wfs import WebFeatureService",
        "",
        f"wfs = WebFeatureService({py(service.endpoint)}, version={py(version)})",
        f"features = wfs.getfeature(typename=[{py(request.name)}], maxfeatures={_LIMIT}{part}{wanted})",
        f'with open("{file_of(request)}", "wb") as file:',
        "    content = features.read()",
        "    file.write(content if isinstance(content, bytes) else content.encode())",
    )


def _wfs_version(version: str) -> str:
    """The nearest that OWSLib speaks."""
    if version in ("1.0.0", "1.1.0", "2.0.0"):
        return version
    return "2.0.0" if version >= "2" else "1.1.0"


def _items(service: Service, request: ApiItems) -> str:
    is_record = request.rel is Rel.RECORDS and request.server is ServerType.OGC_API
    client = "Records" if is_record else "Features"
    part = (
        f", bbox=[{short_numbers(request.box.as_tuple())}]" if request.is_part else ""
    )
    return lines(
        f"from owslib.ogcapi.{client.lower()} import {client}",
        "",
        f"api = {client}({py(service.endpoint)})",
        f"items = api.collection_items({py(request.name)}, limit={_LIMIT}{part})",
        'print(len(items["features"]), "items")',
    )


def _wcs(service: Service, request: WcsCoverage) -> str:
    return lines(
        "from owslib.wcs import WebCoverageService",
        "",
        f"wcs = WebCoverageService({py(service.endpoint)}, version={py(request.version)})",
        f"print(wcs.contents[{py(request.name)}].title)",
        "",
        *_retrieve(request),
        *(UNPACK if request.in_parts else ()),
    )


def _server(service: Service, request: ServerRequest) -> str:
    """What a server has, as the library for its protocol lists it."""
    if request.server in _OTHERS:
        return _OTHERS[request.server](service, request)
    if request.server is ServerType.WMS and request.version not in ("1.1.1", "1.3.0"):
        return _plain(request)  # OWSLib speaks no others
    if request.server not in _OWSLIB:
        return _plain(request)
    client, listing = _OWSLIB[request.server]
    version = (
        _wfs_version(request.version)
        if request.server is ServerType.WFS
        else request.version
    )
    return lines(
        f"from owslib.{request.server.lower()} import {client}",
        "",
        f"server = {client}({py(request.endpoint)}, version={py(version)})",
        *listing,
    )


def _stac(_service: Service, request: ServerRequest) -> str:
    return lines(
        "import pystac",
        "",
        f"found = pystac.read_file({py(request.url)})",
        "for link in found.get_links():",
        "    print(link.rel, link.get_href())",
    )


def _thredds(_service: Service, request: ServerRequest) -> str:
    return lines(
        "from siphon.catalog import TDSCatalog",
        "",
        f"catalogue = TDSCatalog({py(request.endpoint)})",
        "for name, dataset in catalogue.datasets.items():",
        "    print(name, dataset.access_urls)",
    )


def _csw(service: Service, request: ServerRequest) -> str:
    """OWSLib asks a CSW for a box in version 2.0.2 only."""
    speaks_second = not request.version.startswith("3") or "2.0.2" in service.versions
    is_filtered = request.is_part and speaks_second
    is_third = request.version.startswith("3") and not is_filtered
    box = request.box
    # Latitude first, as the CRS has it.
    corners = short_numbers((box.south, box.west, box.north, box.east))
    part = (
        f'constraints=[BBox([{corners}], "urn:ogc:def:crs:EPSG::4326")], '
        if is_filtered
        else ""
    )
    return lines(
        "from owslib.csw import CatalogueServiceWeb",
        *(("from owslib.fes import BBox",) if is_filtered else ()),
        "",
        f'csw = CatalogueServiceWeb({py(request.endpoint)}, version="{"3.0.0" if is_third else "2.0.2"}")',
        f"csw.{'getrecords' if is_third else 'getrecords2'}({part}maxrecords={_LIMIT})",
        "for record in csw.records.values():",
        "    print(record.title)",
    )


_OTHERS = {ServerType.CSW: _csw, ServerType.STAC: _stac, ServerType.THREDDS: _thredds}
SNIPPETS = (Writer("python", "Python", "python", 30, write),)
