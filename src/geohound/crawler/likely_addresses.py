"""Likely addresses: where a site that has a service may well have another, by what the catalogue's sites have (OSS-16).

Sidsten's thesis proposes requests fabricated from two statistics: which service types a site has (section 3.5.1), and
which directory names its addresses are made of (section 3.5.2). Only hosts that have a service get any.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from geohound import urls
from geohound.model.service import Service
from geohound.model.visit import Candidate, Purpose, Via, order_score

MAX_PER_HOST = 4
MAX_IN_VAIN = 2  # at one host, before anything was found there in this way
MIN_HOSTS = 3  # that have an address, before it is proposed elsewhere
PRIOR_WEIGHT = 4.0  # hosts that what is known of programs counts as
USUAL_COST = 2.0  # requests that a proposal takes, until it is measured
FIRST_PAGES = 20  # requests by which the crawl's own rate is known well enough
MAX_LEARNED = 100_000  # addresses of services that the catalogue has
MAX_HOST_PATHS = 20  # of one host that are counted
# What is known of programs, until the catalogue says otherwise: a mark of an address, another address, how often.
_KNOWN: Mapping[str, Mapping[str, float]] = {
    "/geoserver": {"/geoserver/ows": 0.5, "/geoserver/gwc/service/wmts": 0.5},
    "/rest": {"/rest/services": 0.5},
    "/services": {"/rest/services": 0.5},
    "/geonetwork": {"/geonetwork/srv/eng/csw": 0.5},
    "/thredds": {"/thredds/catalog.xml": 0.5},
    "/erddap": {"/erddap/version": 0.5},
    "wms": {"./wfs": 0.25, "./csw": 0.05},
    "wfs": {"./wms": 0.25},
}
# Where a program stands below other folders, as in /server/arcgis/rest/services, addresses are seen from there.
_PROGRAM = re.compile(
    r"/(?:geoserver|geonetwork|thredds|erddap)(?:/|$)|/rest/services(?:/|$)"
    r"|/services/(?:[^/]{1,200}/){1,2}\w{1,10}server(?:/|$)",
    re.IGNORECASE,
)
_SISTER = "./"  # an address in the same folder
_TO = " → "


class _Place(NamedTuple):
    """A path in two parts: the folders above a known program, and the rest."""

    below: str
    path: str


class Proposal(NamedTuple):
    """An address that nobody has named, and why it is likely."""

    url: str
    chance: float
    why: str  # the mark and the address that go together


@dataclass(slots=True)
class _Host:
    asked: int = 0
    found: int = 0


@dataclass(slots=True)
class LikelyAddresses:
    """What addresses go together, and what proposals have cost and brought so far."""

    _with: defaultdict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )  # hosts that have both
    _marks: Counter[str] = field(default_factory=Counter)  # hosts that have a mark
    # hosts with a mark that were asked for an address
    _tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    _hosts: defaultdict[str, _Host] = field(default_factory=lambda: defaultdict(_Host))
    _why: dict[str, str] = field(default_factory=dict)  # of what was proposed
    _requests: int = 0  # of the crawl, proposals apart
    _services: int = 0
    _proposed: int = 0
    _cost: int = 0

    @classmethod
    def of(cls, addresses: Iterable[str]) -> LikelyAddresses:
        """From the addresses of the services that a catalogue has."""
        made = cls()
        by_host: defaultdict[str, set[_Place]] = defaultdict(set)
        for url in addresses:
            places = by_host[urls.host(url)]
            if len(places) < MAX_HOST_PATHS:
                places.add(_place(url))
        common = Counter(
            path for places in by_host.values() for path in {at.path for at in places}
        )
        for places in by_host.values():
            made._count(places, common)
        for mark, together in list(made._with.items()):
            made._with[mark] = Counter(
                {
                    address: hosts
                    for address, hosts in together.items()
                    if hosts >= MIN_HOSTS
                }
            )
        return made

    def _count(self, places: set[_Place], common: Counter[str]) -> None:
        """One host: each mark with each other address below the same folder that several hosts have."""
        marks = {mark for at in places for mark in _marks(at.path)}
        self._marks.update(marks)
        together = [
            (one.path, other.path)
            for one in places
            for other in places
            if one.below == other.below and one.path != other.path
        ]
        pairs = {
            (mark, other)
            for path, other in together
            if common[other] >= MIN_HOSTS
            for mark in _marks(path)
        }
        pairs |= {
            (_last(path), f"{_SISTER}{_last(other)}")
            for path, other in together
            if _are_sisters(path, other)
        }
        for mark, address in pairs:
            self._with[mark][address] += 1

    def taken(
        self, candidate: Candidate, requests: int, services: Sequence[Service]
    ) -> list[Candidate]:
        """What a visit cost and proved is counted; the candidates that its services make likely."""
        if candidate.via is Via.LIKELY:
            self.learn(candidate.url, requests, is_found=bool(services))
        else:
            self.count(requests, len(services))
        score, depth = order_score(candidate.score), candidate.depth + 1
        return [
            Candidate(
                each.url,
                Via.LIKELY,
                service.endpoint,
                each.why,
                score,
                depth,
                Purpose.PROBE,
            )
            for service in services
            for each in self.propose(service.endpoint)
        ]

    def count(self, requests: int, services: int) -> None:
        """The crawl has made so many requests, which proved so many new services."""
        self._requests += requests
        self._services += services

    def learn(self, url: str, requests: int, *, is_found: bool) -> None:
        """A proposal was asked for."""
        host, why = self._hosts[urls.host(url)], self._why.get(url, "")
        self._cost += requests
        self._proposed += 1
        host.found += is_found
        mark, _, address = why.partition(_TO)
        if why:
            self._tried[mark, address] += 1
            self._with[mark][address] += is_found
            self._why[url] = ""  # each counts once, however often it was tried

    @property
    def gain_needed(self) -> float:
        """Services that a request of the crawl brings: a proposal has to promise more."""
        return (self._services + 1) / (self._requests + FIRST_PAGES)

    @property
    def cost(self) -> float:
        """Requests that a proposal takes."""
        return (self._cost + USUAL_COST * FIRST_PAGES) / (self._proposed + FIRST_PAGES)

    def propose(self, endpoint: str) -> list[Proposal]:
        """Addresses beside a service that was proved, the likeliest first; none where pages promise more."""
        host = self._hosts[urls.host(endpoint)]
        room = MAX_PER_HOST - host.asked
        if room <= 0 or (host.asked >= MAX_IN_VAIN and not host.found):
            return []
        least = self.gain_needed * self.cost
        best: dict[str, Proposal] = {}
        for proposal in self._all(endpoint):
            is_better = (
                proposal.url not in best or proposal.chance > best[proposal.url].chance
            )
            if proposal.chance > least and is_better:
                best[proposal.url] = proposal
        new = [each for each in best.values() if each.url not in self._why]
        chosen = sorted(new, key=lambda each: (-each.chance, each.url))[
            : min(room, MAX_IN_VAIN)
        ]
        host.asked += len(chosen)
        self._why.update({each.url: each.why for each in chosen})
        return chosen

    def _all(self, endpoint: str) -> Iterator[Proposal]:
        below, path = _place(endpoint)
        origin = "/".join(endpoint.split("/", 3)[:3]) + below
        folder = path.rpartition("/")[0]
        for mark in _marks(path):
            for address in {*_KNOWN.get(mark, {}), *self._with.get(mark, ())}:
                place = (
                    f"{folder}/{address[2:]}"
                    if address.startswith(_SISTER)
                    else address
                )
                url = urls.canonical(origin + place)
                if url and place != path:
                    yield Proposal(
                        url, self._chance(mark, address), f"{mark}{_TO}{address}"
                    )

    def _chance(self, mark: str, address: str) -> float:
        """Of the hosts that have the mark, the share that has the address; what is known of programs counts as some."""
        known = PRIOR_WEIGHT * _KNOWN.get(mark, {}).get(address, 0.0)
        hosts = self._marks[mark] + self._tried[mark, address]
        return (self._with[mark][address] + known) / (hosts + PRIOR_WEIGHT)


def _place(url: str) -> _Place:
    path = (
        "/" + url.partition("?")[0].split("/", 3)[-1].strip("/")
        if url.count("/") > 2
        else "/"
    )
    program = _PROGRAM.search(path)
    at = program.start() if program else 0
    return _Place(path[:at], path[at:])


def _marks(path: str) -> set[str]:
    """By what an address is compared: its first directory, its last name, and itself."""
    parts = [part for part in path.lower().split("/") if part]
    return {f"/{parts[0]}", parts[-1], path} if parts else set()


def _last(path: str) -> str:
    return path.lower().rpartition("/")[2]


def _are_sisters(path: str, other: str) -> bool:
    return path != other and path.rpartition("/")[0] == other.rpartition("/")[0]
