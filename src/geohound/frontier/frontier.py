"""The URLs still to visit: each admitted once, leased by host and score, settled, and never forgotten."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from geohound.contracts import Clock, FrontierLog, Order, StoreError
from geohound.model.compact_sets import Recent
from geohound.model.crawl.frontier import (
    Admitted,
    FrontierStats,
    Memo,
    NewUrl,
    Settled,
    UrlEnd,
    UrlState,
)
from geohound.model.crawl.task import Claim
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Lane, Settlement, Via
from geohound.politeness import HostTurns

from .admission import Admission
from .domains import DomainCounts
from .host_queue import PAGE, PROBE, HostQueue
from .host_queues import HostQueues
from .limits import FrontierLimits
from .live_ranks import LiveRanks
from .log_writer import LogWriter
from .packed_heap import MAX_NUMBER, number_of, pack, score_of
from .pending import Lease, PendingUrl, final_state, has_usable_url, host_of, reaches
from .seen_set import TAKEN, UNKNOWN, SeenUrls, waiting_at
from .stages import Stages
from .url_keys import candidate_key, candidate_shape, shape_key, url_key

# URLs that a lease may put back because they are worth less by now
MAX_SECOND_THOUGHTS = 64
MAX_PAUSE_S = 3600.0
MAX_NUMBERS = 100_000
LONG_PAUSE_S = 5.0  # longer ones outlive a restart
MAX_REFUSED_KEPT = 1000  # of each reason, as examples
_POLL_S = 0.5  # while everything depends on leases that are out or on a commit under way: `on_queued` is sooner
_LOADED = 1000  # URLs that are read from the log at a time


class Frontier:
    """One task's frontier, in one process at a time. URLs come in canonical form: two spellings are two URLs here.

    What is admitted and then settled reaches the disk in this order or together, whether somebody waits or not. After
    a write that failed, every call that would write raises StoreError.
    """

    def __init__(
        self,
        log: FrontierLog,
        claim: Claim,
        clock: Clock,
        bounds: FrontierLimits,
        hosts: HostTurns,
        order: Order | None = None,
    ) -> None:
        """As it was left; what was leased and not settled is pending again."""
        self.task = claim.task
        self.bounds = bounds
        self._log = log
        self._clock = clock
        self._hosts = hosts
        self._schedule = HostQueues(
            order.host_bonus if order else None, bounds.active_limit(clock)
        )
        self.awaited = self._schedule.awaited
        self._admission = Admission(bounds)
        self._domains = DomainCounts(bounds.max_hosts_per_domain)
        # Of queued URLs, by key; of the latest only, where not every link counts.
        self._numbers: Recent[int, int] = Recent(
            math.inf if order and order.counts_links else MAX_NUMBERS
        )
        self._leases: dict[str, Lease] = {}
        self._pages = 0  # page visits made or under way
        self._visited = self._duplicates = 0
        state = log.state(self.task)
        self._drops: Counter[FailureReason] = Counter(state.drops)
        self._entering, self._next = 0, 1
        self._stages = Stages(order.stage if order and order.has_stages else None)
        self._outbox = LogWriter(log, claim, self._queue)
        self._live = LiveRanks(order, partial(log.load, self.task), self._queue_again)
        self._refused: set[int] = set()  # that are kept as examples
        self._seen = SeenUrls(self._replay())
        self._waiting = self._seen.waiting()  # URLs, however often they are queued
        self.on_queued: Callable[[], object] = int  # hears when more may be leased
        self._begin_stages()
        self._leave_alone(state.pauses)

    def _replay(self) -> Iterator[tuple[int, int]]:
        """Read everything back; yields the keys of all known URLs, and how they wait."""
        pending, done = int(UrlState.PENDING), int(UrlState.DONE)
        in_vain, refused = int(UrlState.IN_VAIN), int(UrlState.REFUSED)
        for number, key, shape, state, lane, score, url, depth in self._log.replay(
            self.task
        ):
            self._next = number + 1
            if state == refused:
                continue
            host = self._schedule.host(host_of(url))
            self._admission.note(shape, depth, lane)
            if state == pending:
                self._numbers.put(key, number)
                self._live.note(number, url)
                self._stages.open(number, score, Lane(lane))
                self._push(host, lane, pack(score, number))
            elif state in (done, in_vain):
                host.visited += 1
                self._visited += 1
                self._pages += lane == PAGE
            yield key, waiting_at(depth) if state == pending else TAKEN
        self._live.written(self._next - 1)
        self._schedule.resume(self._pages)
        for known in self._schedule.hosts():
            self._domains.open(f"http://{known.name}/", always=True)

    def _leave_alone(self, pauses: Mapping[str, float]) -> None:
        """No host that asked for a long pause is asked sooner because the crawl was interrupted."""
        now, wall = self._clock.monotonic(), self._now()
        for name, until in pauses.items():
            if until > wall:
                self._schedule.postpone(
                    self._schedule.host(name), now + min(until - wall, MAX_PAUSE_S)
                )

    def admit(
        self,
        found: Sequence[Candidate],
        *,
        refused: Mapping[FailureReason, int] | None = None,
    ) -> Admitted:
        """Take in what is new and within bounds; `refused` are those that the caller has left out, by reason.

        They can be leased once they are on disk, which `flush` waits for.
        """
        outcomes = [self._enter(candidate) for candidate in found]
        entries = [outcome for outcome in outcomes if isinstance(outcome, PendingUrl)]
        refusals = Counter(
            outcome for outcome in outcomes if isinstance(outcome, FailureReason)
        )
        for reason, count in (refused or {}).items():
            refusals[reason] += count
            self._drop(reason, count)
        if entries:
            self._outbox.add(entries)
        return Admitted(len(entries), refusals)

    def _queue(self, entries: Sequence[PendingUrl]) -> None:
        """What is on disk may be leased."""
        self._entering -= len(entries)
        for entry in entries:
            entry.host.entering -= 1
            self._numbers.put(entry.known, number_of(entry.key))
            self._live.written(number_of(entry.key))
            self._push(entry.host, entry.lane, entry.key)
        self._begin_stages()
        self.on_queued()

    def _push(self, host: HostQueue, lane: int, key: int) -> None:
        if not self._stages.holds(number_of(key), (host, lane, key)):
            self._schedule.push(host, lane, key, self._clock.monotonic())

    def _begin_stages(self) -> None:
        """Queue what was held back, where its stage has come."""
        now = self._clock.monotonic()
        for host, lane, key in self._stages.begun():
            self._schedule.push(host, lane, key, now)
            if reaches(host.visited, self.bounds.max_pages_per_host):
                self._drain(host)

    def _queue_again(self, candidate: Candidate, key: int) -> None:
        if self._seen.get(candidate_key(candidate)) == waiting_at(candidate.depth):
            host = self._schedule.host(host_of(candidate.url))
            self._schedule.push(
                host, candidate.purpose.lane, key, self._clock.monotonic()
            )

    def _enter(self, candidate: Candidate) -> PendingUrl | FailureReason | None:
        """Its place among those that wait; why it may not come in; None if it is known."""
        url = candidate.url
        if not has_usable_url(candidate):
            self._drop(FailureReason.BAD_URL)
            return FailureReason.BAD_URL
        key = candidate_key(candidate)
        known, waiting = self._seen.get(key), waiting_at(candidate.depth)
        if known != UNKNOWN and (known <= waiting or not candidate.is_page):
            self._duplicates += 1
            return None
        name, shape = host_of(url), candidate_shape(candidate)
        if self._schedule.knows(name) or self._domains.open(
            url, candidate.found_on, always=candidate.via is Via.SEED
        ):
            host = self._schedule.host(name)
            reason = self._admission.refusal(candidate, host, self._pages, shape)
        else:
            reason = FailureReason.DOMAIN_BUDGET
        if reason is not None:
            self._drop(reason)
            if (
                known == UNKNOWN
                and self._drops[reason] <= MAX_REFUSED_KEPT
                and key not in self._refused
            ):
                self._refused.add(key)
                self._record(candidate, key, shape, UrlState.REFUSED, reason)
            return reason
        if self._seen.add(key, waiting):
            self._waiting += 1
            self._admission.note(shape, candidate.depth, candidate.purpose.lane)
        else:
            # found nearer: queued once more, and passed over where it waits as farther
            self._seen.put(key, waiting)
        number = self._record(candidate, key, shape, UrlState.PENDING)
        self._stages.open(number, candidate.score, candidate.purpose.lane)
        self._live.note(number, url)
        host.entering += 1
        self._entering += 1
        return PendingUrl(
            host, candidate.purpose.lane, pack(candidate.score, number), key
        )

    def _record(
        self,
        candidate: Candidate,
        key: int,
        shape: int,
        state: UrlState,
        reason: FailureReason | None = None,
    ) -> int:
        """Have a new URL written; returns its number."""
        if self._next > MAX_NUMBER:
            raise StoreError(
                "This task has four thousand million URLs, more than a catalogue file can hold."
            )
        number, self._next, at = (
            self._next,
            self._next + 1,
            None if state is UrlState.PENDING else self._now(),
        )
        self._outbox.batch().urls.append(
            NewUrl(number, key, shape, state, candidate, reason, at)
        )
        return number

    def _drop(self, reason: FailureReason, count: int = 1) -> None:
        self._drops[reason] += count
        self._outbox.batch().drops[reason] = self._drops[reason]

    def lease(self, limit: int, lane: Lane) -> list[Candidate]:
        """The best candidates of due hosts, at most one per host over both lanes; none while the disk is far behind."""
        if self._outbox.is_behind:
            return []
        self._live.refresh()
        self._begin_stages()
        now, second_thoughts = self._clock.monotonic(), 0
        leased: list[Candidate] = []
        while len(leased) < limit and (
            drawn := self._draw(lane, limit - len(leased), now)
        ):
            found = self._log.load(self.task, [number_of(key) for _, key in drawn])
            for (host, key), rival, candidate in zip(
                drawn, self._schedule.rivals(drawn), found, strict=True
            ):
                number, known = number_of(key), candidate_key(candidate)
                if self._seen.get(known) != waiting_at(candidate.depth):
                    # it was queued twice, and has been taken or waits as nearer
                    self._skip(host)
                    self._stages.close(number)
                    continue
                today = self._live.worth_today(candidate)
                if today == -math.inf:
                    self._skip(host)
                    self._give_up([(number, known)], FailureReason.ORDER)
                    continue
                fell = today < score_of(key) and second_thoughts < MAX_SECOND_THOUGHTS
                if fell and self._schedule.worth(host, today) < max(
                    rival, self._schedule.best_worth(lane, now)
                ):
                    self._live.fell(number, pack(today, number))
                    self._put_back(host, lane, pack(today, number))
                    second_thoughts += 1
                    continue
                self._take(known)
                self._live.leave(number)
                self._numbers.discard(known)
                role = self._schedule.role(host, lane)
                self._leases[candidate.url] = Lease(
                    number, host, lane, candidate.attempts, role
                )
                self._pages += lane == PAGE
                leased.append(candidate)
        return leased

    def _draw(self, lane: Lane, limit: int, now: float) -> list[tuple[HostQueue, int]]:
        """The best URLs of hosts whose turn we have, as their keys."""
        if lane == PAGE and self.bounds.max_pages is not None:
            limit = min(limit, self.bounds.max_pages - self._pages)
        drawn: list[tuple[HostQueue, int]] = []
        while (
            len(drawn) < limit and (found := self._schedule.take(lane, now)) is not None
        ):
            host, key = found
            wait_s = self._hosts.take(host.name)
            if wait_s > 0:
                self._schedule.decline(host, lane, key, now + wait_s)
                continue
            drawn.append(found)
        return drawn

    def _put_back(self, host: HostQueue, lane: int, key: int) -> None:
        self._hosts.leave(host.name)
        self._schedule.put_back(host, lane, key)

    def _skip(self, host: HostQueue) -> None:
        self._hosts.leave(host.name)
        self._schedule.skip(host)

    def _take(self, known: int) -> None:
        """A URL that waited does so no longer."""
        self._seen.put(known, TAKEN)
        self._waiting -= 1

    def is_last_attempt(self, candidate: Candidate) -> bool:
        """Is a leased URL dropped if this visit fails too?"""
        return self._leases[candidate.url].attempts + 1 >= self.bounds.max_attempts

    def settle(self, candidate: Candidate, end: Settled) -> None:
        """End a lease; a retry beyond the last attempt is dropped."""
        lease = self._leases.pop(candidate.url, None)
        if lease is None:
            raise ValueError(f"{candidate.url} is not leased")
        is_attempt = end.settlement is not Settlement.POSTPONED
        attempts = lease.attempts + is_attempt
        again = not is_attempt or (
            end.settlement is Settlement.RETRY and attempts < self.bounds.max_attempts
        )
        state = UrlState.PENDING if again else final_state(end.settlement, end.reason)
        batch, at = self._outbox.batch(), self._now()
        ended = (
            end.reason,
            end.status,
            end.services,
            end.address,
            end.marks,
            at,
            lease.role,
        )
        batch.ends.append(UrlEnd(lease.number, state, attempts, *ended))
        if end.reason is not None and state in (UrlState.IN_VAIN, UrlState.UNASKED):
            self._drop(end.reason)
        self._account(lease, state)
        is_gone = end.reason is not None and end.reason.means.is_host_gone
        self._domains.note(lease.host, candidate.url, is_there=not is_gone)
        now, pause_s = self._clock.monotonic(), self._hosts.leave(lease.host.name)
        self._schedule.release(
            lease.host, now + pause_s, is_page=is_attempt and lease.lane == PAGE
        )
        if pause_s > LONG_PAUSE_S:
            batch.pauses[lease.host.name] = at + pause_s
        if again:
            known = candidate_key(candidate)
            self._numbers.put(known, lease.number)
            self._seen.put(known, waiting_at(candidate.depth))
            self._waiting += 1
            key = pack(candidate.score, lease.number)
            self._schedule.push_later(lease.host, lease.lane, key, now + end.retry_in_s)
        else:
            self._stages.close(lease.number)
        if lease.host.queued and reaches(
            lease.host.visited, self.bounds.max_pages_per_host
        ):
            self._drain(lease.host)

    def _account(self, lease: Lease, state: UrlState) -> None:
        if state in (UrlState.DONE, UrlState.IN_VAIN):
            lease.host.visited += 1
            self._visited += 1
        else:
            self._pages -= lease.lane == PAGE

    def _drain(self, host: HostQueue) -> None:
        """Give up what is queued for a host whose budget is spent."""
        numbers = sorted({number_of(key) for key in self._schedule.drain(host)})
        for start in range(0, len(numbers), _LOADED):
            some = numbers[start : start + _LOADED]
            queued = zip(some, self._log.load(self.task, some), strict=True)
            keys = (
                (number, candidate_key(found), waiting_at(found.depth))
                for number, found in queued
            )
            live = [
                (number, known)
                for number, known, waiting in keys
                if self._seen.get(known) == waiting
            ]
            self._give_up(live, FailureReason.HOST_BUDGET)
        for number in numbers:
            self._stages.close(number)

    def _give_up(
        self, queued: Sequence[tuple[int, int]], reason: FailureReason
    ) -> None:
        """Settle what waits without asking for it: numbers and keys."""
        at, ends = self._now(), self._outbox.batch().ends
        for number, known in queued:
            ends.append(UrlEnd(number, UrlState.UNASKED, 0, reason, 0, 0, "", None, at))
            self._take(known)
            self._stages.close(number)
        if queued:
            self._drop(reason, len(queued))

    def remember(self, candidate: Candidate) -> bool:
        """Record a URL that was visited without a lease (the target of a redirect); False if it was known."""
        key = url_key(candidate.url)
        if not self._seen.add(key, TAKEN):
            return False
        shape = shape_key(candidate.url)
        self._admission.note(shape, candidate.depth, PROBE)  # it took nobody's place
        self._record(candidate, key, shape, UrlState.REDIRECTED)
        return True

    def rescore(self, scores: Iterable[tuple[str, float]]) -> None:
        """Queue what waits under these URLs once more with a better score; only where the order counts links."""
        for url, score in scores:
            number = self._numbers.get(url_key(url))
            if number is not None:
                host = self._schedule.host(host_of(url))
                self._schedule.push(
                    host, PAGE, pack(score, number), self._clock.monotonic()
                )

    def knows(self, url: str, depth: int = 255) -> bool:
        """Was this URL admitted or visited in this task, and does not wait as farther from a seed than this?"""
        return UNKNOWN != self._seen.get(url_key(url)) <= waiting_at(depth)

    def keep_memos(self, memos: Sequence[Memo]) -> None:
        """Have notes of the crawl written, for a run that goes on with it."""
        if memos:
            self._outbox.batch().memos += memos

    def contents(
        self, links: int
    ) -> tuple[Iterator[tuple[int, int]], Iterator[Memo], Iterator[str]]:
        """What earlier runs knew of pages: the marks of all, the memos, and so many links, the latest first."""
        return (
            self._log.marks(self.task),
            self._log.memos(self.task),
            self._log.links(self.task, links),
        )

    def last_visited(self) -> str:
        """A URL that has answered in this task; empty if none has."""
        return self._log.state(self.task).last_visited

    def pause(self, host: str, seconds: float) -> None:
        """Leave a host alone for so long."""
        self._schedule.postpone(
            self._schedule.host(host), self._clock.monotonic() + seconds
        )

    def due_in(self, lane: Lane | None = None) -> float | None:
        """How long until a lease may be had (in one lane, if named); None if nothing is left and nothing can come."""
        lanes: tuple[int, ...] = (PAGE, PROBE) if lane is None else (lane,)
        if reaches(self._pages, self.bounds.max_pages):
            lanes = tuple(each for each in lanes if each != PAGE)
        self._begin_stages()
        now = self._clock.monotonic()
        due = self._schedule.due(lanes, now)
        if self._outbox.is_behind:
            return _POLL_S
        is_moving = bool(self._leases or self._entering or self._schedule.busy)
        if due is None or (due > now and not lanes):
            return _POLL_S if is_moving else None
        return min(due - now, _POLL_S) if is_moving else due - now

    def stats(self) -> FrontierStats:
        """The numbers so far: a copy."""
        urls = (
            self._waiting,
            len(self._leases),
            self._pages,
            self._visited,
            self._duplicates,
        )
        return FrontierStats(*urls, dict(self._drops), *self._schedule.active)

    async def flush(self) -> None:
        """Return when all that was admitted and settled so far is on disk."""
        await self._outbox.flush()

    def _now(self) -> float:
        return self._clock.now().timestamp()
