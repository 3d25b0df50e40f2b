"""How often a service changes and dies: Poisson rates from few looks, with what is known of others as a prior.

A look shows whether something changed since the look before, not how often. With intervals t the likelihood of a rate r
is the product of (1 - exp(-r t)) over the looks that found a change and of exp(-r t) over the others (Cho and
Garcia-Molina 2003, Estimating Frequency of Change, section 4). If the intervals that ended with a change are taken by
their mean m, its maximum is r = ln(1 + n m / u) / m, with n changes and u the sum of the other intervals. A prior of a
changes in b seconds adds to n and u; for small m the result is (n + a) / (u + b), the mean of the Gamma posterior.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from geohound.model.revisit import LookStats

DAY_S: Final = 86400.0


class Prior(NamedTuple):
    """As much is believed before anything was seen: so many events in so long a time."""

    events: float
    time_s: float

    @property
    def rate(self) -> float:
        return self.events / self.time_s


# Half of the services vanish in 106 days (Sidsten 2012, section 4.1.3: 94 to 146): ln 2 / 106 days.
DEATHS: Final = Prior(1.0, 106 * DAY_S / math.log(2))
# Capabilities change about every second month; weak, so that ten looks outweigh it.
CHANGES: Final = Prior(0.5, 30 * DAY_S)
HOST_WEIGHT: Final = (
    0.5  # events that the rate of a host stands for at one of its services
)


def change_rate(stats: LookStats, prior: Prior = CHANGES) -> float:
    """Changes per second."""
    events = stats.changes + prior.events
    quiet_s = stats.unchanged_s + prior.time_s
    mean_s = stats.changed_s / stats.changes if stats.changes else 0.0
    if mean_s <= 0.0:
        return events / quiet_s
    return math.log1p(events * mean_s / quiet_s) / mean_s


def death_rate(stats: LookStats, prior: Prior = DEATHS) -> float:
    """Deaths per second of life that was watched."""
    return (stats.deaths + prior.events) / (
        stats.changed_s + stats.unchanged_s + prior.time_s
    )


def prior_of_host(of_host: LookStats) -> tuple[Prior, Prior]:
    """What the services of a host make one expect of another one there: changes, deaths."""
    changes, deaths = change_rate(of_host), death_rate(of_host)
    return Prior(HOST_WEIGHT, HOST_WEIGHT / changes), Prior(
        HOST_WEIGHT, HOST_WEIGHT / deaths
    )


def event_rate(stats: LookStats, of_host: LookStats) -> float:
    """Changes and deaths of one service per second: both make the catalogue wrong."""
    of_changes, of_deaths = prior_of_host(of_host)
    return change_rate(stats, of_changes) + death_rate(stats, of_deaths)
