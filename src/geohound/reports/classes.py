"""Services by topic and class, those without a service as well (Hou, Chen & Wu 2016, table 8)."""

from __future__ import annotations

from ._table import CatalogueFacts, CatalogueReport, Table


def _table(facts: CatalogueFacts) -> Table:
    counts = facts.catalogue.count_classes()
    rows = [(topic.id, each.id, counts.get((topic.id, each.id), 0)) for topic in facts.topics for each in topic.classes]
    return Table(("topic", "class", "services"), list(rows))


CLASSES = CatalogueReport("classes", "Services by class of each topic", _table)
