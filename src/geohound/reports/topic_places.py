"""Places of hosts with services of a topic and all services there (Hou, Chen & Wu 2016, figure 9)."""

from __future__ import annotations

from collections import Counter

from ._table import CatalogueFacts, CatalogueReport, Cell, Table
from .density import Place

LEAST = 5  # "the most important locations of LCWMSs (where 5 or more were found) are labelled"


def _table(facts: CatalogueFacts) -> Table:
    """ "The numerators and denominators of these labels represent the numbers of LCWMSs and WMSs"."""
    every: Counter[Place] = Counter()
    about: Counter[tuple[str, Place]] = Counter()
    for service in facts.services():
        found = service.location
        if found is None or found.lat is None or found.lon is None:
            continue
        place = found.lat, found.lon
        every[place] += 1
        about.update((topic, place) for topic in {topic for topic, _ in service.topics})
    ranked = sorted(about.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
    rows: list[tuple[Cell, ...]] = [
        (
            topic,
            *place,
            count,
            every[place],
            f"{count}/{every[place]}" if count >= LEAST else "",
        )
        for (topic, place), count in ranked
    ]
    return Table(("topic", "lat", "lon", "of_topic", "services", "label"), rows)


TOPIC_PLACES = CatalogueReport(
    "topic-places", "Places of hosts: services of each topic, and all", _table
)
