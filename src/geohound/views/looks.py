"""The record of one look at a service: what was found, of it and of its layers, and how to repeat each request."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple, Protocol
from urllib.parse import urljoin, urlsplit

import msgspec

from geohound.model.monitoring.layer_check import LayerCheck

_ROBOTS: Final = "robots.txt"


class AskedRequest(Protocol):
    """One request of a look and how it ended."""

    url: str
    accept: str
    status: int
    elapsed_s: float
    bytes: int
    problem: str
    is_unverified: bool


class Repeating(NamedTuple):
    """What all requests share, as far as a curl command has to repeat it."""

    user_agent: str = ""
    connect_to: tuple[str, ...] = ()  # PATTERN=HOST:PORT


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


def requests_made(
    asked: Iterable[AskedRequest], repeating: Repeating
) -> list[RequestMade]:
    return [
        RequestMade(
            url=each.url, status=each.status, elapsed_ms=milliseconds(each.elapsed_s), bytes=each.bytes,
            problem=each.problem or None, curl=curl(each, repeating),
        )
        for each in asked
    ]  # fmt: skip


def milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 1)


def curl(asked: AskedRequest, repeating: Repeating) -> str:
    """The command that makes the same request; whatever the address holds, the shell sees one word.

    Where robots.txt kept us from asking, it is the request for that file.
    """
    is_robots = _ROBOTS in asked.problem
    url = urljoin(asked.url, f"/{_ROBOTS}") if is_robots else asked.url
    words = ["curl", "-sSLk" if asked.is_unverified else "-sSL"]
    if repeating.user_agent:
        words += ["-A", repeating.user_agent]
    if asked.accept != "*/*" and not is_robots:
        words += ["-H", f"Accept: {asked.accept}"]
    hostname = urlsplit(url).hostname or ""
    for route in repeating.connect_to:
        pattern, _, place = route.partition("=")
        if fnmatchcase(hostname, pattern.lower()):
            words += ["--connect-to", f"{hostname}::{place}"]
            break
    return " ".join(shlex.quote(_plain(word)) for word in [*words, url])


def _plain(text: str) -> str:
    """One line without control characters."""
    return "".join(c if c.isprintable() else " " for c in text)
