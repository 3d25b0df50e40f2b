"""What can be asked of a layer: a request, and what a program must know to make the same request in its own words."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from .bbox import WORLD, BBox

Four = tuple[float, float, float, float]


class Rel(StrEnum):
    """What a request brings."""

    CAPABILITIES = "capabilities"
    DESCRIPTION = "description"
    MAP = "map"
    FEATURES = "features"
    COVERAGE = "coverage"
    TILE = "tile"
    RECORDS = "records"
    DATA = "data"


class ServerType(StrEnum):
    """A protocol that programs speak by themselves, once they know the address of a server."""

    WMS = "WMS"
    WMTS = "WMTS"
    WFS = "WFS"
    WCS = "WCS"
    CSW = "CSW"
    WPS = "WPS"
    SOS = "SOS"
    OGC_API = "OGC API"  # of maps, tiles, coverages …: hardly a program connects to it
    OGC_API_FEATURES = "OGC API Features"
    OGC_API_RECORDS = "OGC API Records"
    ARCGIS = "ArcGIS REST"
    STAC = "STAC"
    SENSORTHINGS = "SensorThings"
    THREDDS = "THREDDS"


@dataclass(frozen=True, slots=True)
class LayerRequest:
    """One request, ready to be sent by GET; its subclasses say what it brings, and how else that may be asked for."""

    rel: Rel
    title: str
    url: str
    media_type: str = ""
    # the part of the world that it looks at
    box: BBox = field(default=WORLD, kw_only=True)
    # the box was asked for, rather than all there is
    is_part: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRequest(LayerRequest):
    """A request to a server that programs can connect to."""

    server: ServerType
    endpoint: str
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture(LayerRequest):
    """A map as one picture, and where on earth that lies."""

    crs: str
    # west, south, east, north in the CRS, x before y whatever its axis order
    bounds: Four
    size_px: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class WmsPicture(Picture):
    """GetMap of a WMS."""

    base: str  # where GetMap is asked
    version: str
    name: str
    has_mercator: bool  # may it be asked for in EPSG:3857?


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcgisPicture(Picture):
    """A map exported by an ArcGIS map or image service."""

    root: str
    number: int | None = None  # of the layer; None for all of them
    is_image: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TileTemplate(LayerRequest):
    """Tiles of the usual Mercator pyramid by zoom, column and row; the request itself is for one of them."""

    # with {z}, {x} and {y}, or {-y} where rows are counted from the south
    template: str
    is_vector: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WmtsTile(LayerRequest):
    """One tile of a WMTS, and where it stands in its grid."""

    capabilities: str
    name: str
    grid: str
    crs: str
    level: str
    column: int
    row: int
    style: str = ""
    # the same by zoom, column and row, where the grid is the usual pyramid
    template: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureRequest(LayerRequest):
    """Some features, as GeoJSON or GML."""

    limit_name: str = ""  # the parameter that says how many


@dataclass(frozen=True, slots=True, kw_only=True)
class WfsFeatures(FeatureRequest):
    """GetFeature of a WFS."""

    version: str
    name: str
    output_format: str = ""  # how this server calls GeoJSON, where it has that


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiItems(FeatureRequest):
    """The items of a collection of an OGC API or a STAC API."""

    server: ServerType
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArcgisFeatures(FeatureRequest):
    """A query of a layer of an ArcGIS feature service."""

    root: str
    layer_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WcsCoverage(LayerRequest):
    """GetCoverage of a WCS."""

    version: str
    name: str

    @property
    def in_parts(self) -> bool:
        """WCS 1.1 sends a coverage as the last part of several, which no program takes for a picture."""
        return self.version.startswith("1.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class DapDataset(LayerRequest):
    """A dataset that is read over OPeNDAP, as much of it as one needs; the request itself is for its structure."""

    dataset: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorFile(LayerRequest):
    """Features in one file that GDAL reads, such as KML."""

    driver: str  # GDAL's name of the format
    is_zipped: bool = False

    @property
    def gdal_path(self) -> str:
        """The name under which GDAL reads it over the network."""
        return f"{'/vsizip/' if self.is_zipped else ''}/vsicurl/{self.url}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneLayer(LayerRequest):
    """A scene in three dimensions, of an ArcGIS server."""

    layer_url: str
