"""How the services of the catalogue fare: by state and day, which fail and since when, what changed, sites: /health."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from geohound import urls
from geohound.model.biography import LifeChange, LifeEvent
from geohound.model.catalogue import Filter, ServiceSummary
from geohound.model.health import Health, HealthState, assess
from geohound.model.search.query import Query
from geohound.model.service import Service
from geohound.portal.languages import language_of
from geohound.portal.portal import Portal, portal_of
from geohound.portal.recent import recent
from geohound.portal.reports import ReportScope, report_table
from geohound.reports import Table
from geohound.reports.changes import BACK, GONE, USUAL_DAYS, word_of
from geohound.reports.charts import draw

from .parts import Paging
from .rendering import render
from .report_words import WORDS, column_words

LOOKED_AT = 300  # failing services whose checks are read
SHOWN_FAILING = 30
FEW_DAYS = 4  # with checks, of which a chart says little
SHOWN_SITES = 12
SHOWN_CHANGES = 12  # on a page
MAX_CHANGES = 600  # that can be leafed through; the files have all
_WHOLE = ReportScope()
_NUMBER = re.compile(r"[0-9]{1,6}")
# What happened to a service, as a sentence about it.
CHANGE_WORDS = {
    LifeChange.FOUND: "Found",
    LifeChange.MOVED: "Has moved to another address",
    LifeChange.SUCCESSOR: "Has a successor",
    LifeChange.TITLE: "Has another title",
    LifeChange.VERSION: "Has another version",
    LifeChange.LICENCE: "Has other terms of use",
    LifeChange.LAYERS_ADDED: "Has new layers",
    LifeChange.LAYERS_REMOVED: "Has lost layers",
    LifeChange.LAYERS_RENAMED: "Has renamed layers",
    LifeChange.LAYERS_MOVED: "Has moved layers on the map",
    LifeChange.LAYER: "A layer has begun to fail or works again",
    LifeChange.CONTENT: "Describes itself otherwise",
}
FOUND_ON = "Found on a page of"
STATE_WORDS = {GONE: "Does not answer any more", BACK: "Answers again"}


class FailingService(NamedTuple):
    """A service that did not answer as one, why, and since when."""

    service: ServiceSummary
    health: Health


class ShownChange(NamedTuple):
    """Something that happened to a service, in words."""

    word: str  # new, gone, back, changed
    event: LifeEvent
    service: Service | None
    said: str
    detail: str


def health_page(request: Request) -> Response:
    """GET /health"""
    portal, spoken = portal_of(request), language_of(request)
    results = portal.index.search(
        Query(limit=1, fold=False, facet_values=len(HealthState))
    )
    counts = results.facets.get("state", {})
    uptime = recent(
        portal.catalogue, "uptime", lambda: report_table(portal, "uptime", _WHOLE)
    )
    sites = recent(
        portal.catalogue, "sites", lambda: report_table(portal, "availability", _WHOLE)
    )
    failing = recent(portal.catalogue, "failing", lambda: _failing(portal))
    changes, paging = _changes_page(
        request, recent(portal.catalogue, "changes", lambda: _changes(portal))
    )
    context = {
        "states": [(state, counts.get(state.value, 0)) for state in HealthState],
        "total": results.total,
        "uptime": _uptime(uptime),
        "is_young": 0 < _days_checked(uptime) < FEW_DAYS,
        "chart": draw("uptime", spoken.text(WORDS["uptime"].title), uptime, (), None),
        "failing": _by_site(failing[:SHOWN_FAILING]),
        "more_failing": len(failing) - SHOWN_FAILING,
        "changes": changes,
        "paging": paging,
        "days": USUAL_DAYS,
        "sites": Table(sites.columns, sites.rows[:SHOWN_SITES]),
        "more_sites": max(0, len(sites.rows) - SHOWN_SITES),
        "columns": column_words(portal, sites.columns, spoken.text),
    }
    return render(request, "health.html", context)


def _days_checked(table: Table) -> int:
    return sum(any(row[1:4]) for row in table.rows)


def _uptime(table: Table) -> float | None:
    """The share of good ones among the checks that were conclusive, over all days."""
    good = sum(int(row[1]) for row in table.rows)
    conclusive = good + sum(int(row[2]) for row in table.rows)
    return good / conclusive if conclusive else None


def _failing(portal: Portal) -> list[FailingService]:
    """Those that are not alive though somebody looked, the latest to fail first."""
    unwell = portal.catalogue.summaries(
        Filter(states=(HealthState.DEAD, HealthState.UNSURE))
    )
    looked = (
        (service, portal.catalogue.checks(service.id))
        for service in islice(unwell, LOOKED_AT)
    )
    found = [
        FailingService(service, assess(checks)) for service, checks in looked if checks
    ]
    long_ago = datetime.min.replace(tzinfo=UTC)
    return sorted(found, key=lambda each: each.health.since or long_ago, reverse=True)


def _by_site(
    failing: Sequence[FailingService],
) -> list[tuple[str, list[FailingService]]]:
    """The sites with most failures first."""
    sites: defaultdict[str, list[FailingService]] = defaultdict(list)
    for each in failing:
        endpoint = each.service.endpoint
        sites[urls.site(endpoint) or urls.host(endpoint)].append(each)
    return sorted(sites.items(), key=lambda item: (-len(item[1]), item[0]))


def _changes(portal: Portal) -> list[tuple[str, LifeEvent]]:
    """The latest first."""
    since = datetime.now(UTC) - timedelta(days=USUAL_DAYS)
    events = portal.past.history.since(since) if portal.past else ()
    named = ((word, event) for event in events if (word := word_of(event)))
    return list(reversed(deque(named, MAX_CHANGES)))


def _changes_page(
    request: Request, changes: Sequence[tuple[str, LifeEvent]]
) -> tuple[list[ShownChange], Paging]:
    asked = request.query_params.get("from", "")
    first = min(int(asked), len(changes)) if _NUMBER.fullmatch(asked) else 0
    catalogue = portal_of(request).catalogue
    chosen = changes[first : first + SHOWN_CHANGES]
    shown = [
        _shown(word, event, catalogue.get(event.service_id)) for word, event in chosen
    ]
    last = first + len(shown)
    before = (
        f"/health?from={max(0, first - SHOWN_CHANGES)}#changes-title" if first else ""
    )
    after = f"/health?from={last}#changes-title" if last < len(changes) else ""
    return shown, Paging(first + 1, last, len(changes), before, after)


def _shown(word: str, event: LifeEvent, service: Service | None) -> ShownChange:
    if event.change is LifeChange.STATE:
        return ShownChange(
            word, event, service, STATE_WORDS[word], event.detail.partition(": ")[2]
        )
    if event.change is LifeChange.FOUND:
        host = urls.host(event.detail.partition(" on ")[2])
        return ShownChange(
            word, event, service, FOUND_ON if host else CHANGE_WORDS[event.change], host
        )
    detail = "" if event.change is LifeChange.CONTENT else event.detail
    return ShownChange(word, event, service, CHANGE_WORDS[event.change], detail)
