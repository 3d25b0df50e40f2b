"""Every OGC service of the geoweb is recognised from its own answers, with the facts it was made of."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from geohound import plugins
from geohound.document import Document
from geohound.document.refusals import judge
from geohound.model.service import RefusalReason, Service
from geohound.model.visit import Response
from geoweb import services
from geoweb.box import Box
from geoweb.protocol import Request, ServiceSpec

OWS = ("wms", "wfs", "wcs", "wcps", "wmts", "wps", "csw", "sos", "sps", "ows")
MADE = [
    (kind, version, seed)
    for kind in services.KINDS
    if kind in OWS
    for version in services.VERSIONS[kind]
    for seed in range(5)
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


@pytest.mark.parametrize(("kind", "version", "seed"), MADE)
def test_the_capabilities_of_a_service_yield_its_facts(
    kind: str, version: str, seed: int
) -> None:
    spec = make(kind, version, seed)
    facts = services.facts(spec)
    found = plugins.discover("kinds")[kind].read(ask(spec, facts.proof_url))
    assert isinstance(found, Service)
    assert found.kind == kind
    assert found.version == facts.version
    assert found.title == facts.title
    assert tuple(layer.name for layer in found.layers) == facts.layers
    if facts.bbox is not None:
        assert found.extent is not None
        assert found.extent.box is not None
        assert found.extent.box.as_tuple() == pytest.approx(
            facts.bbox.as_tuple(), abs=0.02
        )
    assert found.repairs == ()
    assert len(found.fingerprint) == 16


@pytest.mark.parametrize(("kind", "version", "seed"), MADE)
def test_a_kind_asks_the_request_that_proves_it(
    kind: str, version: str, seed: int
) -> None:
    spec = make(kind, version, seed)
    reader = plugins.discover("kinds")[kind]
    answers = [
        reader.read(ask(spec, url)) for url in reader.probe_urls(spec.endpoint)[:1]
    ]
    assert [type(a) for a in answers] == [Service]


@pytest.mark.parametrize(("kind", "version", "seed"), [m for m in MADE if m[2] == 0])
def test_exactly_the_expected_kinds_claim_a_service(
    kind: str, version: str, seed: int
) -> None:
    spec = make(kind, version, seed)
    document = ask(spec, services.facts(spec).proof_url)
    claims = {
        k
        for k, reader in plugins.discover("kinds").items()
        if isinstance(reader.read(document), Service)
    }
    assert claims - {"wcps"} == {kind} - {"wcps"} or claims == {"wcs", "wcps"}


@pytest.mark.parametrize("kind", [k for k in OWS if k in services.KINDS])
def test_a_request_that_does_not_exist_is_refused_with_an_exception_report(
    kind: str,
) -> None:
    spec = make(kind, services.VERSIONS[kind][-1], 0)
    mark = "&" if "?" in spec.endpoint else "?"
    document = ask(
        spec, f"{spec.endpoint}{mark}SERVICE={kind.upper()}&REQUEST=GetNonsense"
    )
    assert all(
        reader.read(document) is None for reader in plugins.discover("kinds").values()
    )
    refusal = judge(document)
    assert refusal.reason is RefusalReason.EXCEPTION_REPORT
    assert refusal.kind == kind
    assert refusal.detail
