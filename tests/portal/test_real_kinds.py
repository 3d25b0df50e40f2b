"""The portal over the kinds that are really installed."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from geohound.model.service import Service
from geohound.plugins import discover
from geohound.portal.app import create_app
from geohound.portal.formatting import description_label, description_url


@pytest.mark.parametrize("kind", discover("kinds"))
def test_every_kind_gives_a_service_a_door_to_its_own_description(kind):
    url = description_url(
        Service(kind, "https://maps.example/service"), discover("kinds")
    )
    assert url.startswith("https://maps.example/")
    assert description_label(url) in {"GetCapabilities", "Service document"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", discover("kinds"))
@pytest.mark.parametrize(
    "endpoint",
    [
        "javascript:alert(1)",
        "http://[broken",
        "",
        "https://h/%ff?\x00=\ud800",
        "x" * 5000,
    ],
)
def test_no_endpoint_however_broken_becomes_a_harmful_door(kind, endpoint):
    url = description_url(Service(kind, endpoint), discover("kinds"))
    assert url == "" or url.startswith(("http://", "https://"))


def test_the_portal_names_the_kinds_as_the_registry_does(catalogue, index):
    with TestClient(create_app(catalogue, index, discover("kinds"))) as client:
        page = client.get("/")
        assert page.status_code == 200
        assert discover("kinds")["wms"].title in page.text
