"""Kinds of services by top-level domain and by site (Sidsten 2012, section 3.5.1)."""

from __future__ import annotations

from geohound import urls

from ._cross_table import Counted, cross_table
from ._table import CatalogueFacts, CatalogueReport, Table
from .url_parts import domain_of


def _by_domain(facts: CatalogueFacts) -> Table:
    endpoints = facts.endpoints()
    return cross_table(
        "domain",
        (Counted(domain_of(url), kind, urls.host(url)) for kind, url in endpoints),
    )


def _by_site(facts: CatalogueFacts) -> Table:
    endpoints = facts.endpoints()
    return cross_table(
        "site",
        (Counted(urls.site(url), kind, urls.host(url)) for kind, url in endpoints),
    )


DOMAINS = CatalogueReport(
    "domains", "Services by top-level domain and kind", _by_domain
)
SITES = CatalogueReport("sites", "Services by site and kind", _by_site)
