"""Which pages a page links to: inside its host, and out into the web with a bent for its own topic."""

from __future__ import annotations

from enum import IntEnum

from geoweb.chance import Dice, Salt
from geoweb.hosts import Host, Role, gist_of
from geoweb.layout import Sort, Spot
from geoweb.words import OFF_TOPIC
from geoweb.world import World


class Part(IntEnum):
    """The part of a page that a link stands in."""

    NAV = 0
    ITEM = 1  # an entry of a listing
    PAGER = 2
    RELATED = 3
    OUTSIDE = 4  # another host


Edge = tuple[Part, int, int]  # part, host, page
# Where links out of a host lead, as sums of shares. These and the means below are tuned together with the
# places of mentions, so that about 5 %, 1 % and 0.15 % of the pages at depth 1, 2 and 3 reveal a service.
_TOPICAL_AIMS = (
    (Role.PROVIDER, 0.035),
    (Role.DECOY, 0.145),
    (Role.NEIGHBOUR, 0.3),
    (Role.ELSEWHERE, 1.0),
)
_OTHER_AIMS = (
    (Role.PROVIDER, 0.004),
    (Role.DECOY, 0.026),
    (Role.NEIGHBOUR, 0.086),
    (Role.ELSEWHERE, 1.0),
)
# Mean number of links out of the host by role; forums and blogs of the wide web link out least.
_OUTSIDE_MEAN = {
    Role.PROVIDER: 2.5,
    Role.DECOY: 4.5,
    Role.NEIGHBOUR: 4.5,
    Role.ELSEWHERE: 4.0,
}
_LINK_LIST_SHARE = 0.004  # pages that are lists of links: dozens of them


def out_links(world: World, host: Host, page: int) -> list[Edge]:
    """All links of a page in the order they stand on it; a target may stand there twice."""
    index, layout = host.index, host.layout
    if not layout.sections:  # walled
        return []
    spot, topic, _, _ = gist_of(host, page)
    dice = Dice(host.seed, page, Salt.LINKS)
    edges: list[Edge] = [(Part.NAV, index, n) for n in range(layout.sections + 1)]
    if spot.sort is Sort.HOME:
        edges += [
            (Part.ITEM, index, _front_leaf(host, dice))
            for _ in range(12 + dice.below(20))
        ]
    elif spot.sort in {Sort.SECTION, Sort.LISTING}:
        edges += [
            (Part.ITEM, index, n) for n in layout.listed(spot.section, spot.number)
        ]
        edges += [(Part.PAGER, index, n) for n in _pager(host, spot)]
    else:
        edges += [(Part.RELATED, index, n) for n in _related(host, spot, dice)]
    edges += _outside(world, host, topic < OFF_TOPIC, dice)
    children = world.children_on(index).get(page)
    if children:
        edges += [(Part.OUTSIDE, child, 0) for child in children]
    return edges


def _front_leaf(host: Host, dice: Dice) -> int:
    """Any leaf, the front of a random section more often: what a home page shows as news."""
    leaves = host.layout.leaf_range(dice.below(host.layout.sections))
    return leaves.start + int(len(leaves) * dice.unit() ** 2)


def _pager(host: Host, spot: Spot) -> list[int]:
    last = host.layout.listing_count(spot.section)
    wanted = {
        1,
        spot.number - 2,
        spot.number - 1,
        spot.number + 1,
        spot.number + 2,
        last,
    } - {spot.number}
    return [
        host.layout.listing(spot.section, n) for n in sorted(wanted) if 1 <= n <= last
    ]


def _related(host: Host, spot: Spot, dice: Dice) -> list[int]:
    """Neighbours in the section, and a heavy-tailed number of others."""
    leaves = host.layout.leaf_range(spot.section)
    near = leaves.start + spot.number
    found = [n for n in (near - 1, near + 1) if n in leaves and spot.sort is Sort.LEAF]
    others = (
        dice.pick(leaves) if dice.unit() < 0.8 else _front_leaf(host, dice)
        for _ in range(dice.heavy(8.0, 60))
    )
    return [*found, *others]


def _outside(world: World, host: Host, topical: bool, dice: Dice) -> list[Edge]:
    count = dice.heavy(_OUTSIDE_MEAN[host.role], 40)
    if dice.unit() < _LINK_LIST_SHARE:
        count = 25 + dice.below(60)
    aims = _TOPICAL_AIMS if topical else _OTHER_AIMS
    edges: list[Edge] = []
    for _ in range(count):
        aim = dice.unit()
        hosts = world.hosts_of(next(role for role, below in aims if aim < below))
        if not hosts:  # a very small web lacks some roles
            continue
        # the first of a role are the famous ones
        target = hosts[int(len(hosts) * dice.unit() ** 1.8)]
        if target != host.index:
            edges.append((Part.OUTSIDE, target, _landing(world.host(target), dice)))
    return edges


def _landing(host: Host, dice: Dice) -> int:
    """Where a link from outside leads: the home page, or some page in the host."""
    if not host.layout.sections or dice.unit() < 0.65:
        return 0
    first, *_, end = host.layout.leaves
    return first + dice.below(end - first)
