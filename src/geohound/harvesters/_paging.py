"""Ways in which catalogues in JSON turn pages: by an offset that is counted, or by the link to the next one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from geohound import urls
from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking, _records

JSON = "application/json"
PAGE = 100


class Batch(NamedTuple):
    """The records of one answer."""

    ids: Sequence[str]
    listed: Sequence[Listed]
    total: int = 0  # as the catalogue says; 0 where it does not
    is_last: bool = False  # the catalogue says so
    sources: Sequence[str] = ()
    names_files: bool = False  # of data, beside services


class Offsets(NamedTuple):
    """A protocol that counts its records."""

    wanted: str  # what is expected, for the sentence about another answer
    request: Callable[[str, int, str], str]  # source, offset from 0, date since when
    # a JSON value, its address, date since when; None: this is something else
    read: Callable[[Any, str, str], Batch | None]


async def page_at_offset(
    source: str, cursor: bytes, fetcher: Fetcher, protocol: Offsets
) -> HarvestPage | Failure:
    """The records from an offset on."""
    said = _asking.unpack(cursor)
    offset, since = _asking.number(said.get("offset")), str(said.get("since", ""))
    answer = await _asking.ask(fetcher, protocol.request(source, offset, since), JSON)
    if isinstance(answer, Failure):
        return answer
    batch = protocol.read(answer.json, answer.url, since)
    if batch is None:
        return _asking.not_understood(answer, protocol.wanted)
    after = offset + len(batch.ids)
    # A total that is smaller than what was sent is a lie; then a full page has a next one.
    has_more = after < batch.total or (batch.total < after and len(batch.ids) >= PAGE)
    goes_on = bool(batch.ids) and not batch.is_last and has_more
    onward = _asking.pack(offset=after, since=since) if goes_on else b""
    return _page(source, batch, onward)


def page_of_links(
    source: str, url: str, batch: Batch, following: str, since: str = ""
) -> HarvestPage:
    """A page that names the address of the next one; another host is another source, with a pace of its own."""
    if not following or urls.canonical(following) == urls.canonical(url):
        return _page(source, batch, b"")
    if urls.host(following) != urls.host(source):
        return _page(source, batch._replace(sources=(*batch.sources, following)), b"")
    return _page(source, batch, _asking.pack(url=following, since=since))


def _page(source: str, batch: Batch, onward: bytes) -> HarvestPage:
    mark = fingerprint(source, batch.ids)
    listed = tuple(dict.fromkeys(batch.listed))
    sources = tuple(dict.fromkeys(batch.sources))
    return HarvestPage(
        listed,
        sources,
        onward,
        mark,
        len(batch.ids),
        batch.names_files,
        total=batch.total,
    )


def address_of_page(source: str, cursor: bytes, first: str) -> str:
    """Where a page is that is found by links; a cursor that leads to another host is none of ours."""
    said = _asking.unpack(cursor).get("url")
    is_ours = (
        isinstance(said, str)
        and _records.is_address(said)
        and urls.host(said) == urls.host(source)
    )
    return str(said) if is_ours else first


def link_to(value: object, rel: str, base: str) -> str:
    """The first link of a relation, absolute; empty where there is none that can be asked for."""
    for link in _records.rows(value):
        method = str(link.get("method", "GET")).upper()
        if link.get("rel") == rel and method == "GET":
            return _records.address(link.get("href"), base)
    return ""
