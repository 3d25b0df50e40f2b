"""A crawl of map apps on a real server finds what reading each app alone finds, and asks for no file twice."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "mining"))

import mine_crawl
import webapps

# Their https cannot be rewritten for a plain server.
NEEDS_TLS = {
    "base64-string",
    "escaped-characters",
    "split-reverse",
    "fresh-global-namespace-two-scripts",
}
# A library asks its own services by https, whatever the page says.
BUILT_IN = {
    "worldwind: wms http://worldwind25.arc.nasa.gov/wms",
    "worldwind: wms http://worldwind26.arc.nasa.gov/elev",
}
# An API tells at its root that it has tiles, and a WMTS of plain addresses where it stands in a file of its own: these
# are played by servers that know neither.
NOT_PLAYED = {
    "fresh-openlayers-ogc-sources", "fifth-swiss-like-api-and-layers-config", "third-webform-cesium-geoserver-by-host",
}  # fmt: skip


def check(web: mine_crawl.AppWeb, folder: Path) -> dict:
    summary, found = mine_crawl.crawl(web, str(folder))
    hit, _ = mine_crawl.score(web, found)
    by_mine, _ = mine_crawl.mined(web.apps)
    missed = by_mine - hit - BUILT_IN
    assert {
        m for m in missed if m.partition(":")[0] not in NEEDS_TLS | NOT_PLAYED
    } == set()
    assert {url: n for url, n in web.asked.items() if n > 1 and url in web.files} == {}
    return summary


@pytest.mark.slow
def test_viewers_are_read_by_their_recipes(tmp_path: Path) -> None:
    names = (
        "viewer-terria",
        "viewer-masterportal",
        "viewer-mviewer",
        "viewer-oskari",
        "base-in-other-script",
    )
    summary = check(
        mine_crawl.AppWeb(tuple(a for a in webapps.load() if a.name in names)), tmp_path
    )
    assert summary["ways"]["recipe"]["services"] >= 10
    assert summary["ways"]["recipe"]["tested_per_confirmed"] <= 1.3


@pytest.mark.slow
def test_a_crawl_of_all_apps_finds_what_reading_them_alone_finds(
    tmp_path: Path,
) -> None:
    summary = check(mine_crawl.AppWeb(webapps.load()), tmp_path)
    assert summary["ways"]["script"]["tested_per_confirmed"] <= 1.3
