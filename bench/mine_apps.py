"""How many services of really bundled map applications are found, and how many addresses would be tested for them.

The applications of `bench/apps` were written from the documentation of the map libraries by somebody who had not read
how Geohound reads scripts, and labelled from their own sources; npm's bundlers make the pages. They were split once:
`building`, and what was opened since, is for work and tells what was missed; of `blind` only sums are told.

Pages are served on loopback under their own hosts and mined as `geohound mine` does. A service counts once per page.
An address is right when a test of it would come to a service of the page, used or only mentioned; else it was tested in
vain. Tile templates are a class of their own, so that figures stand with and without them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import re
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "mining"))
sys.path.insert(0, str(HERE))

import webapps  # noqa: E402 - tests are no packages
from app_pages import (  # noqa: E402
    CACHE,
    CLOSED,
    HALVES,
    App,
    Label,
    Page,
    build,
    load,
    served,
    texts,
)

from geohound import app as wiring  # noqa: E402
from geohound import settings as settings_module  # noqa: E402
from geohound import urls  # noqa: E402
from geohound.mining.mine_page import mine_page  # noqa: E402
from geohound.settings import Settings  # noqa: E402

TILE_KINDS = frozenset({"xyz", "tms"})
PAGE_SECONDS = 180
OPENED = frozenset({"style", "cause"})  # would tell of the blind half what it holds
_URL = re.compile(r"(?:https?:)?//[^\s\"'`<>\\^|]{4,2000}")


@dataclass(frozen=True, slots=True)
class Claim:
    """An address that a way of reading would test."""

    url: str
    kind: str = ""
    how: str = ""
    confidence: float = 0.0


@dataclass
class Seen:
    """What one way says of one page."""

    claims: list[Claim] = field(default_factory=list)
    trouble: str = ""
    seconds: float = 0.0
    browsed: bool = False


Way = Callable[[Page], Awaitable[Seen]]


class Mining:
    """`geohound mine`, with one fetcher and at most one browser for all pages."""

    def __init__(self, port: int, rules: str, browser: str = "never") -> None:
        loaded = settings_module.load(None)
        self._settings: Settings = replace(
            loaded,
            connect_to=(f"*=127.0.0.1:{port}",),
            allow_nets=("127.0.0.0/8",),
            host_delay_s=0.0,
            browser=browser,
        )
        self._rules = rules
        self._fetcher = wiring.fetcher(self._settings)
        self._runner = wiring.page_runner(self._settings)

    async def __call__(self, page: Page) -> Seen:
        began = time.process_time()
        limit = self._settings.max_page_bytes
        book = wiring.address_book()
        mining = mine_page(
            page.url, self._rules, self._fetcher, book, limit, self._runner
        )
        try:
            mined = await asyncio.wait_for(mining, PAGE_SECONDS)
        except TimeoutError:
            return Seen(trouble=f"took more than {PAGE_SECONDS} s")
        except Exception as error:
            return Seen(trouble=f"broke: {type(error).__name__}: {error}")
        claims = [
            Claim(e.url, e.kind or "", e.how, e.confidence) for e in mined.endpoints
        ]
        seconds = time.process_time() - began
        return Seen(claims, mined.trouble or "", seconds, bool(mined.browsed))

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.close()
        await self._fetcher.close()


class EveryUrl:
    """Each web address in each file that was built."""

    async def __call__(self, page: Page) -> Seen:
        found = {
            address
            for text in texts(page).values()
            for address in _URL.findall(text.replace("\\/", "/"))
        }
        clean = {urls.canonical(_joined(page.url, address)) for address in found}
        return Seen([Claim(address) for address in clean if address])

    async def close(self) -> None:
        pass


def _joined(page: str, address: str) -> str:
    try:
        return urljoin(page, address)
    except ValueError:
        return ""


WAYS: dict[str, Callable[[int], Any]] = {
    "hou2016": lambda port: Mining(port, "hou2016"),
    "every URL": lambda _: EveryUrl(),
    "static": lambda port: Mining(port, "static"),
    "static and browser": lambda port: Mining(port, "static", "auto"),
}
NEEDS_BROWSER = "static and browser"


@dataclass
class Score:
    """Sums over some pages."""

    wanted: int = 0
    found: int = 0
    tested: int = 0
    right: int = 0
    used: int = 0  # right, and the page uses it

    def told(self) -> dict[str, Any]:
        per_confirmed = round(self.tested / self.right, 2) if self.right else None
        return {
            "wanted": self.wanted,
            "found": self.found,
            "recall": _share(self.found, self.wanted),
            "tested": self.tested,
            "right": self.right,
            "precision": _share(self.right, self.tested),
            "precision_of_used": _share(self.used, self.tested),
            "tested_per_confirmed": per_confirmed,
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


@dataclass
class Sums:
    """Scores in all groups, and what was missed or tested in vain."""

    total: Score = field(default_factory=Score)
    groups: dict[str, dict[str, Score]] = field(
        default_factory=lambda: {
            name: defaultdict(Score)
            for name in ("bundler", "style", "evidence", "confidence", "cause", "kind")
        }
    )
    missed: list[str] = field(default_factory=list)
    vain: list[str] = field(default_factory=list)

    def add(self, page: Page, claims: list[Claim], labels: list[Label]) -> None:
        groups = self.groups
        whole = (self.total, groups["bundler"][page.bundler], groups["style"][page.app.style])  # fmt: skip
        for label in labels:
            if label.use == "used":
                is_found = any(leads(claim, label) for claim in claims)
                mine = (groups["cause"][label.cause], groups["kind"][label.kind])
                for score in (*whole, *mine):
                    score.wanted += 1
                    score.found += is_found
                if not is_found:
                    self.missed.append(
                        f"{page.name}: {label.kind} {label.addresses[0]} ({label.cause})"
                    )
        for same in _by_address(claims):
            best = max(same, key=lambda claim: claim.confidence)
            led_to = [one for one in labels for c in same if leads(c, one)]
            by_evidence = groups["evidence"][best.how or "?"]
            by_confidence = groups["confidence"][f"{best.confidence:.2f}"]
            for score in (*whole, by_evidence, by_confidence):
                score.tested += 1
                score.right += bool(led_to)
                score.used += any(label.use == "used" for label in led_to)
            if not led_to:
                self.vain.append(f"{page.name}: {best.kind or '?'} {best.url} ({best.how})")  # fmt: skip

    def told(self, details: bool) -> dict[str, Any]:
        rows: dict[str, Any] = self.total.told()
        for name, scores in self.groups.items():
            if name in OPENED and not details:
                continue
            rows[f"by_{name}"] = {
                key: score.told() for key, score in sorted(scores.items())
            }
        if details:
            rows |= {"missed": self.missed, "vain": self.vain}
        return rows


def leads(claim: Claim, label: Label) -> bool:
    """Would a test of this address come to the service of the label?"""
    kind = "" if label.is_tiles else label.kind
    service = webapps.Service(kind or claim.kind or "xyz", label.addresses)
    return bool(service.answers(claim.url, "" if label.is_tiles else claim.kind))


def _by_address(claims: list[Claim]) -> list[list[Claim]]:
    addresses: dict[Any, list[Claim]] = defaultdict(list)
    for claim in claims:
        addresses[webapps.key(claim.url)].append(claim)
    return list(addresses.values())


def without_tiles(page: Page, claims: list[Claim]) -> tuple[list[Claim], list[Label]]:
    """What is left of a page where its tile templates are neither asked for nor wrong."""
    tiles = [label for label in page.app.labels if label.is_tiles]
    labels = [label for label in page.app.labels if not label.is_tiles]
    kept = [
        claim
        for claim in claims
        if any(leads(claim, label) for label in labels)
        or not (claim.kind in TILE_KINDS or any(leads(claim, tile) for tile in tiles))
    ]
    return kept, labels


async def measure(
    name: str, pages: list[Page], port: int, details: bool
) -> dict[str, Any]:
    way = WAYS[name](port)
    alone, with_tiles = Sums(), Sums()
    troubles, seconds, browsed = [], 0.0, 0
    try:
        for page in pages:
            seen = await way(page)
            seconds += seen.seconds
            browsed += seen.browsed
            if seen.trouble:
                troubles.append(f"{page.name}: {seen.trouble}")
            alone.add(page, *without_tiles(page, seen.claims))
            with_tiles.add(page, seen.claims, page.app.labels)
    finally:
        await way.close()
    return {
        "without_tiles": alone.told(details),
        "with_tiles": with_tiles.told(False),
        "cpu_seconds": round(seconds, 1),
        "browsed": browsed,
        "pages_without_answer": len(troubles),
        "troubles": troubles if details else [],
    }


def show(name: str, told: dict[str, Any], verbose: bool) -> None:
    for part in ("without_tiles", "with_tiles"):
        row = told[part]
        print(
            f"{name:20} {part.replace('_', ' '):14} recall {row['recall'] or 0:6.1%}"
            f"  precision {row['precision'] or 0:6.1%}  tested {row['tested']:5d}"
            f"  per confirmed {row['tested_per_confirmed']}"
        )
    if not verbose:
        return
    for line in told["troubles"]:
        print(f"    trouble {line}")
    row = told["without_tiles"]
    for group in ("bundler", "style", "evidence", "confidence", "cause", "kind"):
        for key, score in row.get(f"by_{group}", {}).items():
            print(
                f"    {group:9} {key:20} {score['found']:3d} of {score['wanted']:3d}"
                f"  {score['right']:3d} right of {score['tested']:3d} tested"
            )
    for word in ("missed", "vain"):
        for line in row.get(word, ()):
            print(f"    {word} {line}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--half",
        choices=HALVES,
        default=HALVES[0],
        help="default: building; of blind only sums are told",
    )
    parser.add_argument("--app", help="only applications whose name holds this")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where pages are built")  # fmt: skip
    parser.add_argument("--workers", type=int, default=2, help="builds at once")
    parser.add_argument("--only-build", action="store_true", help="build the pages and end")  # fmt: skip
    add_options(parser)
    return parser.parse_args()


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is asked of a measurement, whatever its pages."""
    parser.add_argument(
        "--way", action="append", choices=list(WAYS), help="only this; repeatable"
    )
    parser.add_argument(
        "--browser", action="store_true", help="also with the browser (auto)"
    )
    parser.add_argument("--verbose", action="store_true", help="by group, and what was missed")  # fmt: skip
    parser.add_argument("--results", type=Path, help="where to keep the figures")


