"""One wild web: sites, services and their places, all from a seed; pages are made when they are asked for."""

from __future__ import annotations

import random

from . import prose, traps
from .render import Renderer
from .roles import clumps
from .sites import Ground, Site
from .sketch import Page, Part
from .truth import Service, make_service

# Where a search for map services leads: half to those that have some, half to those that only talk.
_SEED_ROLES = {
    "portal": 2, "agency": 2, "station": 1, "lab": 1, "map blog": 3, "map wiki": 1, "map forum": 1, "map shop": 2,
    "manual": 2, "ruin": 2, "farm": 1, "faculty": 2, "council": 2,
}  # fmt: skip
_DEAD = 0.15
_CITED = 0.15


class WildWeb:
    """See `bench.webs.Web`; services are named by their endpoints."""

    def __init__(self, seed: int = 1, hosts: int = 420, pages: int = 45_000) -> None:
        self.seed = seed
        ground = Ground(seed, hosts, pages)
        self._rng = random.Random(f"services {seed}")
        self._pages = ground.pages
        self._site_of = ground.site_of
        self.sites = ground.sites
        self._on: dict[int, list[Service]] = {}
        self._place_services()
        self._seeds = self._choose_seeds()
        ground.link_hosts(self._seeds)
        self._numbers = {
            site.origin + self._pages[n].path: n
            for n, site in enumerate(map(self.site, range(len(self._pages))))
        }
        self._hosts = {site.host: site for site in self.sites}
        self._renderer = Renderer(self._where, self._on)
        self._seen: dict[int, set[str]] = {
            number: {s.endpoint for s in services if s.alive}
            for number, services in self._on.items()
        }
        self.pages = len(self._pages)

    def site(self, number: int) -> Site:
        return self.sites[self._site_of[number]]

    def _where(self, number: int) -> tuple[Site, Page]:
        return self.sites[self._site_of[number]], self._pages[number]

    def seeds(self) -> list[str]:
        return [self.site(n).origin + self._pages[n].path for n in self._seeds]

    def page(self, url: str) -> bytes | None:
        number, extras = self._find(url)
        if number is not None:
            return self._renderer.render(number, extras)
        _, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        site, month = self._hosts.get(host), traps.month_of("/" + path)
        return (
            self._renderer.calendar(site, month)
            if site and month and "calendar" in site.traps
            else None
        )

    def services(self, url: str) -> set[str]:
        number, _ = self._find(url)
        return set() if number is None else set(self._seen.get(number, ()))

    def all_services(self) -> set[str]:
        return set().union(*self._seen.values())

    def _find(self, url: str) -> tuple[int | None, dict[str, str]]:
        number = self._numbers.get(url)
        if number is not None:
            return number, {}
        bare, extras = traps.peel(url)
        return self._numbers.get(bare) if extras else None, extras

    def _place_services(self) -> None:
        rng = self._rng
        living: list[Service] = []
        for index, count in sorted(
            clumps(rng, [site.role for site in self.sites]).items()
        ):
            site = self.sites[index]
            host = rng.choice(
                (f"gis.{site.host}", f"srv{index}.{site.host}", site.host)
            )
            own = [make_service(rng, host, site.role.loud, True) for _ in range(count)]
            living += own
            own += [
                make_service(rng, host, site.role.loud, False)
                for _ in range(round(count * _DEAD))
            ]
            self._spread(site, own)
        for site in self.sites:
            if site.role.dead:
                self._spread(
                    site,
                    [
                        make_service(rng, site.host, True, False)
                        for _ in range(rng.randint(5, 40))
                    ],
                )
        self._cite(living)

    def _spread(self, site: Site, services: list[Service]) -> None:
        """Put services on pages of their own host: alone on silent ones, in handfuls elsewhere."""
        rng, left = self._rng, list(services)
        rng.shuffle(left)
        fit = (
            [n for n in site.spots if self._pages[n].theme == prose.GEO]
            or site.spots
            or [site.first]
        )
        at_once = {
            "silent": (1,),
            "agency": (2, 4, 8),
            "lab": (1, 2),
            "station": (1, 2),
        }.get(site.role.id, (1, 1, 2, 3, 5))
        while left:
            number, count = rng.choice(fit), rng.choice(at_once)
            self._show(number, left[:count], site.role.loud and rng.random() < 0.6)
            del left[:count]

    def _show(self, number: int, services: list[Service], loud: bool) -> None:
        have = self._on.setdefault(number, [])
        have += [service for service in services if service not in have]
        if loud:
            self._pages[number].title = prose.service_title(
                self._rng, self.site(number).language
            )

    def _cite(self, living: list[Service]) -> None:
        """Some services stand on pages of others too: in posts, and on the lists that wikis keep."""
        rng = self._rng
        citing = [site for site in self.sites if site.role.cites]
        spots = [
            n
            for site in citing
            for n in site.spots
            if self._pages[n].theme == prose.GEO
        ]
        for service in living:
            if spots and rng.random() < _CITED:
                self._show(rng.choice(spots), [service], loud=False)
        for site in citing:
            if "wiki" in site.role.id and site.spots:
                listed = rng.sample(living, min(len(living), rng.randint(6, 14)))
                self._show(rng.choice(site.spots), listed, loud=True)

    def _choose_seeds(self) -> list[int]:
        """Pages that talk of maps; of those that have services, now and then the page before the right one."""
        rng = self._rng
        chosen: list[int] = []
        for role, count in _SEED_ROLES.items():
            fit = [site for site in self.sites if site.role.id == role]
            for site in rng.sample(fit, min(count, len(fit))):
                own = range(site.first, site.first + site.count)
                fitting = [n for n in own if self._pages[n].theme == prose.GEO] or [
                    site.first
                ]
                if role in {"portal", "agency"} and rng.random() < 0.75:
                    fitting = [n for n in own if self._leads_on(n)] or fitting
                chosen.append(rng.choice(fitting))
        return chosen

    def _leads_on(self, number: int) -> bool:
        return any(
            part is Part.ITEM and target in self._on
            for part, target in self._pages[number].targets()
        )
