"""What goes wrong on the geoweb, how often, and on which hosts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from geoweb.chance import Salt, mix, text_number


class Trouble(StrEnum):
    """What can be wrong with a whole host; the first four leave it only one page, the wall."""

    HANGING = "hanging"
    BOT_WALL = "bot_wall"
    LOGIN_WALL = "login_wall"
    DOWN = "down"  # 503 for ever
    SLOW = "slow"
    CRAWL_DELAY = "crawl_delay"
    RATE_LIMIT = "rate_limit"  # 429 with Retry-After
    FLAKY = "flaky"  # 503 at first
    LOOPS = "loops"  # redirects without end
    ROBOTS = "robots"  # disallow rules that matter
    CALENDAR = "calendar"
    SESSION_IDS = "session_ids"
    SOFT_404 = "soft_404"
    BROKEN_HTML = "broken_html"
    WRONG_TYPE = "wrong_type"
    WRONG_CHARSET = "wrong_charset"
    LOGIN_AREA = "login_area"


# A crawler may well pass over a page that says it is no HTML: no service and no other host depends on one.
UNREADABLE = frozenset((Trouble.WRONG_TYPE,))
WALLS = frozenset((Trouble.HANGING, Trouble.BOT_WALL, Trouble.LOGIN_WALL, Trouble.DOWN))
# A large host that may only be read slowly would keep any crawl waiting for hours: these fall on small ones.
_ONLY_SMALL = frozenset((Trouble.SLOW, Trouble.CRAWL_DELAY, Trouble.RATE_LIMIT))


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of hosts with each trouble, then shares of services."""

    hanging: float = 0.007
    bot_wall: float = 0.01
    login_wall: float = 0.01
    down: float = 0.007
    slow: float = 0.01
    crawl_delay: float = 0.02
    rate_limit: float = 0.01
    flaky: float = 0.01
    loops: float = 0.02
    robots: float = 0.1
    calendar: float = 0.04
    session_ids: float = 0.03
    soft_404: float = 0.05
    broken_html: float = 0.08
    wrong_type: float = 0.01
    wrong_charset: float = 0.03
    login_area: float = 0.05
    dead_service: float = 0.12
    moved_service: float = 0.05
    duplicate_service: float = 0.12
    mislabelled_service: float = 0.04
    dying_service: float = 0.1  # of those alive, with each age of the web

    def of_host(self, trouble: Trouble) -> float:
        return float(getattr(self, trouble.value))


NO_TROUBLE = Shares(**{f.name: 0.0 for f in fields(Shares)})
ALL_TROUBLE = Shares()


def spread(
    seed: int, shares: Shares, safe: frozenset[int], small: Sequence[bool]
) -> dict[int, frozenset[Trouble]]:
    """Which hosts have which troubles; those in `safe` stay readable; a wall is all the trouble of its host.

    A share above nothing always hits one host, so that no small web is free of a trouble by chance.
    """
    found: dict[int, set[Trouble]] = {}
    for trouble in Trouble:
        count = math.ceil(shares.of_host(trouble) * len(small))
        salt = mix(seed, text_number(trouble.value), Salt.TROUBLE)
        fit = [
            i
            for i in range(len(small))
            if _fits(trouble, found.get(i, set()), i in safe, small[i])
        ]
        for i in sorted(fit, key=lambda i: mix(salt, i))[:count]:
            found.setdefault(i, set()).add(trouble)
    return {i: frozenset(troubles) for i, troubles in found.items()}


def _fits(trouble: Trouble, had: set[Trouble], is_safe: bool, is_small: bool) -> bool:
    if trouble in WALLS:
        return not is_safe and not had
    if trouble in UNREADABLE and is_safe:
        return False
    return not (had & WALLS) and (is_small or trouble not in _ONLY_SMALL)
