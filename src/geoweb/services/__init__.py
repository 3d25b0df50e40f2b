"""The services of the geoweb: each kind answers its protocol properly, from its spec alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from geoweb.protocol import Facts, Reply, Request, ServiceSpec

from . import (
    arcgis,
    contexts,
    csw,
    erddap,
    feeds,
    kml,
    ogcapi,
    opendap,
    sensorthings,
    sos,
    stac,
    thredds,
    tiles,
    wcs,
    wfs,
    wms,
    wmts,
    wps,
)
from ._content import content_of
from ._paths import fill
from ._service import Kind, Listed, take_apart

_FAMILIES = (
    wms, wfs, wcs, wmts, wps, csw, sos, ogcapi, stac, arcgis, sensorthings, tiles, thredds, opendap,
    erddap, feeds, kml,
    contexts,
)  # fmt: skip
_KINDS: dict[str, Kind] = {
    name: kind for family in _FAMILIES for name, kind in family.FAMILY.items()
}

KINDS: tuple[str, ...] = tuple(_KINDS)
LISTS = frozenset(contexts.FAMILY)  # documents that name services and are none
VERSIONS: Mapping[str, tuple[str, ...]] = {
    name: kind.versions for name, kind in _KINDS.items()
}


def endpoint_path(kind: str, seed: int) -> str:
    """A path as real servers have it, possibly with a vendor's query; no two seeds share one."""
    paths = _KINDS[kind].paths
    return fill(paths[seed % len(paths)], seed)


def request_url(spec: ServiceSpec) -> str:
    """The request that a person would publish."""
    return _KINDS[spec.kind].request_url(spec)


def facts(spec: ServiceSpec) -> Facts:
    """What a reader must find in the answers of this service."""
    kind = _KINDS[spec.kind]
    box = content_of(spec).box if kind.has_box else None
    return Facts(
        kind.title(spec), kind.layers(spec), box, spec.version, request_url(spec)
    )


def answer(
    spec: ServiceSpec, request: Request, listed: tuple[ServiceSpec, ...] = ()
) -> Reply | None:
    """The reply of the service; None if the path is not its own. `listed` is what a catalogue lists."""
    kind = _KINDS[spec.kind]
    call = take_apart(kind, spec, request, _with_addresses(listed))
    return kind.answer(call) if call else None


@lru_cache(maxsize=256)
def _with_addresses(specs: tuple[ServiceSpec, ...]) -> tuple[Listed, ...]:
    """Each with the address a catalogue gives for it: the request or the bare endpoint; people do both."""
    return tuple(
        Listed(spec, request_url(spec) if spec.seed % 2 else spec.endpoint)
        for spec in specs
    )


__all__ = [
    "KINDS",
    "LISTS",
    "VERSIONS",
    "answer",
    "endpoint_path",
    "facts",
    "request_url",
]
