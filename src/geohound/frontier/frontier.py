"""The URLs still to visit: each admitted once, leased by host and score, settled, and never forgotten."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from geohound.contracts import Clock, Order
from geohound.model.compact import Recent
from geohound.model.frontier import Admitted, FrontierStats, Settled
from geohound.model.visit import MAX_URL_CHARS, Candidate, FailureReason, RequestRecord, Settlement, Via
from geohound.stores.sqlite import visits as told
from geohound.stores.sqlite.database import Database, StoreError
from geohound.stores.sqlite.journal import Journal, Row
from geohound.stores.sqlite.requests import row_of
from geohound.stores.sqlite.visits import DONE, IN_VAIN, PENDING, REDIRECTED, REFUSED, TASK_BITS, UNASKED
from geohound.urls.clue import looks_like_service

from .admission import Admission
from .bounds import Bounds
from .domains import Domains
from .keys import url_key
from .known import TAKEN, UNKNOWN, KnownUrls, waiting_at
from .packed_heap import MAX_NUMBER, number_of, pack, score_of
from .rows import Entry, Lease, clean, final_state, finite, host_of, is_text, reaches
from .schedule import PAGE, PROBE, Host, Schedule
from .shape import shape_key
from .sources import Sources
from .stages import Stages

MAX_CLUE_CHARS = 300
MAX_SECOND_THOUGHTS = 64  # URLs that a lease may put back because they are worth less by now
MAX_PAUSE_S = 3600.0
MAX_NUMBERS = 100_000
LONG_PAUSE_S = 5.0  # longer ones outlive a restart
MAX_REFUSED_KEPT = 1000  # of each reason, as examples
_POLL_S = 0.05  # while everything depends on leases that are out or on a commit under way

_LOAD = "SELECT id, key, shape, state, probe, score, url, depth FROM url WHERE id BETWEEN ? AND ?"
_LEASE = """
SELECT u.id, u.url, u.via, s.url, u.clue, u.score, u.depth, u.probe, u.attempts
FROM url u LEFT JOIN source s ON s.id = u.source WHERE u.id = ?"""


class SqliteFrontier:
    """One task's frontier, in one process at a time. URLs come in canonical form: two spellings are two URLs here."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        task: int,
        bounds: Bounds,
        quiet_since: float | None = None,
        order: Order | None = None,
    ) -> None:
        """`quiet_since` is when the last request was surely over; a killed crawl may have asked until just now."""
        self.task = task
        self.bounds = bounds
        self._database = database
        self._clock = clock
        self._order = order
        self._schedule = Schedule(order.host_bonus) if order else Schedule()
        self._admission = Admission(bounds)
        self._domains = Domains(bounds.max_hosts_per_domain)
        # Of queued URLs, by key; of the latest only, where not every link counts.
        self._numbers: Recent[int, int] = Recent(math.inf if order and order.counts_links else MAX_NUMBERS)
        self._leases: dict[str, Lease] = {}
        self._pages = 0  # page visits made or under way
        self._visited = 0
        self._duplicates = 0
        self._drops: Counter[FailureReason] = Counter()
        self._entering = 0
        self._next = 1
        self._sources = Sources(self._id(0))
        self._stages = Stages(order.stage) if order and order.has_stages else None
        self._journal = Journal(database, self._drop_rows)
        self._refused: set[int] = set()  # that are kept as examples
        self._seen = KnownUrls(self._reload(self._now() if quiet_since is None else quiet_since))

    def _reload(self, quiet_since: float) -> Iterator[tuple[int, int]]:
        """Read everything back; yields the keys of all known URLs, and how they wait."""
        connection = self._database.read()
        first, last = self._id(0), self._id(MAX_NUMBER)
        for reason, count in connection.execute("SELECT reason, count FROM drops WHERE task = ?", (self.task,)):
            self._drops[FailureReason(reason)] = count
        self._sources.go_on(connection, last)
        now = self._clock.monotonic()
        for id_, key, shape, state, probe, score, url, depth in connection.execute(_LOAD, (first, last)):
            number = id_ - first
            self._next = number + 1
            if state == REFUSED:
                continue
            host = self._schedule.host(host_of(url))
            self._admission.note(shape, depth, probe=probe)
            if state == PENDING:
                self._numbers.put(key, number)
                self._push(host, probe, pack(score, number), now)
            elif state in (DONE, IN_VAIN):
                host.visited += 1
                self._visited += 1
                self._pages += not probe
            yield key, waiting_at(depth) if state == PENDING else TAKEN
        for known in self._schedule.hosts():
            self._domains.open(f"http://{known.name}/", always=True)
        self._leave_alone(quiet_since)

    def _leave_alone(self, quiet_since: float) -> None:
        """Nobody is asked sooner because the crawl was interrupted."""
        now, wall = self._clock.monotonic(), self._now()
        wait_s = max(0.0, min(quiet_since - wall, 0.0) + self.bounds.host_delay_s)  # whatever became of the clock
        for host in self._schedule.hosts() if wait_s else ():
            self._schedule.postpone(host, now + wait_s)
        rows = self._database.read().execute(
            "SELECT host, until FROM pause WHERE task = ? AND until > ?", (self.task, wall)
        )
        for name, until in rows.fetchall():
            self._schedule.postpone(self._schedule.host(name), now + min(until - wall, MAX_PAUSE_S))

    def admit(self, found: Sequence[Candidate], *, refused: Mapping[FailureReason, int] | None = None) -> Admitted:
        """Take in what is new and within bounds; `refused` are those that the caller has left out, by reason.

        They can be leased once they are on disk, which `flush` waits for.
        """
        outcomes = [self._enter(candidate) for candidate in found]
        entries = [outcome for outcome in outcomes if isinstance(outcome, Entry)]
        refusals = Counter(refused) + Counter(outcome for outcome in outcomes if isinstance(outcome, FailureReason))
        self._drops.update(refused or {})
        if entries:
            self._journal.commit_soon(partial(self._queue, entries))
        return Admitted(len(entries), refusals)

    def _queue(self, entries: list[Entry], written: asyncio.Future[None]) -> None:
        """What is on disk may be leased, also where the caller of `admit` was cancelled meanwhile."""
        self._entering -= len(entries)
        is_written = written.exception() is None
        now = self._clock.monotonic()
        for entry in entries:
            entry.host.entering -= 1
            if is_written:
                self._numbers.put(entry.known, number_of(entry.key))
                self._push(entry.host, entry.lane, entry.key, now)

    def _push(self, host: Host, lane: int, key: int, now: float) -> None:
        if self._stages is not None and lane == PAGE:
            self._stages.open(number_of(key), score_of(key))
        self._schedule.push(host, lane, key, now)

    def _enter(self, candidate: Candidate) -> Entry | FailureReason | None:
        """Its place among those that wait; why it may not come in; None if it is known."""
        url = candidate.url
        if len(url) > MAX_URL_CHARS or not url.startswith(("http://", "https://")) or not is_text(url):
            self._drops[FailureReason.BAD_URL] += 1
            return FailureReason.BAD_URL
        key = url_key(url)
        known, waiting = self._seen.get(key), waiting_at(candidate.depth)
        if known != UNKNOWN and (candidate.probe or known <= waiting):
            self._duplicates += 1
            return None
        name, shape = host_of(url), shape_key(url)
        if self._schedule.knows(name) or self._domains.open(url, candidate.found_on, always=candidate.via is Via.SEED):
            host = self._schedule.host(name)
            reason = self._admission.refusal(candidate, host, self._pages, shape)
        else:
            reason = FailureReason.DOMAIN_BUDGET
        if reason is not None:
            self._drops[reason] += 1
            if known == UNKNOWN and self._drops[reason] <= MAX_REFUSED_KEPT and key not in self._refused:
                self._refused.add(key)
                self._record(candidate, key, shape, (REFUSED, reason, None, None, self._now()))
            return reason
        if self._seen.add(key, waiting):
            self._admission.note(shape, candidate.depth, probe=candidate.probe)
        else:
            self._seen.put(key, waiting)  # found nearer: queued once more, and passed over where it waits as farther
        number = self._record(candidate, key, shape, (PENDING, None, None, None, None))
        host.entering += 1
        self._entering += 1
        return Entry(host, PROBE if candidate.probe else PAGE, pack(candidate.score, number), key)

    def _record(self, candidate: Candidate, key: int, shape: int, ending: Row) -> int:
        """Add the row of a new URL to the next commit; returns its number."""
        if self._next > MAX_NUMBER:
            raise StoreError("This task has four thousand million URLs, more than a catalogue file can hold.")
        batch = self._journal.open_batch()
        number, self._next = self._next, self._next + 1
        state, *rest = ending
        batch.urls.append(
            (
                self._id(number), key, shape, state, candidate.probe, finite(candidate.score), candidate.url,
                candidate.depth, candidate.via.value, self._sources.number(candidate.found_on, batch.sources),
                clean(candidate.clue[:MAX_CLUE_CHARS]), *rest,
            )
        )  # fmt: skip
        return number

    def lease(self, limit: int, *, probe: bool) -> list[Candidate]:
        """The best candidates of the hosts that are due, at most one per host over both lanes.

        None while the disk is far behind.
        """
        if self._journal.is_behind:
            return []
        lane = PROBE if probe else PAGE
        now = self._clock.monotonic()
        leased: list[Candidate] = []
        second_thoughts = 0
        while len(leased) < limit:
            if lane == PAGE and reaches(self._pages, self.bounds.max_pages):
                break
            found = self._schedule.take(lane, now)
            if found is None:
                break
            host, key = found
            number = number_of(key)
            if self._stages is not None and self._stages.is_early(number, now):
                self._schedule.put_back(host, lane, key)
                break  # the order has none of this stage left that may be asked now
            candidate, attempts = self._load(number)
            known = url_key(candidate.url)
            if self._seen.get(known) != waiting_at(candidate.depth):
                self._schedule.skip(host)  # it was queued twice, and has been taken or waits as nearer
                self._close(number)
                continue
            today = self._order.rescore(candidate) if self._order is not None and lane == PAGE else candidate.score
            if today == -math.inf:
                self._schedule.skip(host)
                self._seen.put(known, TAKEN)
                self._give_up([number], FailureReason.ORDER)
                self._journal.commit_soon()
                continue
            fell = today < score_of(key) and second_thoughts < MAX_SECOND_THOUGHTS
            if fell and self._schedule.worth(host, today) < self._schedule.best_worth(lane, now):
                self._schedule.put_back(host, lane, pack(today, number))
                second_thoughts += 1
                continue
            self._seen.put(known, TAKEN)
            self._numbers.discard(known)
            self._leases[candidate.url] = Lease(number, host, lane, attempts)
            self._pages += lane == PAGE
            leased.append(candidate)
        return leased

    def _load(self, number: int) -> tuple[Candidate, int]:
        """A queued URL, and how often it was tried."""
        row = self._database.read().execute(_LEASE, (self._id(number),)).fetchone()
        _, url, via, found_on, clue, score, depth, probe, attempts = row
        return Candidate(url, Via(via), found_on or "", clue, score, depth, bool(probe)), attempts

    def settle(self, candidate: Candidate, end: Settled) -> None:
        """End a lease; a retry beyond the last attempt is dropped."""
        lease = self._leases.pop(candidate.url, None)
        if lease is None:
            raise ValueError(f"{candidate.url} is not leased")
        is_attempt = end.settlement is not Settlement.POSTPONED
        attempts = lease.attempts + is_attempt
        again = not is_attempt or (end.settlement is Settlement.RETRY and attempts < self.bounds.max_attempts)
        state = PENDING if again else final_state(end.settlement, end.reason)
        batch = self._journal.open_batch()
        batch.settled.append(
            (state, attempts, end.reason, end.status, end.services, self._now(), self._id(lease.number))
        )
        if end.marks is not None:
            batch.marks.append((self._id(lease.number), *end.marks))
        if end.reason is not None and state in (IN_VAIN, UNASKED):
            self._drops[end.reason] += 1
        self._account(lease, state)
        self._domains.note(lease.host, candidate.url, is_there=end.reason is not FailureReason.DNS)
        now, pause_s = self._clock.monotonic(), max(self.bounds.host_delay_s, end.host_pause_s)
        self._schedule.release(lease.host, now + pause_s)
        if pause_s > LONG_PAUSE_S:
            batch.pauses.append((self.task, clean(lease.host.name), self._now() + pause_s))
        if again:
            known = url_key(candidate.url)
            self._numbers.put(known, lease.number)
            self._seen.put(known, waiting_at(candidate.depth))
            key = pack(candidate.score, lease.number)
            self._schedule.push_later(lease.host, lease.lane, key, now + end.retry_in_s)
        if is_attempt:
            self._close(lease.number)
        if lease.host.queued and reaches(lease.host.visited, self.bounds.max_pages_per_host):
            self._give_up([number_of(key) for key in self._schedule.drain(lease.host)], FailureReason.HOST_BUDGET)
        self._journal.commit_soon()

    def _account(self, lease: Lease, state: int) -> None:
        if state in (DONE, IN_VAIN):
            lease.host.visited += 1
            self._visited += 1
        else:
            self._pages -= lease.lane == PAGE

    def _give_up(self, numbers: Sequence[int], reason: FailureReason) -> None:
        """Settle what is queued without asking for it."""
        self._drops[reason] += len(numbers)
        at, settled = self._now(), self._journal.open_batch().settled
        for number in numbers:
            settled.append((UNASKED, 0, reason, None, None, at, self._id(number)))
            self._close(number)

    def _close(self, number: int) -> None:
        if self._stages is not None:
            self._stages.close(number)

    def remember(self, candidate: Candidate) -> bool:
        """Record a URL that was visited without a lease (the target of a redirect); False if it was known."""
        key = url_key(candidate.url)
        if not self._seen.add(key, TAKEN):
            return False
        shape = shape_key(candidate.url)
        self._admission.note(shape, candidate.depth, probe=True)  # it took nobody's place
        self._record(candidate, key, shape, (REDIRECTED, None, None, None, self._now()))
        self._journal.commit_soon()
        return True

    def rescore(self, scores: Iterable[tuple[str, float]]) -> None:
        """Queue what waits under these URLs once more with a better score; only where the order counts links."""
        for url, score in scores:
            number = self._numbers.get(url_key(url))
            if number is not None and not looks_like_service(url):  # those are tested at once, whatever the count
                host = self._schedule.host(host_of(url))
                self._schedule.push(host, PAGE, pack(score, number), self._clock.monotonic())

    def knows(self, url: str, depth: int = 255) -> bool:
        """Was this URL admitted or visited in this task, and does not wait as farther from a seed than this?"""
        return UNKNOWN != self._seen.get(url_key(url)) <= waiting_at(depth)

    def marks(self) -> Iterator[tuple[int, int]]:
        return told.marks_of(self._database.read(), self.task)

    def last_visited(self) -> str:
        return told.latest_done(self._database.read(), self.task)

    def record(self, requests: Sequence[RequestRecord], robots: Sequence[tuple[str, bytes]] = ()) -> None:
        """Note requests that were made, for the owners of the hosts, and the robots.txt that origins answered with."""
        if not requests and not robots:
            return
        batch = self._journal.open_batch()
        batch.robots.extend((clean(origin), self._now(), body) for origin, body in robots)
        batch.requests.extend(row_of(self.task, request) for request in requests)
        self._journal.commit_soon()

    def pause(self, host: str, seconds: float) -> None:
        """Leave a host alone for so long."""
        self._schedule.postpone(self._schedule.host(host), self._clock.monotonic() + seconds)

    def due_in(self, *, probe: bool | None = None) -> float | None:
        """How long until a lease may be had (in one lane, if named); None if nothing is left.

        While leases are out or admissions under way something may still come, so it is never None then.
        """
        lanes: tuple[int, ...] = (PAGE, PROBE) if probe is None else (PROBE if probe else PAGE,)
        if reaches(self._pages, self.bounds.max_pages):
            lanes = tuple(lane for lane in lanes if lane != PAGE)
        now = self._clock.monotonic()
        due = self._schedule.due(lanes, now)
        if self._journal.is_behind:
            return _POLL_S
        is_moving = bool(self._leases or self._entering or self._schedule.busy)
        if due is None or (due > now and not lanes):
            return _POLL_S if is_moving else None
        return min(due - now, _POLL_S) if is_moving else due - now

    def stats(self) -> FrontierStats:
        return FrontierStats(
            queued=self._schedule.queued + self._schedule.delayed + self._entering,
            leased=len(self._leases),
            pages=self._pages,
            visited=self._visited,
            duplicates=self._duplicates,
            drops=dict(self._drops),
        )

    def visits(self) -> Iterator[told.VisitRecord]:
        return told.iterate_visits(self._database.read(), self.task)

    async def flush(self) -> None:
        """Return when everything so far is on disk."""
        await self._journal.flush()

    async def close(self) -> None:
        """Flush and stop writing; what is leased or queued stays pending in the file."""
        try:
            await self._journal.flush()
        finally:
            self._journal.close()

    def _id(self, number: int) -> int:
        return self.task << TASK_BITS | number

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _drop_rows(self) -> list[Row]:
        return [(self.task, reason.value, count) for reason, count in self._drops.items()]
