"""URL composition: directories and files in services' URLs, by top-level domain (Sidsten 2012, section 3.5.2)."""

from __future__ import annotations

from collections.abc import Iterator

from geohound import urls

from ._cross_table import Counted, cross_table
from ._table import CatalogueFacts, CatalogueReport, Table

MAX_PARTS = 500  # most occur once
NO_DOMAIN = "no domain"  # addresses of digits


def parts_of(url: str) -> list[str]:
    """What stands between the slashes of the path; the file with its parameters. Each part of a URL counts once."""
    path, mark, query = url.partition("://")[2].partition("?")
    parts = path.split("/")[1:]
    if mark and parts:
        parts[-1] += f"?{query}"
    return [part for part in dict.fromkeys(parts) if part]


def domain_of(url: str) -> str:
    """The top-level domain with its dot."""
    domain = urls.top_level_domain(url)
    return f".{domain}" if domain else NO_DOMAIN


def _parts(facts: CatalogueFacts) -> Iterator[Counted]:
    for _, url in facts.endpoints():
        domain, host = domain_of(url), urls.host(url)
        for part in parts_of(url):
            yield Counted(part, domain, host)


def _table(facts: CatalogueFacts) -> Table:
    return cross_table("part", _parts(facts), MAX_PARTS)


URL_PARTS = CatalogueReport(
    "urls",
    f"The {MAX_PARTS} most frequent parts of services' URLs, by top-level domain",
    _table,
)
