"""The cross matrix: every document is read by every kind, and exactly the expected ones claim it."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from geohound import plugins
from geohound.document import Document
from geohound.model import service_merge
from geohound.model.service import Refusal, Service
from geohound.model.visit import Response
from geoweb import Request, ServiceSpec, services

MADE = [
    (k, v, seed)
    for k in services.KINDS
    for v in services.VERSIONS[k]
    for seed in range(3)
]
# A WCPS lives in a WCS, a STAC API is an OGC API for features, and both say so.
ALSO = {"wcps": {"wcs"}, "stac-api": {"ogcapi-features"}}


def document(spec: ServiceSpec, url: str) -> Document:
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
            datetime(2026, 1, 1, tzinfo=UTC),
        )
    )


def claims(answer: Document) -> list[Service]:
    found = [kind.read(answer) for kind in plugins.discover("kinds").values()]
    return [claim for claim in found if isinstance(claim, Service)]


@pytest.mark.parametrize(("kind", "version", "seed"), MADE)
def test_exactly_the_expected_kinds_claim_a_document(
    kind: str, version: str, seed: int
) -> None:
    endpoint = f"http://gis{seed}.test{services.endpoint_path(kind, seed)}"
    spec = ServiceSpec(kind, version, seed, endpoint, topic="forests")
    proof = document(spec, services.facts(spec).proof_url)
    first = claims(proof)
    more = [
        s
        for url in service_merge.companions(first)
        for s in claims(document(spec, url))
    ]
    found = {service.kind for service in service_merge.join(first, more)}
    if kind in services.LISTS:
        refused = [k.read(proof) for k in plugins.discover("kinds").values()]
        assert [r.kind for r in refused if isinstance(r, Refusal)] == [kind]
        assert not found
    else:
        assert found == {kind} | ALSO.get(kind, set())
