"""Other real servers than MapServer, each broken in the same ways: what a deep look says of them."""

from __future__ import annotations

from collections.abc import Callable
from http.server import ThreadingHTTPServer

import pytest
from breaking_proxy import BreakingProxy
from deep_looks import looks_at
from lab_truth import MARKS
from loopback import running

pytestmark = MARKS
# What is asked for first, and the kind that is looked at.
PLACES = {
    "qgis": ("/?SERVICE=WMS&REQUEST=GetCapabilities", "wms"),
    "mapproxy": ("/service?SERVICE=WMS&REQUEST=GetCapabilities", "wms"),
    "mapproxy tiles": ("/wmts/1.0.0/WMTSCapabilities.xml", "wmts"),
    "pygeoapi": ("/?f=json", "ogcapi-features"),
    "eoxserver": ("/ows?SERVICE=WCS&REQUEST=GetCapabilities", "wcs"),
    "tipg": ("/?f=json", "ogcapi-features"),
}
DRAWN = {
    "empty": (False, "blank image"),
    "wrong projection": (False, "wrong projection"),
}
ALL = {
    "": (True, ""),
    "log-in": (True, "log-in wall"),
    "truncated": (False, "truncated"),
    "html": (False, "HTML page"),
    "moved": (True, "moved: to http://127.0.0.1:"),
    "slow": (False, "no first byte in time"),
}


@pytest.mark.parametrize("place", PLACES)
def test_what_is_broken_is_named_whoever_serves_it(
    place: str, address: Callable[[str], str]
) -> None:
    path, kind = PLACES[place]
    wanted = (DRAWN if kind == "wms" else {}) | ALL
    BreakingProxy.real, BreakingProxy.mode = address(place.partition(" ")[0]), ""
    with running(ThreadingHTTPServer(("127.0.0.1", 0), BreakingProxy)) as origin:
        BreakingProxy.own = origin
        look = looks_at(origin + path, kind, layers=1)
        for mode, (ok, reason) in wanted.items():
            BreakingProxy.mode = mode
            check = look()
            assert check.ok is ok, (mode, check)
            assert reason in check.reason, (mode, check)
            assert mode or not check.reason, check
