"""How services clump on hosts: hosts by the number of their services (Li, Yang & Yang 2010, section 6.3)."""

from __future__ import annotations

from collections import Counter

from geohound import urls

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

# the highest number of services of each group; then more
_STEPS = (1, 2, 5, 10, 20, 50, 100)


def _table(facts: CatalogueFacts) -> Table:
    of_host = Counter(urls.host(service.endpoint) for service in facts.services())
    total = sum(of_host.values())
    hosts, services = Counter[str](), Counter[str]()
    for count in of_host.values():
        hosts[_group(count)] += 1
        services[_group(count)] += count
    rows: list[tuple[Cell, ...]] = [
        (name, hosts[name], services[name], round(services[name] / total, 4))
        for name in _NAMES
        if hosts[name]
    ]
    return Table(("services_per_host", "hosts", "services", "share"), rows)


def _group(count: int) -> str:
    place = next((n for n, most in enumerate(_STEPS) if count <= most), len(_STEPS))
    return _NAMES[place]


def _name(place: int) -> str:
    least = _STEPS[place - 1] + 1 if place else 1
    most = _STEPS[place]
    return str(most) if least == most else f"{least}–{most}"


_NAMES = [*(_name(place) for place in range(len(_STEPS))), f"more than {_STEPS[-1]}"]
CLUMPING = CatalogueReport("clumping", "Hosts by the number of their services", _table)
