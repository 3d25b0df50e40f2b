"""What the mosaic and guild webs have in common: pages held as plain records, written in words of their own."""

from __future__ import annotations

import random
import tomllib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

WORDS: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("own_words.toml").read_text("utf-8")
)
_ADDRESSES = (
    "https://{server}/geoserver/{name}/wms?service=WMS&request=GetCapabilities",
    "https://{server}/cgi-bin/mapserv?map={name}.map&service=WFS&request=GetCapabilities",
    "https://{server}/arcgis/rest/services/{name}/MapServer",
    "https://{server}/{name}/ows?service=WCS&request=GetCapabilities",
    "https://{server}/{name}/csw?service=CSW&request=GetCapabilities",
)


@dataclass(slots=True, eq=False)
class Leaf:
    """One page; links are (target, what the link says)."""

    url: str
    host: Home
    title: str
    heat: float = 0.0  # share of sentences about map services
    links: list[tuple[Leaf, str]] = field(default_factory=list)
    services: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Home:
    """One host and how it words its links."""

    name: str
    tongue: str
    is_rich: bool
    # shares of links whose wording is true, and says nothing; others mislead
    honest: float
    blank: float
    addresses: str
    size: int
    is_hub: bool = False
    is_decoy: bool = False
    leaves: list[Leaf] = field(default_factory=list)
    menu: list[Leaf] = field(default_factory=list)


class LeafWeb:
    """A web of leaves; a family makes hosts and links."""

    def __init__(self, seed: int, hosts: int = 254, pages: int = 40_000) -> None:
        self.rng = random.Random(f"{type(self).__name__} {seed}")
        self.homes: list[Home] = []
        self.leaves: dict[str, Leaf] = {}
        self._served = 0
        self._seeds = self.build(hosts, pages)
        self.pages = len(self.leaves)

    def build(self, hosts: int, pages: int) -> list[str]:
        raise NotImplementedError

    def seeds(self) -> list[str]:
        return list(self._seeds)

    def services(self, url: str) -> set[str]:
        leaf = self.leaves.get(url)
        return set(leaf.services) if leaf else set()

    def all_services(self) -> set[str]:
        met = {self.leaves[url] for url in self._seeds}
        queue, found = deque(met), set[str]()
        while queue:
            leaf = queue.popleft()
            found.update(leaf.services)
            targets = (*(t for t, _ in leaf.links), *leaf.host.menu)
            new = {target for target in targets if target not in met}
            met |= new
            queue.extend(new)
        return found

    def say(self, home: Home, *groups: str) -> str:
        words = WORDS[home.tongue]
        glue = "" if home.tongue == "zh" else " "
        return glue.join(self.rng.choice(words[group]) for group in groups)

    def leaf(self, home: Home, title: str, section: str = "") -> Leaf:
        number = len(self.leaves)
        leaf = Leaf(self._address(home, title, section, number), home, title)
        self.leaves[leaf.url] = leaf
        home.leaves.append(leaf)
        return leaf

    def _address(self, home: Home, title: str, section: str, number: int) -> str:
        mixed = number * 2246822519 % 2**32
        plain = "-".join(
            title.encode("ascii", "ignore").decode().lower().replace("/", " ").split()
        )
        path = {
            "opaque": f"/{mixed:08x}",
            "number": f"/{section}/{mixed % 10**7}",
            "query": f"/{section}/show.jsp?oid={mixed % 10**7}",
            "words": f"/{section}/{plain or 'p'}-{number}.html",
            "deep": f"/content/{section}/{number % 7}/{plain or 'p'}/{number}",
        }[home.addresses]
        if not home.leaves:
            path = "/"
        return f"https://{home.name}{path}".replace("//", "/").replace(":/", "://", 1)

    def link(self, source: Leaf, targets: Iterable[Leaf]) -> None:
        """Link a page to others, worded as its host words links."""
        held = {target for target, _ in source.links}
        for target in targets:
            if target is not source and target not in held:
                held.add(target)
                source.links.append((target, self._wording(source.host, target)))

    def _wording(self, home: Home, target: Leaf) -> str:
        luck = self.rng.random()
        if luck < home.honest:
            return target.title
        if luck < home.honest + home.blank:
            return self.say(home, "blank")
        return self.say(home, "dull" if target.heat else "geo")

    def serve(self, leaf: Leaf, count: int, server: str, heat: float) -> None:
        """Name so many services on a page."""
        for _ in range(count):
            self._served += 1
            address = self.rng.choice(_ADDRESSES)
            leaf.services.append(
                address.format(server=server, name=f"s{self._served}x")
            )
        leaf.heat = max(leaf.heat, heat)

    def page(self, url: str) -> bytes | None:
        leaf = self.leaves.get(url)
        if leaf is None:
            return None
        rng, home = random.Random(url), leaf.host
        words = WORDS[home.tongue]
        plain = words["decoy"] + words["dull"] if home.is_decoy else words["dull"]
        told = [
            rng.choice(words["geo"] if rng.random() < leaf.heat else plain)
            for _ in range(rng.randint(4, 30))
        ]
        menu = "".join(
            f'<a class="m" href="{escape(t.url)}">{escape(t.title)}</a>'
            for t in home.menu
        )
        rows = "".join(
            f'<div><a href="{escape(t.url)}">{escape(said)}</a></div>'
            for t, said in leaf.links
        )
        shown = "".join(
            f'<p><a href="{escape(s)}">{escape(s)}</a></p>'
            if len(s) % 3
            else f"<pre>{escape(s)}</pre>"
            for s in leaf.services
        )
        return (
            f'<!DOCTYPE html><html lang="{home.tongue}"><head><meta charset="utf-8"><title>{escape(leaf.title)}'
            f"</title></head><body><nav>{menu}</nav><h1>{escape(leaf.title)}</h1><p>"
            f"{escape('. '.join(told))}. ({len(url)}-{rng.randint(0, 10**6):x})</p>{rows}{shown}</body></html>"
        ).encode()
