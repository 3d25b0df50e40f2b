"""Who minds the supervisor: Ray starts one anew that has died, but not one that is frozen."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

LOOK_S = 10.0
ANSWER_S = 20.0
MISSES = 3  # in a row: one is missed whenever the whole machine was asleep
START_S = 120.0  # for another one on a busy machine


def mind(
    answers: Callable[[float], bool],
    replace: Callable[[], None],
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Replace what does not answer within so many seconds, again and again; returns when asking is an error."""
    missed = 0
    while True:
        sleep(LOOK_S)
        missed = 0 if answers(ANSWER_S) else missed + 1
        if missed == MISSES:
            log.warning("The supervisor does not answer; another one is started.")
            replace()
            answers(START_S)
            missed = 0
