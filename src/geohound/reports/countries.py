"""Services by country of the host and kind (Li 2010, section 6.3; Li, Wang & Bhatia 2016, Fig. 11)."""

from __future__ import annotations

from geohound import urls
from geohound.model.catalogue import ServiceSummary

from ._cross_table import Counted, cross_table
from ._table import CatalogueFacts, CatalogueReport, Table

UNKNOWN = "unknown"  # neither the address of the host nor its top-level domain says it
GUESSED = "guessed"  # by the top-level domain


def country_of(service: ServiceSummary) -> tuple[str, bool]:
    """The country of the host, and whether it is a guess by the top-level domain."""
    if service.location is not None and service.location.country:
        return service.location.country, False
    guess = urls.country(service.endpoint)
    return (guess, True) if guess else (UNKNOWN, False)


def _table(facts: CatalogueFacts) -> Table:
    return cross_table(
        "country", (_counted(each) for each in facts.services()), guesses=GUESSED
    )


def _counted(service: ServiceSummary) -> Counted:
    country, is_guess = country_of(service)
    return Counted(country, service.kind, urls.host(service.endpoint), is_guess)


COUNTRIES = CatalogueReport(
    "countries", "Services by country of the host and kind", _table
)
