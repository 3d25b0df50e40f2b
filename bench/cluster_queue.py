"""What a monitor asks of its queue in PostgreSQL where there are very many services, which SQL writes at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import psycopg
from cluster_runs import DISK, DURABLE, write
from postgres_server import Server

from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import TaskSpec
from geohound.model.health import Check
from geohound.model.monitoring.revisit import EndedLook, LookStats
from geohound.model.visit import Purpose
from geohound.net.clock import SystemClock
from geohound.stores import postgres
from geohound.stores.sql.store import Store

T = TypeVar("T")
PER_HOST = 8
SHARDS = 16
AT_ONCE = 50
LOOKS = 1000
DAY_S = 86_400
FILL = """
INSERT INTO service (id, kind, endpoint, loose_endpoint, host, version, title, fingerprint, content_key,
  state, first_seen, last_seen, popularity, body)
SELECT lpad(to_hex(n), 16, '0'), 'wms', 'http://' || path, path, host, '1.3.0', 'A', '', '', 'alive', at, at, 1, ''
FROM generate_series(1, %(services)s) AS n,
  (SELECT extract(epoch FROM clock_timestamp()) - %(day)s AS at) AS a,
  LATERAL (SELECT 'h' || mod(n, %(hosts)s) || '.test' AS host) AS h,
  LATERAL (SELECT host || '/wms?map=m' || n / %(hosts)s AS path) AS p"""
ALIASES = (
    "INSERT INTO alias (id, endpoint, service) SELECT id, endpoint, num FROM service"
)


def queue_speed(services: int) -> None:
    """Milliseconds of each question, and looks that are written down in a second."""
    server = Server(DURABLE, disk=DISK)
    server.start()
    try:
        address = server.new_schema()
        with closing(postgres.open_store(address, SystemClock())) as store:
            with psycopg.connect(address, autocommit=True) as connection:
                numbers = {
                    "services": services, "hosts": services // PER_HOST, "day": DAY_S,
                }  # fmt: skip
                connection.execute(FILL, numbers)
                connection.execute(ALIASES)
                connection.execute("ANALYZE")
            found = {"services": services, **asked(store, address)}
    finally:
        server.close()
    write(f"queue-{services}", found)


def asked(store: Store, address: str) -> dict[str, Any]:
    queue, ms = store.check_queue, {}

    def timed(name: str, question: Callable[[], T]) -> T:
        began = time.perf_counter()
        answer = question()
        ms[name] = round(1000 * (time.perf_counter() - began))
        return answer

    waits = {Purpose.CHECK: float(DAY_S)}
    timed("all enrolled", lambda: queue.enrol(waits))
    timed("nothing new", lambda: queue.enrol(waits))
    now = datetime.now(UTC)
    shard = queue.of(Shard(1, 3, SHARDS))
    timed("when is one due, of a shard", shard.next_due)
    timed("how many are due, of a shard", lambda: shard.count_due(now))
    timed("200 hosts that are due, of a shard", lambda: shard.hosts(now, 200))
    fresh = asyncio.run(looks_per_s(store, now))
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ANALYZE")  # as the server does within minutes
    known = asyncio.run(looks_per_s(store, now))
    return {"ms": ms, "looks_per_s": {"at first": fresh, "analysed": known}}


async def looks_per_s(store: Store, now: datetime) -> float:
    """Each by itself, as those of many hosts end; every transaction waits for the disk."""
    queue = store.check_queue
    claim = store.tasks.claim(store.tasks.create(TaskSpec()).id, "bench", DAY_S)
    assert claim is not None
    hosts = queue.hosts(now, LOOKS // PER_HOST)
    due = [look for host in hosts for look in queue.due(host, now, PER_HOST)]
    ended = [
        EndedLook(
            look.purpose, look.target, now + timedelta(days=1), now, LookStats(1),
            (Check(look.target, now, True),),
        )
        for look in due
    ]  # fmt: skip
    began = time.perf_counter()
    for first in range(0, len(ended), AT_ONCE):
        some = ended[first : first + AT_ONCE]
        await asyncio.gather(*(queue.settle(claim, [each]) for each in some))
    return round(len(ended) / (time.perf_counter() - began), 1)
