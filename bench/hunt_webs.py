"""The search agent against fixed queries at equal cost, on webs and search engines drawn by other rules.

The agent was tuned on webs 901 to 904 of `experiments/agents.py`; the families here differ from these in size, in
what goes wrong, in the kinds of services, and in the search engine. `usual` has further webs of the same rules.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple
from unittest.mock import patch

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "experiments")]

from _hunts import hunt  # noqa: E402
from agents import FIXED, OURS, PUBLISHED, Q1, WORDS, methods  # noqa: E402
from geoweb_rig import Observed, calm  # noqa: E402

from geohound.agent.queries import planned_queries  # noqa: E402
from geohound.agent.rules import SEED_QUERIES  # noqa: E402
from geoweb import Shares, World, search_engine  # noqa: E402

BUDGETS = (25, 50, 75, 100)
WAYS: tuple[tuple[str, tuple[str, ...], dict[str, Any]], ...] = (
    ("fixed: Q1", Q1, FIXED),
    ("fixed: words", tuple(planned_queries(WORDS)), FIXED),
    ("published agent", SEED_QUERIES, PUBLISHED),
    ("agent", SEED_QUERIES, OURS),
)
# All that goes wrong but what would only keep the benchmark waiting.
TROUBLED = Shares(crawl_delay=0.0, slow=0.0, hanging=0.0, rate_limit=0.0)


class Family(NamedTuple):
    """How webs are drawn, and what their search engine is like."""

    seeds: tuple[int, ...]
    hosts: int = 600
    pages: int = 60_000
    trouble: Shares = calm()
    kinds: tuple[str, ...] | None = None
    engine: dict[str, Any] = {}  # noqa: RUF012 - never changed
    any_word: bool = False  # a result need not hold all the words of a query


FAMILIES = {
    "usual": Family((951, 952, 953)),
    "many small hosts, fifty results": Family(
        (961, 962), 1200, 40_000, engine={"MAX_PAGES": 5, "_SEEN_SHARE": 0.9}
    ),
    "few large hosts, troubled, five kinds, forgetful": Family(
        (971, 972), 250, 80_000, TROUBLED,
        ("wms", "wfs", "csw", "arcgis-mapserver", "stac"),
        {"_SEEN_SHARE": 0.35, "_FORGOTTEN_SHARE": 0.25},
    ),
    "results that hold any of the words": Family((981, 982), any_word=True),
}  # fmt: skip


def _any_word(self: search_engine.SearchEngine, text: str) -> list[int]:
    """Pages that hold most of the words come first, as with most engines; rare words count more."""
    if not self._pages:
        self._read()
    words = list(dict.fromkeys(search_engine._words(text)))[:12]
    scores: dict[int, float] = {}
    for word in words:
        postings = self._postings.get(word, {})
        for page, count in postings.items():
            weight = 1000 + min(count, 20) / len(postings)
            scores[page] = scores.get(page, 0.0) + weight
    return sorted(scores, key=lambda page: (-scores[page], page))


@contextmanager
def engine_of(family: Family) -> Iterator[None]:
    with ExitStack() as stack:
        for name, value in family.engine.items():
            stack.enter_context(patch.object(search_engine, name, value))
        if family.any_word:
            stack.enter_context(
                patch.object(search_engine.SearchEngine, "_matching", _any_word)
            )
        yield


def on_web(name: str, seed: int) -> dict[str, Any]:
    """What each way had found when so many requests were made."""
    family = FAMILIES[name]
    world = World(seed, family.hosts, family.pages, family.trouble, family.kinds)
    found = {}
    with engine_of(family), Observed(world, only_count=True) as web:
        for way, queries, more in WAYS:
            run = hunt(web.port, queries, max_queries=BUDGETS[-1], **more)
            curve = run.by_request
            found[way] = [curve[min(most, len(curve) - 1)] for most in BUDGETS]
            print(seed, way, found[way], file=sys.stderr, flush=True)
    best = [max(pair) for pair in zip(found["fixed: Q1"], found["fixed: words"], strict=True)]  # fmt: skip
    ratios = [round(ours / max(1, theirs), 2) for ours, theirs in zip(found["agent"], best, strict=True)]  # fmt: skip
    alive = sum(placed.alive for placed in world.services)
    return {"family": name, "web": seed, "alive": alive, "services": found, "ratios": ratios}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", choices=tuple(FAMILIES), action="append")
    parser.add_argument(
        "--crawled",
        type=int,
        nargs="*",
        default=[],
        help="small webs on which agent and crawl are compared with all methods",
    )
    parser.add_argument("--out", type=Path, default=HERE / "results" / "hunt_webs.json")
    asked = parser.parse_args()
    if asked.crawled:
        result: dict[str, Any] = {
            "command": f"python bench/hunt_webs.py --crawled {' '.join(map(str, asked.crawled))}",
            "webs": [{"web": seed, **methods(seed)} for seed in asked.crawled],
        }
    else:
        names = asked.family or list(FAMILIES)
        rows = [on_web(name, seed) for name in names for seed in FAMILIES[name].seeds]
        result = compared(rows)
    asked.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(json.dumps({name: told for name, told in result.items() if name != "webs"}))


def compared(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Agent by the better of the fixed sets within 50, 75 and 100 requests, family by family."""
    of_family: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        of_family.setdefault(row["family"], []).append(row)
    return {
        "command": "python bench/hunt_webs.py",
        "budgets": BUDGETS,
        "ratios": {name: _means(some) for name, some in of_family.items()}
        | {"all webs": _means(rows)},
        "webs": rows,
    }


def _means(rows: list[dict[str, Any]]) -> list[float]:
    """At the first budget the fixed queries are asked, and not yet read."""
    places = range(1, len(BUDGETS))
    return [round(mean(row["ratios"][at] for row in rows), 2) for at in places]


if __name__ == "__main__":
    main()
