"""One request in, one reply out: the whole geoweb as a function, with or without sockets around it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace

from geoweb import services
from geoweb.addresses import page_at, strip_session
from geoweb.hosts import Host
from geoweb.lists import answer_listed
from geoweb.placing import Fate, How, Placed
from geoweb.protocol import Reply, Request
from geoweb.render import encode, render
from geoweb.reveals import shown_on
from geoweb.site_files import (
    answer_trap,
    bot_page,
    has_sitemap,
    login_page,
    robots_of,
    sitemap_of,
)
from geoweb.trouble import Trouble
from geoweb.viewers import config_name, write_config, write_script
from geoweb.words import vocabulary
from geoweb.world import World

_VIEWER_FILE = re.compile(r"/(?:js/viewer|config/map)-(\d{1,9})\.(?:js|json|xml)")
_HTML = "text/html; charset=utf-8"
_EXCEPTION = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b'<ServiceExceptionReport version="1.3.0" xmlns="http://www.opengis.net/ogc">'
    b"<ServiceException>Internal error: the data store cannot be reached.</ServiceException>"
    b"</ServiceExceptionReport>"
)
_LIBRARY = b"window.MapApp = {start: function (c) { return c; }}; window.createMap = function () {};\n"
_PER_SECOND = 5
_FLAKY_AT_FIRST = 2


class Moods:
    """What a running server remembers of the hosts that refuse now and then; a simulation may do without."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._second: dict[int, tuple[int, int]] = {}
        self._asked: dict[int, int] = {}

    def refuse(self, host: Host) -> Reply | None:
        """429 above five requests a second on some hosts; 503 for the first requests on others."""
        if Trouble.RATE_LIMIT in host.troubles:
            now = int(self._clock())
            at, count = self._second.get(host.index, (now, 0))
            count = count + 1 if at == now else 1
            self._second[host.index] = (now, count)
            if count > _PER_SECOND:
                return Reply(
                    429, "text/plain", b"Too many requests", (("Retry-After", "1"),)
                )
        if Trouble.FLAKY in host.troubles:
            asked = self._asked[host.index] = self._asked.get(host.index, 0) + 1
            if asked <= _FLAKY_AT_FIRST or asked % 60 == 0:
                return Reply(
                    503, _HTML, b"<h1>Service unavailable</h1>", (("Retry-After", "1"),)
                )
        return None


def respond(world: World, request: Request, moods: Moods | None = None) -> Reply:
    """The reply of the geoweb to any request whatever."""
    name = request.host.partition(":")[0].lower().rstrip(".")
    found = world.resolve(name)
    if found is None:
        return answer_listed(name, request) or Reply(
            404, "text/plain", b"no such site\n"
        )
    host, is_sister = found
    if host.is_walled:
        return _wall(host, request)
    refusal = moods.refuse(host) if moods else None
    if refusal:
        return refusal
    reply = _serve(world, host, request) or (
        _sister_page(request) if is_sister else _site(world, host, request)
    )
    if Trouble.SLOW in host.troubles:
        drip = 4000 if host.seed & 1 else 0
        return replace(reply, delay_s=0.5 + host.seed % 100 / 50, drip_bytes_per_s=drip)
    return reply


def _wall(host: Host, request: Request) -> Reply:
    if Trouble.HANGING in host.troubles:
        return Reply(200, _HTML, b"", hang=True)
    if Trouble.DOWN in host.troubles:
        return Reply(503, _HTML, b"<h1>503 Service Unavailable</h1>")
    if Trouble.BOT_WALL in host.troubles:
        return bot_page(host)
    if request.path == "/login":
        return login_page(host)
    return Reply(302, _HTML, b"", (("Location", "/login"),))


def _serve(world: World, host: Host, request: Request) -> Reply | None:
    """The answer of the service at this path, if there is one."""
    for placed in world.services_under(host.index, request.path):
        if placed.fate is Fate.MOVED:
            old = replace(placed.spec, endpoint=placed.old_endpoint)
            if services.answer(old, request) is not None:
                return Reply(
                    301, _HTML, b"", (("Location", _moved_to(placed, request)),)
                )
        reply = services.answer(placed.spec, request, world.listed_by(placed.number))
        if reply is not None:
            return _meet_fate(host, placed, reply)
    return None


