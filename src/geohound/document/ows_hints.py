"""Which OGC services may live at an address, as far as one answer from there lets us guess."""

from __future__ import annotations

import re
from typing import NamedTuple

from geohound.document import Document

_HEAD_BYTES = 20_000
_NAME = re.compile(r"(?<![A-Za-z])(WMS|WFS|WCS|WMTS|WPS|CSW|SOS)(?![A-Za-z])")
_EXCEPTIONS = frozenset({"ServiceExceptionReport", "ExceptionReport", "Fault"})
# What software leaves of itself in an answer, in lower case, and the services that it can offer at one address.
_SOFTWARE: tuple[tuple[tuple[str, ...], str], ...] = (
    (("pycsw", "geonetwork"), "CSW"),
    (("52n-sos", "52north", "52°north", "istsos"), "SOS"),
    (("pywps", "zoo-project", "zoo_loader"), "WPS"),
    (("tinyows",), "WFS"),
    (("mapproxy", "geowebcache", "mapcache"), "WMS WMTS"),
    (
        ("qgis_mapserv", "qgis server", "qgisserver", "qgis mapserver"),
        "WMS WFS WCS WMTS",
    ),
    (("deegree",), "WMS WFS WCS WMTS WPS CSW"),
    (("geoserver",), "WMS WFS WCS WMTS WPS CSW"),
    (("eoxserver", "thredds"), "WMS WCS"),
    (
        (
            "mswmsdispatch",
            "mswfsdispatch",
            "mswcsdispatch",
            "mscgi",
            "<!-- mapserver",
            "/mapserv",
        ),
        "WMS WFS WCS SOS",
    ),
)


class OwsHints(NamedTuple):
    """Values of the parameter SERVICE."""

    named: tuple[str, ...] = ()  # in an exception report or on a page
    of_software: tuple[
        str, ...
    ] = ()  # all that the software can offer; empty where it is not known


def ows_hints(document: Document, asked: str = "") -> OwsHints:
    """What an answer says of services; `asked` is the one that was asked for, which an exception report repeats.

    Capabilities name other services in their prose only: of them the software alone counts.
    """
    head = document.body[:_HEAD_BYTES].decode("utf-8", "ignore")
    lowered = (
        f"{document.response.headers.get('server', '')} {document.url} {head}".lower()
    )
    offered = next(
        (
            names
            for traces, names in _SOFTWARE
            if any(trace in lowered for trace in traces)
        ),
        "",
    )
    is_talking = document.is_html or document.root_name in _EXCEPTIONS
    found = dict.fromkeys(_NAME.findall(head)) if is_talking else {}
    return OwsHints(
        tuple(name for name in found if name != asked), tuple(offered.split())
    )
