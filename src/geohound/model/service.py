"""What Geohound finds: services, their layers, who offers them, why an answer is none, and where each was seen."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from .bbox import BBox
from .location import HostLocation
from .visit import Validators, Via


class BoxFault(StrEnum):
    """Why a declared box could not be taken as it was."""

    SWAPPED_AXES = "swapped axes"
    ZERO_TO_360 = "longitudes 0 to 360"
    PROJECTED = "metres in a degree field"
    WHOLE_WORLD = "whole-world default"
    MIN_ABOVE_MAX = "minimum above maximum"
    ANTIMERIDIAN = "crosses the antimeridian"
    OUT_OF_RANGE = "out of range"
    NOT_A_NUMBER = "not a number"
    EMPTY = "never filled in"


@dataclass(frozen=True, slots=True)
class Extent:
    """A box we trust, and beside it the numbers as declared and what was wrong with them."""

    box: BBox | None
    declared: tuple[float, ...] = ()
    crs: str = "CRS:84"
    faults: tuple[BoxFault, ...] = ()


@dataclass(frozen=True, slots=True)
class Provider:
    name: str = ""
    contact: str = ""
    email: str = ""
    site: str = ""


@dataclass(frozen=True, slots=True)
class Access:
    """What the provider says about use: the original words and a normalised licence."""

    fees: str = ""
    constraints: str = ""
    licence: str = ""  # SPDX id or short name where the words are clear, else empty
    licence_text: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    get: str = ""
    post: str = ""
    formats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layer:
    """Any named offering: map layer, feature type, coverage, collection, offering, process, dataset."""

    name: str
    title: str = ""
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    extent: Extent | None = None
    crs: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    # smallest and largest denominator
    scale: tuple[float | None, float | None] = (None, None)
    queryable: bool = False
    parent: str = ""  # name or title of the group it stands in
    links: tuple[str, ...] = ()  # what it points to: tile templates, items, metadata
    grids: tuple[str, ...] = ()  # names of the tile grids that it is cut by


# so begins the repair of an answer with broken TLS
READ_IN_SPITE_OF: Final = "read in spite of: "


@dataclass(frozen=True, slots=True)
class Service:
    """A confirmed service: what its own answer says of it."""

    kind: str
    endpoint: str
    version: str = ""
    versions: tuple[str, ...] = ()
    title: str = ""
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    provider: Provider = Provider()
    access: Access = Access()
    extent: Extent | None = None
    layers: tuple[Layer, ...] = ()
    operations: tuple[Operation, ...] = ()
    formats: tuple[str, ...] = ()
    crs: tuple[str, ...] = ()
    language: str = ""
    software: str = ""
    online_resource: str = ""  # the address that the document itself gives
    aliases: tuple[str, ...] = ()  # further addresses of the same service
    links: tuple[str, ...] = ()  # other services that this document lists
    # what had to be mended before the document could be read
    repairs: tuple[str, ...] = ()
    layers_truncated: bool = False
    fingerprint: str = ""
    # further documents of this service that complete what this one says
    companions: tuple[str, ...] = ()
    grids: tuple[str, ...] = ()  # tile grids, as the texts of `model.grid`
    cors: str = ""  # whose web pages may read its answers: "yes" any, "some" those it names; empty where it did not say
    # the kind is a guess: a companion that says otherwise is right
    provisional: bool = False
    name: str = ""  # short, for machines: Service/Name of a WMS
    # of the host that answered; not what the document says
    location: HostLocation | None = None

    @property
    def id(self) -> str:
        return service_id(self.kind, self.endpoint)

    @property
    def tls_fault(self) -> str:
        """What was wrong with the certificate or the protocol first of all, where the answer was read anyway."""
        faults = (
            text.removeprefix(READ_IN_SPITE_OF)
            for text in self.repairs
            if text.startswith(READ_IN_SPITE_OF)
        )
        return next(faults, "").partition(", ")[0]


class RefusalReason(StrEnum):
    """Why an answer is no service, in words a person understands."""

    EXCEPTION_REPORT = "exception report"
    LOGIN_WALL = "log-in wall"
    BOT_WALL = "bot wall"
    HTML_PAGE = "HTML page"
    OTHER_KIND = "other kind of document"
    NOT_FOUND = "not found"
    SERVER_ERROR = "server error"
    NO_CONTENT = "empty answer"
    MALFORMED = "malformed"
    TOO_LARGE = "too large"
    BLANK_IMAGE = "blank image"
    TRUNCATED = "truncated"
    WRONG_PROJECTION = "wrong projection"
    BROKEN_LAYERS = "no layer works"
    SOME_LAYERS = "some layers fail"
    UNREACHABLE = "unreachable"
    REDIRECTED = "redirected elsewhere"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no service; `kind` is set where the answer proves which kind refused."""

    reason: RefusalReason
    detail: str = ""
    kind: str = ""
    # services that the document names, where it is a list of them
    lists: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where and how a service was met; provenance is never thrown away."""

    service_id: str
    url: str
    found_on: str
    via: Via
    evidence: str
    at: datetime
    task: int = 0
    depth: int = 0


class Proof(NamedTuple):
    """The one answer that says all there is to know of a service, and how to learn whether it still says so."""

    service_id: str
    url: str
    validators: Validators


class CachedProof(NamedTuple):
    """What an address proved when it was asked the last time: true for as long as it answers 304."""

    validators: Validators
    services: tuple[Service, ...]


class CataloguedService(NamedTuple):
    """A service of the catalogue, as far as one must know it to ask it again."""

    id: str
    kind: str
    endpoint: str


class KnownProofs(NamedTuple):
    """What a catalogue has of the services at an address, so that less has to be asked."""

    proved: Mapping[str, CachedProof] = {}  # by request
    endpoints: frozenset[str] = frozenset()  # whose further documents were read
    services: tuple[CataloguedService, ...] = ()


NOTHING_KNOWN = KnownProofs()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one answer is: the services it proves, or the reason why it is none."""

    services: tuple[Service, ...] = ()
    refusal: Refusal | None = None
    tried: tuple[str, ...] = field(default=())  # addresses asked before the verdict
    # of those services that may be asked the short way the next time
    proofs: tuple[Proof, ...] = ()
    # the requests that were answered by no service, and by what
    refusals: tuple[tuple[str, Refusal], ...] = ()


def service_id(kind: str, endpoint: str) -> str:
    """A short, stable name for a service: the hash of its kind and canonical endpoint."""
    return hashlib.sha256(f"{kind} {endpoint}".encode()).hexdigest()[:16]


_NUMBERS = re.compile(r"\d+")


def version_order(version: str) -> tuple[int, ...]:
    """Versions as numbers: 1.10 comes after 1.9."""
    return tuple(int(digits[:9]) for digits in _NUMBERS.findall(version)[:6])
