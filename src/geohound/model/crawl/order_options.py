"""What the settings of a crawl ask of its order."""

from __future__ import annotations

from dataclasses import dataclass

from geohound.model.topic import Topic


@dataclass(frozen=True, slots=True)
class GroupRules:
    """Crawl groups: Sidsten 2012, appendix A.4 (sizes) and section 4.3.4 (range of depths, threshold of list pages)."""

    least_seeds: int = 100
    most_groups: int = 20
    least_depth: int = 2
    usual_depth: int = 3
    greatest_depth: int = 4
    lists_to_go_on: int = 1  # list pages at a level, up to the usual depth
    lists_to_go_deeper: int = 3  # beyond it


@dataclass(frozen=True, slots=True)
class OrderOptions:
    """Each order uses what it knows of."""

    # that relevance is measured for; None: map services of all topics
    topic: Topic | None = None
    threshold: float = 0.02  # pages of less relevance are dropped
    groups: GroupRules = GroupRules()
    cut_after: int = 300  # pages of a segment of seeds without a service, after which its rest is left; 0: never
