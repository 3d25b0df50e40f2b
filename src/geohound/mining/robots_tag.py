"""What a page asks of robots: the header X-Robots-Tag and the robots meta tags, as Google documents them.

Rules for everybody and rules for us add up, as do several headers and tags: of two that disagree, the stricter holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

AGENT = "geohound"
# Rules that have a value of their own after a colon; any other word before a colon is the name of a crawler.
_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
_RULE = re.compile(r"[,;\s]+")
_MAX_CHARS = 10_000


def robots_tag(headers: Mapping[str, str], agent: str = AGENT) -> frozenset[str]:
    """The rules of all X-Robots-Tag headers that concern this crawler, in lower case; `none` is spelled out.

    Several headers stand on lines of their own. Within one, a name holds for what follows it until the next name.
    """
    found: set[str] = set()
    for line in headers.get("x-robots-tag", "")[:_MAX_CHARS].lower().split("\n"):
        concerns_us = True
        for part in line.split(","):
            before, colon, after = (word.strip() for word in part.partition(":"))
            if colon and before in _WITH_VALUE:
                rules = before
            elif colon:
                concerns_us = before in ("*", "robots", agent)
                rules = after.partition(":")[0]
            else:
                rules = before
            if concerns_us:
                found.update(_RULE.split(rules))
    return _spell_out(found)


def meta_robots(tags: Iterable[tuple[str, str]], agent: str = AGENT) -> frozenset[str]:
    """The same of the meta tags of a page, given as pairs of name and content."""
    found: set[str] = set()
    for name, content in tags:
        if name.strip().lower() in ("robots", agent):
            for part in content[:_MAX_CHARS].lower().split(","):
                found.update(_RULE.split(part.partition(":")[0].strip()))
    return _spell_out(found)


def _spell_out(rules: set[str]) -> frozenset[str]:
    if "none" in rules:
        rules |= {"noindex", "nofollow"}
    return frozenset(rules - {"", "none", "all"})
