"""The services of the wild web: their addresses, whether they live, and the ways in which pages name them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

_LOUD = (
    ("WMS", "/geoserver/{w}/ows"), ("WMS", "/cgi-bin/mapserv?map=/srv/{w}.map"), ("WMS", "/wms/{w}"),
    ("ArcGIS", "/arcgis/rest/services/{w}/MapServer"), ("WFS", "/ogc/{w}/wfs"), ("WMTS", "/gwc/{w}/service/wmts"),
    ("WMS", "/mapproxy/{w}/service"), ("WMS", "/erdas-iws/ogc/wms/{w}"), ("CSW", "/{w}/csw"),
    ("ArcGIS", "/server/rest/services/{w}/FeatureServer"), ("API", "/ogcapi/{w}"), ("WMS", "/qgis/{w}"),
    ("WMS", "/thredds/wms/{w}.nc"), ("WFS", "/lizmap/index.php/service?repository={w}"),
)  # fmt: skip
_QUIET = (
    ("WMS", "/app/proxy.php?m={w}"), ("WMS", "/img/plan.ashx?k={w}"), ("WMS", "/{w}/ows"), ("WFS", "/data/{w}/query"),
    ("ArcGIS", "/srv1/rest/services/{w}/MapServer"), ("WMS", "/scripts/{w}.exe"),
)  # fmt: skip
_WORDS = (
    "noise",
    "plan",
    "b7",
    "routes",
    "stops",
    "parcel",
    "depth",
    "veg",
    "site",
    "net",
    "x12",
    "wells",
    "old",
    "pub",
)
WAYS = ("link", "link", "bare", "text", "input", "script", "code", "attribute", "table")
QUIET_WAYS = ("script", "attribute", "frame", "picture")


@dataclass(frozen=True, slots=True)
class Service:
    """One service and how pages write its address."""

    endpoint: str
    kind: str
    way: str
    alive: bool = True

    @property
    def request(self) -> str:
        """The address with a request, as links have it."""
        if self.kind in {"ArcGIS", "API"}:
            return self.endpoint + ("?f=pjson" if self.kind == "ArcGIS" else "")
        join = "&" if "?" in self.endpoint else "?"
        return f"{self.endpoint}{join}service={self.kind}&request=GetCapabilities"


def make_service(rng: random.Random, host: str, loud: bool, alive: bool) -> Service:
    kind, path = rng.choice(_LOUD if loud else _QUIET)
    word = f"{rng.choice(_WORDS)}{rng.randrange(10, 9999)}"
    return Service(
        f"https://{host}{path.format(w=word)}",
        kind,
        rng.choice(WAYS if loud else QUIET_WAYS),
        alive,
    )


def write(service: Service) -> str:
    """The HTML by which a page names a service."""
    request, endpoint = escape(service.request), escape(service.endpoint)
    match service.way:
        case "link":
            return f'<p><a href="{request}">{service.kind}</a></p>'
        case "bare":
            return f'<p><a href="{endpoint}">URL</a></p>'
        case "text":
            return f"<p>{service.kind}: {request}</p>"
        case "input":
            return f'<input type="text" readonly value="{endpoint}"><a href="{request}">XML</a>'
        case "code":
            return (
                f"<pre><code>ogrinfo &quot;{service.kind}:{request}&quot;</code></pre>"
            )
        case "attribute":
            return f'<div data-src="{endpoint}" data-z="11"></div><script src="/static/app.min.js"></script>'
        case "table":
            return f"<table><tr><th>{service.kind}</th><td>{endpoint}</td></tr></table>"
        case "frame":
            return f'<iframe src="/viewer/?u={quote(service.endpoint, safe="")}" width="600" height="400"></iframe>'
        case "picture":
            query = "SERVICE=WMS&amp;REQUEST=GetMap&amp;BBOX=0,0,9,9&amp;WIDTH=300&amp;HEIGHT=200"
            full = f"{endpoint}{'&amp;' if '?' in endpoint else '?'}{query}"
            return f'<a href="{full}"><img src="{full}" alt=""></a>'
    return f'<div id="m"></div><script>var s = "{service.endpoint}"; draw("m", s, {{"z": 9}});</script>'
