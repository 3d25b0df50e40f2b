"""The browser's process: found, started without a network of its own, watched, and ended."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Playwright

log = logging.getLogger(__name__)

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
LOOK_S = 0.25  # between two looks at the memory of the pages
LAUNCH_S = 120.0  # a second or two, but on a machine that is busy with much else
CLOSE_S = 8.0
_NOWHERE = "127.0.0.1:9"  # nothing listens there, and no name is ever looked up
# The last list that Chromium is given is the one that counts, so Playwright's own are here too. Mixed content and local
# addresses are for the fetcher to judge; spare processes and pages of its own only cost time.
_FEATURES = (
    "AutoupgradeMixedContent,LocalNetworkAccessChecks,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "SpareRendererForSitePerProcess,PreloadTopChromeWebUI,BackForwardCache,Translate,MediaRouter,GlobalMediaControls,"
    "LensOverlay,PaintHolding,OptimizationHints,NetworkTimeServiceQuerying,PreconnectToSearch,AimEnabled,"
    "ThirdPartyStoragePartitioning,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose"
)
_FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    f"--proxy-server=http://{_NOWHERE}",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-shared-workers",
    "--disable-remote-fonts",
    f"--disable-features={_FEATURES}",
    "--allow-running-insecure-content",
    "--mute-audio",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",  # maps in WebGL ask for their data only where they can draw
    "--disable-dev-shm-usage",
)


class BrowserError(Exception):
    """No browser can be had; the message is for people and says what to do."""


def find(path: str = "") -> str:
    """Where the browser is, by the name or place given or by its usual names."""
    if path:
        found = shutil.which(str(Path(path).expanduser()))
        if found is None:
            raise BrowserError(
                f"There is no browser at {path}; name another in the setting browser_path."
            )
        return found
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise BrowserError(
            "Pages are run in Chromium, which is not here. On Debian: apt-get install chromium;"
            " elsewhere name it in the setting browser_path."
        )
    return found


def check(path: str = "") -> str:
    """The path of the browser, if it and what drives it are there."""
    try:
        import playwright  # noqa: F401, PLC0415 - an extra: most crawls go without
    except ImportError:
        raise BrowserError(
            "Pages are run through Playwright, which is not here: pip install 'geohound[browser]'."
        ) from None
    return find(path)


def can_sandbox() -> bool:
    """Chromium refuses to lock its pages in where root starts it."""
    return not hasattr(os, "geteuid") or os.geteuid() != 0


class Chromium:
    """One running browser with the process that drives it."""

    def __init__(self, path: str, memory_bytes: int) -> None:
        self._path = path
        self._memory_bytes = memory_bytes
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._watching: asyncio.Task[None] | None = None
        self._hooks = ""
        self.name = ""  # under which the hooks stand in the page
        self.pid = 0
        self.pages = 0

    @property
    def is_alive(self) -> bool:
        return self._browser is not None and self._browser.is_connected()

    async def start(self) -> None:
        from playwright.async_api import Error, async_playwright  # noqa: PLC0415 - an extra

        self.name = f"_{secrets.token_hex(8)}"
        source = (
            Path(__file__).with_name("hooks.js").read_text("utf-8").partition("\n")[2]
        )
        self._hooks = f"({source.strip()})({json.dumps(self.name)})"
        heap_mb = max(64, self._memory_bytes // 1_000_000)
        try:
            async with asyncio.timeout(LAUNCH_S):
                self._playwright = await async_playwright().start()
                self._browser = await self._playwright.chromium.launch(
                    executable_path=self._path,
                    chromium_sandbox=can_sandbox(),
                    args=[*_FLAGS, f"--js-flags=--max-old-space-size={heap_mb}"],
                    ignore_default_args=["--disable-popup-blocking"],
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                )
                session = await self._browser.new_browser_cdp_session()
                info = await session.send("SystemInfo.getProcessInfo")
        except (Error, TimeoutError) as error:
            await self.end()
            why = (
                str(error).strip().splitlines()[0]
                if str(error).strip()
                else "it did not answer in time"
            )
            raise BrowserError(
                f"{self._path} could not be started: {why[:200]}"
            ) from None
        self.pid = next(
            (p["id"] for p in info["processInfo"] if p["type"] == "browser"), 0
        )
        self._watching = asyncio.create_task(self._watch())

    async def context(self) -> BrowserContext:
        """A profile that nobody used before and nobody will use again: no cookies, permissions, workers, downloads."""
        if self._browser is None:
            raise BrowserError("the browser is not running")
        self.pages += 1
        context = await self._browser.new_context(
            viewport={"width": 1024, "height": 768},
            accept_downloads=False,
            service_workers="block",
            permissions=[],
            bypass_csp=True,
            locale="en-GB",
            timezone_id="UTC",
            reduced_motion="reduce",
        )
        await context.add_init_script(self._hooks)
        return context

    async def end(self) -> None:
        """Close it, and kill it where it does not close."""
        if self._watching is not None:
            self._watching.cancel()
        pids = [self.pid, *_below(self.pid)] if self.pid else []
        browser, playwright = self._browser, self._playwright
        self._browser = self._playwright = None
        # it may be gone, stuck or half closed: whatever it says, it is killed next
        with suppress(Exception):
            if browser is not None:
                await asyncio.wait_for(browser.close(), CLOSE_S)
        for pid in pids:
            if _is_chromium(pid):
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        with suppress(Exception):
            if playwright is not None:
                await asyncio.wait_for(playwright.stop(), CLOSE_S)

    async def _watch(self) -> None:
        """End what takes too much memory, pages and those who draw for them: that process dies, the others live."""
        while True:
            await asyncio.sleep(LOOK_S)
            for pid in _below(self.pid):
                if _resident_bytes(pid) > self._memory_bytes and "--type=" in _command(
                    pid
                ):
                    log.info(
                        "a page took more than %d bytes of memory and was ended",
                        self._memory_bytes,
                    )
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)


def _below(pid: int) -> list[int]:
    """All processes that a process started, and theirs; none where the system does not say."""
    found: list[int] = []
    waiting = [pid]
    while waiting and len(found) < 500:
        inside = _children(waiting.pop())
        found += inside
        waiting += inside
    return found


def _children(pid: int) -> list[int]:
    inside: list[int] = []
    with suppress(OSError, ValueError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            inside += map(int, (thread / "children").read_text().split())
    return inside


def _command(pid: int) -> str:
    with suppress(OSError):
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode("utf-8", "replace")
        )
    return ""


def _is_chromium(pid: int) -> bool:
    """The numbers of processes are used again: only what still looks like a browser is killed."""
    return "chrom" in _command(pid)


def _resident_bytes(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf(
            "SC_PAGE_SIZE"
        )
    return 0
