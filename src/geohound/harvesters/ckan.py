"""CKAN: the resources of all its datasets that are services, by its action API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from geohound import urls
from geohound.document import Document
from geohound.model.crawl.harvest import Listed

from ._asking import number
from ._moved import with_moved
from ._paging import PAGE, Batch, Offsets, page_at_offset
from ._part import FRONT_BYTES, Part, from_date
from ._protocols import protocol_of
from ._records import address, mapping, rows, words

_ADDRESS = re.compile(r"^[^?]*(?:/api/(?:3/)?action(?:[/?]|$)|/api/3/?(?:\?|$))")
_BELOW_ROOT = re.compile(r"/api/(?:3/)?(?:action\b|3).*|\?.*", re.DOTALL)
_BELOW = re.compile(
    r"/(?:api(?:/3)?(?:/action(?:/\w*)?)?|dataset|organization|group)/?$"
)


# What themes of CKAN leave in place: its name as generator, the root in the body tag.
_MARKS = (b'generator" content="ckan', b"data-locale-root=", b"ckan-footer-logo")
_SITE_ROOT = re.compile(rb'data-site-root="(https?://[^"<>\s]{1,500})"')


def _root(url: str) -> str:
    """The portal itself: each of its addresses begins with it."""
    return _BELOW_ROOT.sub("/", url)


def _front(document: Document) -> str:
    said = _SITE_ROOT.search(document.body[:FRONT_BYTES])
    if said is not None:
        return said[1].decode("utf-8", "replace")
    return f"{urls.origin(document.url)}/" if document.is_html else ""


def _request(source: str, offset: int, since: str) -> str:
    root = _BELOW.sub("", source.partition("?")[0].rstrip("/"))
    asked = {"rows": str(PAGE), "start": str(offset), "sort": "id asc"}
    if since:
        asked["fq"] = f"metadata_modified:[{since}T00:00:00Z TO *]"
    return urls.with_params(f"{root}/api/3/action/package_search", asked)


def _read(value: object, url: str, since: str) -> Batch | None:  # noqa: ARG001
    answer = mapping(value)
    result = mapping(answer.get("result"))
    if answer.get("success") is not True or not isinstance(result.get("results"), list):
        return None
    packages = rows(result["results"])
    ids = [
        words(package.get("id")) or words(package.get("name")) for package in packages
    ]
    listed = [found for package in packages for found in _resources(package, url)]
    return Batch(ids, listed, number(result.get("count")), names_files=True)


def _resources(package: Mapping[str, Any], url: str) -> list[Listed]:
    title = words(package.get("title"))
    found = []
    for resource in rows(package.get("resources"))[:500]:
        where = address(resource.get("url"), url)
        labels = (
            resource.get(name)
            for name in ("protocol", "resource_locator_protocol", "format", "name")
        )
        if where:
            found.append(Listed(where, title, protocol_of(*labels)))
    return found


HARVESTERS = (
    Part(
        "ckan",
        "CKAN",
        with_moved(
            partial(
                page_at_offset, protocol=Offsets("an answer of CKAN", _request, _read)
            )
        ),
        from_date,
        address=_ADDRESS,
        root=_root,
        marks=_MARKS,
        front=_front,
    ),
)
