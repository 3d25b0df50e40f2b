"""Reports in the words of pages: their titles, what they say, and names instead of ids in their tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from geohound.portal.portal import Portal
from geohound.reports import Cell, Table


class ReportWords(NamedTuple):
    """The title of a report on a page, and what there is to see."""

    title: str
    about: str


WORDS: Mapping[str, ReportWords] = {
    "density": ReportWords(
        "Density", "Services within a radius around the places of their hosts."
    ),
    "countries": ReportWords(
        "Countries", "Services by country of the host, split by kind."
    ),
    "country-growth": ReportWords(
        "Growth by country", "Services that were known at two dates."
    ),
    "topic-places": ReportWords(
        "Places by topic",
        "Where services of a topic are hosted, of all services there.",
    ),
    "kinds": ReportWords("Kinds", "Services by protocol."),
    "software": ReportWords("Software", "What answers, split by kind."),
    "classes": ReportWords(
        "Classes", "Services by class of each topic; one service may be in several."
    ),
    "classes-exclusive": ReportWords(
        "Classes, each service once",
        "By priority, with the share that was judged real.",
    ),
    "clumping": ReportWords(
        "Services per host", "Many hosts have few services, few hosts have many."
    ),
    "sites": ReportWords("Sites", "Those with most services, split by kind."),
    "domains": ReportWords(
        "Top-level domains", "Services by the end of their host’s name, split by kind."
    ),
    "urls": ReportWords(
        "Parts of addresses",
        "The most frequent directories and files in the addresses of services.",
    ),
    "providers": ReportWords("Providers", "Those with most services."),
    "licences": ReportWords("Licences", "As the services state them."),
    "states": ReportWords("States", "By the latest check of each service."),
    "uptime": ReportWords("Uptime", "Checks by day, good ones at the bottom."),
    "availability": ReportWords(
        "Availability by site", "The share of good checks, and response times."
    ),
    "halflife": ReportWords(
        "Half-life",
        "The days in which half of the services vanish, with the 95 % interval.",
    ),
    "sources": ReportWords(
        "Yield of sources", "What search providers and catalogues have brought."
    ),
    "methods": ReportWords(
        "How services were found", "All, and those that answered at the last check."
    ),
    "candidates": ReportWords(
        "Candidates", "Addresses that were tested, and why some are no services."
    ),
    "quickness": ReportWords("Quickness", "Services found by the number of requests."),
    "depth-width": ReportWords(
        "Depth and width", "Pages, tests and new services by width and link depth."
    ),
    "failures": ReportWords(
        "How visits ended", "Services proved, and every failure by its reason."
    ),
    "hosts": ReportWords(
        "Hosts", "Pages, tests, failures and new services of each host."
    ),
}
# What a page calls a column of a table; other names are shown as they are.
COLUMNS: Mapping[str, str] = {
    name: name.replace("_", " ")
    for name in (
        "answering", "at", "available", "before", "change", "checks", "class", "count", "country", "day",
        "days_watched", "deaths", "depth", "detail", "domain", "end", "endpoint", "failed", "failures", "good", "group",
        "guessed", "half_life_days",
        "high", "host", "hosts", "judged", "kind", "label", "lat", "licence", "live", "live_share", "lon", "low",
        "median_ms", "method", "new", "now", "of_topic", "other", "pages", "part", "per_10000_sq_miles", "provider",
        "ratio", "real", "requests", "seconds", "seeds", "services", "services_per_1000_requests",
        "services_per_host", "share", "site", "slowest_ms", "software", "source", "state", "step", "tests", "title",
        "topic", "unclear", "value", "what", "width", "within_radius",
    )
} | {"urls": "addresses"}  # fmt: skip
# columns whose cells are words of ours
_TRANSLATED = "what", "end", "state", "change", "method", "group"
Text = Callable[[str], str]


def column_words(portal: Portal, columns: Sequence[str], text: Text) -> dict[str, str]:
    """What columns are called: words, or the names of kinds."""
    kinds = {name: portal.kind_label(name) for name in columns if name in portal.kinds}
    return {
        name: kinds.get(name) or text(COLUMNS.get(name, name.replace("_", " ")))
        for name in columns
    }


def _said(words: str, text: Text) -> str:
    """A word of ours, or two: `dead: HTTP error`."""
    first, between, rest = words.partition(": ")
    return f"{text(first)}{between}{text(rest) if rest else ''}"


def with_names(portal: Portal, table: Table, text: Text) -> Table:
    """The same table with the names of topics and classes, and its words in the visitor's language."""
    classes = {
        (topic.id, each.id): each.title
        for topic in portal.topics
        for each in topic.classes
    }
    topics = {topic.id: topic.title for topic in portal.topics}
    at = {name: place for place, name in enumerate(table.columns)}

    def named(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
        cells = list(row)
        if "class" in at and "topic" in at:
            pair = str(row[at["topic"]]), str(row[at["class"]])
            cells[at["class"]] = classes.get(pair, pair[1])
        if "topic" in at:
            cells[at["topic"]] = topics.get(str(row[at["topic"]]), row[at["topic"]])
        for name in _TRANSLATED:
            if name in at and isinstance(row[at[name]], str):
                cells[at[name]] = _said(str(row[at[name]]), text)
        return tuple(cells)

    return Table(table.columns, [named(row) for row in table.rows])
