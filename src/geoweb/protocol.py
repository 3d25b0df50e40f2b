"""What the geoweb's parts say to each other: a request, a reply, and the description of one service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from geoweb.box import Box

WORLD = Box(-180, -90, 180, 90)


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request as it reached the geoweb; header names in lower case."""

    method: str
    host: str
    path: str  # starts with /, without the query, percent-encoding kept
    query: str = ""  # without the question mark
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back; the last three fields are for trouble."""

    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0  # wait before the first byte
    drip_bytes_per_s: int = 0  # send slowly
    hang: bool = False  # accept and never answer


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """All that decides a service of the geoweb; equal specs answer with equal bytes."""

    kind: str  # an id of contract.md: wms, wfs, ogcapi-features, arcgis-mapserver …
    version: str
    seed: int
    endpoint: str  # absolute, as a user would paste it, without request parameters: http://gis.x.test/geoserver/ows
    language: str = "en"
    topic: str = ""  # what it is about, in plain words: "land cover", "rivers"; decides titles and layers
    bbox: Box = WORLD
    layers: int = 5


@dataclass(frozen=True, slots=True)
class Facts:
    """What a reader must find in the answers of a service."""

    title: str
    layers: tuple[str, ...]  # names, in document order
    bbox: Box | None
    version: str
    proof_url: str  # the request whose answer proves the service
