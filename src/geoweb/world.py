"""The whole geoweb as a pure function of its seed; hosts and services are kept, pages are not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property, lru_cache
from urllib.parse import urlsplit

from geoweb import services
from geoweb.addresses import url_of
from geoweb.aging import grow_old
from geoweb.chance import Dice, Salt, mix, unit
from geoweb.hosts import (
    ROLE_SHARES,
    Frame,
    Host,
    Role,
    draw_names,
    make_host,
    share_pages,
)
from geoweb.layout import Sort
from geoweb.placing import Ground, Mention, Placed, may_mention, place_services
from geoweb.protocol import ServiceSpec
from geoweb.trouble import ALL_TROUBLE, NO_TROUBLE, WALLS, Shares, Trouble, spread
from geoweb.words import OFF_TOPIC

# whose paths let robots.txt close one section
_SCHEMES_BY_SECTION = frozenset((0, 1, 2, 4, 8))


class World:
    """A web with known truth."""

    def __init__(
        self,
        seed: int = 7,
        hosts: int = 300,
        pages: int = 100_000,
        trouble: bool | Shares = True,
        kinds: tuple[str, ...] | None = None,
        age: int = 0,
    ) -> None:
        """Webs of equal numbers are equal; with each `age`, more of the services are dead, and all else is the same."""
        if hosts < 1 or pages < 1:
            raise ValueError("a web needs at least one host and one page")
        unknown = set(kinds or ()) - set(services.KINDS)
        if unknown or kinds == ():
            raise ValueError(
                f"no such kind: {', '.join(sorted(unknown)) or 'none given'}"
            )
        self.seed = seed
        self.hosts = hosts
        self.wanted_pages = pages
        self.shares = (
            trouble
            if isinstance(trouble, Shares)
            else (ALL_TROUBLE if trouble else NO_TROUBLE)
        )
        self.kinds = tuple(kinds or services.KINDS)
        self.age = age
        self._roles = _share_roles(seed, hosts)
        self._by_role: dict[Role, list[int]] = {role: [] for role in Role}
        for index in sorted(range(hosts), key=lambda i: mix(seed, i, Salt.LINKS)):
            self._by_role[self._roles[index]].append(index)
        self._sizes = share_pages(pages, hosts, seed)
        median = sorted(self._sizes)[hosts // 2]
        safe = frozenset(
            i for i, role in enumerate(self._roles) if role is Role.PROVIDER or i == 0
        )
        self._troubles = spread(
            seed, self.shares, safe, [size <= median for size in self._sizes]
        )
        self._names = self._settle_names()
        self._by_name = {
            name: i for i, names in enumerate(self._names) for name in names
        }
        self.host = lru_cache(maxsize=16384)(self._make_host)
        self.services = grow_old(
            place_services(self._ground()), seed, self.shares.dying_service, age
        )
        self._mentions = self._index_mentions()
        self._service_paths = self._index_paths()
        self._listed: dict[int, tuple[ServiceSpec, ...]] = {}
        for placed in self.services:
            if placed.catalogue is not None:
                self._listed[placed.catalogue] = (
                    *self.listed_by(placed.catalogue),
                    placed.spec,
                )
        self.seed_pages = self._choose_seeds()
        self._tree = self._grow_tree()

    def __reduce__(
        self,
    ) -> tuple[type[World], tuple[int, int, int, Shares, tuple[str, ...], int]]:
        """A world travels to another process as its six numbers."""
        return (
            World,
            (
                self.seed,
                self.hosts,
                self.wanted_pages,
                self.shares,
                self.kinds,
                self.age,
            ),
        )

    def _make_host(self, index: int) -> Host:
        return make_host(self._frame(index), index, self._names[index])

    def _frame(self, index: int) -> Frame:
        troubles = self._troubles.get(index, frozenset())
        return Frame(
            self.seed,
            self._roles[index],
            1 if troubles & WALLS else self._sizes[index],
            troubles,
        )

    def _settle_names(self) -> list[tuple[str, str]]:
        taken: set[str] = set()
        settled = []
        for index in range(self.hosts):
            names = draw_names(self._frame(index), index)
            number, ending = 1, ".test"
            while {name + ending for name in names} & taken:
                number += 1
                ending = f"{number}.test"
            own, service = (name + ending for name in names)
            taken.update((own, service))
            settled.append((own, service))
        return settled

    def _ground(self) -> Ground:
        others = [i for i in range(self.hosts) if may_mention(self.host(i))]
        providers = [i for i, role in enumerate(self._roles) if role is Role.PROVIDER]
        return Ground(
            self.seed, self.shares, self.kinds, self.host, providers, others, self.hosts
        )

    def _index_mentions(self) -> dict[int, dict[int, tuple[Mention, ...]]]:
        found: dict[int, dict[int, tuple[Mention, ...]]] = {}
        for placed in self.services:
            for mention in placed.mentions:
                pages = found.setdefault(mention.host, {})
                pages[mention.page] = (*pages.get(mention.page, ()), mention)
        return found

    def _index_paths(self) -> dict[tuple[int, str], tuple[Placed, ...]]:
        found: dict[tuple[int, str], tuple[Placed, ...]] = {}
        for placed in self.services:
            for endpoint in filter(None, (placed.spec.endpoint, placed.old_endpoint)):
                key = (placed.host, urlsplit(endpoint).path.split("/", 2)[1])
                if placed not in found.get(key, ()):
                    found[key] = (*found.get(key, ()), placed)
        return found

    def _choose_seeds(self) -> list[tuple[int, int]]:
        """What a web search for map services brings: listings of providers, pages of others."""
        count = min(30, max(3, self.hosts // 15))
        dice = Dice(self.seed, count, Salt.SEEDS)
        chosen: list[tuple[int, int]] = []
        wanted = {
            Role.PROVIDER: count // 2,
            Role.DECOY: count // 4,
            Role.NEIGHBOUR: count - count // 2 - count // 4,
        }
        for role, number in wanted.items():
            fit = [
                i
                for i, r in enumerate(self._roles)
                if r is role and self.host(i).is_readable
            ]
            best = sorted(fit, key=self._seed_rank)[:number]
            chosen += [
                (index, self._seed_page(self.host(index), dice, shows=n % 5 in {0, 2}))
                for n, index in enumerate(best)
            ]
        return chosen or [(0, 0)]

    def _seed_rank(self, index: int) -> float:
        """Chance, in favour of hosts with many pages about services: searches rank rich portals higher."""
        weight = 1 + len(self.mentions_on(index))
        return -math.log(1 - unit(self.seed, index, Salt.SEEDS)) / weight

    def _seed_page(self, host: Host, dice: Dice, shows: bool) -> int:
        """A listing with a page about services on it, or any page on the topic."""
        shown = [
            p
            for p in self.mentions_on(host.index)
            if host.layout.spot(p).sort is Sort.LEAF
        ]
        if host.role is Role.PROVIDER and shown and shows:
            spot = host.layout.spot(dice.pick(shown))
            return host.layout.listing(
                spot.section, spot.number // host.layout.per_listing + 1
            )
        topical = [
            s for s, topic in enumerate(host.section_topics) if topic < OFF_TOPIC
        ]
        section = dice.pick(topical or range(host.layout.sections))
        return (
            section + 1
            if dice.unit() < 0.5
            else dice.pick(host.layout.leaf_range(section))
        )

    def _grow_tree(self) -> dict[int, dict[int, tuple[int, ...]]]:
        """One link to each host's home from a host nearer to the seeds: all the web hangs together."""
        dice = Dice(self.seed, self.hosts, Salt.TREE)
        reached = list(dict.fromkeys(index for index, _ in self.seed_pages))
        tree: dict[int, dict[int, tuple[int, ...]]] = {}
        rest = set(range(self.hosts)).difference(reached)
        for index in sorted(rest, key=lambda i: mix(self.seed, i, Salt.TREE)):
            parent = dice.pick(reached)
            if (
                self._roles[index] is not Role.ELSEWHERE
                and self._roles[parent] is Role.ELSEWHERE
            ):
                parent = dice.pick(reached)
            layout = self.host(parent).layout
            page = 0 if dice.unit() < 0.3 else dice.below(layout.total)
            pages = tree.setdefault(parent, {})
            pages[page] = (*pages.get(page, ()), index)
            if self.host(index).is_readable:
                reached.append(index)
        return tree

    def mentions_on(self, index: int) -> dict[int, tuple[Mention, ...]]:
        """Page numbers of a host that mention services, with the mentions."""
        return self._mentions.get(index, {})

    def children_on(self, index: int) -> dict[int, tuple[int, ...]]:
        """Page numbers of a host that introduce other hosts, with those hosts."""
        return self._tree.get(index, {})

    def hosts_of(self, role: Role) -> list[int]:
        """The hosts of a role, famous ones first."""
        return self._by_role[role]

    def resolve(self, name: str) -> tuple[Host, bool] | None:
        """Which host answers under a name, and whether as the sister that only runs its services.

        `www.` may be added or left out; hosts with services have a mirror.
        """
        own: str | None = name
        if name not in self._by_name:
            own = next((n for n in _spellings(name) if n in self._by_name), None)
        if own is None:
            return None
        host = self.host(self._by_name[own])
        if (
            own != name
            and name.startswith("mirror.")
            and host.role is not Role.PROVIDER
        ):
            return None
        return host, own != host.name

    def services_under(self, index: int, path: str) -> tuple[Placed, ...]:
        """The services of a host whose path starts as this one does."""
        return self._service_paths.get((index, path.split("/", 2)[1]), ())

    def listed_by(self, number: int) -> tuple[ServiceSpec, ...]:
        """What a catalogue lists: the services hidden behind it."""
        return self._listed.get(number, ())

    def disallowed_section(self, index: int) -> int | None:
        """The section that robots.txt closes: one without services or the only way to another host."""
        host = self.host(index)
        if (
            Trouble.ROBOTS not in host.troubles
            or host.scheme not in _SCHEMES_BY_SECTION
        ):
            return None
        needed = set(self.mentions_on(index)) | set(self.children_on(index))
        needed |= {page for i, page in self.seed_pages if i == index}
        kept = {host.layout.spot(page).section for page in needed}
        return next(
            (s for s in range(host.layout.sections - 1, 0, -1) if s not in kept), None
        )

    def orphans(self, index: int) -> int:
        """How many pages of a host only its sitemap knows."""
        total = self.host(index).layout.total
        return sum(page >= total for page in self.mentions_on(index))

    @cached_property
    def pages(self) -> int:
        """How many pages the web has, not counting the endless ones."""
        return sum(
            self.host(i).layout.total + self.orphans(i) for i in range(self.hosts)
        )

    @property
    def seeds(self) -> list[str]:
        """The addresses that a crawl starts from."""
        return [url_of(self.host(host), page) for host, page in self.seed_pages]

    def page_urls(self, index: int) -> Iterator[str]:
        """Every page of a host, those that only the sitemap knows last."""
        host = self.host(index)
        return (url_of(host, page) for page in self.page_numbers(index))

    def page_numbers(self, index: int) -> Iterator[int]:
        yield from range(self.host(index).layout.total + self.orphans(index))


def _spellings(name: str) -> tuple[str, ...]:
    bare = name.removeprefix("mirror.")
    return (name, bare, bare.removeprefix("www."), f"www.{bare}")


def _share_roles(seed: int, hosts: int) -> list[Role]:
    order = sorted(range(hosts), key=lambda i: mix(seed, i, Salt.ROLE))
    roles = [Role.ELSEWHERE] * hosts
    at = 0
    for role, share in ROLE_SHARES:
        count = max(1, round(share * hosts))
        for index in order[at : at + count]:
            roles[index] = role
        at += count
    return roles
