"""May we ask for this URL? robots.txt of each origin, fetched once and remembered."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace

from geohound.contracts import Clock
from geohound.model.crawl.job import CachedRobots
from geohound.model.failure import BUSY_STATUSES, FailureReason
from geohound.model.visit import Failure, Response, Validators, Visit
from geohound.politeness import asked_pause_s

from .address_guard import Target, parse_target
from .robots_rules import ALLOW_ALL, DISALLOW_ALL, MAX_BYTES, RobotsRules, read_robots

FetchRobots = Callable[[str, int, Validators | None], Awaitable[Visit]]

_FRESH_S = 24 * 3600.0
_UNCHANGED = 304
_RETRY_S = 600.0
_MAX_ORIGINS = 50_000
_MAX_NEWS = 10_000  # if nobody takes them
_MAX_KEPT_BYTES = 65_536  # longer ones are asked for again


@dataclass(frozen=True, slots=True)
class _Entry:
    rules: RobotsRules
    expires_at: float
    trouble: Failure | None = None
    validators: Validators | None = None  # with which it is asked for again


class Robots:
    """Concurrent questions about one origin share one request; nothing is asked again while it is fresh."""

    def __init__(self, fetch: FetchRobots, clock: Clock, user_agent: str) -> None:
        self._fetch = fetch
        self._clock = clock
        self._user_agent = user_agent
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._asking: dict[str, asyncio.Task[_Entry]] = {}
        self._news: list[CachedRobots] = []

    async def allowed(self, url: str) -> bool:
        """Do the rules of its origin allow this URL? False also if they cannot be had."""
        target = parse_target(url)
        return isinstance(target, Target) and await self.objection(target) is None

    async def objection(self, target: Target) -> Failure | None:
        """Why this target must not be asked for: a rule, or what kept us from reading the rules."""
        entry = self._fresh(target.origin)
        if entry is None:
            entry = await self._ask(target.origin)
        if entry.rules.allow(target.path):
            return None
        if entry.trouble is not None:
            return entry.trouble
        return Failure(
            target.url, FailureReason.ROBOTS, "disallowed", self._clock.now()
        )

    def permits(self, target: Target) -> bool:
        """Is it known by now that this target may be asked for? Without waiting; False may mean "ask me properly"."""
        entry = self._entries.get(target.origin)
        return (
            entry is not None
            and self._clock.monotonic() < entry.expires_at
            and entry.rules.allow(target.path)
        )

    def delay_s(self, url: str) -> float | None:
        """The crawl-delay asked for by the origin of a URL, as far as its robots.txt is known by now."""
        target = parse_target(url)
        return (
            self.origin_delay_s(target.origin) if isinstance(target, Target) else None
        )

    def origin_delay_s(self, origin: str) -> float | None:
        entry = self._entries.get(origin)
        return entry.rules.delay_s if entry is not None else None

    async def sitemaps(self, origin: str) -> tuple[str, ...]:
        """The site maps that robots.txt names, as absolute URLs."""
        target = parse_target(origin)
        if isinstance(target, str):
            return ()
        entry = self._fresh(target.origin) or await self._ask(target.origin)
        found = (
            parse_target(name, base=target.origin + "/robots.txt")
            for name in entry.rules.sitemaps
        )
        return tuple(
            dict.fromkeys(each.url for each in found if isinstance(each, Target))
        )

    def recall(self, known: Iterable[CachedRobots]) -> None:
        """Take over what was read before, where it is still fresh and nothing later is known."""
        now = self._clock.monotonic()
        for origin, body, age_s in known:
            rest_s = min(_FRESH_S, _FRESH_S - age_s)
            if rest_s > 0 and self._fresh(origin) is None:
                self._entries[origin] = _Entry(
                    read_robots(body, self._user_agent), now + rest_s
                )

    def take_news(self) -> list[CachedRobots]:
        """What was read since this was last asked, for whoever keeps it; empty where there is no robots.txt."""
        news, self._news = self._news, []
        return news

    def forget_troubles(self) -> None:
        """Whoever could not be asked may be asked again at once: the trouble was our own."""
        for origin in [
            origin
            for origin, entry in self._entries.items()
            if entry.trouble is not None
        ]:
            del self._entries[origin]

    def _fresh(self, origin: str) -> _Entry | None:
        entry = self._entries.get(origin)
        return (
            entry
            if entry is not None and self._clock.monotonic() < entry.expires_at
            else None
        )

    async def _ask(self, origin: str) -> _Entry:
        """One task per origin, shielded: a cancelled caller must not take the others' answer along."""
        task = self._asking.get(origin)
        if task is None:
            task = asyncio.create_task(self._learn(origin))
            self._asking[origin] = task
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        return await asyncio.shield(task)

    async def _learn(self, origin: str) -> _Entry:
        before = self._entries.get(origin)
        known = before.validators if before is not None else None
        visit = await self._fetch(origin + "/robots.txt", MAX_BYTES + 1, known)
        if (
            before is not None
            and known
            and isinstance(visit, Response)
            and visit.status == _UNCHANGED
        ):
            entry = self._entries[origin] = replace(
                before, expires_at=self._clock.monotonic() + _FRESH_S
            )
            return entry
        entry = self._understand(visit)
        self._entries[origin] = entry
        if entry.trouble is None and len(self._news) < _MAX_NEWS:
            body = (
                visit.body
                if isinstance(visit, Response) and visit.status < 300
                else b""
            )
            if len(body) <= _MAX_KEPT_BYTES:
                self._news.append(CachedRobots(origin, body))
        self._entries.move_to_end(origin)
        if len(self._entries) > _MAX_ORIGINS:
            self._entries.popitem(last=False)
        return entry

    def _understand(self, visit: Visit) -> _Entry:
        now = self._clock.monotonic()
        if isinstance(visit, Failure):
            # RFC 9309, 2.3.1.2: who redirects without end has no robots.txt; every other trouble means "stay out".
            if visit.reason.means.is_endless_redirect:
                return _Entry(ALLOW_ALL, now + _FRESH_S)
            trouble = replace(
                visit,
                detail=f"{visit.detail} (asking for robots.txt)",
                retry_after_s=_RETRY_S,
            )
            return _Entry(DISALLOW_ALL, now + _RETRY_S, trouble)
        if 200 <= visit.status < 300:
            rules = read_robots(visit.body, self._user_agent)
            return _Entry(rules, now + _FRESH_S, validators=Validators.of(visit))
        # RFC 9309 counts 429 among "allow all"; a site that is already overrun means the opposite.
        if visit.status >= 500 or visit.status == 429:
            wait_s = min(asked_pause_s(visit) or _RETRY_S, _RETRY_S)
            return _Entry(DISALLOW_ALL, now + wait_s, self._unavailable(visit, wait_s))
        return _Entry(ALLOW_ALL, now + _FRESH_S)

    def _unavailable(self, visit: Response, wait_s: float) -> Failure:
        reason = BUSY_STATUSES.get(visit.status, FailureReason.UNAVAILABLE)
        detail = f"robots.txt answered {visit.status}"
        return Failure(
            visit.url, reason, detail, visit.at, visit.elapsed_s, retry_after_s=wait_s
        )
