"""Which services the geoweb has, where they answer, what became of them, and which pages mention them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from geoweb import services
from geoweb.box import Box
from geoweb.chance import Dice, Salt, mix
from geoweb.hosts import TOPIC_COUNT, Host, Role
from geoweb.protocol import ServiceSpec
from geoweb.trouble import Shares
from geoweb.words import OFF_TOPIC, vocabulary


class How(StrEnum):
    """How a service is hidden."""

    LINK = "link"
    TEXT = "text"
    FORM = "form"
    CODE = "code"
    SCRIPT = "script"
    SCRIPT_FILE = "script-file"
    CONFIG = "config"
    CATALOGUE = "catalogue"
    SITEMAP = "sitemap"
    BARE = "bare"


class Fate(StrEnum):
    """What became of a service; all but the first two are dead."""

    ALIVE = "alive"
    MOVED = "moved"  # the address on the pages redirects to where it answers now
    GONE = "gone"  # 404
    BROKEN = "broken"  # 500
    EXCEPTION = "exception"  # an exception report with status 200
    LOGIN = "login"
    BOT_WALL = "bot_wall"
    REPLACED = "replaced"  # a web page with status 200 stands where the service was
    SILENT = "silent"  # the connection is accepted, and nothing follows
    RATE_LIMITED = "rate_limited"  # 429, whoever asks


class Dialect(StrEnum):
    """How the address is spelt where it is mentioned."""

    PLAIN = "plain"
    WWW = "www"
    VERSION = "version"
    CASE = "case"
    MIRROR = "mirror"


DEAD_FATES = (
    Fate.GONE,
    Fate.BROKEN,
    Fate.EXCEPTION,
    Fate.LOGIN,
    Fate.BOT_WALL,
    Fate.REPLACED,
)
HOW_SHARES = (
    (How.LINK, 26), (How.TEXT, 11), (How.BARE, 9), (How.CODE, 9), (How.FORM, 5), (How.SCRIPT, 11),
    (How.SCRIPT_FILE, 9), (How.CONFIG, 8), (How.CATALOGUE, 8), (How.SITEMAP, 4),
)  # fmt: skip
KIND_WEIGHTS = {
    "wms": 30.0, "wfs": 16.0, "arcgis-mapserver": 10.0, "wmts": 8.0, "arcgis-featureserver": 6.0, "wcs": 5.0,
    "ogcapi-features": 5.0, "csw": 4.0,
}  # fmt: skip
_SHARED_PAGE = {
    How.LINK: 0.65, How.SCRIPT: 0.7, How.SCRIPT_FILE: 0.7, How.CONFIG: 0.7, How.BARE: 0.5, How.TEXT: 0.4,
    How.CODE: 0.4,
}  # fmt: skip
_EVERY_KIND_FROM_HOSTS = 200


@dataclass(frozen=True, slots=True)
class Mention:
    """A page that carries a reference to a service."""

    host: int
    page: int
    service: int
    dialect: Dialect = Dialect.PLAIN


@dataclass(frozen=True, slots=True)
class Placed:
    """A service with its place in the web."""

    number: int
    host: int
    spec: ServiceSpec
    how: How
    fate: Fate
    mentions: tuple[Mention, ...] = ()
    catalogue: int | None = None  # number of the catalogue that lists it
    old_endpoint: str = ""  # what pages mention if it moved
    mislabelled: bool = False  # answers with the wrong content type

    @property
    def alive(self) -> bool:
        return self.fate in (Fate.ALIVE, Fate.MOVED)


@dataclass(frozen=True, slots=True)
class Ground:
    """What placing needs to know of the web."""

    seed: int
    shares: Shares
    kinds: tuple[str, ...]
    host: Callable[[int], Host]
    providers: Sequence[int]
    # hosts that may mention services of providers: no decoys, no walls
    others: Sequence[int]
    host_count: int


def place_services(ground: Ground) -> list[Placed]:
    """Every service of the web, in the order of their hosts."""
    drafts = [(index, Dice(ground.seed, mix(index, k), Salt.SERVICE)) for index in ground.providers
              for k in range(_draw_count(ground.seed, index))]  # fmt: skip
    kinds = draw_kinds(ground, len(drafts))
    placed = [
        _draft(ground, number, index, kinds[number], dice)
        for number, (index, dice) in enumerate(drafts)
    ]
    placed = _assign_catalogues(ground.seed, placed)
    return _mention_all(ground, placed)


def _draw_count(seed: int, index: int) -> int:
    return min(60, max(1, round(Dice(seed, index, Salt.SERVICE).lognormal(8.3, 0.8))))


def draw_kinds(ground: Ground, count: int) -> list[str]:
    """Kinds by weight; a web of 200 hosts and more has every kind at least once."""
    dice = Dice(ground.seed, count, Salt.KIND)
    weights = [(kind, KIND_WEIGHTS.get(kind, 0.8)) for kind in ground.kinds]
    kinds = [dice.pick_weighted(weights) for _ in range(count)]
    if ground.host_count >= _EVERY_KIND_FROM_HOSTS:
        for kind in ground.kinds:
            if kind not in kinds:
                common = max(ground.kinds, key=kinds.count)
                kinds[dice.pick([i for i, k in enumerate(kinds) if k == common])] = kind
    return kinds


def _draft(ground: Ground, number: int, index: int, kind: str, dice: Dice) -> Placed:
    host = ground.host(index)
    seed = mix(ground.seed, index, number) & 0x7FFFFFFF
    topic = host.section_topics[0] if dice.unit() < 0.5 else dice.below(TOPIC_COUNT)
    spec = ServiceSpec(
        kind=kind,
        version=dice.pick(services.VERSIONS.get(kind) or ("",)),
        seed=seed,
        endpoint=f"http://{host.service_name}{services.endpoint_path(kind, seed)}",
        language=host.language,
        topic=vocabulary("en").topics[topic % OFF_TOPIC],
        bbox=_draw_box(host, dice),
        layers=min(120, max(1, round(dice.lognormal(7, 1.0)))),
    )
    fate = _draw_fate(ground.shares, dice)
    old = services.endpoint_path(kind, seed ^ 0x40000000) if fate is Fate.MOVED else ""
    return Placed(
        number, index, spec, dice.pick_weighted(HOW_SHARES), fate,
        old_endpoint=f"http://{host.service_name}{old}" if old else "",
        mislabelled=fate is Fate.ALIVE and dice.unit() < ground.shares.mislabelled_service,
    )  # fmt: skip


def _draw_fate(shares: Shares, dice: Dice) -> Fate:
    chance = dice.unit()
    if chance < shares.dead_service:
        return dice.pick(DEAD_FATES)
    return (
        Fate.MOVED
        if chance < shares.dead_service + shares.moved_service
        else Fate.ALIVE
    )


def _draw_box(host: Host, dice: Dice) -> Box:
    """Around the host's own place, so that the services of a host lie together; some cover the world."""
    if dice.unit() < 0.06:
        return Box(-180, -90, 180, 90)
    half = min(20.0, dice.lognormal(1.2, 1.0))
    lon = host.place[1] + (dice.unit() - 0.5) * half
    lat = host.place[2] + (dice.unit() - 0.5) * half
    west, east = max(-180.0, lon - half), min(180.0, lon + half)
    south, north = max(-90.0, lat - half * 0.7), min(90.0, lat + half * 0.7)
    return Box(round(west, 4), round(south, 4), round(east, 4), round(north, 4))


