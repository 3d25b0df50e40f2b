"""Services of the geoweb outside the OWS family are recognised, with the facts they were made of."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from geohound.document import Document
from geohound.kinds import (
    arcgis,
    atom,
    erddap,
    kml,
    ogcapi,
    opendap,
    opensearch,
    ows_context,
    sensorthings,
    stac,
    thredds,
    tilejson,
    tms,
)
from geohound.model import service_merge
from geohound.model.service import Service
from geohound.model.visit import Response
from geoweb import services
from geoweb.box import Box
from geoweb.protocol import Request, ServiceSpec

MODULES = (
    ogcapi,
    stac,
    arcgis,
    sensorthings,
    tms,
    tilejson,
    thredds,
    opendap,
    erddap,
    opensearch,
    atom,
    kml,
    ows_context,
)
# Here the documents list more than the layers of their facts: folders, entity sets, templates.
GROUPED = frozenset(["arcgis-directory", "sensorthings", "opensearch", "thredds"])
READERS = {kind.id: kind for module in MODULES for kind in module.KINDS}
MADE = [
    (kind, version, seed)
    for kind in services.KINDS
    if kind in READERS and kind not in services.LISTS
    for version in services.VERSIONS[kind]
    for seed in range(4)
]


def make(kind: str, version: str, seed: int) -> ServiceSpec:
    endpoint = f"http://gis.town{seed}.test{services.endpoint_path(kind, seed)}"
    return ServiceSpec(
        kind, version, seed, endpoint, topic="rivers", bbox=Box(5.5, 47.0, 15.0, 55.0)
    )


def ask(spec: ServiceSpec, url: str) -> Document:
    parts = urlsplit(url)
    reply = services.answer(spec, Request("GET", parts.netloc, parts.path, parts.query))
    assert reply is not None, url
    headers = {"content-type": reply.content_type}
    return Document(
        Response(
            url,
            url,
            reply.status,
            headers,
            reply.body,
            datetime(2024, 1, 1, tzinfo=UTC),
        )
    )


def claims(document: Document) -> list[Service]:
    found = [reader.read(document) for reader in READERS.values()]
    return [service for service in found if isinstance(service, Service)]


def identify(spec: ServiceSpec) -> dict[str, Service]:
    """What the proof of a service and its companions say together."""
    first = claims(ask(spec, services.facts(spec).proof_url))
    more = [
        s for url in service_merge.companions(first) for s in claims(ask(spec, url))
    ]
    return {service.kind: service for service in service_merge.join(first, more)}


@pytest.mark.parametrize(("kind", "version", "seed"), MADE)
def test_the_proof_of_a_service_and_its_companions_yield_its_facts(
    kind: str, version: str, seed: int
) -> None:
    spec = make(kind, version, seed)
    facts = services.facts(spec)
    found = identify(spec)[kind]
    assert found.endpoint == spec.endpoint.rstrip("/")
    if kind != "sensorthings":  # its address may name another version than it speaks
        assert found.version in (facts.version, "")
    names = [layer.name for layer in found.layers]
    if kind in GROUPED:
        names = [name for name in names if name in facts.layers]
    assert tuple(names) == facts.layers
    # a DMR has a title better than its file name
    if kind != "opendap" or version != "4.0":
        assert found.title == facts.title
    # a static catalogue leaves boxes to its collections
    if facts.bbox is not None and kind != "stac":
        assert found.extent is not None
        assert found.extent.box is not None
        assert found.extent.box.as_tuple() == pytest.approx(
            facts.bbox.as_tuple(), abs=0.01
        )


@pytest.mark.parametrize(("kind", "version", "seed"), MADE)
def test_one_of_the_probes_from_the_bare_endpoint_proves_the_service(
    kind: str, version: str, seed: int
) -> None:
    spec = make(kind, version, seed)
    asked = spec.endpoint if kind != "xyz" else spec.endpoint + "/{z}/{x}/{y}.png"
    probes = READERS[kind].probe_urls(asked)
    assert 1 <= len(probes) <= 3
    assert any(
        isinstance(READERS[kind].read(ask(spec, url)), Service) for url in probes
    )


@pytest.mark.parametrize(("kind", "version", "seed"), MADE)
def test_no_other_kind_claims_what_is_not_its_own(
    kind: str, version: str, seed: int
) -> None:
    found = set(identify(make(kind, version, seed)))
    # A STAC API is an OGC API for features as well, and says so.
    assert found - {kind} <= ({"ogcapi-features"} if kind == "stac-api" else set())
