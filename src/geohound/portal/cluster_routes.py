"""How the cluster stands that works for this catalogue: nodes, shards, rates and lag, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from geohound.views.encoding import encode

from .openapi import ApiOperation
from .pages.rendering import render
from .portal import portal_of

STALE_S = 30.0  # a supervisor that was not heard of for so long is gone
_HEADERS = {"Cache-Control": "no-store"}


class NodeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A machine of the cluster; its workers that can work, and why others cannot."""

    id: str
    address: str
    workers: int
    shards: int
    trouble: str = ""


class ShardRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a divided task."""

    number: int
    state: str
    pages: int
    queue: int
    holder: str


class DividedTaskRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A task that is divided over the cluster; parcels are batches of links that wait for their shard."""

    task: int
    shards: int
    running: int
    idle: int
    parcels: int
    pages: int
    pages_per_s: float
    queue: int
    parts: list[ShardRecord]


class ClusterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the supervisor noted `age_s` ago, and the divided tasks; without nodes there is no cluster."""

    nodes: list[NodeRecord]
    age_s: float | None
    is_stale: bool
    tasks: list[DividedTaskRecord]


def read_cluster(request: Request) -> ClusterRecord:
    said = portal_of(request).cluster()
    is_stale = bool(said["nodes"]) and said["age_s"] > STALE_S
    return msgspec.convert({**said, "is_stale": is_stale}, ClusterRecord)


def cluster(request: Request) -> Response:
    """GET /cluster of the API"""
    return Response(encode(read_cluster(request)), 200, _HEADERS, "application/json")


def cluster_page(request: Request) -> Response:
    """GET /cluster"""
    page = render(request, "cluster.html", {"cluster": read_cluster(request)})
    page.headers.update(_HEADERS)
    return page


def pages() -> list[BaseRoute]:
    return [Route("/cluster", cluster_page)]


def schemas() -> Mapping[str, Any]:
    _, components = msgspec.json.schema_components(
        (ClusterRecord,), ref_template="#/components/schemas/{name}"
    )
    return components


OPERATIONS = (
    ApiOperation(
        "/cluster", "cluster", "Nodes and divided crawls of the cluster, for administrators", cluster,
        {"$ref": "#/components/schemas/ClusterRecord"}, tag="crawls", refusals=(401, 403),
    ),
)  # fmt: skip
