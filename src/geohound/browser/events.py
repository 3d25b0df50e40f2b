"""The events of a page (WBC-3): listed by the page, judged here; equal ones are combined, promising ones come first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from geohound.model.crawl.browsed import EventRow

KINDS = frozenset({"load", "click", "dblclick", "mouseover", "change"})
MAX_ROWS = 3_000  # rows that a page may list at once
ALIKE = 8  # of elements that look alike, so many come before all others' ninth
FUNCTION = "\u0192 "  # before the code of functions
_ID = re.compile(r"#[^\s.\[]{1,300}")
_ELEMENT = re.compile(r"\bthis\b")
_CIRCUMSTANCE = re.compile(r"\b(?:event|arguments)\b")
# Code that is nothing but an assignment to a target.
_ASSIGNMENT = re.compile(
    r"[^=;{}]{1,150}\.(?:innerHTML|outerHTML|textContent|innerText|value|src|href)\s{0,9}=(?!=)\s{0,9}([^;=]{1,300});?\s{0,9}"
)
# Switches of layers and tabs of maps first: words in several languages, as labels, classes and ids have them.
_MAP = re.compile(
    r"layer|wms|wmts|wfs|overlay|base-?map|legend|karte|ebene|thema|theme|carte|couche|capa|mapa|strato|tema|kaart|laag|"
    r"\bmap|\btoc\b|catalog|dataset|service",
    re.IGNORECASE,
)
_SWITCH = re.compile(
    r"\btabs?\b|toggle|switch|check|radio|accordion|expand|collaps|tree|menu|select|option",
    re.IGNORECASE,
)
_IDLE = re.compile(
    r"zoom|print|share|tweet|facebook|full-?screen|close|dismiss|\bback\b|cookie|consent|impressum|privacy|language|"
    r"scroll|feedback|help|donate|subscribe|newsletter|locate|geolocat",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    r"\blog[\s_-]?(?:in|on|out|off)\b|\bsign[\s_-]?(?:in|up|out|on)\b|anmelden|abmelden|registrier|\bregister\b|connexion|"
    r"iniciar sesi|\baccedi\b|inloggen|\bdelete\b|\bremove account\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Event:
    """What can be done to one element, or was done to it by loading the page."""

    number: int  # of the element, as the page counts
    kind: str
    source: str  # the element
    label: str
    value: str  # the handler's code, or what it assigns to the target; of a choice, what is chosen
    target: str = ""  # what the code changes, as far as it shows: text.innerHTML

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for events that lead to the same state: the same code in the markup, of any element and event.

        Code that asks which element it belongs to is equal on that element alone, and code that asks for the event is
        not. Neither is a function: the same code does another thing with other values around it.
        """
        is_code = (
            self.value and self.kind != "change" and not self.value.startswith(FUNCTION)
        )
        if not is_code or _CIRCUMSTANCE.search(self.value):
            return self.kind, self.value, self.source, self.label
        if _ELEMENT.search(self.value):
            return self.value, self.source, self.label
        return self.target, self.value

    @property
    def description(self) -> str:
        name = f" “{self.label[:60]}”" if self.label else ""
        return f"{self.kind} on {self.source[:60]}{name}"

    @property
    def shape(self) -> tuple[str, str]:
        return self.kind, re.sub(r"\d+", "", self.source)

    @property
    def rank(self) -> int:
        said = f"{self.label} {self.source} {self.value[:300]}"
        rank = (
            4 * bool(_MAP.search(said))
            + 2 * bool(_SWITCH.search(said))
            - 3 * bool(_IDLE.search(self.label))
        )
        return rank + {"click": 2, "change": 2, "dblclick": 1}.get(self.kind, 0)


def read(rows: object) -> Iterator[Event]:
    """What the page listed, which may be anything; log-ins are left alone."""
    for row in rows[:MAX_ROWS] if isinstance(rows, list) else ():
        if (
            not isinstance(row, list)
            or len(row) != 6
            or not isinstance(row[0], int)
            or str(row[1]) not in KINDS
        ):
            continue
        source, label, value, target = (
            " ".join(str(part).split(" "))[:300] for part in row[2:]
        )
        if not _LOGIN.search(f"{label} {source}"):
            yield Event(
                row[0],
                row[1],
                source,
                " ".join(label.split()),
                _assigned(value),
                target,
            )


def _assigned(code: str) -> str:
    """What code assigns, if it does nothing else."""
    whole = _ASSIGNMENT.fullmatch(code)
    return whole[1].strip() if whole else code.rstrip("; \t\r\n")


def combined(events: Iterable[Event]) -> list[EventRow]:
    """The rows of a watcher's report: {events}, {sources}, target, value."""
    rows: list[EventRow] = []
    for same in _equal(events).values():
        names = tuple(dict.fromkeys(f"on{event.kind}" for event in same))
        sources = tuple(dict.fromkeys(event.source for event in same))
        rows.append(EventRow(names, sources, same[0].target, same[0].value))
    return rows


def reported_among(found: Iterable[Event], rows: Sequence[EventRow]) -> list[Event]:
    """The events that a watcher's report has: by their code, or by the element that a script gives them to."""
    codes = {(name, _assigned(row.value)) for row in rows for name in row.events}
    elements = {
        (name, source)
        for row in rows
        for name in row.events
        for source in row.sources
        if source[:1] == "#"
    }
    kept = []
    for event in found:
        name = f"on{event.kind}"
        has_id = _ID.search(event.source)
        if (name, event.value) in codes or (has_id and (name, has_id[0]) in elements):
            kept.append(event)
    return kept


def _equal(events: Iterable[Event]) -> dict[tuple[str, ...], list[Event]]:
    found: dict[tuple[str, ...], list[Event]] = {}
    for event in events:
        found.setdefault(event.key, []).append(event)
    return found


def ranked(events: Iterable[Event], done: set[tuple[str, ...]]) -> list[Event]:
    """One of those that are equal, unless it was triggered or loading the page did it, the best first.

    What looks alike takes turns with the rest.
    """
    waiting = [
        same[0]
        for key, same in _equal(events).items()
        if key not in done and not any(event.kind == "load" for event in same)
    ]
    counted: Counter[tuple[str, str]] = Counter()
    turns: list[tuple[int, int, Event]] = []
    for event in waiting:
        turns.append((counted[event.shape] // ALIKE, -event.rank, event))
        counted[event.shape] += 1
    return [event for _, _, event in sorted(turns, key=lambda turn: turn[:2])]
