"""Walks over the links of a large geoweb without reading its pages: for experiments in which only depth decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from geoweb import World, services
from geoweb.chance import mix, text_number, unit
from geoweb.hosts import Role
from geoweb.links import out_links
from geoweb.words import vocabulary

Spot = tuple[int, int]  # host, page
_RELEVANCE = {
    Role.PROVIDER: 3.0,
    Role.DECOY: 2.5,
    Role.NEIGHBOUR: 1.5,
    Role.ELSEWHERE: 1.0,
}


@dataclass(slots=True)
class Level:
    """What one level of a crawl read and brought; a listing page is one with an address of a living service."""

    pages: int = 0
    lists: int = 0
    services: set[int] = field(default_factory=set)


@lru_cache(maxsize=4)
def large_world(seed: int, hosts: int, pages: int) -> World:
    return World(seed, hosts, pages)


def walk(
    world: World, entries: Sequence[Spot], depth: int, seen: set[Spot]
) -> list[Level]:
    """Breadth first from the entries; pages in `seen` are not read again, new ones are put there."""
    level = [spot for spot in dict.fromkeys(entries) if spot not in seen]
    seen.update(level)
    told: list[Level] = []
    for number in range(depth + 1):
        below: list[Spot] = []
        told.append(Level(len(level)))
        for index, page in level:
            revealed = _revealed(world, index, page)
            told[-1].services |= revealed
            told[-1].lists += bool(revealed)
            for _, host, target in (
                out_links(world, world.host(index), page) if number < depth else ()
            ):
                if (host, target) not in seen:
                    seen.add((host, target))
                    below.append((host, target))
        level = below
    return told


def _revealed(world: World, index: int, page: int) -> set[int]:
    """Numbers of the living services that a page mentions, and of those that a catalogue among them lists."""
    found: set[int] = set()
    for mention in world.mentions_on(index).get(page, ()):
        placed = world.services[mention.service]
        if placed.alive and placed.spec.kind not in services.LISTS:
            found.add(placed.number)
            found |= _behind(world).get(placed.number, frozenset())
    return found


@lru_cache(maxsize=4)
def _behind(world: World) -> dict[int, frozenset[int]]:
    behind: dict[int, frozenset[int]] = {}
    for placed in world.services:
        if placed.catalogue is not None and placed.alive:
            behind[placed.catalogue] = behind.get(placed.catalogue, frozenset()) | {
                placed.number
            }
    return behind


def search(world: World, word: str, count: int, per_host: int = 1) -> list[Spot]:
    """What a web search for a topic brings: pages about it, hosts that deal with maps a little higher."""
    topic, salt = vocabulary("en").topics.index(word), text_number(word)
    found: list[tuple[float, Spot]] = []
    for index in range(world.hosts):
        host = world.host(index)
        sections = (
            [s for s, own in enumerate(host.section_topics) if own == topic]
            if host.is_readable
            else []
        )
        for rank in range(per_host if sections else 0):
            leaves = host.layout.leaf_range(sections[rank % len(sections)])
            page = leaves[mix(world.seed, index * 31 + rank, salt) % len(leaves)]
            luck = unit(world.seed, index * 37 + rank, salt)
            found.append((-(luck ** (1 / _RELEVANCE[host.role])), (index, page)))
    return [spot for _, spot in sorted(found)[:count]]
