"""Names of the geoweb that a browser on this machine can open: water.test is at water.test.localhost.

Browsers resolve every name below localhost to this machine by themselves. Whoever comes by such a name gets answers
in which the other names of the web are written that way too, so that its links, maps and scripts work.
"""

from __future__ import annotations

import re
from dataclasses import replace

from geoweb.protocol import Reply, Request

_LOCAL = re.compile(
    r"^(?P<name>[\w.-]+\.test)\.localhost(?P<port>:\d{1,5})?$", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"\bhttps?://([\w.-]+\.test)(?::\d{1,5})?(?![\w.-])", re.IGNORECASE
)
_ADDRESS_BYTES = re.compile(_ADDRESS.pattern.encode(), re.IGNORECASE)
_TEXTS = ("text/", "json", "xml", "javascript", "kml")


def local_address(url: str, port: int) -> str:
    """The address with which a browser reaches the same page; others stay as they are."""
    return _ADDRESS.sub(rf"http://\1.localhost:{port}", url, count=1)


def name_of_visitor(request: Request) -> tuple[Request, str]:
    """The request with the name that the web knows, and what follows that name for this visitor; empty for others."""
    found = _LOCAL.match(request.host)
    if found is None:
        return request, ""
    return replace(request, host=found["name"]), f".localhost{found['port'] or ''}"


def for_visitor(reply: Reply, suffix: str) -> Reply:
    """The reply with the names of the web as this visitor can open them."""
    headers = tuple((name, _rewrite(value, suffix)) for name, value in reply.headers)
    if not any(part in reply.content_type for part in _TEXTS):
        return replace(reply, headers=headers)
    body = _ADDRESS_BYTES.sub(rb"http://\1" + suffix.encode(), reply.body)
    return replace(reply, headers=headers, body=body)


def _rewrite(value: str, suffix: str) -> str:
    return _ADDRESS.sub(rf"http://\1{suffix}", value)
