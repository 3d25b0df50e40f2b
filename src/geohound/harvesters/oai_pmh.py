"""OAI-PMH: page through ListRecords by its resumption tokens and take the addresses of the records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking, _records
from ._part import Part, from_date

_ADDRESS = re.compile(
    r"^[^?]*/(?:oai|oai2|oai-?pmh|oai/request)/?(?:\?|$)"
    r"|[?&]verb=identify(?:&|$)|[?&]verb=.*&metadataprefix=|[?&]metadataprefix=.*&verb=",
    re.IGNORECASE,
)
_MAX_TOKEN_CHARS = 2_000
_FIRST = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    said = _asking.unpack(cursor)
    token = str(said.get("token", ""))
    if not token:
        since = {"from": str(said["since"])} if said.get("since") else {}
        return await _ask(source, {**_FIRST, **since}, fetcher)
    # A token stands alone by the standard, and pycsw wants the format beside it.
    found = await _ask(
        source, {"verb": "ListRecords", "resumptionToken": token}, fetcher
    )
    if isinstance(found, Failure) and found.reason.means.is_rewordable:
        return await _ask(source, {**_FIRST, "resumptionToken": token}, fetcher)
    return found


async def _ask(
    source: str, asked: Mapping[str, str], fetcher: Fetcher
) -> HarvestPage | Failure:
    answer = await _asking.ask(fetcher, urls.with_params(_base(source), asked))
    return (
        answer
        if isinstance(answer, Failure)
        else _read(answer, source, asked.get("resumptionToken", ""))
    )


def _base(source: str) -> str:
    """The address without the question: other parameters are the server's own."""
    own = {
        "verb",
        "metadataprefix",
        "resumptiontoken",
        "from",
        "until",
        "set",
        "identifier",
    }
    kept = [
        (name, value) for name, value in urls.params(source) if name.lower() not in own
    ]
    base = source.partition("?")[0]
    return f"{base}?{urls.encode_params(kept)}" if kept else base


def _read(document: Document, source: str, token: str) -> HarvestPage | Failure:
    root = document.root
    if document.root_name != "OAI-PMH" or root is None:
        return _asking.not_understood(document, "an answer of OAI-PMH")
    if safe_xml.attribute(safe_xml.child(root, "error"), "code") == "noRecordsMatch":
        return HarvestPage()
    listing = safe_xml.child(root, "ListRecords")
    if listing is None:
        return _asking.not_understood(
            document,
            f"ListRecords ({safe_xml.text(root, 'error')[:200] or 'no records'})",
        )
    records = list(islice(safe_xml.children(listing, "record"), _asking.MAX_RECORDS))
    listed = dict.fromkeys(found for each in records for found in _addresses(each))
    following = safe_xml.text(listing, "resumptionToken")[:_MAX_TOKEN_CHARS]
    ends = ("", "0", token)  # pycsw ends with 0, and would begin anew
    is_last = not records or following in ends
    onward = b"" if is_last else _asking.pack(token=following)
    mark = fingerprint(source, map(_records.record_id, records))
    return HarvestPage(
        tuple(listed),
        next=onward,
        fingerprint=mark,
        records=len(records),
        names_files=True,
    )


def _addresses(record: safe_xml.Element) -> list[Listed]:
    metadata = safe_xml.child(record, "metadata")
    return [] if metadata is None else _records.of_xml(metadata)


def _front(document: Document) -> str:
    return _base(document.url) if document.root_name == "OAI-PMH" else ""


HARVESTERS = (
    Part(
        "oai-pmh",
        "OAI-PMH",
        page,
        from_date,
        address=_ADDRESS,
        root=_base,
        marks=(b"<OAI-PMH",),
        front=_front,
    ),
)
