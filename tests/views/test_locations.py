"""What the record of a service says of its host's place: what is known, what is guessed, or nothing."""

from __future__ import annotations

from geohound.model.location import HostLocation
from geohound.model.service import Service
from geohound.search.facets import country_of
from geohound.views.known import GUESS, Location, location_record

LIMA = HostLocation("PE", -12.05, -77.04, "city, 2026-06-05")


def test_a_known_place_counts_more_than_the_name_of_the_host() -> None:
    service = Service("wms", "http://maps.example.de/wms", location=LIMA)
    assert location_record(service) == Location(
        lat=-12.05, lon=-77.04, country="PE", source="city, 2026-06-05"
    )
    assert country_of(service) == "PE"


def test_the_top_level_domain_is_said_to_be_a_guess() -> None:
    service = Service("wms", "http://maps.example.de/wms")
    assert location_record(service) == Location(
        lat=None, lon=None, country="DE", source=GUESS
    )
    assert country_of(service) == "DE"


def test_unknown_is_unknown() -> None:
    service = Service("wms", "http://maps.example.org/wms")
    assert location_record(service) is None
    assert country_of(service) == ""
