"""Which software answers, where the answer hints at it, with its version where that is said."""

from __future__ import annotations

import re

from geohound.document import Document
from geohound.text.pattern_scan import WordScan

_HEAD_BYTES = 2_000  # comments and the root tag with its schema locations
# A name and the traces it leaves, in lower case: comments, schema locations, addresses. First match wins.
# Plain words, not patterns: fifty of them are looked for in every document, in one pass.
_TRACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("MapServer", ("<!-- mapserver version",)),
    (
        "QGIS Server",
        (
            "qgis server",
            "qgis_mapserv",
            "http://www.qgis.org/",
            "qgisserver",
            "qgis mapserver",
        ),
    ),
    (
        "ArcGIS Server",
        (
            "/arcgis/",
            "/wmsserver",
            "/wfsserver",
            "/wcsserver",
            "esri_wms",
            "arcgisserver",
        ),
    ),
    ("MapProxy", ("mapproxy",)),
    ("GeoWebCache", ("geowebcache", "/gwc/service")),
    ("deegree", ("deegree",)),
    ("pycsw", ("pycsw",)),
    ("GeoNetwork", ("geonetwork", "/srv/eng/csw", "/srv/en/csw")),
    ("THREDDS", ("/thredds/", "thredds data server")),
    ("ncWMS", ("ncwms",)),
    ("EOxServer", ("eoxserver",)),
    ("rasdaman", ("rasdaman", "petascope")),
    ("PyWPS", ("pywps",)),
    ("ZOO-Project", ("zoo-project", "zoo project", "zoo_loader")),
    ("52°North SOS", ("52n-sos", "52north", "52n_sos", "52°north")),
    ("istSOS", ("istsos",)),
    ("MapCache", ("mapcache",)),
    ("TinyOWS", ("tinyows",)),
    ("CubeWerx", ("cubewerx", "cubeserv")),
    ("ERDAS Apollo", ("erdas", "ionicsoft", "ionic_soft", "redspider")),
    ("XtraServer", ("xtraserver",)),
    ("GeoMedia", ("geomedia",)),
    ("GeoServer", ("geoserver",)),
    (
        "MapServer",
        (
            "mapserv?",
            "mapserv.exe",
            "mapserv.cgi",
            "mapserv.fcgi",
            "/mapserv",
            "mapserver.gis.umn.edu",
        ),
    ),
)
_SCAN = WordScan([trace for _, traces in _TRACES for trace in traces])
_VERSION = re.compile(
    r"[a-z. _]{0,12}?(?:version |server |/|v| )(\d{1,4}(?:\.\d+){1,3}\w*)"
)


def detect(document: Document, address: str = "") -> str:
    """Name and version of the software; empty if nothing hints at it."""
    server = document.response.headers.get("server", "")
    head = document.body[:_HEAD_BYTES].decode("utf-8", "ignore")
    hints = f"{server} {document.url} {address} {head}".lower()
    found = _SCAN.found(hints.encode("utf-8", "replace"))
    for name, traces in _TRACES:
        for trace in traces:
            at = hints.find(trace) if trace in found else -1
            if at >= 0:
                version = _VERSION.match(hints, at + len(trace) - 1) or _VERSION.match(
                    hints, at + len(trace)
                )
                return f"{name} {version[1]}" if version else name
    return ""
