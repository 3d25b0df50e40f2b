"""The truth of the geoweb and its live server tell the same story."""

from __future__ import annotations

import asyncio
import http.client
import random
import time
from urllib.parse import urlsplit

import pytest

from geoweb import (
    Request,
    Trouble,
    World,
    ground_truth,
    revealing_pages,
    running,
    services,
)
from geoweb.addresses import url_of

LATE = {Trouble.SLOW, Trouble.RATE_LIMIT, Trouble.FLAKY}


class Client:
    """Asks one address for every name, and comes again when it is told to."""

    def __init__(self, address):
        self._address = address

    def get(self, url):
        for _ in range(4):
            status, body = self._get_once(url)
            if status not in {429, 503}:
                break
            time.sleep(0.4)
        return status, body

    def _get_once(self, url):
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(*self._address, timeout=20)
        try:
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", target, headers={"Host": parts.netloc})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()


def check_services(client, world, told):
    """200 services answer as the truth says they do, and the pages that reveal them are there."""
    real = [
        placed for placed in world.services if placed.spec.kind not in services.LISTS
    ]
    for entry, placed in random.Random(1).sample(
        list(zip(told["services"], real, strict=True)), 200
    ):
        facts = services.facts(placed.spec)
        assert (entry["endpoint"], entry["title"]) == (
            placed.spec.endpoint,
            facts.title,
        )
        parts = urlsplit(facts.proof_url)
        asked = Request("GET", parts.netloc, parts.path, parts.query)
        expected = services.answer(placed.spec, asked, world.listed_by(placed.number))
        status, body = client.get(facts.proof_url)
        assert (status == 200 and body == expected.body) == entry["alive"]
        assert all(client.get(url)[0] == 200 for url in revealing_pages(world, placed))


def check_pages(client, world, calm):
    """200 pages answer 200, and pages beside them do not."""
    chance = random.Random(2)
    for _ in range(200):
        host = chance.choice(calm)
        status, body = client.get(url_of(host, chance.randrange(host.layout.total)))
        assert status == 200
        assert len(body) > 300
        if Trouble.SOFT_404 not in host.troubles:
            assert (
                client.get(f"http://{host.name}/nothing/here-{chance.random()}")[0]
                == 404
            )


@pytest.mark.slow
def test_200_services_and_pages_agree_with_the_live_server():
    world = World(7, 300, 100_000)
    told = ground_truth(world)
    calm = [
        h
        for h in map(world.host, range(world.hosts))
        if not h.is_walled and not h.troubles & LATE
    ]
    assert told["pages"] == world.pages

    async def main():
        async with running(world) as address:
            client = Client(address)
            seeds = await asyncio.to_thread(
                lambda: [client.get(url)[0] for url in told["seeds"]]
            )
            assert seeds == [200] * 20
            await asyncio.to_thread(check_services, client, world, told)
            await asyncio.to_thread(check_pages, client, world, calm)

    asyncio.run(main())
