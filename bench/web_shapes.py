"""What the webs that orders are judged on look like, as the miner sees them: a row for each family and seed.

python bench/web_shapes.py --family civic --seed 1 --seed 2 --seed 3
"""

from __future__ import annotations

import argparse
import statistics
from collections import deque

from order import FAMILIES, HOSTS, PAGES, load
from simulated import MinedWeb

HEAD = (
    "| web | hosts | pages | rich hosts | services | pages with services | links a page | depth of services |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def depths(web: MinedWeb) -> dict[int, int]:
    """How many links each page is away from the nearest seed."""
    found = dict.fromkeys(web.seeds, 0)
    queue = deque(found)
    while queue:
        at = queue.popleft()
        for target, *_ in web.nodes[at].links:
            if target not in found:
                found[target] = found[at] + 1
                queue.append(target)
    return found


def row(web: MinedWeb) -> str:
    """Depths are those of the pages with services: least, median, greatest."""
    revealing = [number for number, node in enumerate(web.nodes) if node.services]
    away = depths(web)
    deep = [away[number] for number in revealing]
    cells = (
        web.name,
        len({node.host for node in web.nodes}),
        len(web.nodes),
        len({web.nodes[number].host for number in revealing}),
        len(web.services),
        f"{len(revealing)} ({len(revealing) / len(web.nodes):.2%})",
        f"{statistics.mean(len(node.links) for node in web.nodes):.1f}",
        f"{min(deep)} / {statistics.median(deep):g} / {max(deep)}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--family", choices=tuple(FAMILIES), action="append")
    parser.add_argument("--seed", type=int, action="append")
    given = parser.parse_args()
    print(HEAD)
    for family in given.family or tuple(FAMILIES):
        for seed in given.seed or (1, 2, 3):
            print(row(load(family, seed, HOSTS, PAGES)), flush=True)


if __name__ == "__main__":
    main()
