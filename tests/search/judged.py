"""The judged catalogue and queries, and nDCG over them."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.search.query import Query
from geohound.model.service import Extent, Layer, Provider, Service, Sighting
from geohound.model.visit import Via

HERE = Path(__file__).parent
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TWINS = {"roadsmirror": "roadsde"}


@dataclass(frozen=True)
class Judged:
    query: Query
    grades: dict[str, int]


def load():
    """Services by their name in the file, and the judged queries."""
    facts = tomllib.loads((HERE / "services.toml").read_text("utf-8"))
    places = facts["places"]
    services = {
        name: _service(name, said, places) for name, said in facts["services"].items()
    }
    states = {
        name: said.get("state", "alive") for name, said in facts["services"].items()
    }
    asked = tomllib.loads((HERE / "queries.toml").read_text("utf-8"))["query"]
    judged = [
        Judged(
            Query(q.get("text", ""), _box(q.get("box"), places), limit=10), q["grades"]
        )
        for q in asked
    ]
    return services, states, judged


def _box(said, places):
    if said is None:
        return None
    return BBox(*(places[said] if isinstance(said, str) else said))


def _service(name, said, places):
    box = Extent(_box(said["box"], places))
    layers = tuple(
        Layer(
            la["name"],
            la["title"],
            la.get("abstract", ""),
            tuple(la.get("keywords", ())),
            box,
        )
        for la in said["layers"]
    )
    return Service(
        said.get("kind", "wms"), f"https://{said.get('host', 'geo.example.org')}/{name}",
        title=said["title"], abstract=said.get("abstract", ""), keywords=tuple(said.get("keywords", ())),
        provider=Provider(said.get("provider", "")), language=said.get("language", ""), extent=box, layers=layers,
        fingerprint=name,
    )  # fmt: skip


def fill(catalogue, services, states, topics_of=lambda _: ()):
    for name, service in services.items():
        sighting = Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
        check = Check(service.id, NOON, states[name] == "alive")
        catalogue.record_now(
            [Observation(service, sighting, check, tuple(topics_of(service)))]
        )


def ndcg(found, grades, depth=10):
    """Normalised discounted cumulative gain of a list of names; the second of near-duplicates gains nothing."""
    seen, gain = set(), 0.0
    for rank, shown in enumerate(found[:depth]):
        name = TWINS.get(shown, shown)
        if name not in seen:
            gain += (2 ** grades.get(name, 0) - 1) / math.log2(rank + 2)
        seen.add(name)
    ideal = sorted(grades.values(), reverse=True)[:depth]
    return gain / sum(
        (2**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(ideal)
    )
