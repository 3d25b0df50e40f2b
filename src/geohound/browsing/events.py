"""The events of a page (WBC-3): told by the page, judged here; equal ones become one, promising ones come first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

KINDS = frozenset({"click", "dblclick", "mouseover", "change"})
MAX_TOLD = 3_000  # rows that a page may tell at once
ALIKE = 8  # of elements that look alike, so many come before all others' ninth
FUNCTION = "\u0192 "  # before the code of functions
_SELF = re.compile(r"\b(?:this|event|arguments)\b")
# Switches of layers and tabs of maps first: words in several languages, as labels, classes and ids have them.
_MAP = re.compile(
    r"layer|wms|wmts|wfs|overlay|base-?map|legend|karte|ebene|thema|theme|carte|couche|capa|mapa|strato|tema|kaart|laag|"
    r"\bmap|\btoc\b|catalog|dataset|service",
    re.IGNORECASE,
)
_SWITCH = re.compile(
    r"\btabs?\b|toggle|switch|check|radio|accordion|expand|collaps|tree|menu|select|option", re.IGNORECASE
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
    """What can be done to one element: the row of a watcher's report."""

    number: int  # of the element, as the page counts
    kind: str
    source: str  # the element
    label: str
    value: str  # the handler's code; of a choice, what is chosen

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for events that lead to the same state: the same code in the markup, that does not ask who called it.

        Of functions that is not known: the same code does another thing with other values around it.
        """
        is_code = self.value and self.kind != "change" and not self.value.startswith(FUNCTION)
        if is_code and not _SELF.search(self.value):
            return self.kind, self.value
        return self.kind, self.value, self.source, self.label

    @property
    def told(self) -> str:
        name = f" “{self.label[:60]}”" if self.label else ""
        return f"{self.kind} on {self.source[:60]}{name}"

    @property
    def shape(self) -> tuple[str, str]:
        return self.kind, re.sub(r"\d+", "", self.source)

    @property
    def rank(self) -> int:
        said = f"{self.label} {self.source} {self.value[:300]}"
        rank = 4 * bool(_MAP.search(said)) + 2 * bool(_SWITCH.search(said)) - 3 * bool(_IDLE.search(self.label))
        return rank + {"click": 2, "change": 2, "dblclick": 1}.get(self.kind, 0)


def read(rows: object) -> Iterator[Event]:
    """What the page told, which may be anything; log-ins are left alone."""
    for row in rows[:MAX_TOLD] if isinstance(rows, list) else ():
        if not isinstance(row, list) or len(row) != 5 or not isinstance(row[0], int) or str(row[1]) not in KINDS:
            continue
        source, label, value = (" ".join(str(part).split(" "))[:300] for part in row[2:])
        if not _LOGIN.search(f"{label} {source}"):
            yield Event(row[0], row[1], source, " ".join(label.split()), value)


def ranked(events: Iterable[Event], done: set[tuple[str, ...]]) -> list[Event]:
    """Each once, without those that were triggered, the best first; what looks alike takes turns with the rest."""
    merged: dict[tuple[str, ...], Event] = {}
    for event in events:
        if event.key not in done:
            merged.setdefault(event.key, event)
    counted: Counter[tuple[str, str]] = Counter()
    turns: list[tuple[int, int, Event]] = []
    for event in merged.values():
        turns.append((counted[event.shape] // ALIKE, -event.rank, event))
        counted[event.shape] += 1
    return [event for _, _, event in sorted(turns, key=lambda turn: turn[:2])]
