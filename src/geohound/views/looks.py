"""The record of one look at a service: what was found, of it and of its layers, and how to repeat each request."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from geohound.model.layer_check import LayerCheck


class AskedRequest(Protocol):
    """One request of a look and how it ended."""

    url: str
    accept: str
    status: int
    elapsed_s: float
    bytes: int
    problem: str


class RequestMade(msgspec.Struct, frozen=True, kw_only=True):
    """A request of a look, with the command that repeats it."""

    url: str
    status: int
    elapsed_ms: float
    bytes: int
    problem: str | None
    curl: str


class LayerLook(msgspec.Struct, frozen=True, kw_only=True):
    """What a layer answered."""

    name: str
    request: str
    ok: bool | None
    reason: str | None
    elapsed_ms: float


class LookRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One look at a service."""

    id: str
    kind: str
    endpoint: str
    title: str
    ok: bool | None
    reason: str | None
    elapsed_ms: float
    state: str | None  # of a service of the catalogue, after this look
    was: str | None
    layer_count: int
    layers: Sequence[LayerLook]
    requests: Sequence[RequestMade]


def layer_looks(checks: Iterable[LayerCheck]) -> list[LayerLook]:
    return [
        LayerLook(
            name=each.layer, request=each.request, ok=each.ok, reason=each.reason or None,
            elapsed_ms=milliseconds(each.elapsed_s),
        )
        for each in checks
    ]  # fmt: skip


def requests_made(asked: Iterable[AskedRequest]) -> list[RequestMade]:
    return [
        RequestMade(
            url=each.url, status=each.status, elapsed_ms=milliseconds(each.elapsed_s), bytes=each.bytes,
            problem=each.problem or None, curl=curl(each.url, each.accept),
        )
        for each in asked
    ]  # fmt: skip


def milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 1)


def curl(url: str, accept: str) -> str:
    """The command that makes the same request; whatever the address holds, the shell sees one word."""
    wanted = "" if accept == "*/*" else f" -H {shlex.quote(_plain(f'Accept: {accept}'))}"
    return f"curl -sSL{wanted} {shlex.quote(_plain(url))}"


def _plain(text: str) -> str:
    """One line without control characters."""
    return "".join(c if c.isprintable() else " " for c in text)
