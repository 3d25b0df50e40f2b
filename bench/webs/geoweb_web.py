"""The geoweb as a web for judging orders: the same pages and truth, without sockets or waiting."""

from __future__ import annotations

from urllib.parse import urlsplit

from geoweb import Request, World, respond, services
from geoweb.addresses import page_at, strip_session
from geoweb.hosts import Host
from geoweb.placing import Mention, Placed

_BOM = b"\xef\xbb\xbf"  # a byte order mark outranks whatever encoding the page declares


class GeowebWeb:
    """One world; services are named by their endpoints.

    What only a sitemap leads to is left out: an order never gets to choose it.
    """

    def __init__(
        self, seed: int = 7, hosts: int = 300, pages: int = 40_000, trouble: bool = True
    ) -> None:
        self.world = World(seed, hosts, pages, trouble)
        self.pages = sum(self.world.host(i).layout.total for i in range(hosts))

    def seeds(self) -> list[str]:
        return list(self.world.seeds)

    def page(self, url: str) -> bytes | None:
        parts = urlsplit(url)
        found = self.world.resolve(parts.netloc)
        if found is None or found[0].is_walled:
            return None
        reply = respond(
            self.world, Request("GET", parts.netloc, parts.path or "/", parts.query)
        )
        if reply.status != 200 or (
            self._number(url) is None and "html" not in reply.content_type
        ):
            return None
        encoding = found[0].encoding
        return (
            reply.body
            if encoding == "utf-8"
            else _BOM + reply.body.decode(encoding, "replace").encode()
        )

    def services(self, url: str) -> set[str]:
        found = self._number(url)
        if found is None:
            return set()
        host, page = found
        return self._revealed(self.world.mentions_on(host.index).get(page, ()))

    def all_services(self) -> set[str]:
        found: set[str] = set()
        for index in range(self.world.hosts):
            total = self.world.host(index).layout.total
            for page, mentions in self.world.mentions_on(index).items():
                if page < total:
                    found |= self._revealed(mentions)
        return found

    def _number(self, url: str) -> tuple[Host, int] | None:
        """The host and number of the page at an address."""
        parts = urlsplit(url)
        found = self.world.resolve(parts.netloc)
        if found is None or found[1]:
            return None
        target = strip_session(
            f"{parts.path}?{parts.query}" if parts.query else parts.path
        )
        page = page_at(found[0], target, self.world.orphans(found[0].index))
        return None if page is None else (found[0], page)

    def _revealed(self, mentions: tuple[Mention, ...]) -> set[str]:
        """The living among the mentioned, and what a catalogue among them lists."""
        found: set[str] = set()
        for mention in mentions:
            placed = self.world.services[mention.service]
            if not placed.alive:
                continue
            if _is_service(placed):
                found.add(placed.spec.endpoint)
            found |= self._listed(placed)
        return found

    def _listed(self, catalogue: Placed) -> set[str]:
        if not self.world.listed_by(catalogue.number):
            return set()
        behind = (p for p in self.world.services if p.catalogue == catalogue.number)
        return {p.spec.endpoint for p in behind if p.alive and _is_service(p)}


def _is_service(placed: Placed) -> bool:
    return placed.spec.kind not in services.LISTS
