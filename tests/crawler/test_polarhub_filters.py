"""The three filters of PolarHub (Li, Wang & Bhatia 2016, section 4.1): file types, social media, space."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from books import BOOK

sys.path.insert(0, str(Path(__file__).parent))

from test_engine import WMS, SmallWeb, html, run, service

from geohound import plugins
from geohound.crawler.link_filter import ScopeFilter, follow
from geohound.crawler.seen_links import SeenLinks
from geohound.model.bbox import BBox
from geohound.model.crawl.task import CrawlGoal, Scope, Task, TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import Link, Page
from geohound.net.clock import SystemClock
from geohound.settings import Settings
from geohound.stores.sqlite import open_store
from geohound.tasks.spec import plan_of
from geohound.urls.sinks import is_sink, sinks

LINKS = (
    Link("https://www.facebook.com/sharer.php?u=http://a.test/"),
    Link("https://twitter.com/intent/tweet"),
    Link("https://play.google.com/store/apps"),
    Link("https://web.archive.org/web/2016/http://a.test/"),
    Link("http://b.test/maps"),
    Link("https://developers.google.com/maps"),
)


def proposed(scope: ScopeFilter) -> tuple[list[str], Counter[FailureReason]]:
    drops: Counter[FailureReason] = Counter()
    found = follow(
        Page("http://a.test/", links=LINKS), 1, scope, BOOK, drops, SeenLinks().page()
    )
    return [link.url for link in found], drops


def test_social_media_and_copies_of_the_web_are_left_out_and_counted() -> None:
    """PH-4, section 4.1. The URLs inside the links of the first and the fourth lead back to a.test: they are followed."""
    found, drops = proposed(ScopeFilter.around(Scope.ANY, ["http://a.test/"], sinks()))
    assert found == [
        "http://a.test/",
        "http://b.test/maps",
        "https://developers.google.com/maps",
    ]
    assert drops == {FailureReason.SINK: 4}


@pytest.mark.parametrize(
    "named",
    [
        "https://creativecommons.org/licenses/by/4.0",
        "http://schemas.opengis.net/wms/1.3.0/capabilities_1_3_0.xsd",
        "http://www.opengis.net/def/crs/EPSG/0/4326",
        "http://www.w3.org/2005/Atom",
        "https://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/noLimitations",
    ],
)
def test_licences_schemas_and_code_lists_are_not_asked(named: str) -> None:
    """They stand in records and capabilities beside services: each run waited for them."""
    assert is_sink(named, sinks())
    assert not is_sink("https://inspire-geoportal.ec.europa.eu/wms", sinks())


def test_the_user_adds_sites_and_takes_others_off_the_list() -> None:
    found, _ = proposed(
        ScopeFilter.around(
            Scope.ANY, ["http://a.test/"], sinks(["b.test", "-twitter.com"])
        )
    )
    assert "https://twitter.com/intent/tweet" in found
    assert "http://b.test/maps" not in found
    assert proposed(ScopeFilter.around(Scope.ANY, [], sinks(["-*"])))[1] == {}


def test_who_names_a_sink_as_a_seed_wants_to_crawl_it() -> None:
    found, _ = proposed(
        ScopeFilter.around(Scope.ANY, ["https://www.facebook.com/maps"], sinks())
    )
    assert "https://www.facebook.com/sharer.php?u=http://a.test/" in found


@pytest.mark.parametrize("order", sorted(plugins.discover("orders")))
def test_sinks_are_left_out_in_every_order_by_default(tmp_path, order: str) -> None:
    """PH-4: the filter of social media, section 4.1."""
    plan = plan_of(
        Settings(order=order),
        _task(tmp_path, CrawlGoal(("http://a.test/",), order=order)),
        counts_links=False,
    )
    assert not plan.scope.holds("https://www.facebook.com/maps")
    assert plan.scope.holds("http://b.test/")


def _task(folder: Path, goal: CrawlGoal) -> Task:
    store = open_store(folder / "c.db", SystemClock())
    try:
        return store.tasks.create(TaskSpec(goal))
    finally:
        store.close()


def test_services_refused_by_the_box_are_counted_once(tmp_path) -> None:
    """PH-4, section 4.1. Two pages name the same service, whose data lie nowhere near the South Pole."""
    pages = {
        "http://a.test/": html("<a href='/1'>one</a> <a href='/2'>two</a>"),
        "http://a.test/1": html(
            "rivers of the north <a href='http://gis.test/ows?service=WMS&request=GetCapabilities'>WMS</a>"
        ),
        "http://a.test/2": html(
            "a list of maps <a href='http://gis.test/ows?service=WMS&request=GetCapabilities&version=1.1.1'>WMS</a>"
        ),
        "http://gis.test/ows": service(WMS),
    }
    web = SmallWeb(pages)
    done, store = run(tmp_path, web, bbox=BBox(-180, -90, 180, -89.9))
    assert store.catalogue.count().services == 0
    assert sum(url.startswith("http://gis.test/ows") for url in web.asked) == 2
    assert done.final_drops[FailureReason.OTHER_AREA] == 1
