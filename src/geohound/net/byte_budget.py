"""One budget for the bytes of all answers that this process holds: whoever finds it spent waits until others let go.

An answer counts as it is unpacked, and until the last one who holds it lets go of it or its account is closed. Where
all who hold something wait, the eldest of them goes on, to its own limits: so somebody always does, and all together
hold the budget and what one account may take beyond it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial

from .memory_release import give_back

AS_TEXT = 2  # what is read is held as bytes and as text
STILL_S = 5.0  # nobody was on the wire for so long: whoever may go on waits for one who waits for us
# so long an account may ask for more while it holds much that others wait for
PRESSED_S = 30.0
_MUCH = 16  # this part of the budget
_WORTH_GIVING_BACK = 16_000_000

_current: ContextVar[MemoryAccount | None] = ContextVar("account", default=None)


class MemoryAccount:
    """What one piece of work holds; the elder goes first."""

    __slots__ = ("_budget", "held", "is_open", "most", "number", "pressed_at")

    def __init__(self, budget: ByteBudget, number: int) -> None:
        self._budget = budget
        self.number = number
        self.held = 0
        self.most = 0  # that it ever held
        self.is_open = True
        self.pressed_at: float | None = None

    def change(self, size: int) -> None:
        if self.is_open:
            self.held += size
            self.most = max(self.most, self.held)
            self._budget.change(self, size)

    def close(self) -> None:
        self.change(-self.held)
        self.is_open = False
        self._budget.forget(self)


class ByteHold:
    """What one answer takes, counted for as long as this lives."""

    __slots__ = ("_account", "size")

    def __init__(self, account: MemoryAccount) -> None:
        self._account = account
        self.size = 0

    def add(self, size: int) -> None:
        self.size += size
        self._account.change(size)

    def __del__(self) -> None:
        self._account.change(-self.size)


class ByteBudget:
    """Counts what all accounts hold, and says who may go on; belongs to one event loop."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self.held = 0
        self._accounts = 0
        self._line: dict[object, tuple[MemoryAccount, Callable[[], None]]] = {}
        self._favoured: MemoryAccount | None = None
        # that wait for others; who never waits is not among them
        self._holders: set[MemoryAccount] = set()
        self._running = 0  # requests of accounts that are on the wire and not paused
        self._moved_at = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_waking = False
        self._watch: asyncio.TimerHandle | None = None

    @property
    def is_spent(self) -> bool:
        return self.held > self._max_bytes

    @property
    def is_wanted(self) -> bool:
        """Does anybody wait?"""
        return bool(self._line)

    @staticmethod
    def current() -> MemoryAccount | None:
        """The account of whoever asks; without one nothing waits."""
        return _current.get()

    @contextmanager
    def account(self) -> Iterator[None]:
        """All that is asked for in here, by this task and those it starts, is one account."""
        self._accounts += 1
        account = MemoryAccount(self, self._accounts)
        token = _current.set(account)
        try:
            yield
        finally:
            _current.reset(token)
            account.close()

    def nobodys(self) -> MemoryAccount:
        """An account that never waits, and that nobody waits for."""
        return MemoryAccount(self, 0)

    def is_much(self, size: int) -> bool:
        """Is it so much that it must be let go of when others wait?"""
        return size > self._max_bytes // _MUCH

    def change(self, account: MemoryAccount, size: int) -> None:
        self.held += size
        if account.number:
            (self._holders.add if account.held else self._holders.discard)(account)
        if size < 0 and self._line:
            self._wake()

    def forget(self, account: MemoryAccount) -> None:
        """The account is closed: another may be favoured."""
        if account.most > _WORTH_GIVING_BACK:
            give_back()
        if account is self._favoured:
            self._favoured = None
            self._wake()

    def may_go_on(self, account: MemoryAccount) -> bool:
        return not self.is_spent or account is self._favoured

    async def turn(self, account: MemoryAccount) -> bool:
        """Wait until this account may ask for more; False if it has held much that others want for too long."""
        loop = asyncio.get_running_loop()
        while not self._is_its_turn(account):
            rest_s = self._rest_s(account, loop.time())
            going: asyncio.Future[None] = loop.create_future()
            self.line_up(going, account, partial(_settle, going))
            try:
                await asyncio.wait((going,), timeout=rest_s)
            finally:
                self.leave(going)
            if rest_s is not None and not going.done():
                return False
        rest_s = self._rest_s(account, loop.time()) if self.is_spent else None
        return rest_s is None or rest_s > 0

    def _is_its_turn(self, account: MemoryAccount) -> bool:
        if self.is_spent:
            return account is self._favoured
        return all(account.number <= elder.number for elder, _ in self._line.values())

    def _rest_s(self, account: MemoryAccount, now: float) -> float | None:
        """How long the account may still ask for more; None: it holds little, and may wait for ever."""
        if not self.is_much(account.held):
            return None
        if account.pressed_at is None:
            account.pressed_at = now
        return max(0.0, account.pressed_at + PRESSED_S - now)

    def line_up(
        self, waiter: object, account: MemoryAccount, go_on: Callable[[], None]
    ) -> None:
        """Have `go_on` called when it is the account's turn, unless the waiter leaves before."""
        self._loop = asyncio.get_running_loop()
        self._line[waiter] = account, go_on
        self._wake()

    def leave(self, waiter: object) -> None:
        self._line.pop(waiter, None)

    def run(self, count: int, now: float) -> None:
        """So many more requests of accounts are on the wire, or fewer."""
        self._running += count
        self._moved_at = now

    def _wake(self) -> None:
        """Soon, in the event loop: bytes are let go of in the midst of anything, perhaps in another thread."""
        if (
            self._loop is not None
            and not self._is_waking
            and not self._loop.is_closed()
        ):
            self._is_waking = True
            self._loop.call_soon_threadsafe(self._let_go_on)

    def _let_go_on(self) -> None:
        """One at a time: a few packed kilobytes may become the whole budget at once."""
        self._is_waking = False
        if not self.is_spent:
            self._favoured = None
        elif self._favoured is None and self._holders <= {
            account for account, _ in self._line.values()
        }:
            self._favoured = self._eldest()
        may = [
            waiter
            for waiter, (account, _) in self._line.items()
            if self.may_go_on(account)
        ]
        if not may:
            self._keep_watch()
            return
        _, go_on = self._line.pop(
            min(may, key=lambda waiter: self._line[waiter][0].number)
        )
        go_on()
        if self._line:
            self._wake()

    def _eldest(self) -> MemoryAccount | None:
        return min(
            (account for account, _ in self._line.values()),
            key=lambda account: account.number,
            default=None,
        )

    def _keep_watch(self) -> None:
        if self._watch is None and self._line and self._loop is not None:
            self._watch = self._loop.call_later(STILL_S, self._look)

    def _look(self) -> None:
        """Where nobody moves, whoever may go on waits for what another holds who waits for us: one more goes on."""
        self._watch = None
        if (
            self._running == 0
            and self._loop is not None
            and self._loop.time() - self._moved_at >= STILL_S
        ):
            self._favoured = self._eldest()
        self._let_go_on()


def _settle(going: asyncio.Future[None]) -> None:
    if not going.done():
        going.set_result(None)
