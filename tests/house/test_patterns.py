"""Whatever the text, a regular expression of the code takes time that grows with its length, not with its square."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pattern_collection
import pytest
from pattern_attack import attacks, cpu_s, runner
from pattern_collection import Collected

pytestmark = pytest.mark.slow

# Applied once at one place, which cannot be seen from their names: by `fullmatch`, or each after the end of the last.
AT_START = {
    "geohound/harvesters/_protocols.py": "(?:(?:urn|x|ogc",
    "geohound/jsflow/syntax/preprocess.py": "(?:[^",
    "geohound/kinds/opendap.py": r"\s*(?:Dataset|",
    "geohound/mining/safe_html.py": "<[a-zA-Z][^",  # pages with many tags in one are cut before
    "geohound/jsflow/syntax/source.py": "",  # before a name, in at most 40 characters, and after it
}
# Applied to so many characters at most.
BOUNDED = {
    "geohound/jsflow/syntax/libraries.py": ("(?:^|[/._-])(?:openlayers", 500),
    "geohound/harvesters/waf.py": ("/waf/", 4096),
    "geohound/harvesters/oai_pmh.py": ("^[^?]*/(?:oai", 4096),
    "geohound/kinds/opendap.py": ("(?:/(?:dodsC", 4096),
    "geohound/mining/hou2016.py": (r"\"(?:[^", 2000),
    "geohound/urls/address_book.py": ("", 4096),  # a longer address is none
    "geohound/jsflow/sinks/idioms.py": (
        "^(?:data-)?(?:",
        66,
    ),  # the name of an attribute
    "geohound/jsflow/evaluation/call_sites.py": (r"[\s,]NAME", 80),
}
# Made while a page is read, of escaped words and what stands here, or of a pattern that repeats at most once.
MADE_LATER = {
    "geohound/harvesters/_described.py": (r"^https://example\.org/data/$",),
    "geohound/jsflow/evaluation/call_sites.py": (
        r"[\s,]NAME\s*;?\s*\}$",
        r"[\w$]\.([\w$]{3,60})\s*=\s*NAME(?![\w$.(\[])",
    ),
    "geohound/jsflow/values/methods.py": (),
    "geohound/kinds/_licence.py": ("non", "deriv", "share"),
    "geohound/portal/formatting.py": (r"(?<!\w)(?:river|rivers)\w{0,3}(?!\w)",),
}
SMALL, LARGE = 2_000, 8_000
# what doubles with every letter is found before it would take for ever
SIZES = (18, 26, 40)
FREE_S = 0.2e-3
S_PER_CHARACTER = 0.3e-6  # below, growth need not be looked at
MOST_S_PER_CHARACTER = 12e-6
MAX_GROWTH = 7.5  # of the time, where the text grows four times: the square would be 16
MAX_BOUNDED_S = 0.1


@cache
def collection() -> tuple[list[Collected], list[str]]:
    """In a process of its own: patterns are recorded while the modules that compile them are imported."""
    done = subprocess.run(
        [sys.executable, pattern_collection.__file__], capture_output=True, check=True
    )
    found = json.loads(done.stdout)
    patterns = [Collected(**values) for values in found["patterns"]]
    later = [
        Collected(p, 0, False, place, 0)
        for place, given in MADE_LATER.items()
        for p in given
    ]
    return [_with_use(c) for c in (*patterns, *later)], found["missing"]


def _with_use(collected: Collected) -> Collected:
    beginning = AT_START.get(collected.place)
    is_at_start = beginning is not None and collected.pattern.startswith(beginning)
    return (
        Collected(**{**vars(collected), "at_start": True}) if is_at_start else collected
    )


def bound(collected: Collected) -> int | None:
    beginning, chars = BOUNDED.get(collected.place, ("\x00", 0))
    return chars if collected.pattern.startswith(beginning) else None


def trouble(collected: Collected) -> str:
    """The text that takes a pattern too long; empty where none does."""
    pattern = collected.compiled()
    run = runner(pattern, at_start=collected.at_start)
    most_chars = bound(collected)
    sizes = (*SIZES, min(SMALL, most_chars or SMALL))
    for attack in attacks(pattern):
        slow_at = next(
            (size for size in sizes if not _is_quick(run, attack.text(size), size)),
            None,
        )
        if slow_at is None:
            continue
        if slow_at < sizes[-1]:
            is_fine = False
        elif most_chars is not None:
            is_fine = any(
                cpu_s(run, attack.text(most_chars)) < MAX_BOUNDED_S for _ in range(3)
            )
        else:
            small, large = attack.text(SMALL), attack.text(LARGE)
            is_fine = any(
                _grows_with_length(run, small, large, tries) for tries in (2, 2, 3)
            )
        if not is_fine:
            return f"{collected.place}:{collected.line} {collected.pattern[:60]!r} on {attack}"
    return ""


def _is_quick(run: object, text: str, size: int) -> bool:
    limit = FREE_S + size * S_PER_CHARACTER
    return cpu_s(run, text) < limit or cpu_s(run, text, 3) < limit  # type: ignore[arg-type]


def _grows_with_length(run: object, small: str, large: str, tries: int) -> bool:
    before = cpu_s(run, small, tries)  # type: ignore[arg-type]
    if before > MOST_S_PER_CHARACTER * len(small):
        return False
    return cpu_s(run, large, tries) < MAX_GROWTH * before  # type: ignore[arg-type]


def test_no_pattern_of_the_code_is_left_out() -> None:
    patterns, missing = collection()
    assert len(patterns) > 500
    assert {site.partition(":")[0] for site in missing} <= set(MADE_LATER)


def test_what_is_said_of_patterns_here_is_said_of_some() -> None:
    patterns, _ = collection()
    for place, beginning in AT_START.items():
        assert any(
            c.place == place and c.pattern.startswith(beginning) for c in patterns
        )
    for place, (beginning, _chars) in BOUNDED.items():
        assert any(
            c.place == place and c.pattern.startswith(beginning) for c in patterns
        )
    assert all(
        (Path(pattern_collection.SOURCE) / place).is_file() for place in MADE_LATER
    )


@pytest.mark.parametrize(
    "quadratic",
    [
        r"a*b",
        r"<!--.*?-->",
        r"\s+$",
        r"(\w+)*x",
        r"/x(?:/.*)?$",
        r"\{\s*(?:a\s*=)?\s*\}",
        r"(?:a|aa)+$",
        r"x[^>]*y[^>]*>",
    ],
)
def test_a_quadratic_pattern_would_be_found(quadratic: str) -> None:
    assert trouble(
        Collected(
            quadratic, int(re.DOTALL) if "<" in quadratic else 0, False, "made", 1
        )
    )


def test_the_quadratic_pattern_for_comments_in_json_would_be_found() -> None:
    """As it once stood in the code: 80 kB of opened comments took 27 s."""
    assert trouble(
        Collected(
            r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', int(re.DOTALL), False, "made", 1
        )
    )


@pytest.mark.parametrize("part", range(4))
def test_every_pattern_takes_time_that_grows_with_the_text(part: int) -> None:
    patterns, _ = collection()
    found = [trouble(collected) for collected in patterns[part::4]]
    assert not [sentence for sentence in found if sentence]