def measure_all(
    args: argparse.Namespace, pages: list[Page], details: bool
) -> dict[str, Any]:
    """Each way that was asked for, shown as soon as it is known."""
    ways = args.way or [n for n in WAYS if args.browser or n != NEEDS_BROWSER]
    told = {}
    with served(pages) as port:
        for name in ways:
            shown = details and name.startswith("static")
            told[name] = asyncio.run(measure(name, pages, port, shown))
            show(name, told[name], args.verbose and details)
    return told


def keep(path: Path, command: str, figures: dict[str, Any]) -> None:
    path.write_text(json.dumps({
        "command": command, "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(), **figures,
    }, indent=1) + "\n", "utf-8")  # fmt: skip


def main() -> None:
    args = _arguments()
    apps: list[App] = [a for a in load(args.half) if not args.app or args.app in a.name]
    pages = build(apps, args.cache, args.workers)
    print(f"{args.half}: {len(apps)} applications, {len(pages)} pages")
    if args.only_build:
        return
    told = measure_all(args, pages, args.half != CLOSED)
    if args.results:
        command = f"python bench/mine_apps.py {' '.join(sys.argv[1:])}"
        figures = {"applications": len(apps), "pages": len(pages), "ways": told}
        keep(args.results, command, figures)


if __name__ == "__main__":
    main()
