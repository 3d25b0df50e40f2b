"""What does the work of a crawl: clock, fetcher, examiner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if (
    TYPE_CHECKING
):  # all that is spoken of here: whoever needs a contract need not load it
    from datetime import datetime

    from geohound.model.secrets import Secrets
    from geohound.model.visit import Validators, Visit
    from geohound.model.work.job import Job, Report


class Clock(Protocol):
    """The time; tests bring their own."""

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


Follows = Callable[[str, str], bool]


class Fetcher(Protocol):
    """One polite, guarded request; every trouble is a Failure, never an exception."""

    async def fetch(  # noqa: PLR0913
        self,
        url: str,
        *,
        accept: str = "*/*",
        max_bytes: int | None = None,
        follows: Follows | None = None,
        known: Validators | None = None,
        secrets: Secrets | None = None,
        span: tuple[int, int] | None = None,
    ) -> Visit:
        """The answer, redirects followed. With `known` it may be a 304 without body; redirects get no `secrets`.

        `span` asks for a part of a file, packed as it is: its first byte, from the end where negative, and how many.
        A server that knows no ranges answers 200 with the file from its beginning.
        `follows` is asked about each redirect, from where and to where; one that it refuses is the answer, a 3xx.
        """

    async def close(self) -> None: ...


class Examiner(Protocol):
    """Whoever visits, reads and reports: this process, or a pool of others."""

    @property
    def restarts(self) -> int:
        """How often a process was replaced by another, which has to learn again what the first one knew."""

    async def examine(self, job: Job) -> Report: ...

    async def refresh(self) -> None:
        """Forget which hosts could not be reached: the network was away."""

    async def close(self) -> None: ...


class PageExaminer(Examiner, Protocol):
    """One that works for longer than a crawl."""

    def forget(self) -> None:
        """Forget the pages, files and links that were read: they may be others by now."""
