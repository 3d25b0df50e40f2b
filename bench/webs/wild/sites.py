"""The sites of one wild web: names, clusters under one roof, software, and the links between hosts."""

from __future__ import annotations

import random
from bisect import bisect
from dataclasses import dataclass, field
from itertools import accumulate
from zlib import crc32

from . import prose
from .roles import Role, cast, sizes
from .sketch import Page, Part, Sketch

_SYLLABLES = (
    "bel",
    "dor",
    "fen",
    "gar",
    "hul",
    "jor",
    "kel",
    "lim",
    "nav",
    "pol",
    "rus",
    "sol",
    "tir",
    "vam",
    "wes",
    "yor",
)
_CLUSTERED = {"town": 18, "campus": 10, "farm": 25}  # hosts under one roof, by circle
_TRAPS = (
    ("calendar", 0.07),
    ("token", 0.04),
    ("print", 0.06),
    ("history", 0.5),
    ("filter", 1.0),
)
_FITS = {"history": {"wiki"}, "filter": {"portal", "shop"}}


@dataclass(slots=True)
class Site:
    """One host; `first` is the number of its home page in the web."""

    number: int
    host: str
    role: Role
    language: str
    theme: str
    software: int
    cluster: int
    first: int
    count: int
    seed: int
    nav: list[int] = field(default_factory=list)
    spots: list[int] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)
    traps: frozenset[str] = frozenset()
    brand: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Roof:
    """What the hosts of a cluster share: a domain, a language, and often the software."""

    domain: str
    language: str
    software: int


class Ground:
    """All pages and sites of a web, before services are placed."""

    def __init__(self, seed: int, hosts: int, pages: int) -> None:
        self.rng = random.Random(f"wild {seed}")
        self.pages: list[Page] = []
        self.site_of: list[int] = []
        self.sites: list[Site] = []
        roles = cast(self.rng, hosts)
        self._roofs: dict[str, list[Roof]] = {}
        for number, (role, size) in enumerate(
            zip(roles, sizes(self.rng, roles, pages), strict=True)
        ):
            self._settle(number, role, size)
        self._popular = _Popularity(self.rng, self.sites)

    def _settle(self, number: int, role: Role, size: int) -> None:
        rng, roof = self.rng, self._roof(role)
        theme = rng.choice(role.themes)
        sketch = Sketch(
            random.Random(rng.getrandbits(60)),
            roof.language,
            theme,
            size,
            rng.choice((0, 0, 0, 1, 1, 2)),
            role.geo,
        )
        shape = rng.choice(role.shapes)
        shape(sketch)
        _relate(sketch, rng.uniform(2.0, 9.0) if shape.__name__ != "archive" else 1.0)
        first = len(self.pages)
        for page in sketch.pages:
            page.move(first)
        self.pages += sketch.pages
        self.site_of += [number] * len(sketch.pages)
        name = _name(rng, role, theme, roof, number)
        traps = (
            t
            for t, share in _TRAPS
            if shape.__name__ in _FITS.get(t, {shape.__name__}) and rng.random() < share
        )
        self.sites.append(Site(
            number, f"{name}.{roof.domain}", role, roof.language, theme, roof.software, crc32(roof.domain.encode()),
            first, len(sketch.pages), rng.getrandbits(30), [first + i for i in sketch.nav],
            [first + i for i in sketch.spots], [first + i for i in sketch.lists], frozenset(traps),
            name.replace("-", " ").title(),
            f"{'https' if number % 4 else 'http'}://{name}.{roof.domain}",
        ))  # fmt: skip

    def _roof(self, role: Role) -> Roof:
        rng, size = self.rng, _CLUSTERED.get(role.circle)
        roofs = self._roofs.setdefault(role.circle, [])
        if size and roofs and rng.random() > 1 / size:
            return rng.choice(roofs[-2:])
        domain = (
            "".join(rng.choice(_SYLLABLES) for _ in range(2))
            + f"{len(self.sites)}.example"
        )
        roof = Roof(domain, prose.pick_language(rng), rng.randrange(1 << 20))
        if size and rng.random() < 0.7:
            roofs.append(roof)
        return roof

    def link_hosts(self, seeds: list[int]) -> None:
        """Links out of every page, then one way at least from the seeds to every host."""
        for number, page in enumerate(self.pages):
            site = self.sites[self.site_of[number]]
            mean = site.role.out * (2.2 if number == site.first else 1.0)
            for _ in range(
                min(40, int(mean * 0.55 * (self.rng.paretovariate(1.5) - 1)))
            ):
                other = self._popular.draw(site)
                if other is not site:
                    page.link(
                        Part.FOOT if other.cluster == site.cluster else Part.OUT,
                        self._landing(other),
                    )
        self._grow_tree(seeds)

    def _landing(self, site: Site) -> int:
        chance = self.rng.random()
        if chance < 0.55:
            return site.first
        return (
            self.rng.choice(site.spots)
            if site.spots and chance < 0.6
            else site.first + self.rng.randrange(site.count)
        )

    def _grow_tree(self, seeds: list[int]) -> None:
        reached = list(dict.fromkeys(self.site_of[page] for page in seeds))
        rest = [site.number for site in self.sites if site.number not in set(reached)]
        self.rng.shuffle(rest)
        for number in rest:
            near = [n for n in self.rng.sample(reached, min(6, len(reached)))
                    if self.sites[n].role.circle == self.sites[number].role.circle]  # fmt: skip
            parent = self.sites[near[0] if near else self.rng.choice(reached)]
            page = self.pages[parent.first + self.rng.randrange(parent.count)]
            page.link(Part.OUT, self.sites[number].first)
            reached.append(number)


