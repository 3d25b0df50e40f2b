"""What changed since a date: services that are new, gone, back or changed (Li, Yang & Yang 2010, section 6.3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from geohound.model.biography import LifeChange, LifeEvent

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

USUAL_DAYS = 30  # where no date is given
NEW, GONE, BACK, CHANGED = "new", "gone", "back", "changed"
_ORDER = (NEW, GONE, BACK, CHANGED)


def _table(facts: CatalogueFacts) -> Table:
    now = facts.now or datetime.now(UTC)
    since = facts.since or now - timedelta(days=USUAL_DAYS)
    events = list(facts.history.since(since)) if facts.history else []
    named = [(word, event) for event in events if (word := word_of(event))]
    ids = dict.fromkeys(event.service_id for _, event in named)
    services = {service_id: facts.catalogue.get(service_id) for service_id in ids}
    rows: list[tuple[Cell, ...]] = []
    for word, event in sorted(
        named, key=lambda each: (_ORDER.index(each[0]), each[1].at)
    ):
        service = services[event.service_id]
        kind, endpoint = (service.kind, service.endpoint) if service else ("", "")
        at = event.at.isoformat(timespec="seconds")
        rows.append(
            (
                word,
                at,
                event.service_id,
                kind,
                endpoint,
                f"{event.change}: {event.detail}",
            )
        )
    return Table(("change", "at", "id", "kind", "endpoint", "detail"), rows)


def word_of(event: LifeEvent) -> str:
    """New, gone, back or changed; empty for what is none of them, such as one failed look."""
    if event.change is LifeChange.FOUND:
        return NEW
    if event.change is not LifeChange.STATE:
        return CHANGED
    states = event.detail.partition(":")[0]
    if states.endswith("to dead"):
        return GONE
    return BACK if states == "dead to alive" else ""


CHANGES = CatalogueReport(
    "changes",
    f"What is new, gone, back or changed since a date (--since; by default {USUAL_DAYS} days ago)",
    _table,
)
