"""How often one numeric address is asked, whatever the names under which it serves: shared hosting is one machine."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import replace

from geohound.contracts import Clock
from geohound.model.visit import Visit
from geohound.politeness import PolitenessPolicy, VisitFacts, address_pause_s

from .slots import Slots

_MAX_ADDRESSES = 100_000
_MAX_HOSTS = 100_000


class _State:
    """One address: when it may be asked next, by how many it is asked now, how long its pauses are at present."""

    __slots__ = ("freed", "gap_s", "in_flight", "next_at", "troubles", "waiting")

    def __init__(self, gap_s: float) -> None:
        self.next_at = 0.0
        self.in_flight = 0
        self.gap_s = gap_s
        self.troubles = 0
        self.waiting = 0
        self.freed: asyncio.Future[None] | None = None


class Addresses:
    """A claim for each request: so many at once, and a pause between the beginnings of two.

    The pause is a share of that of a host, and like it grows with the time that answers take and doubles with trouble.
    """

    def __init__(self, clock: Clock, policy: PolitenessPolicy, processes: int = 1) -> None:
        self._clock = clock
        processes = max(1, processes)  # each knows of its own requests only
        self._policy = replace(policy, address_share=policy.address_share * processes)
        self._at_once = max(1, policy.requests_per_address // processes)
        self._states: OrderedDict[str, _State] = OrderedDict()
        self._hosts: OrderedDict[str, str] = OrderedDict()
        self._heads = Slots(1)  # of the lines, one for each address

    def of(self, host: str) -> str | None:
        """The address at which a host was found last."""
        return self._hosts.get(host)

    def remember(self, host: str, address: str) -> None:
        if self._hosts.get(host) != address:
            self._hosts[host] = address
            if len(self._hosts) > _MAX_HOSTS:
                self._hosts.popitem(last=False)

    def claim(self, address: str) -> bool:
        """Take the address for one request, if nobody waits for it and it is due."""
        state = self._state(address)
        return state.waiting == 0 and self._take(state)

    def wait_s(self, address: str) -> float:
        """About how long a request that comes now would wait."""
        state = self._states.get(address)
        if state is None:
            return 0.0
        return max(0.0, state.next_at - self._clock.monotonic()) + state.waiting * state.gap_s

    async def turn(self, address: str) -> None:
        """Wait in line until the address is ours for one request."""
        state = self._state(address)
        if state.waiting == 0 and self._take(state):
            return
        state.waiting += 1
        try:
            await self._heads.acquire(address)
            try:
                while not self._take(state):
                    await self._until_free(state)
            finally:
                self._heads.release(address)
        finally:
            state.waiting -= 1

    def release(self, address: str, visit: Visit | None) -> None:
        """The request is over; None if the claim was not used."""
        state = self._states.get(address)
        if state is None:
            return
        state.in_flight -= 1
        if state.freed is not None and not state.freed.done():
            state.freed.set_result(None)
        if visit is not None:
            seen = VisitFacts.of(visit)
            state.troubles = state.troubles + 1 if seen.is_overloaded else 0
            state.gap_s = address_pause_s(seen, state.troubles, self._policy)

    def _take(self, state: _State) -> bool:
        now = self._clock.monotonic()
        if state.in_flight >= self._at_once or state.next_at > now:
            return False
        state.in_flight += 1
        state.next_at = now + state.gap_s
        return True

    async def _until_free(self, state: _State) -> None:
        if state.in_flight < self._at_once:
            await self._clock.sleep(max(0.0, state.next_at - self._clock.monotonic()))
            return
        state.freed = asyncio.get_running_loop().create_future()
        try:
            await state.freed
        finally:
            state.freed = None

    def _state(self, address: str) -> _State:
        state = self._states.get(address)
        if state is None:
            if len(self._states) >= _MAX_ADDRESSES:
                self._forget()
            state = self._states[address] = _State(self._policy.host_delay_s * self._policy.address_share)
        return state

    def _forget(self) -> None:
        """A tenth, the longest known first; what is in use stays."""
        for address in list(self._states)[: _MAX_ADDRESSES // 10]:
            state = self._states[address]
            if not state.in_flight and not state.waiting:
                del self._states[address]
