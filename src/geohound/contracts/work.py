"""The clock, the fetcher and the examiner of a crawl."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # types only: who needs a contract need not load these
    from datetime import datetime

    from geohound.model.crawl.job import Job, Report
    from geohound.model.secrets import Secrets
    from geohound.model.visit import Validators, Visit


class Clock(Protocol):
    """The time; tests bring their own."""

    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


Follows = Callable[[str, str], bool]


class Fetcher(Protocol):
    """Makes polite, guarded requests; whatever goes wrong is returned as a Failure, never raised."""

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
    """Examines URLs: in this process, or in a pool of worker processes."""

    @property
    def restarts(self) -> int:
        """How often a worker process was replaced; a new one knows nothing of what the old one had learned."""

    async def examine(self, job: Job) -> Report: ...

    async def refresh(self) -> None:
        """Forget which hosts could not be reached, because our own network was down."""

    async def close(self) -> None: ...


class PageExaminer(Examiner, Protocol):
    """One that works for longer than a crawl."""

    def forget(self) -> None:
        """Forget the pages, files and links that were read: they may be others by now."""