class _Popularity:
    """Whom a site links to: those of its circle first, the famous more often than the others."""

    def __init__(self, rng: random.Random, sites: list[Site]) -> None:
        self._rng = rng
        fame = {site.number: rng.paretovariate(0.9) for site in sites}
        for site in sites:  # who has services is rarely famous for them
            fame[site.number] = min(
                fame[site.number], 1.0 if site.role.has_services else 60.0
            )
        self._urns: dict[object, tuple[list[Site], list[float]]] = {}
        for site in sites:
            for key in (None, site.role.circle, site.cluster):
                group, sums = self._urns.setdefault(key, ([], []))
                group.append(site)
                sums.append(fame[site.number])
        self._urns = {
            key: (group, list(accumulate(sums)))
            for key, (group, sums) in self._urns.items()
        }

    def draw(self, site: Site) -> Site:
        chance = self._rng.random()
        key = (
            site.cluster
            if chance < 0.25
            else site.role.circle
            if chance < 0.6
            else None
        )
        if site.role.circle == "farm" and chance < 0.9:
            key = "farm"
        group, sums = self._urns[key]
        return group[bisect(sums, self._rng.random() * sums[-1])]


def _relate(sketch: Sketch, mean: float) -> None:
    """What a side column offers: pages made at about the same time."""
    last = len(sketch.pages) - 1
    for number in range(last + 1):
        for _ in range(min(30, int(mean * 0.5 * sketch.rng.paretovariate(1.5)))):
            target = min(last, max(0, number + round(sketch.rng.gauss(0, 14))))
            sketch.link(number, Part.SIDE, target)


def _name(rng: random.Random, role: Role, theme: str, roof: Roof, number: int) -> str:
    """The host's own part of its name; that of a town or a theme gives nothing away."""
    words = prose.vocabulary(
        roof.language if prose.vocabulary(roof.language)["slugs"] else "en"
    )
    if role.stems and rng.random() < 0.75:
        return f"{rng.choice(role.stems)}-{rng.choice(_SYLLABLES)}{number}"
    if rng.random() < 0.3:
        return f"{rng.choice(_SYLLABLES)}{rng.choice(_SYLLABLES)}{number}"
    own = prose.slug(
        words["places"][rng.randrange(len(words["places"]))]
        if role.circle == "town"
        else words[theme][0]
    )
    return f"{own}{number}"
