"""Seeds out of search results as OGCSearchSystem takes them: one per host by rank, and few queries for many hosts."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class CoverRules:
    """Sidsten 2012, section 3.1.5 (share of hosts) and appendix B.3.4 (runs)."""

    share: float = 0.75
    runs: int = 300
    runs_per_shuffle: int = 30


COVER = CoverRules()


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


def known_seeds(met_at: Sequence[str], hosts: int) -> list[str]:
    """Of the hosts with most services: the root page, and the address of a service with the shortest path (LI-13)."""
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for url in dict.fromkeys(met_at):
        parts = urlsplit(url)
        found[parts.scheme, parts.netloc].append(url)
    best = sorted(found, key=lambda host: -len(found[host]))[:hosts]
    seeds = [
        each
        for scheme, name in best
        for each in (
            f"{scheme}://{name}/",
            min(found[scheme, name], key=lambda url: len(urlsplit(url).path)),
        )
    ]
    return list(dict.fromkeys(seeds))


def seed_groups(
    seeds: Sequence[str], least: int = 100, most_groups: int = 20
) -> list[list[str]]:
    """Groups of about equal size, the best seeds first: as many as have the least size, within the maximum."""
    count = max(1, min(most_groups, len(seeds) // least))
    bounds = [place * len(seeds) // count for place in range(count + 1)]
    return [list(seeds[start:end]) for start, end in pairwise(bounds)]


def fewest_queries(
    results: Mapping[str, frozenset[str]],
    rules: CoverRules = COVER,
    seed: int = 0,
) -> list[str]:
    """S_Aq: the smallest of many drawn sets of queries whose results cover at least this share of all hosts."""
    dice = random.Random(seed)
    hosts = sorted({host for found in results.values() for host in found})
    enough = math.ceil(rules.share * len(hosts))
    best = sorted(results)
    for run in range(rules.runs):
        if run % rules.runs_per_shuffle == 0:
            dice.shuffle(hosts)
        drawn = _draw_cover(results, hosts, enough, dice)
        if len(drawn) < len(best):
            best = drawn
    return best


def _draw_cover(
    results: Mapping[str, frozenset[str]],
    hosts: Sequence[str],
    enough: int,
    dice: random.Random,
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
