"""Thousands of virtual nodes: how evenly a hash of registered domains divides a web, and what the exchange asks of
the database.

    .venv/bin/python bench/cluster_scale.py [DOMAINS]

Domains have pages by Zipf's law (the mean is that of the crawl in docs/scale.md); a domain is asked once a second, so
that none gives more than 2.6 million pages a month. Shards look for links twice a second and send one row for each
shard that a batch has links for, as `tasks/shard_work.py` and `frontier/shard_frontier.py` do; nothing is crawled.
Result: bench/results/cluster-scale.json.
"""

from __future__ import annotations

import sys

from cluster_runs import write

from geohound.frontier.shard_frontier import shard_of
from geohound.tasks import shard_work

MONTH_S = 30 * 86_400
PAGES_PER_DOMAIN = 75
ALL_DOMAINS = 40_000_000
LINKS_ELSEWHERE = 10  # new links of a page, nearly all of them to other domains
BATCH_S = 1.0
SHARDS = (16, 64, 256, 1024, 4096, 16_384)


def sizes(domains: int) -> list[float]:
    """Pages of each domain of a small web with the shares of the whole one: the n-th largest has 1/n of the first.

    None has more than what politeness allows in a month, of all pages of the whole web.
    """
    harmonic = sum(1 / n for n in range(1, domains + 1))
    total = domains * PAGES_PER_DOMAIN
    most = MONTH_S * domains / ALL_DOMAINS
    return [min(total / (n * harmonic), most) for n in range(1, domains + 1)]


def divided(pages: list[float], count: int) -> dict[str, float]:
    loads = [0.0] * count
    for n, size in enumerate(pages):
        loads[shard_of(f"http://domain-{n}.com/", count)] += size
    mean = sum(loads) / count
    whole_web = sum(pages) * ALL_DOMAINS / len(pages)
    per_s = whole_web / MONTH_S
    batches = min(per_s, count / BATCH_S)
    links_of_batch = LINKS_ELSEWHERE * per_s / batches
    rows = batches * (count - 1) * (1 - (1 - 1 / (count - 1)) ** links_of_batch)
    return {
        "shards": count,
        "largest_shard_to_mean": round(max(loads) / mean, 2),
        "pages_per_s_of_a_shard": round(per_s / count, 2),
        "looks_for_links_per_s": round(count / shard_work.LOOK_S),
        "parcels_per_s": round(rows),
    }


def main() -> None:
    domains = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    pages = sizes(domains)
    write(
        "scale",
        {"domains": domains, "divided": [divided(pages, count) for count in SHARDS]},
    )


if __name__ == "__main__":
    main()
