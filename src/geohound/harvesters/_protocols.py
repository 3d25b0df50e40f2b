"""What a catalogue calls the protocol of a link, in OSGeo's Cat-Interop identifiers: hints, never trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

MAX_LABEL_CHARS = 200
# Words of the label in lower case, apart by single spaces; the first line that matches counts.
_TABLE: tuple[tuple[str, str], ...] = (
    ("OGC:WMTS", r"wmts|web ?map ?tile ?service|ogc_wmts"),
    (
        "OGC:WMS",
        r"wms|wms c|web ?map(ping)? ?service|ogc ?_?wms|wms ?server|inspire view( service)?|view service"
        r"|darstellungsdienst",
    ),
    ("OGC:WFS-G", r"wfs g"),
    ("OGC:WFS", r"wfs|wfs t|web ?feature ?service|ogc ?_?wfs|wfs ?server"),
    ("OGC:WCPS", r"wcps"),
    ("OGC:WCS", r"wcs|web ?coverage ?service|ogc ?_?wcs|wcs ?server"),
    ("OGC:CSW", r"csw|catalog(ue)? service( for the web)?|web ?catalog(ue)? ?service"),
    ("OGC:WPS", r"wps|web ?processing ?service"),
    ("OGC:SOS", r"sos|sensor ?observation ?service"),
    ("OGC:SPS", r"sps|sensor ?planning ?service"),
    ("OGC:IoT", r"sensor ?things( api)?|sta"),
    ("OGCRec", r"ogc ?api ?rec(ords)?|ogc ?rec"),
    ("OGCFeat", r"ogc ?api ?feat(ures)?|ogc ?feat|oapif|wfs ?3"),
    ("OGCTile", r"ogc ?api ?tiles?|ogc ?tile"),
    ("OGCMaps", r"ogc ?api ?maps?|ogc ?maps"),
    ("OGCCov", r"ogc ?api ?cov(erages?)?|ogc ?cov"),
    ("OGCProc", r"ogc ?api ?proc(esses)?|ogc ?proc"),
    ("OGCEDR", r"ogc ?api ?(edr|environmental data retrieval)|ogc ?edr"),
    ("OGC:OWC", r"ows context|owc"),
    ("OGC:WMC", r"web map context|wmc"),
    ("OGC:KML", r"kml|kmz"),
    (
        "ESRI:ArcGIS:MapServer",
        r"map ?server|map service|arcgis ?_?map ?(server|service)|agsmapserver",
    ),
    (
        "ESRI:ArcGIS:FeatureServer",
        r"feature ?server|feature layer|arcgis ?_?feature ?(server|service|layer)|feature service",
    ),
    (
        "ESRI:ArcGIS:ImageServer",
        r"image ?server|arcgis ?_?image ?(server|service)|image service",
    ),
    ("ESRI:ArcGIS:VectorTileServer", r"vector ?tile ?server|vector tile service"),
    ("ESRI:ArcGIS:SceneServer", r"scene ?server|scene service"),
    (
        "ESRI:ArcGIS",
        r"arcgis( geoservices)?( rest)?( api| service)?|arcgis geoservice|esri rest|ags",
    ),
    ("radiantearth:stac", r"stac( api| catalog| collection)?"),
    ("OSGEO:TMS", r"tms|tile map service"),
    ("OSM:XYZ", r"xyz|xyz tiles?|slippy ?map"),
    ("tilejson:2.0.0", r"tile ?json"),
    (
        "INSPIRE Atom",
        r"inspire atom|atom (feed|download)|inspire download service|atom",
    ),
    ("UNIDATA:THREDDS", r"thredds( catalog)?"),
    ("OPeNDAP:OPeNDAP", r"opendap|dods|dap2?"),
    ("UNIDATA:NCSS", r"ncss|netcdf ?subset( service)?"),
    ("ERDDAP:tabledap", r"tabledap|erddap"),
    ("ERDDAP:griddap", r"griddap"),
    ("OpenSearch", r"open ?search( description)?"),
)
# What labels have around the name: an authority, a version, the request that the link makes, a verb of HTTP.
_AROUND = (
    r"(?:(?:urn|x|ogc|def|service ?types?|services?|esri|osgeo|unidata|opendap|erddap|radiantearth|http|https|www"
    r"|opengis|opengeospatial|net|org|standards?|spec|linkrelation|rest|application|vnd|google|earth|inspire|thredds"
    r"|download|servicio|servizio|flux)\s)*"
)
_AFTER = (
    r"(?:\s(?:\d+|v\d+|http|https|get|post|map|capabilities|getcapabilities|getmap|getfeature|feature|describe|ogc"
    r"|services?|request|server|rest|url|link|endpoint|api|layer|version|xml|srvc|ows|dienst|download|coverage"
    r"|observation|conf|core))*"
)
_APART = re.compile(r"[^a-z0-9]+")


def protocol_of(*labels: object) -> str:
    """The identifier that the first understandable label means; empty where none is."""
    for label in labels:
        found = _identify(label) if isinstance(label, str) and label else ""
        if found:
            return found
    return ""


def _identify(label: str) -> str:
    words = " ".join(_APART.sub(" ", label[:MAX_LABEL_CHARS].lower()).split())
    return next((name for name, pattern in _patterns() if pattern.fullmatch(words)), "")


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Compiled for the first label: most crawls meet no catalogue."""
    return tuple(
        (name, re.compile(rf"{_AROUND}(?:{words})(?:\s(?:{words})){{0,2}}{_AFTER}"))
        for name, words in _TABLE
    )


def identifiers() -> Iterable[str]:
    """All that a label may come to."""
    return (name for name, _ in _TABLE)
