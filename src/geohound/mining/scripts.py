"""Links out of scripts: what the analysis computes, and what single strings show where it does not look."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from geohound import jsflow, urls
from geohound.jsflow import Endpoint, Findings
from geohound.model.visit import Link, Place
from geohound.urls.clue import looks_like_service
from geohound.urls.ogc import OWS_KINDS

from . import script, text

# A crawl reads thousands of scripts: what one may cost is far less than when a person asks about one page.
_BUDGET = jsflow.Budget(steps=250_000, bytes_per_script=6_000_000, bytes_parsed=4_000_000)
_SCRIPT_FILE = re.compile(r"\.m?js(?:$|[?#])", re.IGNORECASE)
_MAX_WANTED = 100
_MAX_ASKED = 1000
# An address that a script asks for is worth a visit, whatever it looks like: APIs have plain addresses.
_ASKED = re.compile(
    r"\b(?:fetch|get|getJSON|ajax|open|load|loadJSON|request)\(\s*(?:[\"'`]GET[\"'`]\s*,\s*)?[\"'`](https?://[^\"'`\s]{4,500})"
)


def links(scripts: Sequence[jsflow.Script], page_url: str) -> list[Link]:
    """Services first, then tiles, configuration files and further scripts; each address once."""
    return of_findings(jsflow.analyse(page_url, scripts, _BUDGET, whole_page=False), scripts, page_url)


def of_findings(found: Findings, scripts: Sequence[jsflow.Script], page_url: str) -> list[Link]:
    """The same for scripts that have been analysed."""
    known: dict[str, list[Endpoint]] = {}
    for endpoint in found.endpoints:
        known.setdefault(_key(endpoint.endpoint), []).append(endpoint)
    asked = {found[1] for s in scripts for found in islice(_ASKED.finditer(s.text), _MAX_ASKED)}
    kept: list[Link] = []
    for link in (link for s in scripts for link in script.links(s.text)):
        address = urls.canonical(link.url, page_url) or ""
        if here := known.pop(_key(urls.endpoint(address)), None):
            kept += [_link(e, link.url if len(here) == 1 else "") for e in here]
            continue
        judged = found.is_complete and _is_judged(link.url, page_url)
        if link.place is Place.CONFIG or link.url in asked or (looks_like_service(address) and not judged):
            kept.append(link)
    left = [_link(e, _address(e) if len(here) == 1 else "") for here in known.values() for e in here]
    return [*left, *kept, *_files(found.wanted, kept, page_url)][: text.MAX_LINKS]


def computed(endpoints: Sequence[Endpoint], place: Place = Place.SCRIPT) -> list[Link]:
    """Addresses that stand in no single string, or in a file that tells what they are."""
    return [_link(e, _address(e), place) for e in endpoints]


def _address(found: Endpoint) -> str:
    return found.url if found.kind else found.endpoint


def _link(found: Endpoint, address: str, place: Place = Place.SCRIPT) -> Link:
    return Link(_asking(address, found), "", evidence(found), place, line=found.line)


def _asking(address: str, found: Endpoint) -> str:
    """An address that does not say itself what it is, or is several things, with the question for this one."""
    if found.kind and found.kind not in OWS_KINDS:
        return found.endpoint
    if not found.kind or (address and looks_like_service(found.url)):
        return address or found.endpoint
    return urls.with_params(found.endpoint, {"SERVICE": found.kind.upper(), "REQUEST": "GetCapabilities"})


def evidence(found: Endpoint) -> str:
    """Call, script and line, as a person would look them up."""
    file = found.source.partition("?")[0].rpartition("/")[2]
    return f"{found.call or found.how} ({file or found.source}{f':{found.line}' if found.line else ''})"


def _key(endpoint: str) -> str:
    base, mark, query = endpoint.partition("?")
    return f"{base.rstrip('/')}{mark}{query}".partition("://")[2]


def _is_judged(address: str, page_url: str) -> bool:
    """Is this an address that the analysis has seen and left out for a reason: a part, a dead branch, a manual?"""
    place = jsflow.read_address(address, page_url)
    return isinstance(place, jsflow.Unclear) or (place is not None and place.kind != "xyz" and place.is_sure)


def _files(wanted: Sequence[str], kept: Sequence[Link], page_url: str) -> Iterator[Link]:
    there = {urls.canonical(link.url, page_url) for link in kept}
    for address in wanted[:_MAX_WANTED]:
        if address not in there:
            yield Link(address, place=Place.SCRIPT_FILE if is_script(address) else Place.CONFIG)


def is_script(address: str) -> bool:
    """By its name."""
    return bool(_SCRIPT_FILE.search(address))
