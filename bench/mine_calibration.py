"""Is a candidate of `geohound mine` right as often as its confidence says?

Over pages that were written blind (`bench/pages_blind`): of the candidates with one confidence, how many lead to a
service of the page; by evidence too; and the Brier score, the mean square of what was expected less what was (0 is
perfect, 0.25 is a coin). Candidates of one address count once, with the best confidence.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mine import TILE_KINDS, _fetch_from, webapps

from geohound import app as wiring
from geohound.mining import application

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "mine_calibration.json"
FOLDERS = ("building", "kept")


def candidates(page: webapps.App) -> list[tuple[float, str, bool]]:
    """Confidence, evidence, and whether it was right, for each address of one page."""
    mined = asyncio.run(
        application.mine(page.page, _fetch_from(page), wiring.address_book(), "static")
    )
    best: dict[str, Any] = {}
    for endpoint in mined.endpoints:
        key = webapps.key(endpoint.url)
        if endpoint.kind not in TILE_KINDS and (
            key not in best or best[key].confidence < endpoint.confidence
        ):
            best[key] = endpoint
    return [
        (
            e.confidence,
            e.how,
            any(service.answers(e.url, e.kind or "") for service in page.services),
        )
        for e in best.values()
    ]


def table(rows: list[tuple[float, str, bool]], by: int) -> dict[str, dict[str, Any]]:
    groups: dict[Any, list[tuple[float, str, bool]]] = defaultdict(list)
    for row in rows:
        groups[row[by]].append(row)
    return {
        str(name): {
            "candidates": len(group),
            "expected": round(
                sum(confidence for confidence, _, _ in group) / len(group), 3
            ),
            "right": round(sum(is_right for _, _, is_right in group) / len(group), 3),
        }
        for name, group in sorted(groups.items())
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    args = parser.parse_args()
    pages = [
        page
        for folder in FOLDERS
        for page in webapps.load(HERE / "pages_blind" / folder)
    ]
    rows = [row for page in pages for row in candidates(page)]
    brier = sum((confidence - is_right) ** 2 for confidence, _, is_right in rows) / len(
        rows
    )
    found = {
        "command": "python bench/mine_calibration.py",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "pages": len(pages),
        "candidates": len(rows),
        "brier": round(brier, 4),
        "by_confidence": table(rows, 0),
        "by_evidence": table(rows, 1),
    }
    args.results.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
