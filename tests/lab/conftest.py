"""The lab, started once for all tests that ask real servers, and a way to ask Geohound what lives at a URL."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from geohound import app
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.service import Verdict
from geohound.model.visit import Response
from geohound.probe import identify as identify_url
from geohound.probe import recognise
from geohound.settings import Settings

# tests are no packages: the lab's own modules are found by folder
sys.path.insert(0, str(Path(__file__).parent))

from lab_running import Lab, LabError, running_lab


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    with ExitStack() as stack:
        try:
            lab = stack.enter_context(running_lab())
        except LabError as error:
            pytest.fail(str(error), pytrace=False)
        yield lab


@pytest.fixture(scope="session")
def address(lab: Lab) -> Callable[[str], str]:
    """The full URL of `server/path…`; a server that is not there fails the test with what to do."""

    def find(place: str) -> str:
        name, slash, path = place.partition("/")
        try:
            return lab.url(name) + slash + path
        except LabError as error:
            pytest.fail(str(error), pytrace=False)

    return find


@dataclass(frozen=True)
class Net:
    """Geohound's own way to the network, kept open for all tests, and the loop that it lives in."""

    runner: asyncio.Runner
    fetcher: Fetcher


@pytest.fixture(scope="session")
def net(lab: Lab) -> Iterator[Net]:
    """Closed before the lab is: some servers do not end while a connection is open."""
    settings = Settings(
        allow_nets=("127.0.0.0/8",), host_delay_s=0.0, slow_host_factor=0.0
    )

    async def open_fetcher() -> Fetcher:
        return app.fetcher(settings)

    with asyncio.Runner() as runner:
        net = Net(runner, runner.run(open_fetcher()))
        yield net
        runner.run(net.fetcher.close())


@pytest.fixture(scope="session")
def identify(net: Net, address: Callable[[str], str]) -> Callable[[str], Verdict]:
    """What Geohound says of `server/path…`, asking as often as it may."""
    kinds = app.kinds()
    return lambda place: net.runner.run(
        identify_url(address(place), net.fetcher, kinds)
    )


@pytest.fixture(scope="session")
def read(net: Net, address: Callable[[str], str]) -> Callable[[str], Verdict]:
    """What the one answer at `server/path…` is in the eyes of all kinds."""
    kinds = app.kinds()

    def ask(place: str) -> Verdict:
        visit = net.runner.run(net.fetcher.fetch(address(place)))
        assert isinstance(visit, Response), visit
        return recognise(Document(visit), kinds)

    return ask
