"""What people who use the portal keep: searches to come back to, and judgements of services."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

MAX_SEARCHES = 200  # of one person
MAX_TITLE_CHARS = 200
MAX_SEARCH_CHARS = 4_000  # of its parameters


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A search by its parameters, as the address of the search page has them."""

    owner: str  # name of an account; empty for the only user of a machine
    title: str
    parameters: str
    saved_at: datetime
    opened_at: datetime  # what happened since then is news
    num: int = 0  # 0: not stored yet


@dataclass(frozen=True, slots=True)
class Judgement:
    """Somebody has looked at a service: is it really of the class that its words put it into?"""

    topic: str
    class_id: str
    service_id: str
    is_real: bool
    judge: str = ""  # name of an account; empty for the only user of a machine
    at: datetime | None = None


Verdicts = Mapping[tuple[str, str, str], bool]  # by topic, class and id of the service


NO_VERDICTS: Verdicts = MappingProxyType({})


def verdicts(judgements: Iterable[Judgement]) -> Verdicts:
    return {(j.topic, j.class_id, j.service_id): j.is_real for j in judgements}


def verdict(known: Verdicts, topic: str, class_id: str, service: str) -> bool | None:
    """A verdict that names no class is about any; None where nobody has judged."""
    exact = known.get((topic, class_id, service))
    return exact if exact is not None else known.get(("", "", service))
