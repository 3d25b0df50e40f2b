"""What a cluster survives: random faults in one crawl, and how long the shards of a killed node have no owner."""
# ruff: noqa: ARG001 - every fault is given the same

from __future__ import annotations

import random
import signal
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from cluster_nets import Loopback, Namespaces, Net, web_on, why_no_namespaces
from cluster_rig import ClusterRig
from cluster_runs import DISK, DURABLE, alone, as_settings, gaps, values_for, write
from geoweb_rig import Observed, calm
from postgres_server import Server, free_port

from geohound import app
from geohound.cli.demo import geoweb_running
from geohound.model.catalogue import Filter
from geohound.settings import Settings
from geohound.tasks.claiming import TTL_S
from geoweb import World

NODES = 3
DELAY_S = 0.2
CUT = "node cut off"


def faults(pages: int, count: int) -> None:
    """Random faults in one crawl on three nodes, beside the same crawl without any."""
    reason = why_no_namespaces()
    if reason:
        print(f"{reason} The nodes stand on loopback; none is cut off.")
        found = disturbed(pages, count, Loopback(), "loopback")
    else:
        with Namespaces(NODES) as net, web_on(net.outside):
            found = disturbed(pages, count, net, "network namespaces")
    write(f"faults-{pages}", found)


def disturbed(pages: int, count: int, net: Net, where: str) -> dict[str, Any]:
    world = World(seed=8, hosts=max(40, pages // 25), pages=pages, trouble=calm())
    trusts = f"host all all {net.outside}/24 trust"
    server = Server(DURABLE, disk=DISK, host=net.outside, trusts=trusts)
    server.start()
    try:
        with Observed(world) as web, tempfile.TemporaryDirectory(dir=DISK) as folder:
            values = values_for(web.port, DELAY_S, net.outside)
            calm_settings = as_settings(f"{folder}/c.db", values)
            calm_pages = alone(calm_settings, world)["pages"]
            undisturbed = addresses(calm_settings, 1)
            web.asked.clear()
            settings = as_settings(server.new_schema(), values)
            with ClusterRig(Path(folder), settings, free_port(), net) as rig:
                rig.write_config(values)
                rig.start(NODES)
                began = time.monotonic()
                task = rig.queue(world.seeds)
                done = disturb_often(rig, server, task, count)
                counters = rig.wait_done(task, 3600)
                took = time.monotonic() - began
            return {
                "nodes_in": where, "pages_undisturbed": calm_pages, "pages": counters["pages"], "seconds": round(took),
                "ending": counters["ending"], "faults": len(done), "kinds_of_faults": dict(Counter(kinds_of(done))),
                "each": done, **compared(undisturbed, addresses(settings, task)),
                "least_gap_s": round(min(gaps(web.asked)), 3), "delay_s": DELAY_S,
                "requests": len(web.asked), "urls_settled_twice": settled_twice(settings),
            }  # fmt: skip
    finally:
        server.close()


def kinds_of(done: list[str]) -> list[str]:
    return [each.partition(",")[0] for each in done]


def addresses(settings: Settings, task: int) -> list[frozenset[tuple[str, str]]]:
    """Of each service, its kind with all of its addresses: which of them was met first is chance."""
    with app.open_catalogue(settings) as opened:
        services = [
            entry.service for entry in opened.catalogue.entries(Filter(task=task))
        ]
    return [
        frozenset((each.kind, address) for address in (each.endpoint, *each.aliases))
        for each in services
    ]


def compared(
    one: list[frozenset[tuple[str, str]]], other: list[frozenset[tuple[str, str]]]
) -> dict[str, Any]:
    """A service is the same where any of its addresses is."""
    of_one, of_other = frozenset().union(*one), frozenset().union(*other)
    return {
        "services_undisturbed": len(one), "services": len(other),
        "lost": [sorted(each) for each in one if not each & of_other],
        "more": [sorted(each) for each in other if not each & of_one],
    }  # fmt: skip


def disturb_often(rig: ClusterRig, server: Server, task: int, count: int) -> list[str]:
    """So many faults, each kind among the first ones; none after the end of the crawl."""
    chance = random.Random(4)
    kinds = [what for what in FAULTS if what != CUT or isinstance(rig.net, Namespaces)]
    first = [*kinds]
    chance.shuffle(first)
    done: list[str] = []
    while len(done) < count:
        time.sleep(chance.uniform(2, 5))
        if rig.state(task) in ("done", "stopped"):
            break
        what = first.pop() if first else chance.choice(kinds)
        began = time.monotonic()
        FAULTS[what](rig, server, chance)
        done.append(f"{what}, {time.monotonic() - began:.0f} s")
    return done


def kill_node(rig: ClusterRig, server: Server, chance: random.Random) -> None:
    address = one_of(rig, chance)
    rig.kill(address)
    time.sleep(chance.uniform(1, 5))
    rig.join(address)


def one_of(rig: ClusterRig, chance: random.Random) -> str:
    """A node that is not the head."""
    return rig.net.address(chance.randint(2, NODES))


def kill_head(rig: ClusterRig, server: Server, chance: random.Random) -> None:
    rig.kill(rig.net.address(1))
    time.sleep(chance.uniform(1, 5))
    rig.start_head()


def freeze_node(rig: ClusterRig, server: Server, chance: random.Random) -> None:
    """It does nothing for a while, at times for longer than its claims hold, and goes on as if nothing had been."""
    address = one_of(rig, chance)
    rig.signal(address, signal.SIGSTOP)
    time.sleep(chance.uniform(10, 40))
    rig.signal(address, signal.SIGCONT)


def cut_node(rig: ClusterRig, server: Server, chance: random.Random) -> None:
    """Neither the database nor the web nor other nodes are there, for longer than its claims hold."""
    address = one_of(rig, chance)
    assert isinstance(rig.net, Namespaces)
    rig.net.cut(address)
    time.sleep(chance.uniform(TTL_S + 2, TTL_S + 15))
    rig.net.mend(address)


def kill_database(rig: ClusterRig, server: Server, chance: random.Random) -> None:
    server.kill()
    time.sleep(chance.uniform(1, 4))
    server.start()


def slow_database(rig: ClusterRig, server: Server, chance: random.Random) -> None:
    """It stands still again and again, as one whose disk is overloaded."""
    for _ in range(10):
        server.freeze()
        time.sleep(chance.uniform(0.2, 0.8))
        server.thaw()
        time.sleep(0.2)


FAULTS = {
    "node killed": kill_node, "head killed": kill_head, "node frozen": freeze_node,
    "database killed": kill_database, "database slow": slow_database, CUT: cut_node,
}  # fmt: skip


def takeover(times: int) -> None:
    """How long shards of a killed node are without an owner."""
    world = World(seed=5, hosts=200, pages=20_000, trouble=calm())
    server = Server(DURABLE, disk=DISK)
    server.start()
    took: list[float] = []
    try:
        with (
            geoweb_running(world) as port,
            tempfile.TemporaryDirectory(dir=DISK) as folder,
        ):
            values = values_for(port, 1.0)
            settings = as_settings(server.new_schema(), values)
            with ClusterRig(Path(folder), settings, free_port()) as rig:
                rig.write_config(values)
                rig.start(2)
                task = rig.queue(world.seeds)
                for _ in range(times):
                    rig.wait(
                        lambda: rig.holders(task) == 2, "shards on both nodes", 120
                    )
                    rig.kill("127.0.0.3")
                    took.append(
                        round(
                            rig.wait(
                                lambda: rig.holders(task) == 1, "the takeover", 120
                            ),
                            1,
                        )
                    )
                    rig.join("127.0.0.3")
    finally:
        server.close()
    write("takeover", {"seconds": sorted(took)})


def settled_twice(settings: Settings) -> int:
    with closing(app.open_store(settings)) as store:
        sql = "SELECT count(*) - count(DISTINCT key) FROM url WHERE state IN (1, 2)"
        return int(store.database.read().execute(sql).fetchone()[0])
