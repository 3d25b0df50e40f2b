"""Every kind can be opened: a service of it is read from its own answers, and then answers what is asked of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from geohound.document import Document
from geohound.model import service_merge
from geohound.model.bbox import BBox
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Layer, Service
from geohound.model.visit import Response
from geohound.plugins import discover
from geohound.views.opening import Opener
from geoweb import services
from geoweb.box import Box
from geoweb.protocol import Reply, Request, ServiceSpec

KINDS = discover("kinds")
OPENER = Opener(KINDS, discover("snippets"))
PART = BBox(8.0, 49.0, 12.0, 52.0)
# Map contexts are lists that somebody saved: they are refused, and never become services.
NO_SERVICES = {"wmc", "owc"}
# The geoweb has none of these.
ELSEWHERE = {"ows", "arcgis-sceneserver"}
# Processes and sensors are set to work by what one sends them; styles, directories and feeds only point to data.
ONLY_DESCRIBED = {
    "sps",
    "wps",
    "ogcapi-processes",
    "ogcapi-styles",
    "arcgis-directory",
    "atom",
}
MADE = [
    (kind, version)
    for kind in services.KINDS
    if kind not in services.LISTS and kind not in NO_SERVICES
    for version in services.VERSIONS[kind]
]


def ask(spec: ServiceSpec, url: str) -> Reply:
    parts = urlsplit(url)
    reply = services.answer(spec, Request("GET", parts.netloc, parts.path, parts.query))
    assert reply is not None, url
    return reply


def read(spec: ServiceSpec) -> Service:
    def claims(url: str) -> list[Service]:
        reply = ask(spec, url)
        headers = {"content-type": reply.content_type}
        response = Response(
            url,
            url,
            reply.status,
            headers,
            reply.body,
            datetime(2024, 1, 1, tzinfo=UTC),
        )
        found = [kind.read(Document(response)) for kind in KINDS.values()]
        return [service for service in found if isinstance(service, Service)]

    first = claims(services.facts(spec).proof_url)
    more = [
        service for url in service_merge.companions(first) for service in claims(url)
    ]
    return next(
        service
        for service in service_merge.join(first, more)
        if service.kind == spec.kind
    )


def opened(kind: str, version: str) -> Iterator[tuple[ServiceSpec, LayerRequest]]:
    endpoint = f"http://gis.town.test{services.endpoint_path(kind, 1)}"
    spec = ServiceSpec(
        kind, version, 1, endpoint, topic="rivers", bbox=Box(5.5, 47.0, 15.0, 55.0)
    )
    service = read(spec)
    for layer in [*service.layers[:3], Layer("")]:
        for box in (None, PART):
            for request in OPENER.open(service, layer, box).links:
                yield spec, request


def test_the_geoweb_has_every_kind() -> None:
    assert {kind for kind, _ in MADE} == set(KINDS) - NO_SERVICES - ELSEWHERE


@pytest.mark.parametrize(("kind", "version"), MADE)
def test_what_is_asked_of_a_service_is_answered_with_what_was_promised(
    kind: str, version: str
) -> None:
    for spec, request in opened(kind, version):
        reply = services.answer(spec, as_request(request.url))
        assert reply is not None, request.url
        assert reply.status == 200, request.url
        assert is_what_was_promised(request, reply.body), (
            f"{request.url}\n{reply.body[:300]!r}"
        )


def as_request(url: str) -> Request:
    parts = urlsplit(url)
    return Request("GET", parts.netloc, parts.path, parts.query)


def is_what_was_promised(request: LayerRequest, body: bytes) -> bool:
    rel = request.rel
    if rel in (Rel.MAP, Rel.TILE) and body[:4] in (
        b"\x89PNG",
        b"\xff\xd8\xff\xe0",
        b"GIF8",
    ):
        return True
    if rel is Rel.TILE:
        return not re.match(rb"\s*[<{]", body)
    if rel is Rel.FEATURES and body.lstrip()[:1] == b"{":
        # a part may be empty
        return bool(json.loads(body)["features"]) or request.is_part
    return bool(body) and b"Exception" not in body[:600]


@pytest.mark.parametrize(("kind", "version"), MADE)
def test_data_can_be_asked_for_or_it_is_known_why_not(kind: str, version: str) -> None:
    rels = {request.rel for _, request in opened(kind, version)}
    has_data = bool(rels - {Rel.CAPABILITIES, Rel.DESCRIPTION})
    assert has_data != (kind in ONLY_DESCRIBED)
