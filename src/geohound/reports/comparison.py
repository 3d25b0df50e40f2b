"""The catalogue beside a list of somebody else's: what each has that the other has not.

Li, Yang & Yang 2010, figure 11 (claimed, live, hosts and live layers of each crawler); Li, Wang & Bhatia 2016,
section 6.2; Hou, Chen & Wu 2016, table 7.
"""

from __future__ import annotations

from geohound import urls
from geohound.model.health import HealthState

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

COMPARED = (
    "services claimed",
    "of these answering, as far as looked at here",
    "live layers, as far as looked at here",
    "only there",
    "hosts",
    "hosts only there",
)


def _table(facts: CatalogueFacts) -> Table:
    ours = {_place(each.endpoint): each for each in facts.services()}
    theirs = {_place(url) for url in facts.listed}
    both = ours.keys() & theirs
    our_hosts, their_hosts = (
        {urls.host(f"http://{place}") for place in places} for places in (ours, theirs)
    )
    alive = {place for place, each in ours.items() if each.state is HealthState.ALIVE}
    layers = {place: each.layers for place, each in ours.items()}
    claimed, live, layers_live, alone, hosts, hosts_alone = COMPARED
    rows: list[tuple[Cell, ...]] = [
        (claimed, len(ours), len(theirs), len(both)),
        (
            live,
            len(alive),
            len(alive & theirs),
            len(alive & both),
        ),
        (
            layers_live,
            *(sum(layers[p] for p in alive & s) for s in (alive, theirs, both)),
        ),
        (alone, len(ours.keys() - theirs), len(theirs - ours.keys()), 0),
        (hosts, len(our_hosts), len(their_hosts), len(our_hosts & their_hosts)),
        (
            hosts_alone,
            len(our_hosts - their_hosts),
            len(their_hosts - our_hosts),
            0,
        ),
    ]
    return Table(("what", "catalogue", "list", "both"), rows)


def _missing(facts: CatalogueFacts) -> Table:
    """Addresses that one of the two has alone."""
    ours = {_place(each.endpoint): each.endpoint for each in facts.services()}
    theirs = {_place(url): url for url in facts.listed}
    rows: list[tuple[Cell, ...]] = [
        ("list", theirs[place]) for place in sorted(theirs.keys() - ours.keys())
    ]
    rows += [
        ("catalogue", ours[place]) for place in sorted(ours.keys() - theirs.keys())
    ]
    return Table(("only_in", "endpoint"), rows)


def _place(url: str) -> str:
    """The endpoint without scheme, leading www and slash at the end: lists differ in these."""
    clean = urls.canonical(url) or url
    return urls.endpoint(clean).partition("://")[2].removeprefix("www.").rstrip("/")


COMPARISON = CatalogueReport(
    "comparison", "The catalogue beside the list of --list: what each has alone", _table
)
DIFFERENCE = CatalogueReport(
    "difference",
    "Addresses that only the catalogue or only the list of --list has",
    _missing,
)
