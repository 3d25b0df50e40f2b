"""Fetchers that stand before another one: what all of them share is spelled here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial

from geohound.contracts import Fetcher, Follows
from geohound.model.secrets import Secrets
from geohound.model.visit import Validators, Visit

NextFetch = Callable[[], Awaitable[Visit]]  # has the fetcher behind make the request


class FetcherWrapper(ABC):
    """A fetcher in front of another, which belongs to somebody else; `ask` says what becomes of each request."""

    __slots__ = ("inner",)
    follows: Follows | None = None  # which redirects, where the caller does not say

    def __init__(self, inner: Fetcher | None = None) -> None:
        self.inner = inner

    @abstractmethod
    async def ask(self, url: str, onward: NextFetch) -> Visit:
        """The answer, by `onward` or without it."""

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
        if self.inner is None:
            return await self.ask(url, _nowhere)
        which = follows or self.follows
        onward = partial(
            self.inner.fetch,
            url,
            accept=accept,
            max_bytes=max_bytes,
            follows=which,
            known=known,
        )
        if span is not None:
            onward = partial(onward, span=span)
        return await self.ask(
            url, partial(onward, secrets=secrets) if secrets else onward
        )

    async def close(self) -> None:  # noqa: B027 - nothing is to be done
        """The inner fetcher belongs to somebody else."""


async def _nowhere() -> Visit:
    raise LookupError("there is no fetcher behind this one")
