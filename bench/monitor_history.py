"""What a year of daily checks costs on disk, thinned as stated and not: python bench/monitor_history.py"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from geohound.model.biography import KEPT_DAYS
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

START = datetime(2026, 1, 1, tzinfo=UTC)
ALL = 100_000


def size_after(days: int, services: int, *, thinned: bool) -> tuple[int, int]:
    """Bytes of the file before the first look and after the last."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.db"
        store = open_store(path, SystemClock())
        found = [
            Service(
                "wms",
                f"http://h{n // 6}.test/wms{n}",
                title=f"Map {n}",
                fingerprint=f"{n:016x}",
            )
            for n in range(services)
        ]
        seen = [
            Sighting(each.id, each.endpoint, "http://p.test/", Via.LINK, "", START)
            for each in found
        ]
        store.catalogue.record_now(
            [Observation(*pair) for pair in zip(found, seen, strict=True)]
        )
        before = file_size(store)
        for day in range(days):
            at = START + timedelta(days=day)
            looks = [look(each.id, at, chance) for each in found]
            store.catalogue.record_now(looks)
            if thinned and day % 7 == 6:
                asyncio.run(thin(store, at - timedelta(days=KEPT_DAYS)))
        after = file_size(store)
        store.close()
    return before, after


def look(service_id: str, at: datetime, chance: random.Random) -> Check:
    is_good = chance.random() > 0.02
    return Check(
        service_id,
        at,
        is_good,
        "" if is_good else "no first byte in time: no header in 30 s",
        chance.random(),
    )


async def thin(store, before: datetime) -> None:
    while await store.history.thin(before):
        pass


def file_size(store) -> int:
    with store.database.write() as connection:
        connection.execute("SELECT 1")
    store.database.read().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = store.database.read().execute("PRAGMA page_count").fetchone()[0]
    free = store.database.read().execute("PRAGMA freelist_count").fetchone()[0]
    return (pages - free) * store.database.read().execute(
        "PRAGMA page_size"
    ).fetchone()[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", type=int, default=200)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(__file__).parent / "results" / "monitor_history.json",
    )
    args = parser.parse_args()
    rows = []
    for thinned in (False, True):
        before, after = size_after(args.days, args.services, thinned=thinned)
        each = (after - before) / args.services
        rows.append(
            {
                "thinned": thinned,
                "bytes_per_service_and_year": round(each),
                "gb_for_100000": round(each * ALL / 1e9, 2),
            }
        )
        print(rows[-1])
    found = {
        "command": f"python bench/monitor_history.py --services {args.services}",
        "measured_services": args.services,
        "rule": f"checks of {KEPT_DAYS} days, then totals by week; for 100,000 services by proportion",
        "rows": rows,
    }
    args.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
