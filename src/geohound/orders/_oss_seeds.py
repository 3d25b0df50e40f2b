"""Seeds out of search results as OGCSearchSystem takes them: one per host by rank, and few queries for many hosts."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

COVER = 0.75
RUNS, RUNS_PER_SHUFFLE = 300, 30


def best_seeds(ranked: Sequence[tuple[str, int]], count: int) -> list[str]:
    """S_A1: hosts by the sum of 1/rank of their URLs; of each the URL with the shortest path."""
    scores: defaultdict[str, float] = defaultdict(float)
    found: defaultdict[str, list[str]] = defaultdict(list)
    for url, rank in ranked:
        host = urlsplit(url).hostname or ""
        scores[host] += 1 / rank
        found[host].append(url)
    hosts = sorted(scores, key=lambda h: -scores[h])[:count]
    return [min(found[host], key=lambda u: len(urlsplit(u).path)) for host in hosts]


def fewest_queries(results: Mapping[str, frozenset[str]], cover: float = COVER, seed: int = 0) -> list[str]:
    """S_Aq: the smallest of many drawn sets of queries whose results cover this share of all hosts."""
    dice = random.Random(seed)
    hosts = sorted({host for found in results.values() for host in found})
    best = sorted(results)
    for run in range(RUNS):
        if run % RUNS_PER_SHUFFLE == 0:
            dice.shuffle(hosts)
        drawn = _draw_cover(results, hosts, round(cover * len(hosts)), dice)
        if len(drawn) < len(best):
            best = drawn
    return best


def _draw_cover(
    results: Mapping[str, frozenset[str]], hosts: Sequence[str], enough: int, dice: random.Random
) -> list[str]:
    """For each host not yet covered one of its queries, the likelier the more results it has."""
    covered: set[str] = set()
    drawn: list[str] = []
    for host in hosts:
        if len(covered) >= enough:
            break
        if host not in covered:
            queries = [q for q, found in results.items() if host in found]
            chosen = dice.choices(queries, [len(results[q]) for q in queries])[0]
            drawn.append(chosen)
            covered |= results[chosen]
    return drawn
