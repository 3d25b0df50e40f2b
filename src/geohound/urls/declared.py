"""Can the address that a document gives for itself (its OnlineResource) identify the service?"""

from __future__ import annotations

from . import canonical, endpoint, host
from .ogc import is_reserved

# Ends of names that mean something within one network only.
_INNER = (
    ".local",
    ".localdomain",
    ".internal",
    ".intranet",
    ".lan",
    ".corp",
    ".home",
    ".private",
    ".home.arpa",
)
# What programs write where nobody has set an address.
_HOMES_OF_PROGRAMS = frozenset(
    {
        "52north.org", "arcgis.com", "deegree.org", "esri.com", "geonetwork-opensource.org", "geoserver.org",
        "mapserver.gis.umn.edu", "mapserver.org", "ogc.org", "opengeospatial.org", "opengis.net", "qgis.org", "w3.org",
    }
)  # fmt: skip
_FRONT_PAGES = frozenset(
    {"", "index.html", "index.htm", "index.php", "index.jsp", "default.aspx"}
)


def declared_endpoint(online_resource: str) -> str:
    """The endpoint that a document declares; empty for one that many services may declare by mistake.

    Left out are loopback and reserved addresses, names of internal networks, front pages, and web sites of programs.
    """
    address = canonical(online_resource) if online_resource else None
    if address is None:
        return ""
    name = host(address).rpartition(":")[0] or host(address)
    path = address.split("/", 3)[-1]
    is_false = (
        is_reserved(name)
        or ("." not in name.strip("[]") and ":" not in name)
        or name.endswith(_INNER)
        or name.removeprefix("www.") in _HOMES_OF_PROGRAMS
        or path.lower() in _FRONT_PAGES
    )
    return "" if is_false else endpoint(address)
