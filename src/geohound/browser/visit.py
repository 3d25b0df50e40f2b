"""One page, run: loaded, its events triggered, its searches asked, within its budget (WBC-3, WBC-7)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from geohound.model.crawl.browsed import BrowsedPage, EventRow, PageState

from . import events, states
from .budget import PageBudget
from .traffic import Traffic

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Frame, Page

LOAD_QUIET_S = 0.7
EVENT_QUIET_S = 0.15
EVENT_MOST_S = 3.0
LOOK_AGAIN_S = 0.35
MAX_HTML = 2_000_000
MAX_FRAMES = 6  # inside the page, whose events are triggered too
_PER_FRAME = 1_000_000  # elements; numbers of frames and elements are sent as one
MAX_STATE_CHARS = 8_000_000  # of all states together


class Stuck(Exception):  # noqa: N818 - no error of ours: pages are like that
    """The page does not answer, or is gone."""


class PageVisit:
    """A page in a context of its own."""

    def __init__(
        self, context: BrowserContext, name: str, traffic: Traffic, budget: PageBudget
    ) -> None:
        self._context = context
        self._hooks = f"window[{name!r}]"
        self._traffic = traffic
        self._budget = budget
        self._page: Page | None = None
        self._session: CDPSession | None = None
        self._gone = asyncio.Event()
        self._silent: set[int] = set()
        # those inside the page, in the order in which they were met
        self._frames: list[Frame] = []
        self._doms: list[states.Dom] = []
        self._states: list[PageState] = []
        self._changing: frozenset[str] = frozenset()
        self._triggered = 0
        self._met: list[events.Event] = []
        self._end = 0.0
        self._reported: Sequence[EventRow] = ()  # by the watcher of the site

    async def run(
        self, url: str, words: Sequence[str] = (), reported: Sequence[EventRow] = ()
    ) -> str:
        """Do it all; why it ended early, or nothing. Where events are reported, only these are triggered."""
        self._reported = reported
        self._end = time.monotonic() + self._budget.time_s
        try:
            async with asyncio.timeout(self._budget.time_s):
                await self._guarded(self._whole(url, words))
        except TimeoutError:
            return "its time is spent"
        except Stuck as why:
            return str(why)
        if self._traffic.refused is not None:
            return f"the page could not be had: {self._traffic.refused}"
        return ""

    def seen(self, url: str, trouble: str) -> BrowsedPage:
        traffic = self._traffic
        return BrowsedPage(
            url, traffic.asked, tuple(traffic.files), tuple(traffic.pages), tuple(self._states), self._triggered,
            traffic.requests, tuple(events.combined(dict.fromkeys(self._met))), trouble,
        )  # fmt: skip

    async def crash(self) -> None:
        """End the page's process, even if it is busy for ever; there is no answer to wait for."""
        with suppress(Exception):
            if self._session is not None:
                await asyncio.wait_for(self._session.send("Page.crash"), 0.5)

    async def _guarded(self, work: Any) -> None:
        """Work until it is done, the page dies, or it floods us."""
        main = asyncio.ensure_future(work)
        gone = asyncio.ensure_future(self._gone.wait())
        flooded = asyncio.ensure_future(self._traffic.flooded.wait())
        try:
            await asyncio.wait(
                (main, gone, flooded), return_when=asyncio.FIRST_COMPLETED
            )
            if main.done():
                main.result()
            else:
                raise Stuck(
                    "it asked for too much"
                    if flooded.done()
                    else "it broke its process"
                )
        finally:
            for task in (main, gone, flooded):
                task.cancel()
            await asyncio.gather(main, gone, flooded, return_exceptions=True)

    async def _whole(self, url: str, words: Sequence[str]) -> None:
        await self._open(url)
        if self._traffic.refused is not None:
            return
        await self._calm_down()
        await self._look_first()
        await self._trigger_events()
        if words:
            await self._search(words)
        await self._calm_down()

    async def _open(self, url: str) -> None:
        from playwright.async_api import Error  # noqa: PLC0415 - an extra

        context, traffic = self._context, self._traffic
        await context.route("**/*", traffic.handle)
        page = self._page = await context.new_page()
        page.on("crash", lambda _: self._gone.set())
        page.on("close", lambda _: self._gone.set())
        context.on("page", _close)
        self._session = await context.new_cdp_session(page)
        loading = asyncio.ensure_future(
            page.goto(url, wait_until="domcontentloaded", timeout=0)
        )
        try:
            await traffic.settle(
                self._budget.patience_s / 2, self._left_s(0.6), loading
            )
            await traffic.settle(LOAD_QUIET_S, self._left_s(0.5))
        finally:
            loading.cancel()
            # what went wrong with the request stands in traffic
            with suppress(Error, asyncio.CancelledError):
                await loading
        traffic.is_settled = True
        if not traffic.loads:
            raise Stuck("the browser did not come to it")

    async def _calm_down(self) -> None:
        """Wait until the page has nothing to do and asks for nothing more."""
        for _ in range(5):
            before = self._traffic.count
            await self._ask("idle")
            await self._traffic.settle(
                LOAD_QUIET_S / 2, min(EVENT_MOST_S, self._left_s())
            )
            if self._traffic.count == before:
                return

    def _left_s(self, share: float = 1.0) -> float:
        return max(0.05, (self._end - time.monotonic()) * share)

    async def _ask(self, script: str, *arguments: Any) -> Any:
        """A question to the page, which may not answer, or answer anything."""
        from playwright.async_api import Error  # noqa: PLC0415

        if self._page is None:
            raise Stuck("it is not there")
        call = f"(a) => {self._hooks}.{script}(...a)"
        try:
            return await asyncio.wait_for(
                self._page.evaluate(call, list(arguments)), self._budget.patience_s
            )
        except TimeoutError:
            raise Stuck("it does not answer") from None
        except Error:
            return None

    async def _ask_inner(self, number: int, script: str, *arguments: Any) -> Any:
        """The same of a frame inside the page; one that does not answer is not asked again."""
        from playwright.async_api import Error  # noqa: PLC0415

        frame = self._frames[number]
        if frame.is_detached() or number in self._silent:
            return None
        call = f"(a) => {self._hooks}.{script}(...a)"
        try:
            return await asyncio.wait_for(
                frame.evaluate(call, list(arguments)), self._budget.patience_s / 2
            )
        except TimeoutError:
            self._silent.add(number)
        except Error:
            return None
        return None

    async def _html(self) -> str:
        html = await self._ask("outer")
        return html[:MAX_HTML] if isinstance(html, str) else ""

    async def _state(self, description: str) -> PageState:
        """With what stands in frames: what an event changes there is a new state, too."""
        html = await self._html()
        inner = [await self._ask_inner(n, "outer") for n in range(len(self._frames))]
        frames = "".join(part for part in inner if isinstance(part, str))
        return PageState(description, html, frames[: MAX_HTML - len(html)])

    def _meet_frames(self) -> None:
        inner = self._page.frames[1:] if self._page is not None else []
        new = [f for f in inner if f not in self._frames]
        self._frames += new[: MAX_FRAMES - len(self._frames)]

    async def _events(self) -> list[events.Event]:
        """The events of the page and of its frames, whoever made them: maps often stand in a frame of another site."""
        found = list(events.read(await self._ask("list")))
        self._meet_frames()
        for number in range(len(self._frames)):
            rows = events.read(await self._ask_inner(number, "list"))
            found += [
                replace(e, number=e.number + (number + 1) * _PER_FRAME)
                for e in rows
                if e.number < _PER_FRAME
            ]
        self._met += found[: events.MAX_ROWS - len(self._met)]
        return found

    async def _look_first(self) -> None:
        """The page as loaded, looked at twice: what changes meanwhile, changes by itself."""
        self._meet_frames()
        loaded = await self._state("load")
        first = states.read(loaded.html + loaded.frames)
        await asyncio.sleep(LOOK_AGAIN_S)
        later = await self._state("load")
        again = states.read(later.html + later.frames)
        self._changing = states.changing_parts(first, again)
        self._doms.append(states.without(first, self._changing))
        self._states.append(loaded)

    async def _trigger_events(self) -> None:
        done: set[tuple[str, ...]] = set()
        waiting = events.ranked(self._wanted(await self._events()), done)
        while waiting and self._triggered < self._budget.events:
            event = waiting.pop(0)
            done.add(event.key)
            if not await self._do(
                event.description, "fire", event.number, event.kind, event.value
            ):
                continue
            self._triggered += 1
            if await self._is_new_state(event.description):
                waiting = events.ranked(
                    [*waiting, *self._wanted(await self._events())], done
                )

    def _wanted(self, found: list[events.Event]) -> list[events.Event]:
        """All events, or those that the site's watcher reports (WBC-7)."""
        return events.reported_among(found, self._reported) if self._reported else found

    async def _do(self, description: str, script: str, *arguments: Any) -> bool:
        """Do something to the page and wait for what it asks for because of it."""
        self._traffic.event = description
        self._traffic.touch()
        frame, number = divmod(arguments[0], _PER_FRAME)
        asked = (script, number, *arguments[1:])
        is_done = await (
            self._ask_inner(frame - 1, *asked) if frame else self._ask(*asked)
        )
        await self._traffic.settle(EVENT_QUIET_S, min(EVENT_MOST_S, self._left_s()))
        return is_done is True

    async def _is_new_state(self, description: str) -> bool:
        state = await self._state(description)
        dom = states.without(states.read(state.html + state.frames), self._changing)
        if len(self._doms) >= self._budget.states or not states.is_new(dom, self._doms):
            return False
        self._doms.append(dom)
        kept = sum(len(known.html) + len(known.frames) for known in self._states)
        if kept < MAX_STATE_CHARS:
            self._states.append(state)
        return True

    async def _search(self, words: Sequence[str]) -> None:
        """Ask the words of plain searches; where that would lead to another page, go there."""
        rows = await self._ask("searches")
        numbers = (
            [row[0] for row in rows[:5] if isinstance(row, list) and row]
            if isinstance(rows, list)
            else []
        )
        for number in numbers:
            for word in words:
                before = set(self._traffic.pages)
                description = f"search for “{word}”"
                if await self._do(description, "search", number, word):
                    await self._is_new_state(description)
                for address in [p for p in self._traffic.pages if p not in before][:1]:
                    await self._read_result(address, description)

    async def _read_result(self, address: str, description: str) -> None:
        """A page of results, fetched as the others are; its scripts are not run, its words are read."""
        html = (await self._traffic.text_of(address))[:MAX_HTML]
        if html and states.is_new(states.read(html), self._doms):
            self._doms.append(states.read(html))
            self._states.append(PageState(description, html))


async def _close(page: Page) -> None:
    # a window that nobody asked for, and that may already be gone
    with suppress(Exception):
        await page.close()
