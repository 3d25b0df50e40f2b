"""How often a service changes and dies: Poisson rates from few looks, with what is known of others as a prior.

A look shows whether something changed since the look before, not how often. With intervals t the likelihood of a rate r
is the product of (1 - exp(-r t)) over the looks that found a change and of exp(-r t) over the others (Cho and
Garcia-Molina 2003, Estimating Frequency of Change, section 4); intervals that ended with a change are taken by their
mean. Rates are thought of as one of `RATES`. How common each is among the services of the catalogue is learned from
all of them, and so is how much services of one host resemble each other: both together are the prior of each service.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from geohound.model.monitoring.revisit import NO_LOOKS, LookStats

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
HOST_DEATHS: Final = 0.5  # deaths that those of a host stand for at one of its services
# From one change in 2,000 days to four a day, in equal steps of their logarithm.
_STEPS: Final = 32
_LEAST, _MOST = 1 / (2000 * DAY_S), 4 / DAY_S
RATES: Final = tuple(
    _LEAST * (_MOST / _LEAST) ** (step / (_STEPS - 1)) for step in range(_STEPS)
)
# So much of what the other services of a host showed may count for one of them.
HOST_SHARES: Final = (0.0, 0.02, 0.1, 0.3)
_OWN_WEIGHT: Final = 20.0  # services that the first guess of the rates stands for
_ROUNDS: Final = 20  # of expectation and maximisation; the next plan goes on from here
# A dead service that is listed for so long is as bad as a change that nobody saw.
UNSEEN_DEATH_S: Final = 100 * DAY_S

Curve = Sequence[float]  # a number for each of `RATES`


def _normal(values: Curve) -> tuple[float, ...]:
    total = math.fsum(values)
    return tuple(value / total for value in values)


FIRST_GUESS: Final = _normal(
    [rate**CHANGES.events * math.exp(-rate * CHANGES.time_s) for rate in RATES]
)


@dataclass(frozen=True, slots=True)
class RateModel:
    """What the services of a catalogue make one expect of any of them."""

    common: tuple[float, ...] = FIRST_GUESS  # how common each of `RATES` is
    host_share: float = 0.0  # how much of what its host showed counts for a service


NEW_CATALOGUE: Final = RateModel()


class Known(NamedTuple):
    """What looks have shown of a service, and of the other services of its host."""

    own: LookStats = NO_LOOKS
    others: LookStats = NO_LOOKS


def known_of(own: LookStats, of_host: LookStats) -> Known:
    """`of_host` counts the service too."""
    others = LookStats(
        max(0, of_host.looks - own.looks),
        max(0.0, of_host.changes - own.changes),
        max(0.0, of_host.changed_s - own.changed_s),
        max(0.0, of_host.unchanged_s - own.unchanged_s),
        deaths=max(0, of_host.deaths - own.deaths),
    )
    return Known(own, others)


def log_likelihood(stats: LookStats) -> list[float]:
    """Of each of `RATES`, up to a constant: its greatest is 0."""
    mean_s = stats.changed_s / stats.changes if stats.changes else 0.0
    found = [-rate * stats.unchanged_s for rate in RATES]
    if mean_s > 0.0:
        found = [
            quiet + stats.changes * math.log(-math.expm1(-rate * mean_s))
            for quiet, rate in zip(found, RATES, strict=True)
        ]
    greatest = max(found)
    return [each - greatest for each in found]


def belief(known: Known, model: RateModel) -> tuple[float, ...]:
    """How likely each of `RATES` is for this service."""
    weights = _expected(known, model.common, model.host_share)
    return _seen(weights, log_likelihood(known.own))


def _expected(known: Known, common: Curve, host_share: float) -> Curve:
    if host_share <= 0.0:
        return common
    of_host = log_likelihood(known.others)
    return _normal(
        [
            weight * math.exp(host_share * each)
            for weight, each in zip(common, of_host, strict=True)
        ]
    )


def _seen(weights: Curve, likelihood: Curve) -> tuple[float, ...]:
    return _normal(
        [
            weight * math.exp(each)
            for weight, each in zip(weights, likelihood, strict=True)
        ]
    )


def learned(services: Sequence[Known], before: RateModel) -> RateModel:
    """What these services, and a first guess, say of all; found from the model of before by a few rounds."""
    likelihoods = [
        [math.exp(each) for each in log_likelihood(known.own)] for known in services
    ]
    common: Curve = before.common
    for _ in range(_ROUNDS):
        common = _maximised(common, likelihoods)
    share = max(
        HOST_SHARES, key=lambda each: _foretold(services, likelihoods, common, each)
    )
    return RateModel(tuple(common), share)


def _maximised(common: Curve, likelihoods: Sequence[Curve]) -> tuple[float, ...]:
    """How common each rate is, if the services have it as likely as `common` says."""
    totals = [_OWN_WEIGHT * guess for guess in FIRST_GUESS]
    for likelihood in likelihoods:
        joint = [weight * each for weight, each in zip(common, likelihood, strict=True)]
        scale = 1.0 / sum(joint)
        totals = [
            total + scale * each for total, each in zip(totals, joint, strict=True)
        ]
    return _normal(totals)


def _foretold(
    services: Sequence[Known],
    likelihoods: Sequence[Curve],
    common: Curve,
    host_share: float,
) -> float:
    """How well the hosts foretell what was seen of their services, with this share."""
    return math.fsum(
        math.log(
            sum(
                weight * each
                for weight, each in zip(
                    _expected(known, common, host_share), likelihood, strict=True
                )
            )
        )
        for known, likelihood in zip(services, likelihoods, strict=True)
    )


def death_rate(stats: LookStats, prior: Prior = DEATHS) -> float:
    """Deaths per second of life that was watched."""
    watched_s = stats.changed_s + stats.unchanged_s
    return (stats.deaths + prior.events) / (watched_s + prior.time_s)


def urgency(known: Known, model: RateModel = NEW_CATALOGUE) -> float:
    """How often a service deserves a look, as a rate per second.

    With f looks per second about r² / 2f of r changes are missed, and a death is seen 1 / 2f late. To lose the least
    with a given number of looks, f goes with the square root of what stands above f: of r², expected over what is
    believed of r, and of the deaths by their weight. A service of which little is known thus gets more looks than its
    mean rate asks for: it may be a lively one.
    """
    likely = belief(known, model)
    of_changes = math.fsum(
        weight * rate * rate for weight, rate in zip(likely, RATES, strict=True)
    )
    at_host = Prior(HOST_DEATHS, HOST_DEATHS / death_rate(known.others))
    of_deaths = death_rate(known.own, at_host) / UNSEEN_DEATH_S
    return math.sqrt(of_changes + of_deaths)


def change_rate(known: Known, model: RateModel = NEW_CATALOGUE) -> float:
    """Changes per second, as they are to be expected."""
    return math.fsum(
        weight * rate for weight, rate in zip(belief(known, model), RATES, strict=True)
    )
