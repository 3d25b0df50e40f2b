"""How often the links of one group paid: those of a section of a host, those on one page, those below one page."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass

MAX_GROUPS = 200_000
MAX_STORED = 10_000


@dataclass(slots=True)
class Group:
    """Pages that paid and how many were expected to, both fading so that a group that has no more to give is left."""

    expected: float = 0.0
    paid: float = 0.0


@dataclass(frozen=True, slots=True)
class GroupTuning:
    strength: float = 0.5  # of the belief that a group is like the one around it, in pages that pay
    fade: float = 0.98


class Groups:
    """What paid in each group against what was to be expected of it."""

    def __init__(self, tuning: GroupTuning) -> None:
        self._strength, self._fade = tuning.strength, tuning.fade
        self._groups: OrderedDict[str, Group] = OrderedDict()

    def factor(self, keys: tuple[str, ...]) -> float:
        """How much more a link pays than others of its host, by the groups it belongs to."""
        factor, strength, known = 1.0, self._strength, self._groups
        for key in keys:
            group = known.get(key)
            if group is not None:
                factor *= (group.paid + strength) / (group.expected + strength)
        return factor

    def visited(self, keys: tuple[str, ...], rate: float) -> None:
        """A visit on a host that pays at this rate: each group expects what the groups before it leave unexplained."""
        fade, strength, known = self._fade, self._strength, self._groups
        for key in keys:
            group = known.get(key)
            if group is None:
                group = known[key] = Group()
                if len(known) > MAX_GROUPS:
                    known.popitem(last=False)
            factor = (group.paid + strength) / (group.expected + strength)
            group.expected = group.expected * fade + rate
            group.paid *= fade
            rate *= factor

    def paid(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            group = self._groups.get(key)
            if group is not None:
                group.paid += 1.0

    def state(self) -> bytes:
        """The groups met last that tell something."""
        told = [(k, round(g.expected, 4), round(g.paid, 3)) for k, g in self._groups.items() if g.expected > 0.1]
        return json.dumps(told[-MAX_STORED:]).encode()

    def restore(self, state: bytes) -> None:
        try:
            groups = {str(key): Group(float(expected), float(paid)) for key, expected, paid in json.loads(state)}
        except (TypeError, ValueError) as error:
            raise ValueError("this learned order is damaged") from error
        self._groups.update(groups)
