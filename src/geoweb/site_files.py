"""What a host offers beside its pages: robots.txt, sitemaps, and the traps that its pages link to."""

from __future__ import annotations

from html import escape
from itertools import islice
from urllib.parse import parse_qs

from geoweb.addresses import path_of, url_of
from geoweb.chance import Salt, mix, unit
from geoweb.hosts import Host
from geoweb.protocol import Reply, Request
from geoweb.trouble import Trouble
from geoweb.words import vocabulary
from geoweb.world import World

_SITEMAP_MOST = 500
_MONTHS = 12


def robots_of(world: World, host: Host) -> str | None:
    """robots.txt; None where a host has none."""
    lines = ["User-agent: *"]
    if Trouble.ROBOTS in host.troubles:
        lines += ["Disallow: /search", "Disallow: /private/", "Allow: /private/press"]
        section = world.disallowed_section(host.index)
        if section is not None:
            lines += [f"Disallow: {rule}" for rule in _section_rules(host, section)]
    if Trouble.CRAWL_DELAY in host.troubles:
        lines.append(f"Crawl-delay: {1 + host.seed % 2}")
    if has_sitemap(world, host):
        lines.append(f"Sitemap: http://{host.name}/sitemap.xml")
    if len(lines) == 1:
        return None if host.seed % 3 else "User-agent: *\nDisallow:\n"
    return "\n".join(lines) + "\n"


def _section_rules(host: Host, section: int) -> list[str]:
    """Rules for all pages of a section and no other; only some schemes of paths allow that."""
    first = path_of(host, section + 1)
    if host.scheme == 8:
        return [f"{first}$", f"{first}&", f"{first.replace('viewforum', 'viewtopic')}&"]
    stem = first.removesuffix("index.html").rstrip("/")
    return [f"{stem}$", f"{stem}/", f"{stem}?"]


def has_sitemap(world: World, host: Host) -> bool:
    return world.orphans(host.index) > 0 or unit(host.seed, Salt.SITEMAP) < 0.25


def sitemap_of(world: World, host: Host) -> str:
    """The first pages of the host, and all those that no page links to."""
    total = host.layout.total
    urls = list(islice(world.page_urls(host.index), min(total, _SITEMAP_MOST)))
    for n in range(world.orphans(host.index)):
        urls.insert(
            mix(host.seed, n, Salt.SITEMAP) % (len(urls) + 1), url_of(host, total + n)
        )
    rows = "\n".join(f"<url><loc>{escape(url)}</loc></url>" for url in urls)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f"{head}\n{rows}\n</urlset>"


def trap_links(host: Host, page: int) -> str:
    """Links at the foot of a page that lead to no page of the host."""
    troubles = host.troubles
    if not troubles:
        return ""
    ui = vocabulary(host.language).ui
    found = []
    if Trouble.CALENDAR in troubles:
        found.append(
            f'<a href="/calendar?month=2026-{1 + page % _MONTHS:02d}">{ui["calendar"]}</a>'
        )
    if Trouble.LOGIN_AREA in troubles:
        found.append(f'<a href="/members/{page % 40}">{ui["login"]}</a>')
    if Trouble.LOOPS in troubles:
        found.append(
            f'<a href="/go/{"loop" if page % 2 else "on"}/{page % 7}">{ui["contact"]}</a>'
        )
    if Trouble.ROBOTS in troubles:
        found.append(
            f'<a href="/private/{page}">·</a> <a href="/search?q={page}">{ui["search"]}</a>'
        )
    return " | ".join(found) + " "


def answer_trap(host: Host, request: Request) -> Reply | None:
    """The endless parts of a host: calendars, redirects, log-in areas, what robots.txt forbids."""
    first = request.path.split("/")[1]
    trouble = _TRAPS.get(first)
    if trouble is None or trouble not in host.troubles:
        return None
    if trouble is Trouble.CALENDAR:
        return _calendar(host, request)
    if trouble is Trouble.LOGIN_AREA:
        return (
            login_page(host)
            if first == "login"
            else _redirect(f"/login?next={request.path}")
        )
    if trouble is Trouble.LOOPS:
        return _redirect_on(request)
    number = mix(host.seed, len(request.path), len(request.query))
    body = "".join(
        f'<a href="/private/{(number >> 8 * n) & 0xFFFF}">{n}</a> ' for n in range(6)
    )
    return html_reply(200, "·", body)


_TRAPS = {
    "calendar": Trouble.CALENDAR,
    "members": Trouble.LOGIN_AREA,
    "login": Trouble.LOGIN_AREA,
    "go": Trouble.LOOPS,
    "private": Trouble.ROBOTS,
    "search": Trouble.ROBOTS,
}


def _calendar(host: Host, request: Request) -> Reply:
    """A month with links to the months beside it, for ever."""
    given = parse_qs(request.query).get("month", ["2026-01"])[0][:12]
    year, _, month = given.partition("-")
    at = (
        int(year) * _MONTHS + int(month) - 1
        if year.isdecimal() and month.isdecimal()
        else 2026 * _MONTHS
    )
    links = "".join(
        f'<a href="/calendar?month={n // _MONTHS}-{n % _MONTHS + 1:02d}">{word}</a> '
        for n, word in ((at - 1, "&laquo;"), (at + 1, "&raquo;"), (at + _MONTHS, "+1"))
        if n >= 0
    )
    days = " ".join(
        f'<a href="/calendar?month={given}&amp;day={d}">{d}</a>' for d in range(1, 29)
    )
    title = vocabulary(host.language).ui["calendar"]
    return html_reply(200, f"{title} {escape(given)}", links + days)


def _redirect(location: str) -> Reply:
    return Reply(302, "text/html", b"", (("Location", location),))


def _redirect_on(request: Request) -> Reply:
    """`loop` turns in a circle of three, `on` never comes back."""
    kind, _, number = request.path.removeprefix("/go/").partition("/")
    at = int(number) if number.isdecimal() and len(number) < 12 else 0
    return _redirect(
        f"/go/loop/{(at + 1) % 3}" if kind == "loop" else f"/go/on/{at + 1}"
    )


def html_reply(status: int, title: str, body: str) -> Reply:
    head = f'<html><head><meta charset="utf-8"><title>{title}</title></head>'
    return Reply(
        status, "text/html; charset=utf-8", f"{head}<body>{body}</body></html>".encode()
    )


def login_page(host: Host) -> Reply:
    ui = vocabulary(host.language).ui
    fields = f'<input name="user"><input type="password" name="password" placeholder="{ui["password"]}">'
    button = f"<button>{ui['login']}</button>"
    return html_reply(
        200, ui["login"], f'<form method="post" action="/login">{fields}{button}</form>'
    )


def bot_page(host: Host) -> Reply:
    text = vocabulary(host.language).ui["robot"]
    challenge = (
        '<noscript>JavaScript</noscript><div id="challenge-form" class="captcha"></div>'
    )
    return html_reply(403, text, f"<h1>{text}</h1>{challenge}")
