"""A web of the usual size, and a way to ask it without sockets."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from geoweb import Moods, Reply, Request, Trouble, World, respond
from geoweb.hosts import Host

Ask = Callable[..., Reply]


@pytest.fixture(scope="session")
def world() -> World:
    return World(7, 300, 100_000)


@pytest.fixture(scope="session")
def ask(world: World) -> Ask:
    def asked(url: str, moods: Moods | None = None, web: World = world) -> Reply:
        parts = urlsplit(url)
        return respond(
            web, Request("GET", parts.netloc, parts.path or "/", parts.query), moods
        )

    return asked


@pytest.fixture(scope="session")
def troubled(world: World) -> Callable[[Trouble], Host]:
    """A host with a trouble."""

    def found(trouble: Trouble) -> Host:
        return next(
            h for h in map(world.host, range(world.hosts)) if trouble in h.troubles
        )

    return found
