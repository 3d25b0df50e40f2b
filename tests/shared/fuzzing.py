"""How many examples a fuzzing test tries: a fifth of them in `make test`, all of them in `make fuzz`."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

WHOLE = "fuzz"
QUICK = "quick"
_QUICK_SHARE = 5
_FEWEST = 3


def register_profiles() -> None:
    """Make both profiles known to Hypothesis; `--hypothesis-profile fuzz` chooses the whole one."""
    # A machine that is busy with something else is no reason to fail.
    patient: dict[str, Any] = {
        "deadline": None,
        "suppress_health_check": [HealthCheck.too_slow],
    }
    settings.register_profile(WHOLE, max_examples=100, **patient)
    settings.register_profile(QUICK, max_examples=100 // _QUICK_SHARE, **patient)
    settings.load_profile(QUICK)


def examples(whole: int) -> int:
    """How many of so many examples this run tries."""
    is_whole = settings.get_current_profile_name() == WHOLE
    return whole if is_whole else max(whole // _QUICK_SHARE, _FEWEST)


def fuzzed(whole: int, **more: Any) -> settings:
    """Settings of a test that tries so many examples in `make fuzz`."""
    return settings(max_examples=examples(whole), **more)
