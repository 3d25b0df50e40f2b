"""Links out of scripts: what the analysis computes, and what single strings show where it does not look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from geohound import jsflow, urls
from geohound.jsflow import Endpoint, Findings
from geohound.model.visit import Link, LinkPlace
from geohound.urls.address_book import AddressBook

from . import script_text, text, uncertainty

# A crawl reads thousands of scripts: what one may cost is far less than when a person asks about one page.
_BUDGET = jsflow.AnalysisBudget(
    steps=250_000, bytes_per_script=6_000_000, bytes_parsed=4_000_000
)
_SCRIPT_FILE = re.compile(r"\.m?js(?:$|[?#])", re.IGNORECASE)
_MAX_WANTED = 100
_MAX_ASKED = 1000
_MAX_LISTED = 20_000  # services of one document of data
# Of an address that looks like a service, but that nothing was seen to use: 15 of 50 such strings were services.
_WRITTEN = 0.3
_UNREAD = 0.6  # where the scripts could not be read whole: nobody has looked
_FULL = "more services than are taken from one document"
# An address that a script asks for is worth a visit, whatever it looks like: APIs have plain addresses.
_ASKED = re.compile(
    r"\b(?:fetch|get|getJSON|ajax|open|load|loadJSON|request)\(\s*(?:[\"'`]GET[\"'`]\s*,\s*)?[\"'`](https?://[^\"'`\s]{4,500})"
)
_ASKED_STARTS = ('"http', "'http", "`http")  # without one of these there is none


def links(
    scripts: Sequence[jsflow.Script], page_url: str, book: AddressBook
) -> list[Link]:
    """Services first, then tiles, configuration files and further scripts; each address once."""
    return of_findings(analyse(scripts, page_url, book), scripts, page_url, book)


def analyse(
    scripts: Sequence[jsflow.Script], page_url: str, book: AddressBook
) -> Findings:
    """Within what a crawl has for one page."""
    return jsflow.analyse(page_url, scripts, book, _BUDGET)


def of_data(words: str, url: str, book: AddressBook) -> tuple[list[Link], str]:
    """The same for a document of data, and why some may be missing; empty where none is."""
    script = jsflow.Script(url, words)
    found = jsflow.analyse(url, (script,), book, _BUDGET)
    kept = of_findings(found, (script,), url, book, _MAX_LISTED)
    is_full = len(kept) == _MAX_LISTED
    return kept, uncertainty.cut_short(found) or (_FULL if is_full else "")


def of_findings(
    found: Findings,
    scripts: Sequence[jsflow.Script],
    page_url: str,
    book: AddressBook,
    most: int = text.MAX_LINKS,
) -> list[Link]:
    """The same for scripts that have been analysed."""
    known = _by_address(found.endpoints)
    asked = {
        match[1]
        for s in scripts
        if any(start in s.text for start in _ASKED_STARTS)
        for match in islice(_ASKED.finditer(s.text), _MAX_ASKED)
    }
    kept: list[Link] = []
    for link in chain.from_iterable(script_text.links(s.text, book) for s in scripts):
        address = urls.canonical(link.url, page_url) or ""
        here = known.pop(_key(urls.endpoint(address)), None)
        if here is not None:
            kept += _links_to(here, link.url, book)
        elif link.url in asked or link.place is LinkPlace.CONFIG:
            kept.append(link)
        elif _is_candidate(link, address, page_url, found.is_complete, book):
            sure = _WRITTEN if found.is_complete else _UNREAD
            kept.append(link._replace(confidence=sure))
    left = [
        link
        for here in known.values()
        for link in _links_to(here, _address(here[0]), book)
    ]
    return [*left, *kept, *_files(found.wanted, kept, page_url)][:most]


def _by_address(endpoints: Iterable[Endpoint]) -> dict[str, list[Endpoint]]:
    found: dict[str, list[Endpoint]] = {}
    for endpoint in endpoints:
        found.setdefault(_key(endpoint.endpoint), []).append(endpoint)
    return found


def _links_to(endpoints: list[Endpoint], address: str, book: AddressBook) -> list[Link]:
    """Links to services at one address; where there are several, each with a question of its own."""
    return [_link(e, address if len(endpoints) == 1 else "", book) for e in endpoints]


def _is_candidate(
    link: Link, address: str, page_url: str, is_complete: bool, book: AddressBook
) -> bool:
    """An address of a service that the analysis has not left out for a reason."""
    is_judged = is_complete and _is_judged(link.url, page_url, book)
    return book.looks_like_service(address) and not is_judged


def computed(
    endpoints: Sequence[Endpoint],
    book: AddressBook,
    place: LinkPlace = LinkPlace.SCRIPT,
) -> list[Link]:
    """Addresses that stand in no single string, or in a file that says what they are."""
    return [_link(e, _address(e), book, place) for e in endpoints]


def _address(found: Endpoint) -> str:
    return found.url if found.kind else found.endpoint


def _link(
    found: Endpoint,
    address: str,
    book: AddressBook,
    place: LinkPlace = LinkPlace.SCRIPT,
) -> Link:
    return Link(
        _asking(address, found, book),
        "",
        evidence(found),
        place,
        line=found.line,
        confidence=found.confidence,
    )


def _asking(address: str, found: Endpoint, book: AddressBook) -> str:
    """An address that does not say itself what it is, or is several things, with the question for this one."""
    question = book.capabilities(found.kind, found.endpoint) if found.kind else ""
    if found.kind and not question:
        return found.endpoint
    if not found.kind or (address and book.looks_like_service(found.url)):
        return address or found.endpoint
    return question


def evidence(found: Endpoint) -> str:
    """Call, script and line, as a person would look them up."""
    file = found.source.partition("?")[0].rpartition("/")[2]
    return f"{found.call or found.how} ({file or found.source}{f':{found.line}' if found.line else ''})"


def _key(endpoint: str) -> str:
    base, mark, query = endpoint.partition("?")
    return f"{base.rstrip('/')}{mark}{query}".partition("://")[2]


def _is_judged(address: str, page_url: str, book: AddressBook) -> bool:
    """Is this an address that the analysis has seen and left out for a reason: a part, a dead branch, a manual?"""
    place = jsflow.read_address(address, page_url, book)
    return isinstance(place, jsflow.Unclear) or (
        place is not None and place.is_sure and not place.is_template
    )


def _files(
    wanted: Sequence[str], kept: Sequence[Link], page_url: str
) -> Iterator[Link]:
    there = {urls.canonical(link.url, page_url) for link in kept}
    for address in wanted[:_MAX_WANTED]:
        if address not in there:
            yield Link(
                address,
                place=LinkPlace.SCRIPT_FILE if is_script(address) else LinkPlace.CONFIG,
            )


def is_script(address: str) -> bool:
    """By its name."""
    return bool(_SCRIPT_FILE.search(address))
