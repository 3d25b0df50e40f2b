"""Hosts shared between processes: claimed before the first request, and released when others wait for them.

A thread claims, renews and releases hosts in batches, so that neither a page nor the event loop waits for the disk.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from geohound.contracts import Clock, HostClaims, StoreError

from .hosts import Politeness

log = logging.getLogger(__name__)

TTL_S = 60.0  # after which the hosts of a process that may have died are free
MARGIN_S = 10.0  # so long before that its holder makes no more requests, so that the next one need not wait
RENEW_S = 15.0
TENURE_S = 5.0  # a host is kept at least so long while others wait for it
LOOK_S = 1.0  # how often we check who waits for our hosts, and try for those of others
YIELD_S = 2 * LOOK_S  # after which we claim a host again that we released for others
# a host that nobody in this process wanted for so long is no longer claimed
FORGET_S = 3.0
AGREE_S = 60.0  # how often processes find out which IP addresses they share
MAX_AGREED = 5000  # addresses at a time
LONG_PAUSE_S = 5.0  # stored at once, so that it outlives this process
_LINGER_S = 0.01  # waits a moment, to claim several hosts in one transaction
_SOON_S = 0.03


@dataclass(slots=True)
class _Claim:
    valid_to: float
    since: float
    used_at: float
    is_leaving: bool = False


class SharedHosts:
    """The hosts that this process has in one catalogue."""

    def __init__(
        self,
        claims: HostClaims,
        politeness: Politeness,
        clock: Clock,
        holder: str,
        is_gone: Callable[[str], bool],
    ) -> None:
        """`is_gone` says whether the process that holds a host has ended, so that its claims need not be waited for."""
        self._claims = claims
        self._politeness = politeness
        self._clock = clock
        self._holder = holder
        self._is_gone = is_gone
        self._lock = threading.Lock()
        self._ours: dict[str, _Claim] = {}
        # hosts that are wanted but not ours, and when they were last wanted
        self._asked: dict[str, float] = {}
        # hosts that other processes have, and when to try again
        self._elsewhere: dict[str, float] = {}
        # our hosts with a long pause that is not stored yet
        self._paused: set[str] = set()
        self._delay_s = 0.0  # the longest delay that any task of this process keeps
        self._renew_at = self._look_at = clock.monotonic()
        self._agree_at = clock.monotonic() + LOOK_S
        self._woken = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(
            target=self._run, name="host-claims", daemon=True
        )

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Release all hosts, each with the rest of its pause."""
        self._is_closed = True
        self._woken.set()
        self._thread.join()
        with self._lock:
            ours, self._ours = self._ours, {}
        self._release(list(ours))

    @property
    def elsewhere(self) -> int:
        """How many hosts wait for another process to let go of them."""
        return len(self._elsewhere)

    def wait_s(self, host: str, delay_s: float) -> float:
        """0 if this process has the host, else after how many seconds to call again; it is claimed meanwhile."""
        with self._lock:
            now = self._clock.monotonic()
            claim = self._ours.get(host)
            if claim is not None and claim.is_leaving:
                return LOOK_S
            if claim is not None and now < claim.valid_to:
                claim.used_at = now
                return 0.0
            self._delay_s = max(self._delay_s, delay_s)
            is_new = host not in self._asked
            self._asked[host] = now
            wait_s = self._elsewhere[host] - now if host in self._elsewhere else 0.0
        if is_new:
            self._woken.set()
        return max(wait_s, _SOON_S)

    def note_pause(self, host: str) -> None:
        """Store a long pause that the host asked for, so that other processes keep it even if this one is killed."""
        with self._lock:
            if host in self._ours:
                self._paused.add(host)
        self._woken.set()

    def tick(self) -> None:
        """Claim hosts that are needed, renew those in use, release those that others want."""
        now = self._clock.monotonic()
        with self._lock:
            leaving = (
                [host for host, claim in self._ours.items() if claim.is_leaving]
                if self._look_at <= now
                else []
            )
            wanted = self._due(now)
        if wanted:
            self._claim(wanted)
        self._release(
            [host for host in leaving if self._politeness.holder(host) is None]
        )
        if self._look_at <= now:
            self._look_at = now + LOOK_S
            self._yield(now)
        if self._agree_at <= now:
            self._agree_at = now + AGREE_S
            self._agree()

    def _agree(self) -> None:
        """Hosts of several processes may share an IP address: together they request it no faster than one process would."""
        addresses = self._politeness.addresses_since(AGREE_S)[-MAX_AGREED:]
        if not addresses:
            return
        holders = self._claims.share_addresses(addresses, self._holder, 2 * AGREE_S)
        known = {holder for those in holders.values() for holder in those}
        gone = {holder for holder in known if self._is_gone(holder)}
        for address, those in holders.items():
            self._politeness.share_address(address, len(set(those) - gone))

    def _due(self, now: float) -> list[str]:
        """Hosts to be claimed or renewed now."""
        self._asked = {
            host: at for host, at in self._asked.items() if now - at < FORGET_S
        }
        self._elsewhere = {
            host: at for host, at in self._elsewhere.items() if host in self._asked
        }
        due = {host for host in self._asked if self._elsewhere.get(host, now) <= now}
        due |= self._paused
        self._paused = set()
        if self._renew_at <= now:
            self._renew_at = now + RENEW_S
            for host, claim in list(self._ours.items()):
                if (
                    now - claim.used_at < RENEW_S
                    or self._politeness.holder(host) is not None
                ):
                    due.add(host)
                elif claim.valid_to <= now:
                    del self._ours[host]
        return list(due)

    def _claim(self, hosts: list[str]) -> None:
        began_at = self._clock.monotonic()
        result = self._claims.claim(self._pauses(hosts), self._holder, TTL_S)
        valid_to = began_at + TTL_S - MARGIN_S
        with self._lock:
            for host, pause_s in result.granted.items():
                known = self._ours.get(host)
                if known is None:
                    self._politeness.postpone(host, pause_s)
                    self._ours[host] = _Claim(valid_to, began_at, began_at)
                else:
                    known.valid_to = valid_to
                self._asked.pop(host, None)
                self._elsewhere.pop(host, None)
            for host in result.refused:
                self._ours.pop(host, None)
                self._elsewhere[host] = began_at + LOOK_S
        self._bury(result.refused)

    def _bury(self, refused: Mapping[str, str]) -> None:
        """Release the hosts of processes that have ended, with a full pause, as their last request is not known."""
        by_holder: dict[str, list[str]] = defaultdict(list)
        for host, holder in refused.items():
            by_holder[holder].append(host)
        for holder, hosts in by_holder.items():
            if self._is_gone(holder):
                self._claims.release(dict.fromkeys(hosts, self._delay_s), holder)
                with self._lock:
                    for host in hosts:
                        self._elsewhere.pop(host, None)
                self._woken.set()

    def _yield(self, now: float) -> None:
        """Stop using hosts that others want; each is released when no request to it is under way."""
        wanted = self._claims.wanted(self._holder) if self._ours else ()
        with self._lock:
            for host in wanted:
                claim = self._ours.get(host)
                if claim is not None and (
                    now - claim.since >= TENURE_S or now - claim.used_at >= LOOK_S
                ):
                    claim.is_leaving = True

    def _release(self, hosts: list[str]) -> None:
        if not hosts:
            return
        self._claims.release(self._pauses(hosts), self._holder)
        again_at = self._clock.monotonic() + YIELD_S
        with self._lock:
            for host in hosts:
                self._ours.pop(host, None)
                self._asked[host] = self._clock.monotonic()
                self._elsewhere[host] = again_at

    def _pauses(self, hosts: list[str]) -> dict[str, float]:
        return {host: self._politeness.pause_left_s(host) for host in hosts}

    def _run(self) -> None:
        while True:
            self._woken.wait(LOOK_S)
            self._woken.clear()
            if self._is_closed:
                return
            time.sleep(_LINGER_S)
            try:
                self.tick()
            except StoreError as error:
                log.warning("Hosts cannot be claimed at present: %s", error)
