"""The pages in the visitor's language: catalogues of texts by their English wording, and which of them a request wants.

A text that a catalogue lacks is shown in English. `{name}` in a text is replaced by a value.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from starlette.requests import Request

ENGLISH = "en"
NAMES: Mapping[str, str] = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
}
# in an address; the cookie that remembers the choice has the same name
PARAMETER = "lang"
_MAX_ACCEPTED = 20


@dataclass(frozen=True)
class PageTexts:
    """One language: its id and its texts, those of the pages and those of their scripts."""

    id: str
    texts: Mapping[str, str] = field(default_factory=dict)
    script: Mapping[str, str] = field(default_factory=dict)

    def text(self, english: str, /, **values: object) -> str:
        found = self.texts.get(english, english)
        return found.format(**values) if values else found

    def plural(self, one: str, many: str, n: int, /, **values: object) -> str:
        """The wording for this number, which is `{n}` in both, its thousands set apart."""
        return self.text(one if n == 1 else many, n=f"{n:,}", **values)


@cache
def language(id_: str) -> PageTexts:
    if id_ == ENGLISH:
        return PageTexts(ENGLISH)
    pages: dict[str, str] = {}
    script: dict[str, str] = {}
    for file in sorted(Path(__file__).parent.glob(f"{id_}*.toml")):
        read = tomllib.loads(file.read_text(encoding="utf-8"))
        pages |= read["pages"]
        script |= read["script"]
    return PageTexts(id_, pages, script)


def language_of(request: Request) -> PageTexts:
    """What the address says, else what was chosen before, else what the browser prefers."""
    chosen = (request.query_params.get(PARAMETER), request.cookies.get(PARAMETER))
    return language(
        next((c for c in chosen if c in NAMES), None) or _preferred(request)
    )


def _preferred(request: Request) -> str:
    accepted = request.headers.get("accept-language", "").split(",")[:_MAX_ACCEPTED]
    ranges = [part.partition(";") for part in accepted]
    weighted = [(_weight(rest), tag.strip().lower()[:2]) for tag, _, rest in ranges]
    known = [(weight, tag) for weight, tag in weighted if tag in NAMES and weight > 0]
    return max(known, key=lambda each: each[0], default=(1.0, ENGLISH))[1]


def _weight(rest: str) -> float:
    """The quality value of RFC 9110; what is none of these counts nothing."""
    name, _, value = rest.partition("=")
    if not name.strip():
        return 1.0
    try:
        return min(max(float(value), 0.0), 1.0)
    except ValueError:
        return 0.0
