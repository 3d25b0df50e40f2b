"""What the tests of the geoweb's services share: making a spec, and asking it for an address."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from geoweb import services
from geoweb.box import Box
from geoweb.protocol import Reply, Request, ServiceSpec

MakeSpec = Callable[..., ServiceSpec]
Ask = Callable[..., Reply]


def _make(kind: str, version: str = "", seed: int = 1, **more: object) -> ServiceSpec:
    languages = ("en", "de", "fr", "zh", "ru", "pt")
    topics = ("rivers", "land cover", "noise", "peat bogs")
    members: dict[str, object] = {
        "language": languages[seed % len(languages)],
        "topic": topics[seed % len(topics)],
        "bbox": Box(5.5, 45.25, 15.0, 55.0),
        "layers": 6,
    }
    endpoint = "http://gis.example.test" + services.endpoint_path(kind, seed)
    return ServiceSpec(
        kind,
        version or services.VERSIONS[kind][-1],
        seed,
        endpoint,
        **{**members, **more},
    )  # type: ignore[arg-type]


def _ask(
    spec: ServiceSpec, url: str, listed: tuple[ServiceSpec, ...] = (), **more: object
) -> Reply:
    parts = urlsplit(url)
    method = str(more.pop("method", "GET"))
    request = Request(method, parts.netloc, parts.path, parts.query, **more)  # type: ignore[arg-type]
    reply = services.answer(spec, request, listed)
    assert reply is not None, f"{url} is not an address of {spec.endpoint}"
    return reply


@pytest.fixture
def make_spec() -> MakeSpec:
    return _make


@pytest.fixture
def ask() -> Ask:
    return _ask


@pytest.fixture
def ask_kvp() -> Ask:
    """Ask with key-value pairs added to the endpoint."""

    def asker(
        spec: ServiceSpec,
        query: str,
        listed: tuple[ServiceSpec, ...] = (),
        **more: object,
    ) -> Reply:
        return _ask(
            spec,
            spec.endpoint + ("&" if "?" in spec.endpoint else "?") + query,
            listed,
            **more,
        )

    return asker
