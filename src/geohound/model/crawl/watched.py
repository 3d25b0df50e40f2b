"""Sites with a watcher: what its report says, and what is kept of a site between crawls."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from .browsed import EventRow

REPORT_PATH = "/.well-known/geohound-watcher.json"


class AskWatchers(StrEnum):
    """Which sites are asked for the report of a watcher."""

    NEVER = "never"
    AUTO = "auto"  # those of the seeds, and those that had one before
    ALWAYS = "always"  # every site, before its first page


class FlagReset(StrEnum):
    """What the watcher is asked to wait for before the site may be taken again."""

    EVENT = "event"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class WatcherPolicy:
    """How a crawl uses watchers; the settings have the defaults."""

    ask: AskWatchers = AskWatchers.NEVER
    leaves_taken: bool = False  # a site that another crawler has taken is left to it
    reset: FlagReset = FlagReset.EVENT
    period_s: float = 0.0  # of a reset by time: the site is not asked again before
    full_after_s: float = 0.0  # since when a site was last crawled whole: then it is again, whatever the report says
    key: bytes = b""  # shared with the owners of sites: reports must be signed with it


NO_WATCHERS = WatcherPolicy()


@dataclass(frozen=True, slots=True)
class WatchedPage:
    """A page that is new or has changed, as the watcher of its site says."""

    url: str  # canonical
    rank: float
    events: tuple[EventRow, ...] = ()


@dataclass(frozen=True, slots=True)
class WatcherReport:
    """A report that was read and makes sense; a hint, never the truth."""

    site: str
    is_taken: bool
    holder: str  # the crawler that has taken the site
    written: datetime
    # everything that changed since then is in it; None: it does not say
    since: datetime | None
    pages: tuple[WatchedPage, ...]
    is_whole: bool  # all pages that wait for a crawler are in it


@dataclass(frozen=True, slots=True)
class WatchedSite:
    """What is kept of a site with a watcher."""

    origin: str
    task: int  # that asked last
    holder: str  # by which name it asked
    read_to: datetime | None  # `written` of the report whose pages were taken last
    asked_at: datetime
    whole_at: datetime  # when it was last crawled whole
