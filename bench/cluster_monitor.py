"""A monitor on two nodes with as many looks a second as a million services a day ask for, over loopback."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from queue import Queue
from typing import Any

import psycopg
from cluster_rig import ClusterRig
from cluster_runs import DISK, DURABLE, as_settings, cpu_s, gaps, values_for, write
from monitor_scale import DAY_S, WMS, fill, index
from postgres_server import Server, free_port

from geohound import app
from geohound.model.visit import Purpose
from geohound.settings import Settings

MILLION_A_DAY = 1_000_000 / DAY_S
SERVICES = 24_000  # the next 35 minutes of a million
NODES = 2
QUIET_S = 45.0  # the monitor is under way and nothing is due
DELAY_S = 1.0
QUANTILES = {"p50": 0.5, "p95": 0.95, "most": 1.0}


class Asked:
    """One request, as gaps between requests to a host need it."""

    def __init__(self, host: str, at_s: float) -> None:
        self.host = host
        self.at_s = at_s


@contextmanager
def map_servers() -> Iterator[tuple[int, list[Asked]]]:
    """Any host: a WMS of 20 layers below /wms, nothing else; the port, and what was asked so far."""
    asked: list[Asked] = []
    loop = asyncio.new_event_loop()

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                line, *headers = head.lower().splitlines()
                host = next(h[5:].strip() for h in headers if h.startswith("host:"))
                asked.append(Asked(host, time.monotonic()))
                is_map = " /wms" in line
                body, status = (WMS, "200 OK") if is_map else (b"", "404 Not Found")
                writer.write(
                    f"HTTP/1.1 {status}\r\nContent-Type: text/xml\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n".encode()
                    + body
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()

    stop = asyncio.Event()
    ports: Queue[int] = Queue()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        ports.put(server.sockets[0].getsockname()[1])
        await stop.wait()
        for each in asyncio.all_tasks() - {asyncio.current_task()}:
            each.cancel()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        yield ports.get(), asked
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def monitored(seconds: int) -> None:
    """So many seconds of a monitor whose services are due evenly, one after the other of different hosts."""
    server = Server(DURABLE, disk=DISK)
    server.start()
    try:
        with map_servers() as (port, asked), tempfile.TemporaryDirectory(dir=DISK) as f:
            values = values_for(port, DELAY_S) | {
                # All hosts are at one numeric address here, whose limits would make one of them.
                "address_share": 0.0, "monitor_policy": "daily",
            }  # fmt: skip
            address = server.new_schema()
            settings = as_settings(address, values)
            filled(Path(f), settings)
            with ClusterRig(Path(f), settings, free_port()) as rig:
                rig.write_config(values)
                rig.start(NODES)
                found = watched(rig, server, address, seconds)
            of_hosts = gaps(asked)
            found |= {
                "requests": len(asked),
                "hosts_asked": len({a.host for a in asked}),
            }
            found["least_gap_s"] = round(min(of_hosts), 3) if of_hosts else None
            found["delay_s"] = DELAY_S
    finally:
        server.close()
    write("monitor", found)


def filled(folder: Path, settings: Settings) -> None:
    """Services that were found and checked, by way of SQLite, which is quicker to fill."""
    path = folder / "c.db"
    fill(
        path, SERVICES, datetime.now(UTC) - timedelta(days=1), SERVICES / MILLION_A_DAY
    )
    index(path)
    for _ in app.copy_catalogue(Settings(catalogue=str(path)), settings):
        pass


def watched(
    rig: ClusterRig, server: Server, address: str, seconds: int
) -> dict[str, Any]:
    with closing(app.open_store(rig.settings)) as store:
        store.check_queue.enrol({Purpose.CHECK: DAY_S})
        clock = store.clock
    with psycopg.connect(address, autocommit=True) as connection:
        began = clock.now().timestamp() + 2 * QUIET_S
        connection.execute(
            "UPDATE check_queue SET due_at = %s + place / %s FROM (SELECT target AS of,"
            " row_number() OVER (ORDER BY due_at) - 1 AS place FROM check_queue) AS a"
            " WHERE target = of",
            (began, MILLION_A_DAY),
        )
        connection.execute("ANALYZE")
        due = dict(connection.execute("SELECT target, due_at FROM check_queue"))
        app.queue_monitor(rig.settings, make=True)

        def used() -> tuple[float, float]:
            return cpu_s(rig.sessions), server.cpu_s()

        def until(moment: float) -> None:
            time.sleep(max(0.0, moment - clock.now().timestamp()))

        until(began - QUIET_S)
        marks = [used()]
        until(began)
        marks.append(used())
        until(began + seconds)
        marks.append(used())
        ended = clock.now().timestamp()
        looks = connection.execute(
            "SELECT s.id, c.at, c.ok FROM health_check AS c JOIN service AS s"
            " ON s.num = c.service WHERE c.at >= %s",
            (began,),
        ).fetchall()
        owners = rig.status()["nodes"]
    idle, busy = (
        [after - before for before, after in zip(*pair, strict=True)]
        for pair in pairwise(marks)
    )
    return {
        "services": len(due), "nodes": len(owners), "seconds": seconds,
        **told(looks, due, began, ended),
        "idle_cpu_share": {"nodes": round(idle[0] / QUIET_S, 3), "database": round(idle[1] / QUIET_S, 3)},
        "cpu_ms_per_look": {
            "nodes": round(1000 * busy[0] / len(looks), 1), "database": round(1000 * busy[1] / len(looks), 1),
        },
    }  # fmt: skip


def told(
    looks: list[Any], due: dict[str, float], began: float, ended: float
) -> dict[str, Any]:
    """Late is a look by when it ended, or, where there is none yet, by what it waits now."""
    ends: dict[str, list[float]] = defaultdict(list)
    for target, at, _ in looks:
        ends[target].append(at)
    late = sorted(
        ends[target][0] - at if target in ends else ended - at
        for target, at in due.items()
        if at <= ended
    )
    return {
        "due_per_s": round(MILLION_A_DAY, 2), "looks": len(looks),
        "looks_per_s": round(len(looks) / (ended - began), 2),
        "good": sum(bool(ok) for *_, ok in looks),
        "looked_at_twice": sum(len(at) > 1 for at in ends.values()),
        "due_and_not_looked_at": sum(t not in ends for t, at in due.items() if at <= ended),
        "late_s": {name: quantile(late, share) for name, share in QUANTILES.items()},
    }  # fmt: skip


def quantile(values: list[float], share: float) -> float:
    return round(values[int(share * (len(values) - 1))], 2)
