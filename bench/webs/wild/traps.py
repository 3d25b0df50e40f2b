"""Addresses without end or use: calendars, tokens, print versions, histories, filters laid over listings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from zlib import crc32

from .sites import Site

TOKENS = 3  # addresses that one page of a site with tokens has
_OWN = re.compile(r"[?&](tok|print|action|oldid|f_[a-z]+)=(\w+)")
_MONTH = re.compile(r"/agenda/(\d{4})/(\d\d)(?:/(\d\d))?")
_FACETS = {
    "portal": (("f_org", 4), ("f_fmt", 4), ("f_tag", 4)),
    "shop": (("f_size", 3), ("f_hue", 3)),
}


def peel(url: str) -> tuple[str, dict[str, str]]:
    """The address under the extras, and the extras."""
    extras = dict(_OWN.findall(url))
    if not extras:
        return url, extras
    bare = _OWN.sub("", url)
    if "?" not in bare and "&" in bare:
        bare = bare.replace("&", "?", 1)
    return bare, extras


def join(address: str, extra: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{extra}"


def month_of(path: str) -> tuple[int, int, bool] | None:
    """The month that a page of a calendar shows, and whether it shows one day only."""
    found = _MONTH.fullmatch(path)
    return (
        (int(found[1]), int(found[2]), bool(found[3]))
        if found and 1 <= int(found[2]) <= 12
        else None
    )


def calendar_links(year: int, month: int, one_day: bool) -> list[tuple[str, str]]:
    """The months before and after, without end, and the days between."""
    later = (year + month // 12, month % 12 + 1)
    earlier = (year - (month == 1), (month - 2) % 12 + 1)
    links = [
        (f"/agenda/{y}/{m:02d}", f"{m}/{y}")
        for y, m in (earlier, later)
        if 1000 <= y <= 9999
    ]
    days = () if one_day else range(1, 29, 3)
    return links + [(f"/agenda/{year}/{month:02d}/{day:02d}", str(day)) for day in days]


def extra_links(
    site: Site, number: int, address: str, extras: Mapping[str, str]
) -> list[tuple[str, str]]:
    """The links that traps add to a page."""
    links: list[tuple[str, str]] = []
    if "calendar" in site.traps:
        links.append((f"/agenda/2024/{site.seed % 12 + 1:02d}", "2024"))
    if "print" in site.traps and "print" not in extras:
        links.append((join(address, "print=1"), "A4"))
    if "history" in site.traps and not extras:
        links.append((join(address, "action=history"), "±"))
    if "history" in site.traps and "action" in extras:
        links += [(join(address, f"oldid={number * 3 + k}"), f"r{k}") for k in range(2)]
    if "filter" in site.traps and number in site.lists:
        links += _facet_links(site, address, extras)
    return links


def _facet_links(
    site: Site, address: str, extras: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Every listing with one filter more."""
    links = []
    facets = _FACETS["shop" if "shop" in site.role.id else "portal"]
    for name, values in facets:
        for value in range(values) if name not in extras else ():
            chosen = {**extras, name: str(value)}
            ordered = [f"{n}={chosen[n]}" for n, _ in facets if n in chosen]
            links.append((join(address, "&".join(ordered)), f"{name[2:]} {value}"))
    return links


def passes(target: int, extras: Mapping[str, str]) -> bool:
    """Does an entry of a listing stay under these filters?"""
    values = (
        int(value)
        for name, value in extras.items()
        if name.startswith("f_") and value.isdigit()
    )
    return all(crc32(f"{target} {value}".encode()) % 3 == 0 for value in values)