def _assign_catalogues(seed: int, placed: list[Placed]) -> list[Placed]:
    """Catalogues list the services hidden behind one; a catalogue itself is never hidden that way."""
    placed = [
        replace(p, how=How.LINK)
        if p.spec.kind == "csw" and p.how is How.CATALOGUE
        else p
        for p in placed
    ]
    catalogues = [p for p in placed if p.spec.kind == "csw" and p.alive]
    if not catalogues:
        return [
            replace(p, how=How.LINK) if p.how is How.CATALOGUE else p for p in placed
        ]
    settled = []
    for p in placed:
        if p.how is not How.CATALOGUE:
            settled.append(p)
            continue
        near = [c for c in catalogues if c.host == p.host] or catalogues
        settled.append(
            replace(
                p, catalogue=near[mix(seed, p.number, Salt.SERVICE) % len(near)].number
            )
        )
    return settled


def _mention_all(ground: Ground, placed: list[Placed]) -> list[Placed]:
    """Give each service its pages; the services of a host share pages, as listings and viewers do."""
    done: list[Placed] = []
    last_page: dict[tuple[int, How], tuple[int, int]] = {}
    orphans: dict[int, int] = {}
    for p in placed:
        dice = Dice(ground.seed, p.number, Salt.MENTION)
        spots: list[tuple[int, int]] = []
        if p.how is How.SITEMAP:
            orphan = orphans[p.host] = orphans.get(p.host, -1) + 1
            spots = [(p.host, ground.host(p.host).layout.total + orphan)]
        elif p.how is not How.CATALOGUE:
            key = (p.host, p.how)
            shares_page = key in last_page and dice.unit() < _SHARED_PAGE.get(
                p.how, 0.0
            )
            spots = [
                last_page[key] if shares_page else _draw_page(ground, p.host, dice)
            ]
            last_page[key] = spots[0]
            if dice.unit() < 0.1:
                spots.append(_draw_page(ground, p.host, dice))
        mentions = tuple(
            Mention(host, page, p.number, _draw_dialect(ground.shares, p, dice))
            for host, page in dict.fromkeys(spots)
        )
        done.append(replace(p, mentions=mentions))
    return done


def _draw_dialect(shares: Shares, placed: Placed, dice: Dice) -> Dialect:
    if dice.unit() >= shares.duplicate_service or placed.fate is Fate.MOVED:
        return Dialect.PLAIN
    return dice.pick((Dialect.WWW, Dialect.VERSION, Dialect.CASE, Dialect.MIRROR))


def _draw_page(ground: Ground, index: int, dice: Dice) -> tuple[int, int]:
    """Mostly on the host itself, towards the front of its first section; now and then somewhere else."""
    if dice.unit() < 0.06 and ground.others:
        host = ground.host(dice.pick(ground.others))
        return host.index, host.layout.leaves[0] + dice.below(
            host.layout.leaves[-1] - host.layout.leaves[0]
        )
    host = ground.host(index)
    chance = dice.unit()
    if chance < 0.03:
        return index, 0
    topical = [s for s, topic in enumerate(host.section_topics) if topic < OFF_TOPIC]
    section = 0 if chance < 0.75 else dice.pick(topical)
    if chance > 0.97:
        return index, section + 1
    leaves = host.layout.leaf_range(section)
    return index, leaves.start + int(len(leaves) * dice.unit() ** 2.8)


def may_mention(host: Host) -> bool:
    """Decoys have geography and no service; walled hosts show nothing."""
    return host.role is not Role.DECOY and host.is_readable
