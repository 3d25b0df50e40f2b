"""Wiring of what the portal asks services for on a visitor's behalf: guarded, polite, and short of patience."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from geohound.settings import Settings

from .network import fetcher

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from geohound.model.visit import Visit
    from geohound.net.fetcher import CurlFetcher

_PATIENCE_S = 20.0  # of somebody who waits for a picture


class Relay:
    """Asks for an address with the guard and the pauses of every request; one fetcher for the life of an event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = replace(
            settings, total_timeout_s=min(settings.total_timeout_s, _PATIENCE_S)
        )
        self._max_bytes = settings.proxy_max_bytes
        self._made: tuple[AbstractEventLoop, CurlFetcher] | None = None

    async def __call__(
        self, url: str, accept: str, follows: Callable[[str, str], bool]
    ) -> Visit:
        """The answer, cut off after so many bytes; a redirect that `follows` refuses is the answer."""
        return await self._fetcher().fetch(
            url, accept=accept, max_bytes=self._max_bytes, follows=follows
        )

    def _fetcher(self) -> CurlFetcher:
        from asyncio import get_running_loop

        loop = get_running_loop()
        if self._made is None or self._made[0] is not loop:
            self._made = (loop, fetcher(self._settings))
        return self._made[1]
