"""Check now: a service is looked at on the spot by who may, with scripts or without, and the check is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import ClassVar

import pytest
from loopback import serving
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from geohound import app as wiring
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.portal.check_routes import REST_S
from geohound.search.index import CatalogueIndex
from geohound.settings import Settings
from geohound.tasks import observed
from geohound.tasks.control import TaskControl

CAPABILITIES = b"""<?xml version="1.0"?><WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">
<Service><Name>WMS</Name><Title>Soils</Title></Service><Capability><Request><GetMap><Format>image/png</Format></GetMap>
</Request><Layer><Title>All</Title></Layer></Capability></WMS_Capabilities>"""
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


class _Wms(BaseHTTPRequestHandler):
    is_there: ClassVar[bool] = True

    def do_GET(self) -> None:
        is_wms = "getcapabilities" in self.path.lower() and self.is_there
        self.send_response(200 if is_wms else 404)
        self.send_header("Content-Type", "text/xml")
        self.end_headers()
        self.wfile.write(CAPABILITIES if is_wms else b"<none/>")

    def log_message(self, *_: object) -> None:
        pass


class _Gone(_Wms):
    is_there = False


@contextmanager
def portal_over(
    store, handler=_Wms, *, may_write: bool = True
) -> Iterator[tuple[TestClient, Service]]:
    """A portal whose catalogue has one service, at an address that answers."""
    settings = Settings(allow_nets=("127.0.0.0/8",), host_delay_s=0.0)
    control = TaskControl(store.tasks)
    with serving(handler) as origin:
        service = Service(
            "wms",
            f"{origin}/wms",
            title="Soils",
            layers=(Layer("", "All"),),
            fingerprint="f",
        )
        sighting = Sighting(service.id, service.endpoint, "", Via.SEED, "", LONG_AGO)
        store.catalogue.record_now([Observation(service, sighting)])
        app = create_app(
            store.catalogue,
            CatalogueIndex(store.catalogue, store.segments),
            wiring.kinds(),
            tasks=PortalTasks(
                control, TaskEvents(control), ("fifo",), may_write=may_write
            ),
            check=partial(
                observed.check,
                partial(wiring.fetcher, settings, None),
                wiring.kinds(),
                settings,
                store.catalogue,
            ),
        )
        with TestClient(app, follow_redirects=False) as client:
            yield client, service


def test_the_form_works_without_scripts_and_keeps_the_check(store) -> None:
    with portal_over(store) as (client, service):
        page = LexborHTMLParser(client.get(f"/services/{service.id}").text)
        form = page.css_first("form[data-check]")
        answer = client.post(form.attributes["action"])
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        f"/services/{service.id}#health",
    )
    (kept,) = store.catalogue.checks(service.id)
    assert kept.ok
    assert datetime.now(UTC) - kept.at < timedelta(minutes=1)


def test_what_is_gone_is_kept_as_a_failed_check_with_its_reason(store) -> None:
    with portal_over(store, _Gone) as (client, service):
        client.post(f"/services/{service.id}/check")
    (kept,) = store.catalogue.checks(service.id)
    assert not kept.ok
    assert "404" in kept.reason


def test_requests_and_the_result_are_sent_line_by_line(store) -> None:
    with portal_over(store) as (client, service):
        answer = client.post(f"/api/v1/services/{service.id}/check")
    *asked, result = [json.loads(line) for line in answer.text.splitlines()]
    assert {event["event"] for event in asked} == {"request"}
    assert any(event["status"] == 200 for event in asked)
    assert (result["event"], result["ok"], result["state"]) == ("result", True, "alive")


def test_a_service_that_was_just_checked_is_left_alone(store) -> None:
    with portal_over(store) as (client, service):
        store.catalogue.record_now(
            [Check(service.id, datetime.now(UTC) - timedelta(seconds=REST_S / 2), True)]
        )
        answer = client.post(f"/api/v1/services/{service.id}/check")
        assert 0 < int(answer.headers["retry-after"]) <= REST_S
        form = client.post(f"/services/{service.id}/check")
    assert (answer.status_code, form.status_code) == (429, 429)
    assert len(store.catalogue.checks(service.id)) == 1


def test_who_may_only_read_is_offered_nothing_and_refused(store) -> None:
    with portal_over(store, may_write=False) as (client, service):
        assert "data-check" not in client.get(f"/services/{service.id}").text
        assert client.post(f"/services/{service.id}/check").status_code == 403
        assert client.post(f"/api/v1/services/{service.id}/check").status_code == 403
    assert store.catalogue.checks(service.id) == []


@pytest.mark.parametrize(
    "path", ["/services/{id}/check", "/api/v1/services/{id}/check"]
)
def test_another_site_cannot_have_it_checked(store, path: str) -> None:
    with portal_over(store) as (client, service):
        answer = client.post(
            path.format(id=service.id), headers={"Sec-Fetch-Site": "cross-site"}
        )
    assert answer.status_code == 403
    assert store.catalogue.checks(service.id) == []


def test_a_service_that_nobody_knows_is_not_found(store) -> None:
    with portal_over(store) as (client, service):
        other = replace(service, endpoint="http://other.example/wms")
        assert client.post(f"/services/{other.id}/check").status_code == 404
