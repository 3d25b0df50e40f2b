"""Where reading ends: what says that a page has to be run before its services can be known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from geohound.jsflow import Findings

_MAX_SEARCHED = 300_000
_MAP = re.compile(
    r"<script\b(?>[^<>]{0,300}?\bsrc\s{0,9}=)\s{0,9}[\"']?[^\"'<>]{0,300}?(?:\bol[\w.@-]{0,12}\.js|openlayers|leaflet|maplibre|mapbox-gl|cesium|arcgis|"
    r"itowns|worldwind|deck\.gl|geoext|mapea|mapfish)|<(?:div|section|main|canvas)\b[^<>]{0,200}?\b(?:id|class)\s{0,9}=\s{0,9}[\"']?"
    r"[^\"'>]{0,60}?\b(?:map|viewer|geoportal|mapa|karte|carte)",
    re.IGNORECASE,
)
_SHELL = re.compile(
    r"<div\b[^<>]{0,100}?\bid\s{0,9}=\s{0,9}[\"']?(?:root|app|__next|__nuxt|main|application|container|viewer|map)[\"']?[^<>]{0,100}>\s{0,50}</div>|"
    r"<(?:app-root|gmf-\w+|wc-map|arcgis-map|mapbox-map)\b",
    re.IGNORECASE,
)
_RUNS = re.compile(r"<script\b", re.IGNORECASE)


def reason(
    findings: Findings, html: str, *, has_services: bool, unread: Sequence[str] = ()
) -> str:
    """Why the services of a page cannot be known without running it; empty if nothing speaks for that."""
    if findings.unknown:
        return findings.unknown[0]
    if unread:
        return f"{unread[0]}: could not be read"
    if findings.unclear:
        return f"an address depends on the running page: {findings.unclear[0][:120]}"
    if has_services or findings.tiles:
        return ""
    head = html[:_MAX_SEARCHED]
    if _RUNS.search(head) and (_MAP.search(head) or _SHELL.search(head)):
        return "a page with a map or an application of which nothing could be read"
    return ""


def cut_short(findings: Findings) -> str:
    """Why a file that is no page was not read whole; empty if it was."""
    if findings.is_complete:
        return ""
    return next(iter(findings.unknown), "the file is too long to be read whole")


def missing(findings: Findings, unread: Sequence[str]) -> int | None:
    """How many addresses the scripts lost; None where scripts were not read whole, or nothing of them was."""
    lost = len(findings.unclear)
    return lost if lost and findings.is_complete and not unread else None


def together(counts: Iterable[int | None]) -> int | None:
    """Of several pages: not known as soon as one is not."""
    known = list(counts)
    return None if None in known else sum(filter(None, known))
