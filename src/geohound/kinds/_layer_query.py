"""What a kind is asked for, a layer at a box, and the requests that several kinds make alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from geohound.kinds._request_boxes import view
from geohound.model.bbox import BBox
from geohound.model.layer_request import (
    LayerRequest,
    Rel,
    ServerRequest,
    ServerType,
    VectorFile,
)
from geohound.model.service import Layer, Service
from geohound.urls import canonical, origin, with_params

JSON = "application/json"
GEOJSON = "application/geo+json"
XML = "text/xml"


@dataclass(frozen=True, slots=True)
class LayerQuery:
    """A layer of a service, at a box within it; `is_part` where somebody asked for that box."""

    service: Service
    layer: Layer
    box: BBox
    is_part: bool
    longest_px: int = 800  # of a picture
    limit: int = 10  # of features

    @property
    def root(self) -> str:
        """The endpoint without parameters and without a slash at the end."""
        return self.service.endpoint.partition("?")[0].rstrip("/")

    def operation(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Where an operation is asked and its formats; an address on another host is not believed.

        Servers behind a proxy list the names that they have at home; the endpoint is the one that answered.
        """
        endpoint = self.service.endpoint
        for operation in self.service.operations:
            if operation.name.lower() == name.lower():
                address = canonical(operation.get) if operation.get else None
                is_near = address is not None and origin(address) == origin(endpoint)
                return (address if is_near and address else endpoint), operation.formats
        return endpoint, ()

    def own_link(self) -> str:
        """The first web address that the layer itself gives; empty where it gives none."""
        return next((link for link in self.layer.links if canonical(link)), "")


Requester = Callable[[LayerQuery], Sequence[LayerRequest]]


def requests(
    requester: Requester, service: Service, layer: Layer, box: BBox | None
) -> Sequence[LayerRequest]:
    """What a kind asks of a layer, each with the box that it looks at."""
    query = LayerQuery(service, layer, view(service, layer, box), box is not None)
    return [
        replace(request, box=query.box, is_part=query.is_part)
        for request in requester(query)
    ]


# What shows that a layer works; a description of it does not.
_CONTENT = frozenset(
    {Rel.MAP, Rel.FEATURES, Rel.COVERAGE, Rel.TILE, Rel.RECORDS, Rel.DATA}
)
_CHECK_PX = 256


def checks(
    requester: Requester, service: Service, layer: Layer, box: BBox | None
) -> Sequence[LayerRequest]:
    """Small requests that show whether a layer works: the same as for people, for a small picture or one feature."""
    query = LayerQuery(
        service, layer, view(service, layer, box), box is not None, _CHECK_PX, 1
    )
    return [
        replace(found, box=query.box, is_part=query.is_part)
        for found in requester(query)
        if found.rel in _CONTENT
    ]


def quoted_step(name: str) -> str:
    """A name as one step of a path."""
    return quote(name, safe="", errors="replace")


def below(root: str, path: str) -> str:
    """A path below the root of an API, its parameters (an access key) kept."""
    base, mark, query = root.partition("?")
    return f"{base.rstrip('/')}/{path}{mark}{query}"


def capabilities(
    query: LayerQuery, server: ServerType, version: str, request: dict[str, str]
) -> ServerRequest:
    """GetCapabilities, which programs make themselves once they know the endpoint."""
    endpoint = query.service.endpoint
    url = with_params(endpoint, request)
    return ServerRequest(
        Rel.CAPABILITIES,
        "GetCapabilities",
        url,
        XML,
        server=server,
        endpoint=endpoint,
        version=version,
    )


_API_SERVERS = {
    "ogcapi-features": ServerType.OGC_API_FEATURES,
    "ogcapi-records": ServerType.OGC_API_RECORDS,
}


def landing_page(query: LayerQuery) -> ServerRequest:
    endpoint = query.service.endpoint
    server = _API_SERVERS.get(query.service.kind, ServerType.OGC_API)
    return ServerRequest(
        Rel.CAPABILITIES,
        "Landing page",
        endpoint,
        JSON,
        server=server,
        endpoint=endpoint,
    )


_VECTOR_FILES = {
    "application/vnd.google-earth.kml+xml": ("KML", False),
    "application/geo+json": ("GeoJSON", False),
    "application/geopackage+sqlite3": ("GPKG", False),
    "application/gml+xml": ("GML", False),
    "application/x-gmz": ("GML", True),
    "application/x-shapefile": ("ESRI Shapefile", True),
}


def file_request(rel: Rel, title: str, url: str, media_type: str) -> LayerRequest:
    """A file to be fetched as it is; of some types it is known how programs read them where they are."""
    known = _VECTOR_FILES.get(media_type.partition(";")[0].strip().lower())
    if known is None:
        return LayerRequest(rel, title, url, media_type)
    driver, is_zipped = known
    return VectorFile(rel, title, url, media_type, driver=driver, is_zipped=is_zipped)


def document(query: LayerQuery) -> list[LayerRequest]:
    """The document that the service is, and what the layer itself links to."""
    found = [LayerRequest(Rel.CAPABILITIES, "Service document", query.service.endpoint)]
    own = query.own_link()
    return [*found, LayerRequest(Rel.DATA, "Entry", own)] if own else found
