"""Which server software a service of the geoweb pretends to be, and how that software writes."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from ._xml import Style


@dataclass(frozen=True, slots=True)
class Flavour:
    """A server product: its XML habits, its way to name layers, and what gives it away."""

    id: str
    style: Style
    naming: str  # slug, workspace:slug, number, app:Camel, title
    # prefix and address of the namespace that it declares in WMS 1.3.0
    space: tuple[str, str] | None = None
    server: str = ""  # header


_MAPSERVER = "<!-- MapServer version 8.0.1 OUTPUT=PNG OUTPUT=JPEG SUPPORTS=PROJ SUPPORTS=WMS_SERVER INPUT=GDAL -->\n"

_MS = ("ms", "http://mapserver.gis.umn.edu/mapserver")
_QGS = ("qgs", "http://www.qgis.org/wms")
_INSPIRE = "http://inspire.ec.europa.eu/schemas/"
_VIEW = ("inspire_vs", _INSPIRE + "inspire_vs/1.0")

FLAVOURS: dict[str, Flavour] = {
    f.id: f
    for f in (
        Flavour("mapserver", Style("  ", False, _MAPSERVER), "slug", _MS),
        Flavour("geoserver", Style("  ", False), "workspace:slug", _VIEW),
        Flavour(
            "arcgis",
            Style("", False),
            "number",
            ("esri_wms", "http://www.esri.com/wms"),
        ),
        Flavour(
            "deegree",
            Style("  ", True),
            "app:Camel",
            ("inspire_common", _INSPIRE + "common/1.0"),
        ),
        Flavour(
            "qgis",
            Style(" ", False),
            "title",
            _QGS,
            "QGIS FCGI server - QGIS version 3.34.1",
        ),
        Flavour("mapproxy", Style("\t", False), "slug"),
        Flavour(
            "mapserver-latin", Style(" ", False, _MAPSERVER, "ISO-8859-1"), "slug", _MS
        ),
    )
}

# QGIS first, for qgis_mapserv.fcgi bears both names.
_SIGNS = (
    ("qgis", "qgis"), (".qgs", "qgis"), ("mapserv", "mapserver"), ("geoserver", "geoserver"),
    ("arcgis", "arcgis"), ("deegree", "deegree"), ("mapproxy", "mapproxy"),
)  # fmt: skip


def flavour_of(endpoint: str, seed: int) -> Flavour:
    """The software that such an address belongs to; where the address does not say, the seed decides."""
    path = unquote(endpoint).lower().partition("://")[2].partition("/")[2]
    for sign, name in _SIGNS:
        if sign in path:
            old = name == "mapserver" and seed % 4 == 0
            return FLAVOURS["mapserver-latin" if old else name]
    return tuple(FLAVOURS.values())[seed % len(FLAVOURS)]
