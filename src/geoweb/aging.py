"""How the services of the geoweb die as it grows older: some of those alive with every age, in various ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from geoweb.chance import Salt, mix, unit
from geoweb.placing import DEAD_FATES, Fate, Placed

LATER_FATES = (*DEAD_FATES, Fate.SILENT, Fate.RATE_LIMITED)


def grow_old(
    placed: Sequence[Placed], seed: int, share: float, age: int
) -> list[Placed]:
    """The services at this age: with each, this share of the living ones dies, and none comes back.

    Catalogues that list others live on: nobody could find those otherwise.
    """
    needed = {each.catalogue for each in placed}
    return [
        replace(each, fate=_death(seed, each.number), mislabelled=False)
        if each.fate is Fate.ALIVE
        and each.number not in needed
        and _is_dead(seed, each.number, share, age)
        else each
        for each in placed
    ]


def _is_dead(seed: int, number: int, share: float, age: int) -> bool:
    return any(
        unit(mix(seed, number, Salt.DEATH), year) < share for year in range(1, age + 1)
    )


def _death(seed: int, number: int) -> Fate:
    return LATER_FATES[mix(seed, number, Salt.DEATH) % len(LATER_FATES)]
