"""Addresses by which programs on this machine reach the geoweb without knowing its names.

A browser finds http://water.test.localhost:8123/, as it resolves every name below localhost to this machine by
itself; any program, QGIS or curl, finds http://127.0.0.1:8123/water.test/. Whoever comes by such an address gets
answers in which all others are written the same way, so that links, maps and scripts work.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from geoweb.protocol import Reply, Request

_BELOW_LOCALHOST = re.compile(
    r"^(?P<name>[\w.-]+\.test)\.localhost(?P<port>:\d{1,5})?$", re.IGNORECASE
)
_LOOPBACK = re.compile(r"^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$", re.IGNORECASE)
_NAME_IN_PATH = re.compile(r"^/(?P<name>[\w.-]+\.test)(?P<path>/.*)?$", re.IGNORECASE)
_ADDRESS = re.compile(
    r"\bhttps?://([\w.-]+\.test)(?::\d{1,5})?(?![\w.-])", re.IGNORECASE
)
_ADDRESS_BYTES = re.compile(_ADDRESS.pattern.encode(), re.IGNORECASE)
_FROM_ROOT = re.compile(rb"""\b(href|src|action)=(["'])/(?!/)""", re.IGNORECASE)
_TEXTS = ("text/", "json", "xml", "javascript", "kml")


class Visitor(NamedTuple):
    """How somebody who does not know the names of the web writes its addresses."""

    address: str  # of a host, with \1 for its name
    root: str = ""  # of the site that is asked, where it is not that of the address


def page_address(url: str, port: int) -> str:
    """The address with which a browser reaches the same page; others stay as they are."""
    return _ADDRESS.sub(rf"http://\1.localhost:{port}", url, count=1)


def program_address(url: str, port: int) -> str:
    """The address with which any program reaches the same service; others stay as they are."""
    return _ADDRESS.sub(rf"http://127.0.0.1:{port}/\1", url, count=1)


def visitor_of(request: Request) -> tuple[Request, Visitor | None]:
    """The request with the name that the web knows, and how its answer is to be written; None for others."""
    below = _BELOW_LOCALHOST.match(request.host)
    if below is not None:
        address = rf"http://\1.localhost{below['port'] or ''}"
        return replace(request, host=below["name"]), Visitor(address)
    in_path = _NAME_IN_PATH.match(request.path)
    if in_path is None or not _LOOPBACK.match(request.host):
        return request, None
    site = f"http://{request.host}/{in_path['name']}"
    asked = replace(request, host=in_path["name"], path=in_path["path"] or "/")
    return asked, Visitor(rf"http://{request.host}/\1", site)


def for_visitor(reply: Reply, visitor: Visitor) -> Reply:
    """The reply with the addresses of the web as this visitor can open them."""
    headers = tuple(
        (name, _header(name, value, visitor)) for name, value in reply.headers
    )
    if not any(part in reply.content_type for part in _TEXTS):
        return replace(reply, headers=headers)
    body = _ADDRESS_BYTES.sub(visitor.address.encode(), reply.body)
    if visitor.root and "html" in reply.content_type:
        body = _FROM_ROOT.sub(rb"\1=\2" + visitor.root.encode() + b"/", body)
    return replace(reply, headers=headers, body=body)


def _header(name: str, value: str, visitor: Visitor) -> str:
    is_from_root = value.startswith("/") and not value.startswith("//")
    if name.lower() == "location" and is_from_root:
        return f"{visitor.root}{value}"
    return _ADDRESS.sub(visitor.address, value)
