"""Figures by which Sidsten 2012 judges searches and crawls."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet


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
