"""Does this address look like a service? A cheap first guess over all kinds, made for every link of every page."""

from __future__ import annotations

import re

from .ogc import Claim, classify_ogc

# Path parts that servers give their services. A guess costs a request or two, so words of prose are not here.
_PATHS = re.compile(
    r"/(?:ows|wms|wfs|wcs|wmts|wps|csw|sos|sps|wcps|wms-c|geowebcache|mapserv(?:\.exe|\.fcgi)?|mapproxy|qgis_mapserv(?:\.fcgi)?|"
    r"wms\.(?:php|asp|aspx|ashx|cgi|jsp)|ogc\.(?:asp|aspx|ashx)|(?:wms|wfs|wcs|wmts)server(?:\.\w+)?|"
    r"(?:map|feature|image|vectortile|scene)server(?:/wmsserver|/wfsserver)?|wmtscapabilities\.xml|"
    r"erddap|stac|sensorthings|frost-server|opendap|ogcapi|oapif|tilejson\.json|tiles\.json)/?(?:$|[?#])"
    r"|/rest/services(?:/|$|\?)|/tms/1\.0(?:\.0)?/?|/thredds/(?:catalog|wms|wcs|dodsc|ncss)|/(?:tabledap|griddap)/"
    r"|/geoserver/(?:[\w.-]+/)?(?:ows|wms|wfs|wcs|gwc)|/stac/|/v1\.[01]/?(?:$|\?)|/sta/|/ogc/(?:features|tiles|maps|records)"
    r"|\.dds(?:$|\?)|/(?:catalog|collection)\.json(?:$|\?)"
    r"|/(?:conformance|collections)/?(?:$|\?)|opensearch(?:description)?\.xml|\.(?:kml|wmc|owc)(?:$|\?)"
    r"|(?:\{|%7b)z(?:\}|%7d)/",
    re.IGNORECASE,
)
MAX_PATH = 2000
_PARAMS = re.compile(r"[?&](?:map=[^&]*\.map\b|service=\w+|request=get\w+|f=p?json\b)", re.IGNORECASE)


def looks_like_service(url: str) -> bool:
    """True if a request to this address is worth a tester's time."""
    _, _, rest = url.partition("://")
    path = rest[rest.find("/") :][:MAX_PATH] if "/" in rest else ""
    name = path.partition("?")[0].rpartition("/")[2].lower()
    if name.endswith(".xml") and ("capabilities" in name or "getcap" in name):
        return True
    if _PATHS.search(path) or ("?" in path and _PARAMS.search(path)):
        return True
    return classify_ogc(url)[0] is not Claim.NO
