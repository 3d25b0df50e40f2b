"""The apps with known truth are enough, small and consistent."""

from __future__ import annotations

from pathlib import Path

import pytest
import webapps

from geohound import plugins, urls

APPS = webapps.load()
BLIND = Path(__file__).parents[2] / "bench" / "pages_blind"
BLIND_APPS = webapps.load(BLIND / "building") + webapps.load(BLIND / "kept")


def test_there_are_enough_apps_and_every_idiom_has_some() -> None:
    assert len(APPS) >= 120
    assert {n for app in APPS for n in app.idioms} >= set(range(22))


def test_the_apps_stay_small() -> None:
    sizes = [path.stat().st_size for path in webapps.FOLDER.iterdir()]
    assert max(sizes) <= 100_000
    assert sum(sizes) <= 1_500_000


@pytest.mark.parametrize("app", APPS + BLIND_APPS, ids=lambda app: app.name)
def test_the_truth_of_an_app_is_written_in_canonical_form(app: webapps.App) -> None:
    kinds = plugins.discover("kinds")
    assert urls.canonical(app.page) == app.page
    for service in app.services:
        assert service.kind in kinds
        for endpoint in service.endpoints:
            assert (urls.canonical(endpoint) or "").rstrip("/") == endpoint.rstrip("/")
            assert urls.endpoint(endpoint) == endpoint


def test_only_a_few_apps_need_a_browser() -> None:
    needed = sum(len(app.wanted) for app in APPS if app.needs_browser)
    assert 0 < needed / sum(len(app.wanted) for app in APPS) < 0.06


def test_an_address_below_a_service_leads_to_it_and_a_neighbour_does_not() -> None:
    service = webapps.Service("wms", ("http://h.test/ms?map=/a.map",))
    assert service.answers("http://h.test/ms?map=/a.map&SERVICE=WMS&LAYERS=x")
    assert service.answers("http://h.test/ms?map=/a.map&tiled=true", "wms")
    assert not service.answers("http://h.test/ms?map=/b.map")
    assert not service.answers("http://h.test/ms?map=/a.map", "wfs")
    rest = webapps.Service(
        "arcgis-mapserver", ("http://h.test/rest/services/A/MapServer",)
    )
    assert rest.answers("http://h.test/rest/services/A/MapServer/12")
    assert not rest.answers("http://h.test/rest/services/A/MapServer/WMSServer")
