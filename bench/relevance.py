"""nDCG@10 of search on the judged catalogue of tests/search, beside plain BM25 (FTS5, one document a service)."""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "search"))
RESULTS = Path(__file__).parent / "results" / "relevance.json"

import judged  # noqa: E402

from geohound.model.bbox import overlaps  # noqa: E402
from geohound.net.clock import SystemClock  # noqa: E402
from geohound.search.index import CatalogueIndex  # noqa: E402
from geohound.stores.sqlite import open_store  # noqa: E402


class PlainBm25:
    """What a text index gives without further thought: all words of a service in one field, the box as a filter."""

    def __init__(self, services):
        self.boxes = {name: service.extent.box for name, service in services.items()}
        self.db = sqlite3.connect(":memory:")
        self.db.execute(
            "CREATE VIRTUAL TABLE doc USING fts5 (name UNINDEXED, body, tokenize='unicode61')"
        )
        for name, s in services.items():
            texts = [s.title, s.abstract, *s.keywords, s.endpoint]
            texts += [
                text
                for la in s.layers
                for text in (la.name, la.title, la.abstract, *la.keywords)
            ]
            self.db.execute("INSERT INTO doc VALUES (?, ?)", (name, " ".join(texts)))

    def search(self, query):
        words = re.findall(r"\w+", query.text)
        if words:
            for joint in (" ", " OR "):
                match = joint.join(f'"{word}"' for word in words)
                found = self.db.execute(
                    "SELECT name FROM doc WHERE doc MATCH ? ORDER BY rank", (match,)
                ).fetchall()
                if found:
                    break
        else:
            found = self.db.execute("SELECT name FROM doc").fetchall()
        names = [name for (name,) in found]
        return [
            name
            for name in names
            if query.bbox is None or overlaps(self.boxes[name], query.bbox)
        ][:10]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--worst", type=int, default=0, help="show so many of the worst queries"
    )
    parser.add_argument("--write", action="store_true", help="keep the result")
    args = parser.parse_args()
    services, states, queries = judged.load()
    names = {service.id: name for name, service in services.items()}
    plain = PlainBm25(services)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "judged.db", SystemClock())
        judged.fill(store.catalogue, services, states)
        index = CatalogueIndex(store.catalogue, store.segments)
        for asked in queries:
            found = [names[hit.service.id] for hit in index.search(asked.query).hits]
            exact = [
                names[hit.service.id]
                for hit in index.search(replace(asked.query, expand=False)).hits
            ]
            rows.append(
                (
                    judged.ndcg(found, asked.grades),
                    judged.ndcg(exact, asked.grades),
                    judged.ndcg(plain.search(asked.query), asked.grades),
                    asked,
                    found,
                )
            )
        store.close()
    for score, _, base, asked, found in sorted(rows, key=lambda row: row[0])[
        : args.worst
    ]:
        print(
            f"{score:.3f} (plain {base:.3f}) {asked.query.text!r} {asked.query.bbox}\n   {found}\n   {asked.grades}"
        )
    told = {
        "queries": len(rows),
        "services": len(services),
        "ndcg@10": round(statistics.mean(row[0] for row in rows), 4),
        "ndcg@10 without synonyms": round(statistics.mean(row[1] for row in rows), 4),
        "ndcg@10 plain BM25": round(statistics.mean(row[2] for row in rows), 4),
        "queries below 0.8": sum(row[0] < 0.8 for row in rows),
        "at": time.strftime("%Y-%m-%d"),
    }
    print(json.dumps(told, indent=1))
    if args.write:
        RESULTS.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
