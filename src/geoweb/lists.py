"""A server of thousands of maps with one page that lists them, mirrors of one service, false OnlineResources, demos."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from geoweb import services
from geoweb.protocol import Reply, Request, ServiceSpec

SEED = "http://lists.test/"
COUNT = 2000
_MAPS = "maps.lists.test"  # one MapServer; each map is a service of its own
_MIRRORS = {
    f"m{n}.mirrors.test": version
    for n, version in enumerate(("1.3.0", "1.1.1", "1.3.0", "1.1.0"), 1)
}
_FALSE = tuple(f"f{n}.false.test" for n in range(1, 4))
_STOCK = tuple(f"http://geo.stock{n}.test/geoserver/wms" for n in range(1, 4))
_MIRRORED = ServiceSpec(
    "wms", "1.3.0", 4242, "http://m1.mirrors.test/ows", topic="rivers"
)
_HTML = "text/html; charset=utf-8"


def _map(number: int) -> ServiceSpec:
    endpoint = f"http://{_MAPS}/cgi-bin/mapserv?map=/maps/m{number}.map"
    return ServiceSpec("wms", "1.3.0", number, endpoint, topic="land cover", layers=2)


def _false(number: int) -> ServiceSpec:
    """Each is another service, whose document says that it is at localhost."""
    return ServiceSpec(
        "wms",
        "1.3.0",
        9000 + number,
        "http://localhost:8080/geoserver/wms",
        topic="soil",
    )


def _stock(address: str) -> ServiceSpec:
    """Each is an installation as it comes out of the box: the same demo layers, at an address of its own."""
    return ServiceSpec("wms", "1.3.0", 9999, address, topic="roads")


def answer_listed(host: str, request: Request) -> Reply | None:
    """The reply of one of these hosts; None for all other hosts."""
    if host == "lists.test":
        reply = _page() if request.path == "/" else None
    elif host == _MAPS:
        number = _number(request)
        reply = None if number is None else services.answer(_map(number), request)
    elif host in _MIRRORS:
        reply = services.answer(replace(_MIRRORED, version=_MIRRORS[host]), request)
    elif host in _FALSE:
        reply = services.answer(_false(_FALSE.index(host)), request)
    elif f"http://{host}/geoserver/wms" in _STOCK:
        reply = services.answer(_stock(f"http://{host}/geoserver/wms"), request)
    else:
        return None
    return reply or Reply(404, _HTML, b"<h1>404 Not Found</h1>")


def _number(request: Request) -> int | None:
    named = parse_qs(request.query).get("map", [""])[0]
    digits = named.removeprefix("/maps/m").removesuffix(".map")
    is_map = (
        digits.isascii()
        and digits.isdigit()
        and len(digits) < 9
        and int(digits) < COUNT
    )
    return int(digits) if is_map else None


@cache
def _page() -> Reply:
    """All maps, mirrors, false ones and demos on one page, as lists of services are written."""
    addresses = [services.request_url(_map(number)) for number in range(COUNT)]
    addresses += [
        f"http://{host}/ows?SERVICE=WMS&REQUEST=GetCapabilities" for host in _MIRRORS
    ]
    addresses += [
        f"http://{host}/geoserver/wms?SERVICE=WMS&REQUEST=GetCapabilities"
        for host in _FALSE
    ]
    addresses += [services.request_url(_stock(address)) for address in _STOCK]
    rows = "\n".join(
        f'<li><a href="{url.replace("&", "&amp;")}">WMS</a></li>' for url in addresses
    )
    return Reply(
        200,
        _HTML,
        f"<html><h1>Web Map Services</h1><ul>\n{rows}\n</ul></html>".encode(),
    )


def listed_truth() -> Iterator[dict[str, Any]]:
    """What a perfect crawler would find here: each map, the mirrored service once, each false one and each demo."""
    for number in range(COUNT):
        yield _entry(_map(number), _map(number).endpoint)
    yield _entry(
        _MIRRORED,
        _MIRRORED.endpoint,
        [f"http://{host}/ows" for host in list(_MIRRORS)[1:]],
    )
    for number, host in enumerate(_FALSE):
        yield _entry(_false(number), f"http://{host}/geoserver/wms")
    for address in _STOCK:
        yield _entry(_stock(address), address)


def _entry(
    spec: ServiceSpec, endpoint: str, aliases: list[str] | None = None
) -> dict[str, Any]:
    facts = services.facts(spec)
    return {
        "endpoint": endpoint, "kind": spec.kind, "version": facts.version, "title": facts.title,
        "layers": len(facts.layers), "bbox": list(facts.bbox.as_tuple()) if facts.bbox else None, "depth": 1,
        "how": "link", "alive": True, "fate": "alive", "aliases": aliases or [],
    }  # fmt: skip
