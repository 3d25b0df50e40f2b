"""Figures as tables: one file per report, each a function of a task's visits or of the catalogue."""

from __future__ import annotations

from geohound.model.crawl.frontier import EndedVisit

from ._table import (
    CatalogueFacts,
    CatalogueReport,
    Cell,
    Table,
    TaskReport,
)
from .availability import AVAILABILITY
from .candidates import CANDIDATES
from .changes import CHANGES
from .classes import CLASSES
from .clumping import CLUMPING
from .comparison import COMPARISON, DIFFERENCE
from .countries import COUNTRIES
from .country_growth import COUNTRY_GROWTH
from .density import DENSITY
from .depth_width import DEPTH_WIDTH
from .duplicates import DUPLICATES
from .exclusive_classes import EXCLUSIVE, SHEET
from .failures import FAILURES
from .halflife import HALFLIFE
from .hosts import HOSTS
from .inspire import INSPIRE
from .list_pages import LIST_PAGES
from .quickness import QUICKNESS
from .service_types import DOMAINS, SITES
from .software import SOFTWARE
from .sources import METHODS, SOURCES
from .steps import STEPS
from .topic_places import TOPIC_PLACES
from .uptime import UPTIME
from .url_parts import URL_PARTS

__all__ = [
    "CATALOGUE_REPORTS",
    "REPORTS",
    "TASK_REPORTS",
    "CatalogueFacts",
    "CatalogueReport",
    "Cell",
    "EndedVisit",
    "Table",
    "TaskReport",
]

TASK_REPORTS = {
    report.id: report
    for report in (QUICKNESS, DEPTH_WIDTH, FAILURES, HOSTS, LIST_PAGES, DUPLICATES)
}
CATALOGUE_REPORTS = {
    report.id: report
    for report in (
        COUNTRIES,
        DOMAINS,
        SITES,
        CLASSES,
        URL_PARTS,
        SOURCES,
        METHODS,
        STEPS,
        CANDIDATES,
        CHANGES,
        HALFLIFE,
        AVAILABILITY,
        UPTIME,
        INSPIRE,
        DENSITY,
        COUNTRY_GROWTH,
        CLUMPING,
        SOFTWARE,
        EXCLUSIVE,
        SHEET,
        TOPIC_PLACES,
        COMPARISON,
        DIFFERENCE,
    )
}
REPORTS: dict[str, TaskReport | CatalogueReport] = {**TASK_REPORTS, **CATALOGUE_REPORTS}