def _moved_to(placed: Placed, request: Request) -> str:
    old_path, _, old_query = placed.old_endpoint.partition("?")
    new_path, _, new_query = placed.spec.endpoint.partition("?")
    below = request.path[
        len(old_path) - len("http://") - old_path[len("http://") :].index("/") :
    ]
    query = (
        request.query.replace(old_query, "", 1).strip("&")
        if old_query
        else request.query
    )
    whole = "&".join(part for part in (new_query, query) if part)
    return f"{new_path}{below}{'?' if whole else ''}{whole}"


def _meet_fate(host: Host, placed: Placed, reply: Reply) -> Reply:
    """What is left of the answer of a service that may be dead."""
    match placed.fate:
        case Fate.GONE:
            return Reply(404, _HTML, b"<h1>404 Not Found</h1>")
        case Fate.BROKEN:
            return Reply(500, _HTML, b"<h1>Internal Server Error</h1>")
        case Fate.EXCEPTION:
            return Reply(200, "text/xml", _EXCEPTION)
        case Fate.LOGIN:
            return login_page(host)
        case Fate.BOT_WALL:
            return bot_page(host)
        case Fate.REPLACED:
            return _missing_page(host, 200)
        case Fate.SILENT:
            return Reply(200, _HTML, b"", hang=True)
        case Fate.RATE_LIMITED:
            return Reply(
                429, "text/plain", b"Too many requests", (("Retry-After", "1"),)
            )
    if placed.mislabelled:
        return replace(
            reply,
            content_type=("text/html", "text/plain", "application/octet-stream")[
                placed.number % 3
            ],
        )
    return reply


def _sister_page(request: Request) -> Reply:
    """A host that only runs services shows the start page of its web server, and nothing else."""
    if request.path == "/":
        return Reply(
            200,
            _HTML,
            b"<html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>",
        )
    return Reply(404, _HTML, b"<h1>404 Not Found</h1>")


def _site(world: World, host: Host, request: Request) -> Reply:
    target = f"{request.path}?{request.query}" if request.query else request.path
    page = page_at(host, strip_session(target), world.orphans(host.index))
    if page is not None:
        kind, body = render(world, host, page)
        return Reply(200, kind, body)
    reply = _site_file(world, host, request.path) or _viewer_file(
        world, host, request.path
    )
    return reply or answer_trap(host, request) or _missing(host)


def _site_file(world: World, host: Host, path: str) -> Reply | None:
    if path == "/robots.txt":
        text = robots_of(world, host)
        return (
            Reply(404, _HTML, b"<h1>404</h1>")
            if text is None
            else Reply(200, "text/plain", text.encode())
        )
    if path == "/sitemap.xml" and has_sitemap(world, host):
        return Reply(200, "application/xml", sitemap_of(world, host).encode())
    if path == "/favicon.ico":
        return Reply(200, "image/x-icon", b"\x00\x00\x01\x00")
    if path == "/style.css":
        return Reply(
            200, "text/css", b"body { font-family: sans-serif; margin: 2em }\n"
        )
    if path.startswith("/lib/"):
        return Reply(200, "text/javascript", _LIBRARY)
    return None


def _viewer_file(world: World, host: Host, path: str) -> Reply | None:
    """A script or configuration file of a map viewer, if a page uses it."""
    found = _VIEWER_FILE.fullmatch(path)
    if not found:
        return None
    page = int(found[1])
    mentions = world.mentions_on(host.index).get(page, ())
    if path.startswith("/js/"):
        shown = shown_on(world, mentions, How.SCRIPT_FILE)
        return (
            Reply(
                200,
                "text/javascript; charset=utf-8",
                write_script(shown, page).encode(),
            )
            if shown
            else None
        )
    shown = shown_on(world, mentions, How.CONFIG)
    if not shown or path != config_name(host.seed, page):
        return None
    kind, text = write_config(shown, host.seed)
    return Reply(200, kind, text.encode())


def _missing(host: Host) -> Reply:
    return _missing_page(host, 200 if Trouble.SOFT_404 in host.troubles else 404)


def _missing_page(host: Host, status: int) -> Reply:
    ui = vocabulary(host.language).ui
    head = f"<html><head><title>{ui['missing']}</title></head>"
    text = f'{head}<body><h1>{ui["missing"]}</h1><a href="/">{ui["home"]}</a></body></html>'
    kind, body = encode(host, text)
    return Reply(status, kind, body)
