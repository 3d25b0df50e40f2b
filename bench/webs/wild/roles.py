"""Who is on the wild web: kinds of sites with their shapes, themes, sizes, numbers and truthfulness about maps."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from . import shapes, streams
from .sketch import Sketch

Shape = Callable[[Sketch], None]


@dataclass(frozen=True, slots=True)
class Role:
    """One kind of site."""

    id: str
    share: float  # of the hosts, in percent
    size: float  # pages, relative to the others
    shapes: tuple[Shape, ...]
    themes: tuple[str, ...]
    circle: str  # hosts of one circle link to each other more
    geo: float = 0.0  # share of its pages that talk of maps
    stems: tuple[str, ...] = ()
    has_services: bool = False
    dead: bool = False  # shows addresses of services, all of them long gone
    cites: bool = False  # names services of others now and then
    loud: bool = True  # says that it has services, where it has them
    out: float = 2.5  # mean number of links to other hosts


_EVERYDAY = ("hospital", "transit", "tourism", "harbour", "law")
_LEISURE = ("finance", "film", "garden", "games", "tourism")
ROLES = (
    # Those with services.
    Role("portal", 1.2, 3.0, (shapes.portal,), ("law", "campus"), "maps", 0.55,
         ("geodaten", "opendata", "sdi", "catalog", "atlas", "registry"), has_services=True, out=1.5),
    Role("agency", 2.4, 1.2, (shapes.institution,), ("law",), "town", 0.06, has_services=True, out=1.5),
    Role("station", 0.8, 2.2, (shapes.archive,), ("campus", "harbour"), "campus", 0.25,
         ("observatory", "buoy", "seismo", "met"), has_services=True, out=1.0),
    Role("lab", 1.0, 1.2, (shapes.people, shapes.institution), ("campus",), "campus", 0.05, has_services=True),
    Role("silent", 2.2, 1.0, (shapes.institution, shapes.people), ("hospital", "transit", "tourism", "harbour"), "town",
         has_services=True, loud=False, out=1.0),
    # Those that talk of maps.
    Role("map wiki", 0.5, 4.0, (streams.wiki,), ("campus",), "maps", 0.5, ("wiki", "pedia"), cites=True, out=4.0),
    Role("map forum", 0.7, 4.0, (streams.forum,), ("games",), "maps", 0.6,
         ("gisforum", "mappers"), cites=True, out=2.0),
    Role("map blog", 2.5, 1.0, (streams.blog,), ("campus", "garden"), "maps", 0.7,
         ("geoblog", "mapnotes", "spatial", "cartotalk"), cites=True, out=4.0),
    Role("map shop", 2.0, 1.6, (streams.shop,), ("tourism",), "maps", 0.7, ("maps4u", "kartenhaus", "mapstore", "gps")),
    Role("manual", 1.2, 2.5, (shapes.manual,), ("games",), "maps", 0.85, ("wmsdocs", "mapkit", "gisdocs"), out=1.0),
    Role("ruin", 1.5, 1.6, (shapes.portal,), ("law",), "maps", 0.6, ("geoportal", "wms", "gis", "sdi"), dead=True),
    Role("farm", 5.0, 0.35, (shapes.farm,), ("finance", "film", "tourism"), "farm", 0.25,
         ("bestmaps", "topwms", "freegis", "findit", "dealmap"), out=6.0),
    # All the others.
    Role("council", 10.0, 1.1, (shapes.institution,), ("law",), "town"),
    Role("firm", 12.0, 0.8, (shapes.institution,), _EVERYDAY, "town"),
    Role("faculty", 8.0, 1.0, (shapes.institution, shapes.people), ("campus",), "campus", out=3.0),
    Role("open data", 0.8, 2.5, (shapes.portal,), ("finance", "law"), "town"),
    Role("newspaper", 6.0, 2.8, (shapes.archive,), ("law", "film", "finance"), "press", 0.01, out=3.0),
    Role("forum", 4.0, 3.0, (streams.forum,), _LEISURE, "press", 0.01),
    Role("wiki", 1.0, 5.0, (streams.wiki,), _LEISURE, "press", 0.02, out=4.0),
    Role("blog", 20.0, 0.7, (streams.blog,), _LEISURE, "press", 0.01, out=5.0),
    Role("shop", 13.0, 1.3, (streams.shop,), _LEISURE, "press", 0.01),
    Role("software", 4.0, 1.6, (shapes.manual,), ("games", "finance"), "press"),
)  # fmt: skip


def cast(rng: random.Random, hosts: int) -> list[Role]:
    """The role of every host, in an order drawn by chance; every role at least once."""
    total = sum(role.share for role in ROLES)
    found = [
        role for role in ROLES for _ in range(max(1, round(hosts * role.share / total)))
    ]
    rng.shuffle(found)
    return found


def sizes(rng: random.Random, roles: list[Role], pages: int) -> list[int]:
    """Lognormal sizes, scaled to the wanted number of pages."""
    drawn = [role.size * min(rng.lognormvariate(0, 1.0), 12.0) for role in roles]
    scale = pages / sum(drawn)
    return [max(12, round(size * scale)) for size in drawn]


def clumps(rng: random.Random, roles: list[Role]) -> dict[int, int]:
    """How many services each host with services has: lognormal, mean 6.4 (Li 2010 counts 6.38 a server).

    The large clumps stand on portals, the singles where nobody looks.
    """
    order = ("portal", "station", "agency", "lab", "silent")
    having = [i for i, role in enumerate(roles) if role.has_services]
    counts = sorted(
        (min(70, max(1, round(rng.lognormvariate(1.05, 1.27)))) for _ in having),
        reverse=True,
    )
    # A shuffle within bounds: now and then a small office has more than a portal.
    rank = sorted(having, key=lambda i: order.index(roles[i].id) + rng.gauss(0, 0.6))
    return dict(zip(rank, counts, strict=True))
