"""Hou, Chen & Wu 2016, section 5.3: "land cover 2010" with a box around Brazil, in each mode and relation."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from _frame import QUIET, figure, markdown, save
from matplotlib.axes import Axes

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "search"))

import catalogue_maker
import judged

from geohound.contracts import CatalogueStore
from geohound.model.bbox import BBox, Relation
from geohound.model.catalogue import Observation
from geohound.model.search.query import Query, Results
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store
from geohound.topics import TOPICS, Classifier

HOU = "Hou, Chen & Wu 2016, ISPRS International Journal of Geo-Information, section 5.3 and figure 10"
PUBLISHED = {
    "land cover services": 11_901,
    "found": 803,
    "seconds": 0.148,
    "relation": "contains",
}
WORDS, BRAZIL = "land cover 2010", BBox(-74, -34, -34, 6)
ROUNDS = 9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--services",
        type=int,
        default=3_000,
        help="made by the geoweb's generators, beside the judged",
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "catalogue.db", SystemClock())
        fill(store.catalogue, args.services)
        found = study(store.catalogue, CatalogueIndex(store.catalogue, store.segments))
        store.close()
    with figure(
        "Words and box together leave a short list, and a layer of Brazil comes first",
        f"“{WORDS}” and a box around Brazil; real searches in one made-up catalogue ({found['services']:,} services, "
        f"{found['layers']:,} layers), {ROUNDS} runs each, the quickest counts",
    ) as (axes,):
        draw(axes, found)
        source = f"◇ published: {HOU}: 803 of 11,901 land cover services, 0.148 s."
        save(
            "case_study",
            [axes],
            source,
            {"published": {"source": HOU, **PUBLISHED}, "measured": found},
            table(found),
        )


def fill(catalogue: Any, services: int) -> None:
    written, states, _ = judged.load()
    topics_of = Classifier(TOPICS).classify
    judged.fill(catalogue, written, states, topics_of)
    for start in range(0, services, 500):
        met = catalogue_maker.met(start, min(500, services - start))
        catalogue.record_now(
            Observation(s, sighting, topics=tuple(topics_of(s))) for s, sighting in met
        )


def study(catalogue: CatalogueStore, index: CatalogueIndex) -> dict[str, Any]:
    """What each way of asking finds, and how long it takes at best."""
    services, layers = catalogue.count()
    asked = {
        "words": Query(WORDS),
        "box": Query(bbox=BRAZIL),
        **{
            f"both, {relation.value}": Query(WORDS, BRAZIL, relation)
            for relation in Relation
        },
        "both, overlaps, topic land_cover": Query(
            WORDS, BRAZIL, topics=("land_cover",)
        ),
    }
    return {
        "services": services,
        "layers": layers,
        "land cover services": index.search(
            Query(topics=("land_cover",), limit=1)
        ).total,
        "asked": {name: told(index, query) for name, query in asked.items()},
        "first ten": [
            {
                "title": hit.service.title,
                "layer": hit.layers[0].title if hit.layers else "",
                "why": hit.why,
            }
            for hit in index.search(Query(WORDS, BRAZIL, limit=10)).hits
        ],
    }


def told(index: CatalogueIndex, query: Query) -> dict[str, Any]:
    runs: list[Results] = [index.search(query) for _ in range(ROUNDS)]
    return {
        "found": runs[0].total,
        "first": runs[0].hits[0].service.title if runs[0].hits else "",
        "milliseconds": round(min(results.elapsed_ms for results in runs), 1),
    }


def draw(axes: Axes, found: dict[str, Any]) -> None:
    names = list(found["asked"])
    shares = [100 * found["asked"][name]["found"] / found["services"] for name in names]
    axes.barh(range(len(names)), shares, color="#0b6bb3", height=0.6)
    for at, (name, share) in enumerate(zip(names, shares, strict=True)):
        axes.text(
            share,
            at,
            f"  {found['asked'][name]['found']:,}",
            va="center",
            color=QUIET,
            fontsize=8.5,
        )
    published = 100 * PUBLISHED["found"] / PUBLISHED["land cover services"]  # type: ignore[operator]
    axes.plot(
        [published],
        [names.index("both, contains")],
        "D",
        mfc="white",
        mec="#1d2733",
        ms=6,
    )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlabel="services found, of all in the catalogue")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.grid(visible=False, axis="y")


def table(found: dict[str, Any]) -> str:
    rows = [
        [name, f"{got['found']:,}", f"{100 * got['found'] / found['services']:.1f} %", f"{got['milliseconds']} ms",
         got["first"]]
        for name, got in found["asked"].items()
    ]  # fmt: skip
    rows.append(
        [
            "published: both, contains",
            "803",
            "6.7 % of 11,901",
            "148 ms",
            "South America 2010, 30 m (shown)",
        ]
    )
    best = [
        [n, hit["title"], hit["layer"], hit["why"]]
        for n, hit in enumerate(found["first ten"], 1)
    ]
    return (
        f"Real searches in one made-up catalogue; {ROUNDS} runs of each, of which the quickest counts; "
        "how far\nthe others were from it was not kept.\n\n"
        + markdown(("asked", "found", "of the catalogue", "time", "first"), rows)
        + f"\n{found['services']:,} services, {found['layers']:,} layers, of them "
        f"{found['land cover services']:,} land cover services. The first ten of “both, overlaps”:\n\n"
        + markdown(("rank", "service", "layer", "why"), best)
    )


if __name__ == "__main__":
    main()
