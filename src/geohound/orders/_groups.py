"""How often the links of one group paid: those of a section of a host, those on one page, those below one page."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass

MAX_GROUPS = 200_000
MAX_STORED = 10_000


@dataclass(slots=True)
class Group:
    """Visits and pages that paid, both fading so that a group that has no more to give is left."""

    visits: float = 0.0
    paid: float = 0.0


@dataclass(frozen=True, slots=True)
class GroupTuning:
    strength: float = 0.5  # of the belief that a group is like the one around it, in pages that pay
    fade: float = 0.95


class Groups:
    """Groups inside groups: each one's rate is shrunk towards that of the group around it."""

    def __init__(self, tuning: GroupTuning) -> None:
        self._strength, self._fade = tuning.strength, tuning.fade
        self._groups: OrderedDict[str, Group] = OrderedDict()

    def factor(self, keys: tuple[str, ...], rate: float) -> float:
        """How much more the innermost group pays than the outermost, which pays at this rate."""
        factor, strength, known = 1.0, self._strength, self._groups
        for key in keys:
            group = known.get(key)
            if group is not None:
                factor *= (group.paid + strength) / (group.visits * rate * factor + strength)
        return factor

    def visited(self, keys: tuple[str, ...]) -> None:
        fade, known = self._fade, self._groups
        for key in keys:
            group = known.get(key)
            if group is None:
                group = known[key] = Group()
                if len(known) > MAX_GROUPS:
                    known.popitem(last=False)
            group.visits = group.visits * fade + 1.0
            group.paid *= fade

    def paid(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            group = self._groups.get(key)
            if group is not None:
                group.paid += 1.0

    def state(self) -> bytes:
        """The groups met last that tell something."""
        told = [(k, round(g.visits, 3), round(g.paid, 3)) for k, g in self._groups.items() if g.paid or g.visits > 1]
        return json.dumps(told[-MAX_STORED:]).encode()

    def restore(self, state: bytes) -> None:
        try:
            groups = {str(key): Group(float(visits), float(paid)) for key, visits, paid in json.loads(state)}
        except (TypeError, ValueError) as error:
            raise ValueError("this learned order is damaged") from error
        self._groups.update(groups)
