"""What a real browser saw of a page: the requests that it made, and what made it make them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request that the running page made, whether or not anybody answered it."""

    url: str
    method: str = "GET"
    body: str = ""  # the beginning of what it would have sent
    what: str = ""  # image, fetch, script … as the browser names it
    event: str = "load"  # what made the page ask


@dataclass(frozen=True, slots=True)
class PageState:
    """The page as it stood after an event, new by Algorithm 1 of WBC."""

    event: str
    html: str
    frames: str = ""  # the HTML of its frames


@dataclass(frozen=True, slots=True)
class EventRow:
    """Equal events of a page, combined as in a watcher's report: {events}, {sources}, target, value."""

    events: tuple[str, ...]  # onload, onclick, ondblclick, onmouseover, onchange
    sources: tuple[str, ...]
    target: str
    value: str


@dataclass(frozen=True, slots=True)
class BrowsedPage:
    """All that running a page showed, and what it cost."""

    page: str
    asked: tuple[PageRequest, ...] = ()
    files: tuple[str, ...] = ()  # addresses of texts that were fetched for the page
    pages: tuple[str, ...] = ()  # where events would have led to: nobody went there
    states: tuple[PageState, ...] = ()  # the first one is the page as loaded
    events: int = 0  # triggered
    requests: int = 0  # that reached the fetcher
    event_rows: tuple[EventRow, ...] = ()  # that the page and its new states offer
    trouble: str = ""  # why it ended early, or could not be run
