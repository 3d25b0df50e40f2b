"""How content management systems write pages: one family of tags and classes each, kept in markup.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from importlib import resources

from geoweb.chance import mix
from geoweb.hosts import Host


@dataclass(frozen=True, slots=True)
class Family:
    """Templates for the % operator; the order of their fields stands beside each."""

    page: str  # language, head, site name, navigation, main part, side part, foot
    nav: str  # items
    nav_item: str  # address, text
    heading: str  # title
    paragraph: str  # text
    entries: str  # items
    entry: str  # address, title, teaser
    pager: str  # items
    pager_item: str  # address, label
    side: str  # heading, items
    side_item: str  # address, text
    box: str  # heading, content: where services stand


FAMILIES = tuple(
    Family(**table)
    for table in tomllib.loads(
        resources.files("geoweb").joinpath("markup.toml").read_text("utf-8")
    ).values()
)


@lru_cache(maxsize=4096)
def markup_of(host: Host) -> Family:
    """The family of a host; half of the hosts have classes of their own, as themes do."""
    family = FAMILIES[host.family]
    if host.seed % 2:
        return family
    own = f'class="t{mix(host.seed, 2) % 997:x}-'
    return replace(
        family,
        **{
            f.name: getattr(family, f.name).replace('class="', own)
            for f in fields(Family)
        },
    )
