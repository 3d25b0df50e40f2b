"""Classes of a topic, each service in one of them, by a sequence of priority, and how many are real.

"The number of LCWMSs containing data about each class … is calculated through matching the land cover keywords of each
class in a prioritized sequence" (Hou, Chen & Wu 2016, section 5.2, table 8). Ten of each class are drawn, five times,
for somebody to judge; the ratio of real ones comes with its 95 % interval.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

from geohound.model.availability import wilson
from geohound.model.catalogue import ServiceSummary
from geohound.model.notes import Verdicts, verdict
from geohound.model.topic import Topic

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

PER_CLASS = 10
ROUNDS = 5
_WORDS = {True: "yes", False: "no", None: ""}
Members = dict[tuple[str, str], list[ServiceSummary]]  # of topic and class


def exclusive(facts: CatalogueFacts) -> Members:
    """Services by the first of their classes in the order of the topic's file."""
    ranks = {
        topic.id: {each.id: place for place, each in enumerate(topic.classes)}
        for topic in facts.topics
    }
    members: Members = defaultdict(list)
    for service in facts.services():
        for topic, rank in ranks.items():
            own = [
                class_
                for name, class_ in service.topics
                if name == topic and class_ in rank
            ]
            if own:
                members[topic, min(own, key=lambda class_: rank[class_])].append(
                    service
                )
    return members


def _table(facts: CatalogueFacts) -> Table:
    members = exclusive(facts)
    rows = [
        _row(topic, each.id, members, facts.judged)
        for topic in facts.topics
        for each in topic.classes
    ]
    return Table(
        ("topic", "class", "services", "judged", "real", "ratio", "low", "high"), rows
    )


def _row(
    topic: Topic, class_: str, members: Members, judged: Verdicts
) -> tuple[Cell, ...]:
    found = members.get((topic.id, class_), [])
    asked = (verdict(judged, topic.id, class_, service.id) for service in found)
    opinions = [opinion for opinion in asked if opinion is not None]
    if not opinions:
        return topic.id, class_, len(found), 0, "", "", "", ""
    real = sum(opinions)
    low, high = wilson(real, len(opinions))
    ratio = real / len(opinions)
    return (
        topic.id,
        class_,
        len(found),
        len(opinions),
        real,
        round(ratio, 3),
        round(low, 3),
        round(high, 3),
    )


def _sheet(facts: CatalogueFacts) -> Table:
    """The same sheet for the same catalogue: drawn by a hash of the id, so that anybody can repeat it."""
    rows: list[tuple[Cell, ...]] = []
    members = exclusive(facts)
    for topic in facts.topics:
        for each in topic.classes:
            drawn = sample(members.get((topic.id, each.id), []))
            rows += [
                (
                    topic.id,
                    each.id,
                    place // PER_CLASS + 1,
                    s.id,
                    s.title,
                    s.endpoint,
                    _WORDS[verdict(facts.judged, topic.id, each.id, s.id)],
                )
                for place, s in enumerate(drawn)
            ]
    return Table(("topic", "class", "round", "id", "title", "endpoint", "real"), rows)


def sample(members: Sequence[ServiceSummary]) -> list[ServiceSummary]:
    """Those of a class that are judged, PER_CLASS a round."""
    return sorted(members, key=lambda s: _lot(s.id))[: PER_CLASS * ROUNDS]


def _lot(service_id: str) -> str:
    return hashlib.sha256(f"sample {service_id}".encode()).hexdigest()


EXCLUSIVE = CatalogueReport(
    "classes-exclusive",
    "Services by class, each in one, and the ratio of real ones",
    _table,
)
SHEET = CatalogueReport(
    "sampling-sheet",
    "Services drawn of each class, to be judged: fill in the column real",
    _sheet,
)
