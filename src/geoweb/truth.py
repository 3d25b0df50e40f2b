"""What a perfect and polite crawler would find, service by service, and how deep in the web."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from geoweb import services
from geoweb.addresses import url_of
from geoweb.layout import Sort
from geoweb.links import out_links
from geoweb.placing import Placed
from geoweb.reveals import spelt
from geoweb.world import World

_UNSEEN = 255
_TELL_EVERY = 10_000
Walked = Callable[[int], None]  # called with how many pages have been walked


class Depths:
    """Link depth of every page from the seeds: one byte a page, found by walking the web breadth first."""

    def __init__(self, world: World, walked: Walked | None = None) -> None:
        self._first = [0]
        for index in range(world.hosts):
            self._first.append(
                self._first[-1] + world.host(index).layout.total + world.orphans(index)
            )
        self._depth = bytearray([_UNSEEN]) * self._first[-1]
        self._walk(world, walked)

    def _walk(self, world: World, walked: Walked | None) -> None:
        count = 0
        queue: deque[tuple[int, int]] = deque()
        for seed in world.seed_pages:
            self._depth[self._first[seed[0]] + seed[1]] = 0
            queue.append(seed)
        closed = [world.disallowed_section(index) for index in range(world.hosts)]
        while queue:
            index, page = queue.popleft()
            count += 1
            if walked is not None and count % _TELL_EVERY == 0:
                walked(count)
            host = world.host(index)
            if closed[index] is not None and is_disallowed(world, index, page):
                continue
            deeper = min(self._depth[self._first[index] + page] + 1, _UNSEEN - 1)
            for _, target, number in out_links(world, host, page):
                at = self._first[target] + number
                if self._depth[at] == _UNSEEN:
                    self._depth[at] = deeper
                    queue.append((target, number))

    def of(self, host: int, page: int) -> int | None:
        """None where no link leads; 254 stands for 254 and more."""
        depth = self._depth[self._first[host] + page]
        return None if depth == _UNSEEN else depth

    def discovery_rates(self, world: World) -> dict[int, tuple[int, int]]:
        """Per depth: pages, and those of them that mention a living service."""
        pages: dict[int, int] = {}
        for depth in self._depth:
            pages[depth] = pages.get(depth, 0) + 1
        hits: dict[int, int] = {}
        for index in range(world.hosts):
            for page, mentions in world.mentions_on(index).items():
                depth = self._depth[self._first[index] + page]
                alive = any(world.services[m.service].alive for m in mentions)
                hits[depth] = hits.get(depth, 0) + alive
        return {
            depth: (pages[depth], hits.get(depth, 0))
            for depth in sorted(pages)
            if depth != _UNSEEN
        }


def is_disallowed(world: World, index: int, page: int) -> bool:
    """Does robots.txt of the host forbid this page?"""
    section = world.disallowed_section(index)
    if section is None:
        return False
    spot = world.host(index).layout.spot(page)
    return spot.section == section and spot.sort in {
        Sort.SECTION,
        Sort.LISTING,
        Sort.LEAF,
    }


def depth_of(world: World, placed: Placed, depths: Depths) -> int | None:
    """Depth of the nearest page that mentions a service; behind a catalogue, the catalogue's and one."""
    if placed.catalogue is not None:
        above = depth_of(world, world.services[placed.catalogue], depths)
        return None if above is None else above + 1
    found = [
        depth
        for m in placed.mentions
        if (depth := depths.of(m.host, m.page)) is not None
    ]
    return min(found, default=None)


def revealing_pages(world: World, placed: Placed) -> list[str]:
    """The pages that mention a service; none for one that only a catalogue lists."""
    return [url_of(world.host(m.host), m.page) for m in placed.mentions]


def aliases_of(placed: Placed) -> list[str]:
    """Other addresses that pages give for the same service: before it moved, with `www.`, on a mirror."""
    spellings = (spelt(placed, mention.dialect).endpoint for mention in placed.mentions)
    return [url for url in dict.fromkeys(spellings) if url != placed.spec.endpoint]


def describe(world: World, placed: Placed, depths: Depths | None) -> dict[str, Any]:
    """One entry of the truth."""
    facts = services.facts(placed.spec)
    return {
        "endpoint": placed.spec.endpoint,
        "kind": placed.spec.kind,
        "version": facts.version,
        "title": facts.title,
        "layers": len(facts.layers),
        "bbox": list(facts.bbox.as_tuple()) if facts.bbox else None,
        "depth": depth_of(world, placed, depths) if depths else None,
        "how": placed.how.value,
        "alive": placed.alive,
        "fate": placed.fate.value,
        "aliases": aliases_of(placed),
    }


def iterate_services(
    world: World, with_depth: bool = True, walked: Walked | None = None
) -> Iterator[dict[str, Any]]:
    depths = Depths(world, walked) if with_depth else None
    return (
        describe(world, p, depths)
        for p in world.services
        if p.spec.kind not in services.LISTS
    )


def ground_truth(
    world: World, with_depth: bool = True, walked: Walked | None = None
) -> dict[str, Any]:
    """The whole truth as one object."""
    return {
        "seeds": world.seeds,
        "pages": world.pages,
        "services": list(iterate_services(world, with_depth, walked)),
    }
