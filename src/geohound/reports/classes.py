"""Services by topic and class, those without a service as well (Hou, Chen & Wu 2016, table 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ._table import CatalogueFacts, CatalogueReport, Table


def _table(facts: CatalogueFacts) -> Table:
    counts = facts.catalogue.count_classes() if facts.is_whole else _counted(facts)
    rows = [
        (topic.id, each.id, counts.get((topic.id, each.id), 0))
        for topic in facts.topics
        for each in topic.classes
    ]
    return Table(("topic", "class", "services"), list(rows))


def _counted(facts: CatalogueFacts) -> Mapping[tuple[str, str], int]:
    return Counter(pair for service in facts.services() for pair in set(service.topics))


CLASSES = CatalogueReport("classes", "Services by class of each topic", _table)
