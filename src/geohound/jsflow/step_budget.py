"""Counts the steps of an analysis: its bounds are the same on a busy machine as on an idle one."""

from __future__ import annotations

from dataclasses import dataclass

from .model import AnalysisBudget

# What else takes as long as one step, which is an expression looked at: measured, about 6 µs.
NODES = 8  # of the tree, walked over one by one
BYTES = 8_192  # searched for a word
HITS = 4  # places of a word whose surroundings are looked at
CLEANED = 100  # bytes of a script freed from what cannot matter
PARSED = 30  # bytes
INDEXED = 200  # bytes whose words are put into an index
_PATIENCE = 4
_EXTRA = 8  # part of all steps that costly expressions share: what the first find out serves the others
_DOUBTFUL = 3


class Exhausted(Exception):  # noqa: N818 - no error: the expected end of what is too costly
    """A budget is spent."""


@dataclass(slots=True)
class Meter:
    """The steps taken so far, on the page and for the expression at hand."""

    budget: AnalysisBudget
    steps: int = 0
    sink_steps: int = 0
    allowed: int = 0  # for the expression at hand
    parsed: int = 0
    is_guess: bool = False
    extra: int = 0  # steps that costly expressions took beyond the usual allowance
    costly: int = 0  # expressions that could not be worked out within their allowance

    def spend(self, steps: int = 1) -> None:
        """Steps for the expression at hand."""
        self.steps += steps
        self.sink_steps += steps
        if self.sink_steps > self.allowed or self.steps > self.budget.steps:
            raise Exhausted

    def share(self, steps: int) -> None:
        """Steps whose result serves all expressions, not only the one that needed it first."""
        self.steps += steps
        if self.steps > self.budget.steps:
            raise Exhausted

    def note(self, steps: int) -> None:
        """Steps that are taken to their end, whatever is left."""
        self.steps += steps

    def begin_sink(self) -> None:
        """A new expression gets a new allowance: the less, the more of them spent theirs for nothing."""
        usual = self.budget.steps_per_sink
        self.extra += max(0, self.sink_steps - usual)
        self.sink_steps = 0
        self.is_guess = False
        self.allowed = usual // (1 + self.costly // _PATIENCE)
        if self.costly < _PATIENCE:
            left = max(0, self.budget.steps // _EXTRA - self.extra)
            self.allowed += min(left, usual * _EXTRA) >> self.costly

    def restrain(self) -> None:
        """Little for what may well be nothing: no address is missed where it is not worked out."""
        self.is_guess = True
        self.allowed = min(self.allowed, self.budget.steps_per_sink // _DOUBTFUL)

    @property
    def is_over(self) -> bool:
        return self.steps > self.budget.steps
