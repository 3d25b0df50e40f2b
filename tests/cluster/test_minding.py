"""A supervisor that is frozen is replaced; one that was asleep with its machine, or starts slowly, is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from geohound.cluster.minding import ANSWER_S, MISSES, START_S, mind


class EndedError(Exception):
    """The head is gone."""


def replaced(answers: str) -> list[int]:
    """After which answers it was replaced; `-` is none within the time."""
    asked: list[float] = []
    found: list[int] = []
    coming: Iterator[str] = iter(answers)

    def ask(within_s: float) -> bool:
        asked.append(within_s)
        try:
            return next(coming) == "+"
        except StopIteration:
            raise EndedError from None

    def replace() -> None:
        found.append(len(asked))

    with pytest.raises(EndedError):
        mind(ask, replace, lambda _: None)
    for number in found:
        assert asked[number] == START_S
    assert asked.count(START_S) == len(found)
    assert {*asked} <= {START_S, ANSWER_S}
    return found


def test_one_that_answers_is_left_alone_and_so_is_one_that_was_asleep() -> None:
    assert replaced("++++-+++-++--+") == []


def test_one_that_is_frozen_is_replaced_and_its_successor_has_time_to_start() -> None:
    frozen = "-" * MISSES
    assert replaced(f"++{frozen}+++") == [2 + MISSES]
    assert replaced(f"{frozen}-++") == [MISSES]
    assert replaced(f"{frozen}-{frozen}+") == [MISSES, 2 * MISSES + 1]
