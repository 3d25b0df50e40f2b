"""Lists of addresses: registries, CSV, JSON, text, or any page that somebody has made to list services (OSS-1)."""

from __future__ import annotations

import html
import re

from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import MAX_LISTED, HarvestPage, fingerprint
from geohound.model.visit import Failure

from . import _asking
from ._part import Part
from ._seed_lists import read_seeds

_LOCAL = re.compile(r"^file:.*\.(?:csv|tsv|txt|jsonl?|ndjson)$", re.IGNORECASE)


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:  # noqa: ARG001
    """All addresses of a document, the most promising first; a list is one page."""
    answer = await _asking.ask(fetcher, source)
    if isinstance(answer, Failure):
        return answer
    seeds = read_seeds(html.unescape(answer.text) if answer.is_html else answer.text)[
        : 2 * MAX_LISTED
    ]
    if not seeds:
        return _asking.not_understood(answer, "a list of addresses")
    mark = fingerprint(source, (seed.url for seed in seeds))
    return HarvestPage(
        tuple(seed.listed for seed in seeds), fingerprint=mark, records=len(seeds)
    )


HARVESTERS = (Part("list", "List of addresses", page, address=_LOCAL),)
