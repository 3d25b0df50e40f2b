"""The keyword groups of pages about map services (Li, Yang & Yang 2010, section 4.1)."""

from __future__ import annotations

import re

from .pattern_scan import PatternScan

_PHRASE = re.compile(r"web\s++map\s++service")  # lines of a page end anywhere

WEB_MAP_SERVICE, WMS_SERVICE, WMS_SERVER, NO_KEYWORDS = range(4)
# Hardly a page has one of these: those are found without its text in lower case.
_SIGNS = PatternScan((rb"web[^a-z]+map", b"wms"), any_case=True)
GROUPS = ("Web Map Service", "WMS, Service", "WMS, Server", "none")


def keyword_group(text: str) -> int:
    """WP, 0 is best: [Web Map Service], [WMS, Service], [WMS, Server], none of them."""
    if not _SIGNS.numbers(text.encode("utf-8", "replace")):
        return NO_KEYWORDS
    text = text.lower()
    if _PHRASE.search(text):
        return WEB_MAP_SERVICE
    if "wms" not in text:
        return NO_KEYWORDS
    if "service" in text:
        return WMS_SERVICE
    return WMS_SERVER if "server" in text else NO_KEYWORDS
