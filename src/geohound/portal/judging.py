"""Judgements of services: which of a class are drawn, what was said of them, and the share of real ones (LC-11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from geohound.model.availability import wilson
from geohound.model.catalogue import ServiceSummary
from geohound.model.notes import Verdicts, verdict
from geohound.model.topic import Topic
from geohound.reports.exclusive_classes import PER_CLASS, exclusive, sample

from .portal import Portal
from .recent import recent
from .reports import ReportScope, facts_of, verdicts_of


@dataclass(frozen=True)
class DrawnClass:
    """Of one class: how many services there are, and the ids of those that are to be judged."""

    topic: str
    id: str
    title: str
    services: int
    drawn: tuple[str, ...]
    others: tuple[str, ...]  # judged without being drawn, from a sheet or an older draw

    @property
    def rounds(self) -> int:
        return ceil(len(self.drawn) / PER_CLASS)

    def of_round(self, number: int) -> tuple[str, ...]:
        return self.drawn[(number - 1) * PER_CLASS : number * PER_CLASS]

    def share(self, verdicts: Verdicts) -> RealShare:
        said = [
            verdict(verdicts, self.topic, self.id, each)
            for each in (*self.drawn, *self.others)
        ]
        return RealShare.of([each for each in said if each is not None])


@dataclass(frozen=True)
class RealShare:
    """How many were judged, how many of them are real, and between which shares the truth is with 95 % confidence."""

    judged: int = 0
    real: int = 0
    ratio: float = 0.0
    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, said: Sequence[bool]) -> RealShare:
        if not said:
            return cls()
        low, high = wilson(sum(said), len(said))
        return cls(len(said), sum(said), sum(said) / len(said), low, high)


def drawn_classes(portal: Portal, topic: Topic) -> list[DrawnClass]:
    """Each class of the topic, in the order of its priority."""
    return recent(portal.catalogue, ("drawn", topic.id), lambda: _draw(portal, topic))


def _draw(portal: Portal, topic: Topic) -> list[DrawnClass]:
    members = exclusive(facts_of(portal, ReportScope()))
    judged = {service for _, _, service in verdicts_of(portal)}
    return [
        _drawn(topic, each.id, each.title, members.get((topic.id, each.id), ()), judged)
        for each in topic.classes
    ]


def _drawn(
    topic: Topic,
    class_id: str,
    title: str,
    members: Sequence[ServiceSummary],
    judged: Iterable[str],
) -> DrawnClass:
    chosen = tuple(each.id for each in sample(members))
    others = {each.id for each in members} & set(judged) - set(chosen)
    return DrawnClass(
        topic.id, class_id, title, len(members), chosen, tuple(sorted(others))
    )
