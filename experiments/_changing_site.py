"""A site in a folder that changes from day to day, with its real watcher and a clock that is moved by hand."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from geohound.watcher import REPORT, Site, WatcherRules

DAY_S = 86_400.0
URL = "http://site.test/"
# Student's t for 95 percent, two-sided, by degrees of freedom.
_T = {
    1: 12.71,
    2: 4.30,
    3: 3.18,
    4: 2.78,
    5: 2.57,
    6: 2.45,
    7: 2.36,
    8: 2.31,
    9: 2.26,
    10: 2.23,
    20: 2.09,
    30: 2.04,
}


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95 percent confidence interval."""
    if len(values) < 2:
        return mean(values), math.nan
    freedom = len(values) - 1
    t = _T[max(known for known in _T if known <= freedom)]
    return mean(values), t * stdev(values) / math.sqrt(len(values))


def shown(values: Sequence[float], digits: int = 1) -> str:
    middle, half = interval(values)
    return (
        f"{middle:.{digits}f}"
        if math.isnan(half)
        else f"{middle:.{digits}f} ± {half:.{digits}f}"
    )


@dataclass
class SitePage:
    name: str
    distance: int  # links from the main page
    parent: SitePage | None
    version: int = 0
    children: list[SitePage] = field(default_factory=list)
    weight: float = 1.0  # how often it is updated, beside others


class ChangingSite:
    """A main page, sections, and articles below them; new articles are linked from their section."""

    def __init__(
        self, folder: Path, pages: int, seed: int, *, has_files: bool = True
    ) -> None:
        """Without files it changes as well, and has no watcher."""
        self.has_files = has_files
        self.chance = random.Random(seed)
        self.root = folder / "site"
        self.root.mkdir(parents=True)
        self.pages: list[SitePage] = []
        self.main = self._add(None, "index.html")
        fan = max(4, round(pages ** (1 / 3)))
        while len(self.pages) < pages:
            self._add(self.pages[(len(self.pages) - 1) // fan])
        for page in self.pages:
            page.weight = self.chance.paretovariate(1.2) / (1 + page.distance)
            self._write(page)
        self.at = 1_784_102_400.0
        self.watcher = Site(
            str(self.root),
            URL,
            WatcherRules(sitemap=False),
            str(folder / "state"),
            lambda: self.at,
        )

    def _add(self, parent: SitePage | None, name: str = "") -> SitePage:
        page = SitePage(
            name or f"p{len(self.pages)}.html",
            parent.distance + 1 if parent else 0,
            parent,
        )
        page.weight = self.chance.paretovariate(1.2) / (1 + page.distance)
        self.pages.append(page)
        if parent is not None:
            parent.children.append(page)
        return page

    def _write(self, page: SitePage) -> None:
        if not self.has_files:
            return
        links = "".join(
            f'<a href="{child.name}">{child.name}</a>' for child in page.children
        )
        (self.root / page.name).write_text(
            f"<title>{page.name}</title><p>version {page.version}</p>{links}"
        )

    def live_a_day(self, count: int, new_share: float = 0.3) -> set[str]:
        """So many pages change, some of them new; the names of all that did. A section with a new article changes."""
        changed: set[str] = set()
        while len(changed) < count:
            if self.chance.random() < new_share and count - len(changed) >= 2:
                section = self.chance.choice(
                    self.pages[: max(1, len(self.pages) // 10)]
                )
                page = self._add(section)
                touched = [page, section]
            else:
                touched = self.chance.choices(
                    self.pages, [page.weight for page in self.pages]
                )
            for page in touched:
                if page.name not in changed:
                    page.version += 1
                    changed.add(page.name)
        for page in self.pages:
            if page.name in changed:
                self._write(page)
        self.at += DAY_S
        return changed

    def report(self) -> dict[str, Any]:
        self.watcher.finish()
        return dict(json.loads((self.root / REPORT).read_text()))

    def take(self) -> list[str]:
        """What a crawler does that takes the site: two requests for the report, and the pages in it."""
        report = self.report()
        self.watcher.asked({"crawler": "x", "read": report["written"]}, self.at)
        self.watcher.write()
        return [
            page["url"].removeprefix(URL) or "index.html" for page in report["pages"]
        ]
