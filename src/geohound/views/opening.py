"""How to open a layer: the requests for a box, and the code that makes them in each program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from geohound.contracts import Kind, SnippetWriter
from geohound.model.bbox import WORLD, BBox
from geohound.model.layer_request import LayerRequest, Rel
from geohound.model.service import Layer, Service
from geohound.urls import canonical

from .records import Box, rounded

NOTHING_BUT_ITS_DESCRIPTION = (
    "Nothing but its description can be asked for by a simple request."
)
_DESCRIBES = {Rel.DESCRIPTION: 1, Rel.CAPABILITIES: 2}  # tried last by programs


@dataclass(frozen=True, slots=True)
class Snippet:
    """Code for one program."""

    tool: str  # the id of its writer
    title: str
    language: str
    code: str


@dataclass(frozen=True, slots=True)
class Opening:
    """The requests and snippets for one layer (or a whole service) at one box."""

    box: BBox
    links: tuple[LayerRequest, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    reason: str = ""  # why no data can be asked for, where that is so

    def first(self, *rels: Rel) -> str:
        """The URL of the first request with one of these relations."""
        return next((link.url for link in self.links if link.rel in rels), "")


@dataclass(frozen=True, slots=True)
class Opener:
    """Combines the kinds, which make requests, and the programs, which write code for them."""

    kinds: Mapping[str, Kind]
    writers: Mapping[str, SnippetWriter]

    def open(
        self, service: Service, layer: Layer | None = None, box: BBox | None = None
    ) -> Opening:
        """How to open a layer, by default the first one, at a box, by default its extent."""
        kind = self.kinds.get(service.kind)
        if canonical(service.endpoint) is None:
            return Opening(WORLD, reason="The endpoint is not a web address.")
        if kind is None:
            return Opening(
                WORLD,
                reason=f"No installed part knows services of the kind {service.kind!r}.",
            )
        chosen = layer or (service.layers[0] if service.layers else Layer(""))
        requests = tuple(
            r for r in kind.requests(service, chosen, box) if canonical(r.url)
        )
        if not requests:
            return Opening(
                WORLD, reason="The service gives no address that could be asked."
            )
        return Opening(
            requests[0].box,
            requests,
            self._snippets(service, chosen, requests),
            _reason(requests),
        )

    def _snippets(
        self, service: Service, layer: Layer, requests: Sequence[LayerRequest]
    ) -> tuple[Snippet, ...]:
        """For each program the code of the first request that it supports; requests for data come first."""
        wanted = sorted(requests, key=lambda request: _DESCRIBES.get(request.rel, 0))
        found = []
        for writer in sorted(self.writers.values(), key=lambda writer: writer.rank):
            codes = (writer.write(service, layer, request) for request in wanted)
            code = next(filter(None, codes), None)
            if code:
                found.append(Snippet(writer.id, writer.title, writer.language, code))
        return tuple(found)


def _reason(requests: Sequence[LayerRequest]) -> str:
    if any(request.rel not in _DESCRIBES for request in requests):
        return ""
    return NOTHING_BUT_ITS_DESCRIPTION


class LinkRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One request, ready to be sent by GET."""

    rel: Rel
    title: str
    url: str
    media_type: str


class OpeningRecord(msgspec.Struct, frozen=True, kw_only=True):
    """How to open a layer at a box."""

    bbox: Box
    links: list[LinkRecord]
    snippets: tuple[Snippet, ...]
    reason: str  # why no data can be asked for, where that is so


def opening_record(opening: Opening) -> OpeningRecord:
    links = [
        LinkRecord(rel=a.rel, title=a.title, url=a.url, media_type=a.media_type)
        for a in opening.links
    ]
    return OpeningRecord(
        bbox=rounded(opening.box),
        links=links,
        snippets=opening.snippets,
        reason=opening.reason,
    )
