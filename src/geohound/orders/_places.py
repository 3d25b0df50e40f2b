"""Inside one host, links that stand in the same place of its pages pay alike: what each place has brought there."""

from __future__ import annotations

import json
import math
from collections import OrderedDict

MAX_PLACES = 200_000
MAX_STORED = 20_000
START = 0.5  # pages that pay, expected and found, before anything is known: how slowly a place is judged
MAX_RATE = 4.5
FLOOR = 0.02  # what is expected of any page


class Places:
    """By host and way: pages that paid, and how many were expected to by the models of links and hosts."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, list[float]] = OrderedDict()

    def bonus(self, place: str) -> float:
        """Log of how links in this place pay against what was expected of them."""
        known = self._known.get(place)
        return 0.0 if known is None else math.log((START + known[0]) / (START + known[1]))

    def visited(self, place: str, chance: float, rate: float) -> None:
        """A link from there was followed that would pay with this chance, at the rate of its host."""
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = [0.0, 0.0]
            if len(self._known) > MAX_PLACES:
                self._known.popitem(last=False)
        known[1] += (FLOOR + chance) * min(MAX_RATE, rate)

    def paid(self, place: str, part: float) -> None:
        known = self._known.get(place)
        if known is not None:
            known[0] += part

    def state(self) -> bytes:
        """The places that were visited last."""
        kept = list(self._known.items())[-MAX_STORED:]
        return json.dumps([(place, round(paid, 3), round(expected, 3)) for place, (paid, expected) in kept]).encode()

    def restore(self, state: bytes) -> None:
        try:
            found = {str(place): [_amount(paid), _amount(expected)] for place, paid, expected in json.loads(state)}
        except (TypeError, ValueError) as error:
            raise ValueError("this learned order is damaged") from error
        self._known.update(found)


def _amount(value: object) -> float:
    """A number from a file: none below zero, none beyond all reason."""
    return min(1e6, max(0.0, float(str(value))))
