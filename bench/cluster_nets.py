"""Where the nodes of a cluster on one machine stand: on addresses of loopback, or each in a network namespace."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, Self

from geoweb import server


class Net(Protocol):
    """Addresses of nodes, and how a command is run as one of them."""

    outside: str  # of the database and the web

    def address(self, number: int) -> str:
        """Of a node; the first is the head."""

    def command(self, address: str) -> list[str]:
        """What a command begins with that is to run on this node."""


class Loopback:
    """127.0.0.2, 127.0.0.3 …: nothing can be cut off."""

    outside = "127.0.0.1"

    def address(self, number: int) -> str:
        return f"127.0.0.{1 + number}"

    def command(self, address: str) -> list[str]:  # noqa: ARG002 - of the protocol
        return []


class Namespaces:
    """A bridge of our own, and behind it a network namespace for each node; all are removed in the end."""

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._name = f"gh{os.getpid()}"
        self._subnet = f"10.213.{os.getpid() % 250}"
        self.outside = f"{self._subnet}.1"

    def __enter__(self) -> Self:
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _build(self) -> None:
        _ip("link", "add", self._name, "type", "bridge")
        _ip("addr", "add", f"{self.outside}/24", "dev", self._name)
        _ip("link", "set", self._name, "up")
        for number in range(1, self._nodes + 1):
            node, cable = self._node(number), self._cable(number)
            _ip("netns", "add", node)
            _ip(
                "link", "add", cable, "type", "veth",
                "peer", "name", "eth0", "netns", node,
            )  # fmt: skip
            _ip("link", "set", cable, "master", self._name, "up")
            _ip("-n", node, "addr", "add", f"{self.address(number)}/24", "dev", "eth0")
            for device in ("eth0", "lo"):
                _ip("-n", node, "link", "set", device, "up")

    def __exit__(self, *_: object) -> None:
        for number in range(1, self._nodes + 1):
            _ip("netns", "del", self._node(number), may_fail=True)
            _ip("link", "del", self._cable(number), may_fail=True)
        _ip("link", "del", self._name, may_fail=True)

    def address(self, number: int) -> str:
        return f"{self._subnet}.{1 + number}"

    def command(self, address: str) -> list[str]:
        return ["ip", "netns", "exec", self._node(self._number(address))]

    def cut(self, address: str) -> None:
        """Nothing comes to this node and nothing leaves it; its connections learn nothing of it."""
        _ip("link", "set", self._cable(self._number(address)), "down")

    def mend(self, address: str) -> None:
        _ip("link", "set", self._cable(self._number(address)), "up")

    def _number(self, address: str) -> int:
        return int(address.rpartition(".")[2]) - 1

    def _node(self, number: int) -> str:
        return f"{self._name}n{number}"

    def _cable(self, number: int) -> str:
        return f"{self._name}v{number}"


def why_no_namespaces() -> str:
    """Empty where this machine lets us make network namespaces."""
    if shutil.which("ip") is None:
        return "There is no command ip (on Debian: apt-get install iproute2)."
    try:
        with Namespaces(1):
            return ""
    except subprocess.CalledProcessError as error:
        return f"Network namespaces may not be made here ({error.stderr.strip()}); run it as root."


@contextmanager
def web_on(address: str) -> Iterator[None]:
    """Webs that are started meanwhile listen on this address instead of loopback."""
    before, server.LOOPBACK = server.LOOPBACK, address
    try:
        yield
    finally:
        server.LOOPBACK = before


def _ip(*words: str, may_fail: bool = False) -> None:
    subprocess.run(["ip", *words], check=not may_fail, capture_output=True, text=True)
