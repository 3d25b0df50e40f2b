"""Figures by which Sidsten 2012 judges searches and crawls."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass


def discovery_velocity(new_services: int, seconds: float) -> float:
    """V_d = S_L / t: new live services per second (section 6.1)."""
    return new_services / seconds if seconds > 0 else 0.0


def effectiveness(groups: Iterable[tuple[int, float]]) -> float:
    """E = Σ C_k / t_k: what each crawl group found, by the time it took (section 3.1.5)."""
    return sum(found / taken for found, taken in groups)


def relative_noise(first: AbstractSet[str], again: AbstractSet[str]) -> float:
    """r_n = (|A ∪ B| - |A ∩ B|) / |A ∪ B|: how much the results of a query differ when it is asked again (4.3.1)."""
    either = first | again
    return len(first ^ again) / len(either) if either else 0.0


def requests_for(estimate: int, per_request: int, overestimate: float) -> float:
    """r_c: requests that all results of a query take, by a count that is too high (section 3.1.3)."""
    return estimate / (per_request * overestimate)


@dataclass(frozen=True, slots=True)
class RunTimeModel:
    """How long agent, crawl, parsing, poller and analysis take one after the other (section 4.3.4), as published."""

    step_s: float = 155.0  # of the agent, each query
    extraction_min: float = 1.0
    crawl_min: float = 254.0  # of a group to depth 3, on one machine
    parse_min: float = 20.0  # of a group
    poll_min: float = 20 / 2635  # of a service
    analyse_min: float = 30 / 2635
    seeds_per_step: float = 7000 / 31
    least_group: int = 100
    most_groups: int = 20
    depth_gain: float = 1.57  # of choosing the depth while crawling (section 6.2.1)

    def groups(self, steps: int) -> int:
        """n(i): crawl groups after so many steps of the agent."""
        seeds = int(steps * self.seeds_per_step)
        return max(1, min(self.most_groups, seeds // self.least_group))

    def hours(
        self, steps: int, services: float, machines: int = 1, *,
        chooses_depth: bool = False, parses_meanwhile: bool = False,
    ) -> float:  # fmt: skip
        """t(m, i): all modules, for so many services in the end."""
        groups = self.groups(steps)
        gain = self.depth_gain if chooses_depth else 1.0
        crawl = self.crawl_min * groups / machines / gain
        parse = self.parse_min * (2 if parses_meanwhile else groups)
        polls = (self.poll_min + self.analyse_min) * services
        agent = steps * self.step_s / 60
        return (agent + self.extraction_min + crawl + parse + polls) / 60
