"""What happens to one URL: how it was found, what was answered, or why nothing was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import NamedTuple, Protocol

from .failure import FailureReason

MAX_URL_CHARS = 4096  # a longer address is none that a frontier takes or a log keeps


class Via(StrEnum):
    """The way by which a URL reached the frontier."""

    SEED = "seed"
    LINK = "link"
    TEXT = "text"
    FORM = "form"
    SCRIPT = "script"
    CONFIG = "config"
    RECIPE = "recipe"  # listed in the configuration of a known viewer
    SITEMAP = "sitemap"
    SERVICE = "service"  # named in the document of another service
    GUESS = "guess"  # a request for capabilities added to an address that says nothing of a service
    LIKELY = "likely"  # nobody names it: a site with the same program or the same names has a service there
    REDIRECT = "redirect"
    HARVEST = "harvest"
    SEARCH = "search"
    BROWSER = "browser"
    WATCHER = "watcher"


class Lane(IntEnum):
    """The two queues of a frontier, each with workers of its own."""

    PAGES = 0
    PROBES = 1


class Purpose(StrEnum):
    """What a URL is asked for."""

    PAGE = "page"  # to be read and mined for links
    PROBE = "probe"  # looks like a service: ask it what it is
    HARVEST = "harvest"  # a catalogue: ask it for the addresses it holds
    CHECK = "check"  # a known service: does it still answer?
    FILE = "file"  # a data file: ask for its headers and first bytes
    WATCHER = "watcher"  # the report of a site's watcher

    @property
    def lane(self) -> Lane:
        return Lane.PAGES if self is Purpose.PAGE else Lane.PROBES


# asked for what they hold; the others are asked what they are, or what they list
READING = frozenset({Purpose.PAGE, Purpose.FILE, Purpose.WATCHER})
# no order scores them, or learns from them
UNRANKED = frozenset({Purpose.FILE, Purpose.WATCHER})


class LinkPlace(StrEnum):
    """Where in a document a link stands."""

    ANCHOR = "anchor"
    AREA = "area"
    FRAME = "frame"
    EMBED = "embedded"  # a picture, a background, a data attribute
    TEXT = "text"
    CODE = "code"
    FORM = "form"
    SCRIPT = "script"
    SCRIPT_FILE = "script file"
    CONFIG = "config"
    RECIPE = "recipe"
    JSON = "json"
    XML = "xml"
    HEADER = "header"
    META = "meta"
    SITEMAP = "sitemap"
    BROWSER = "browser"  # nowhere in it: the running page asked for it


class Link(NamedTuple):
    """One address in a document, with what stands around it. A tuple, since pages hold hundreds."""

    url: str
    text: str = ""
    context: str = ""
    place: LinkPlace = LinkPlace.ANCHOR
    nofollow: bool = False
    line: int = 0
    # the elements above it, nearest first, as `mining.dom_path` writes them
    dom_path: str = ""
    confidence: float = 1.0  # that it is a service, where scripts or data name it


LAST = 2.0**30  # is taken off the score of what is to be tested after everything else


def order_score(score: float) -> float:
    """What its order gave a URL, be it to be tested last or not."""
    return score + LAST if score < -LAST / 2 else score


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL that somebody proposes to visit."""

    url: str
    via: Via = Via.SEED
    found_on: str = ""
    clue: str = ""
    score: float = 0.0
    depth: int = 0
    purpose: Purpose = Purpose.PAGE
    harvester: str = ""  # of what is to be harvested
    cursor: bytes = b""  # the page with which a harvest goes on, as its harvester wrote it; empty: the first
    attempts: int = 0  # made at it so far

    @property
    def is_page(self) -> bool:
        return self.purpose is Purpose.PAGE


class MemoryHold(Protocol):
    """Counts the memory that an answer, and what is made of it, take: for as long as it lives itself."""

    def add(self, size: int) -> None:
        """So many bytes more, or fewer."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer, whatever its status; headers have lower-case names."""

    url: str
    final_url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    at: datetime
    elapsed_s: float = 0.0
    truncated: bool = False
    # the addresses that redirected, in order, without the final one
    chain: tuple[str, ...] = ()
    address: str = ""  # the numeric address that answered
    tls_fault: str = ""  # what was wrong with the certificate or the protocol, where the user had it read anyway
    # counts its memory while it is held
    weight: MemoryHold | None = field(default=None, compare=False, repr=False)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")


@dataclass(frozen=True, slots=True)
class Validators:
    """By what a server recognises that nothing has changed since: a 304 then costs it next to nothing."""

    etag: str = ""
    last_modified: str = ""

    @classmethod
    def of(cls, response: Response) -> Validators | None:
        """What to send with the next request for `response.url`; None if there is nothing.

        An answer that came by redirects says nothing about the address that redirects: ask its final address instead.
        """
        etag = _sane(response.headers.get("etag", ""))
        last_modified = _sane(response.headers.get("last-modified", ""))
        if response.status != 200 or response.chain or not (etag or last_modified):
            return None
        return cls(etag, last_modified)


_MAX_VALIDATOR_CHARS = 500


def _sane(value: str) -> str:
    """A value fit to be sent back; what is too long or not plain is left out."""
    return (
        value
        if len(value) <= _MAX_VALIDATOR_CHARS
        and value.isascii()
        and value.isprintable()
        else ""
    )


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer, and why."""

    url: str
    reason: FailureReason
    detail: str
    at: datetime
    elapsed_s: float = 0.0
    retry_after_s: float | None = None
    address: str = ""  # numeric, that was asked, as far as it got there


Visit = Response | Failure


class RequestRecord(NamedTuple):
    """One request as it went over the wire, whatever for: pages, redirects and robots.txt all count."""

    at: datetime  # when it was over
    host: str
    url: str
    status: int  # 0 where there was no answer
    reason: FailureReason | None  # why there was none
    bytes: int  # received, headers included, before anything was unpacked
    elapsed_s: float
    address: str  # numeric, as far as it got there


class Settlement(StrEnum):
    """How a lease ends."""

    DONE = "done"
    DROPPED = "dropped"
    RETRY = "retry"
    # not the host's doing: tried again, and not counted as an attempt
    POSTPONED = "postponed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a visit brought; the order learns from it."""

    candidate: Candidate
    services: int = 0
    new_services: int = 0
    links: int = 0
    status: int = 0
    reason: FailureReason | None = None
    ogc_links: int = 0  # of those that the page holds: OGC requests by their URL alone


@dataclass(frozen=True, slots=True)
class Page:
    """What an order may know of the page on which a link stands."""

    url: str
    title: str = ""
    text: str = ""
    language: str = ""
    depth: int = 0
    score: float = 0.0
    services: int = 0
    links: tuple[Link, ...] = field(default=())
    nofollow: bool = False
    script_files: tuple[str, ...] = field(default=())
    software: str = ""  # that the site was made with, as far as the page says
    # of its whole text, see `text.keyword_groups`; None where nobody has looked
    keyword_group: int | None = None
    holds_wms: bool = False  # an address of a WMS stands in it
    unsure: str = ""  # why reading was not enough to know what it asks for
