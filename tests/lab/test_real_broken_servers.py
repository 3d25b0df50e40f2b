"""Other real servers than MapServer, each broken in the same ways: what a deep look says of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import ThreadingHTTPServer

import pytest
from breaking_proxy import BreakingProxy
from lab_truth import MARKS
from loopback import running

from geohound import app
from geohound.monitor.looking import Look, LookTarget, look_at
from geohound.probe import identify
from geohound.settings import Settings
from geohound.tasks.checking import look_deeper

pytestmark = MARKS
KINDS = app.kinds()
QUICK = Settings(
    allow_nets=("127.0.0.0/8",), host_delay_s=0.0, slow_host_factor=0.0, first_byte_timeout_s=1.5, retries=0,
    address_share=0.0,
)  # fmt: skip
# What is asked for first, and the kind that is looked at.
PLACES = {
    "qgis": ("/?SERVICE=WMS&REQUEST=GetCapabilities", "wms"),
    "mapproxy": ("/service?SERVICE=WMS&REQUEST=GetCapabilities", "wms"),
    "mapproxy tiles": ("/wmts/1.0.0/WMTSCapabilities.xml", "wmts"),
    "pygeoapi": ("/?f=json", "ogcapi-features"),
    "eoxserver": ("/ows?SERVICE=WCS&REQUEST=GetCapabilities", "wcs"),
}
DRAWN = {
    "empty": (False, "blank image"),
    "wrong projection": (False, "wrong projection"),
}
# In this order: a host that was slow is left alone for a while.
ALL = {
    "": (True, ""),
    "log-in": (True, "log-in wall"),
    "truncated": (False, "truncated"),
    "html": (False, "HTML page"),
    "moved": (True, "moved: to http://127.0.0.1:"),
    "slow": (False, "no first byte in time"),
}
Said = dict[str, tuple[bool | None, str]]


@pytest.mark.parametrize("place", PLACES)
def test_what_is_broken_is_named_whoever_serves_it(
    place: str, address: Callable[[str], str]
) -> None:
    path, kind = PLACES[place]
    wanted = (DRAWN if kind == "wms" else {}) | ALL
    BreakingProxy.real, BreakingProxy.mode = address(place.partition(" ")[0]), ""
    with running(ThreadingHTTPServer(("127.0.0.1", 0), BreakingProxy)) as origin:
        BreakingProxy.own = origin
        said = asyncio.run(_looks(origin + path, kind, list(wanted)))
    for mode, (ok, reason) in wanted.items():
        assert said[mode][0] is ok, (mode, said[mode])
        assert reason in said[mode][1], (mode, said[mode])
    assert said[""][1] == ""


async def _looks(url: str, kind: str, modes: list[str]) -> Said:
    """The service found while all is well; then one deep look for each way in which its server is broken."""
    fetcher = app.fetcher(QUICK)
    verdict = await identify(url, fetcher, KINDS, 10**7)
    (service,) = [each for each in verdict.services if each.kind == kind]
    said: Said = {}
    for mode in modes:
        BreakingProxy.mode = mode
        look = await look_at(LookTarget(service), fetcher, KINDS, 10**7, datetime.now(UTC))  # fmt: skip
        assert isinstance(look, Look), (mode, look)
        look = await look_deeper(look, look.read or service, fetcher, KINDS, 1)
        said[mode] = (look.check.ok, look.check.reason)
    await fetcher.close()
    return said
