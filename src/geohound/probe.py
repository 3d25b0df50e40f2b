"""Finds out what a URL is: kinds read responses that fit them, and those that know the address send a few requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from geohound import urls
from geohound.contracts import Fetcher, Kind
from geohound.document import Document
from geohound.document.refusals import judge
from geohound.model.compact_sets import Recent
from geohound.model.failure import BUSY_STATUSES, FailureReason
from geohound.model.service import (
    NOTHING_KNOWN,
    CachedProof,
    KnownProofs,
    Proof,
    Refusal,
    RefusalReason,
    Service,
    Verdict,
)
from geohound.model.service_merge import companions, join
from geohound.model.truncation import truncate
from geohound.model.visit import Failure, Response, Validators

MAX_AT_ENDPOINT = (
    7  # requests for services at a neutral address, beside that of the page
)
MAX_UNFOUNDED = 2  # of them for services, while nothing speaks for one
MAX_REQUESTS = 5  # until a URL has proved something; a wrong suspicion must stay cheap
MAX_KEPT_LAYERS = 2_000  # of services that are kept whole: their further documents are not asked for again
MAX_COMPANIONS = 3  # further documents of what has proved to be a service
ACCEPT = "application/json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.8"
# The most frequent first, and last what a document is beside something more specific.
_rank = attrgetter("addresses.rank")
_FINAL = frozenset(
    {RefusalReason.LOGIN_WALL, RefusalReason.BOT_WALL, RefusalReason.UNREACHABLE}
)


_HEAD_BYTES = 20_000
_NAME = re.compile(r"(?<![A-Za-z])(WMS|WFS|WCS|WMTS|WPS|CSW|SOS)(?![A-Za-z])")
_EXCEPTIONS = frozenset({"ServiceExceptionReport", "ExceptionReport", "Fault"})
# What software leaves of itself in an answer, in lower case, and the services that it can offer at one address.
_SOFTWARE: tuple[tuple[tuple[str, ...], str], ...] = (
    (("pycsw", "geonetwork"), "CSW"),
    (("52n-sos", "52north", "52°north", "istsos"), "SOS"),
    (("pywps", "zoo-project", "zoo_loader"), "WPS"),
    (("tinyows",), "WFS"),
    (("mapproxy", "geowebcache", "mapcache"), "WMS WMTS"),
    (
        ("qgis_mapserv", "qgis server", "qgisserver", "qgis mapserver"),
        "WMS WFS WCS WMTS",
    ),
    (("deegree",), "WMS WFS WCS WMTS WPS CSW"),
    (("geoserver",), "WMS WFS WCS WMTS WPS CSW"),
    (("eoxserver", "thredds"), "WMS WCS"),
    (
        (
            "mswmsdispatch",
            "mswfsdispatch",
            "mswcsdispatch",
            "mscgi",
            "<!-- mapserver",
            "/mapserv",
        ),
        "WMS WFS WCS SOS",
    ),
)


class ProbeCache(NamedTuple):
    """What is known from earlier visits, so that fewer requests are needed."""

    known: KnownProofs = NOTHING_KNOWN
    completed: Recent[str, tuple[Service, ...]] | None = (
        None  # services with their further documents, by endpoint
    )

    def completed_services(
        self, services: Sequence[Service]
    ) -> tuple[Service, ...] | None:
        """These services, if they have no further documents, or if those were read before."""
        endpoints = {service.endpoint for service in services}
        if endpoints <= self.known.endpoints or not companions(services):
            return tuple(services)
        return (
            self.completed.get(services[0].endpoint)
            if self.completed and len(endpoints) == 1
            else None
        )

    def store(self, services: Sequence[Service]) -> None:
        if (
            self.completed is not None
            and services
            and sum(len(s.layers) for s in services) <= MAX_KEPT_LAYERS
        ):
            self.completed.put(services[0].endpoint, tuple(services))


NO_CACHE = ProbeCache()


def recognise(document: Document, kinds: Mapping[str, Kind]) -> Verdict:
    """What one answer is, in the eyes of all kinds."""
    services: list[Service] = []
    refusal: Refusal | None = None
    for kind in sorted(kinds.values(), key=_rank):
        match kind.read(document):
            case Service() as service:
                services.append(truncate(service))
            case Refusal() as refused:
                refusal = refusal or refused
    if services:
        cors = _cors(document.response.headers.get("access-control-allow-origin", ""))
        found = (
            tuple(replace(service, cors=cors) for service in services)
            if cors
            else tuple(services)
        )
        return Verdict(found, proofs=_proofs(found, document.response))
    refusal = refusal or judge(document)
    return Verdict(
        refusal=refusal if refusal.kind in kinds else replace(refusal, kind="")
    )


def _proofs(services: Sequence[Service], answer: Response) -> tuple[Proof, ...]:
    """Where this answer is all there is to read; of one among several a 304 says nothing about the others."""
    validators = Validators.of(answer)
    if (
        validators is None
        or answer.truncated
        or any(service.companions for service in services)
    ):
        return ()
    return tuple(Proof(service.id, answer.url, validators) for service in services)


def _cors(allowed: str) -> str:
    """The origin whose pages may read this response (CORS). We send no Origin header, so a server that names an origin
    means it and does not just repeat ours."""
    origins = {origin.strip() for origin in allowed.split(",")} - {"", "null"}
    return "yes" if "*" in origins else "some" if origins else ""


async def identify(
    url: str,
    fetcher: Fetcher,
    kinds: Mapping[str, Kind],
    max_bytes: int | None = None,
    known: Document | None = None,
    cache: ProbeCache = NO_CACHE,
) -> Verdict:
    """What lives at this URL, by a few requests; `known` is its answer as found, where somebody has it already."""
    suspects = [
        kind for kind in sorted(kinds.values(), key=_rank) if kind.suspects(url)
    ]
    endpoint = _NeutralEndpoint(url, suspects) if is_neutral(url, kinds) else None
    plan = (
        endpoint.first(is_read=known is not None)
        if endpoint
        else _requests(url, suspects)
    )
    tried: list[str] = []
    found: dict[str, Service] = {}
    proofs: list[Proof] = []
    refusals: list[tuple[str, Refusal]] = []
    while plan and _is_within_budget(tried, url, endpoint):
        target = plan.pop(0)
        if target in tried:
            continue
        tried.append(target)
        past = cache.known.proved.get(target)
        document = (
            known
            if known and target == url
            else await _ask(target, fetcher, max_bytes, past)
        )
        if isinstance(document, Failure):
            refusals.append((target, refused_by_failure(document)))
            break
        verdict = (
            _as_before(past, target)
            if past and document.response.status == 304
            else recognise(document, kinds)
        )
        endpoint = endpoint or _revealed(url, suspects, verdict, kinds)
        plan = endpoint.then(document, verdict, tried) if endpoint else plan
        if verdict.services:
            document.let_go()
            del document  # it may be large, and what follows may have to wait
            complete = await _complete(verdict.services, fetcher, kinds, tried, cache)
            if isinstance(complete, Failure):
                refusals.append((target, refused_by_failure(complete)))
                break
            proofs += [
                proof for proof in verdict.proofs if proof.service_id not in found
            ]
            found |= {
                service.id: service for service in complete if service.id not in found
            }
            if endpoint:
                continue
            break
        refusals += [(target, verdict.refusal)] if verdict.refusal else []
        if _strongest(refusals).reason in _FINAL:
            break
        plan += _second_thoughts(document, verdict.refusal, kinds)
        del document  # likewise
    why = None if found else _strongest(refusals)
    return Verdict(
        tuple(found.values()), why, tuple(tried), tuple(proofs), tuple(refusals)
    )


def _is_within_budget(
    tried: Sequence[str], url: str, endpoint: _NeutralEndpoint | None
) -> bool:
    if endpoint is None:
        return len(tried) < MAX_REQUESTS
    return sum(target != url for target in tried) < MAX_AT_ENDPOINT


def _revealed(
    url: str, suspects: Sequence[Kind], verdict: Verdict, kinds: Mapping[str, Kind]
) -> _NeutralEndpoint | None:
    """An address that suggests nothing, but answers as a service does, is as neutral as one that may have any."""
    if suspects or not _is_report(verdict):
        return None
    return _NeutralEndpoint(url, sorted(kinds.values(), key=_rank))


def _is_report(verdict: Verdict) -> bool:
    """An exception report proves some OGC service without saying which."""
    return (
        verdict.refusal is not None
        and verdict.refusal.reason is RefusalReason.EXCEPTION_REPORT
    )


async def _ask(
    url: str, fetcher: Fetcher, max_bytes: int | None, past: CachedProof | None
) -> Document | Failure:
    sent = past.validators if past else None
    visit = await fetcher.fetch(url, accept=ACCEPT, max_bytes=max_bytes, known=sent)
    return visit if isinstance(visit, Failure) else Document(visit)


def _as_before(past: CachedProof, url: str) -> Verdict:
    return Verdict(
        past.services,
        proofs=tuple(
            Proof(service.id, url, past.validators) for service in past.services
        ),
    )


def is_neutral(url: str, kinds: Mapping[str, Kind]) -> bool:
    """May any OGC service live at this address, such as …/ows, …/service or mapserv?map=, for all that it says?"""
    anywhere = [kind for kind in kinds.values() if kind.addresses.lives_anywhere]
    if len(anywhere) < 2 or not all(kind.suspects(url) for kind in anywhere):
        return False
    return not {"service", "request"} & set(urls.params_lower(url))


class _NeutralEndpoint:
    """An address that says of no service whether it lives there: what it answers decides what it is asked next."""

    def __init__(self, url: str, suspects: Sequence[Kind]) -> None:
        self._url = url
        anywhere = [kind for kind in suspects if kind.addresses.lives_anywhere]
        self._ladders = {
            kind.addresses.kvp.asked_as: kind.probe_urls(url) for kind in anywhere
        }
        self._asked_as = {
            target: service
            for service, ladder in self._ladders.items()
            for target in ladder
        }
        self._is_ows = False
        self._has_service = False
        self._hints = OwsHints()

    def first(self, *, is_read: bool) -> list[str]:
        """The page, where somebody has read it; else the request that most servers answer, which costs no page."""
        return (
            [self._url]
            if is_read
            else [ladder[0] for ladder in self._ladders.values()][:1]
        )

    def then(
        self, document: Document, verdict: Verdict, tried: Sequence[str]
    ) -> list[str]:
        """What is still worth a request, after this answer; nothing where the server asks for a pause."""
        if document.response.status in BUSY_STATUSES:
            return []
        hints = ows_hints(document, self._asked_as.get(tried[-1], ""))
        named = dict.fromkeys((*self._hints.named, *hints.named))
        self._hints = OwsHints(
            tuple(named), self._hints.of_software or hints.of_software
        )
        self._has_service = self._has_service or bool(verdict.services)
        self._is_ows = self._is_ows or _is_report(verdict) or self._has_service
        left = [target for target in self._in_order() if target not in tried]
        if self._is_ows or named:
            return left
        page = [] if self._url in tried else [self._url]
        asked = sum(target in self._asked_as for target in tried)
        is_there = document.response.status not in (404, 410)
        return [*page, *left[: MAX_UNFOUNDED - asked]] if is_there else page

    def _in_order(self) -> list[str]:
        """Services that an answer named, then what the software can offer, or all where it is not known.

        Where none has proved itself, they are asked once more with a version.
        """
        services = dict.fromkeys(
            (*self._hints.named, *(self._hints.of_software or self._ladders))
        )
        ladders = [
            self._ladders[service] for service in services if service in self._ladders
        ]
        rungs = 1 if self._has_service else 2
        return [
            ladder[rung]
            for rung in range(rungs)
            for ladder in ladders
            if rung < len(ladder)
        ]


async def _complete(
    services: tuple[Service, ...],
    fetcher: Fetcher,
    kinds: Mapping[str, Kind],
    tried: list[str],
    cache: ProbeCache,
) -> tuple[Service, ...] | Failure:
    """The services with what their companion documents add: APIs give their kinds and layers in several answers.

    Where the network is lost in between, they are incomplete and must be requested again.
    """
    whole = cache.completed_services(services)
    if whole is not None:
        return whole
    found: list[Service] = []
    wanted = [
        u
        for u in companions(services)
        if urls.host(u) == urls.host(services[0].endpoint) and u not in tried
    ]
    for target in wanted[:MAX_COMPANIONS]:
        tried.append(target)
        visit = await fetcher.fetch(target, accept=ACCEPT)
        if isinstance(visit, Failure) and visit.reason is FailureReason.RESET:
            visit = await fetcher.fetch(target, accept=ACCEPT)
        if isinstance(visit, Failure) and visit.reason.means.is_outage:
            return visit
        if isinstance(visit, Response):
            found += recognise(Document(visit), kinds).services
    if not wanted:
        return services
    joined = join(services, found)
    cache.store(joined)
    return joined


def refused_by_failure(failure: Failure) -> Refusal:
    """A failed visit as a refusal: unreachable, or not even asked."""
    reason = (
        RefusalReason.UNREACHABLE
        if failure.reason.means.is_asked
        else RefusalReason.INCONCLUSIVE
    )
    detail = (
        f"{failure.reason}: {failure.detail}" if failure.detail else str(failure.reason)
    )
    return Refusal(reason, detail)


def _requests(url: str, suspects: Sequence[Kind]) -> list[str]:
    """As found first, unless the URL asks for a map or a feature, or has blanks to be filled in."""
    typed = _typed(url, suspects)
    if typed and ("{" in url or "%7B" in url):
        return typed
    operation = urls.params_lower(url).get("request", "").lower()
    if typed and operation and operation not in ("getcapabilities", "capabilities"):
        return typed
    return [url, *typed]


def _typed(url: str, suspects: Iterable[Kind]) -> list[str]:
    """The first request of every suspect, then the second ones: breadth before depth."""
    ladders = [list(kind.probe_urls(url)) for kind in suspects]
    longest = max((len(ladder) for ladder in ladders), default=0)
    return [
        ladder[rung]
        for rung in range(longest)
        for ladder in ladders
        if rung < len(ladder)
    ]


def _second_thoughts(
    document: Document, refusal: Refusal | None, kinds: Mapping[str, Kind]
) -> list[str]:
    """Requests that the answer itself suggests."""
    if refusal and refusal.lists and refusal.kind in kinds:
        return list(refusal.lists[:1])  # what it is a part of
    if document.is_html:
        return _json_alternate(document)
    return []


def _json_alternate(document: Document) -> list[str]:
    """The JSON version that an OGC API's HTML landing page names in its head."""
    head = document.text[:20_000]
    for part in head.split("<link")[1:30]:
        tag = part.partition(">")[0]
        if "alternate" in tag and "application/json" in tag and "href=" in tag:
            href = (
                tag.partition("href=")[2]
                .strip("\"' ")
                .partition('"')[0]
                .partition("'")[0]
            )
            clean = urls.canonical(href, document.url)
            return (
                [clean] if clean and urls.host(clean) == urls.host(document.url) else []
            )
    return []


def _strongest(refusals: Iterable[tuple[str, Refusal]]) -> Refusal:
    """The most informative refusal, the first of equals: an exception report or a wall beats a plain page."""
    weak = (
        RefusalReason.HTML_PAGE,
        RefusalReason.OTHER_KIND,
        RefusalReason.NOT_FOUND,
        RefusalReason.INCONCLUSIVE,
    )
    found = [refusal for _, refusal in refusals]
    strong = [refusal for refusal in found if refusal.reason not in weak]
    return next(
        iter(strong or found), Refusal(RefusalReason.INCONCLUSIVE, "nothing was asked")
    )


class OwsHints(NamedTuple):
    """Values of the parameter SERVICE."""

    named: tuple[str, ...] = ()  # in an exception report or on a page
    of_software: tuple[
        str, ...
    ] = ()  # all that the software can offer; empty where it is not known


def ows_hints(document: Document, asked: str = "") -> OwsHints:
    """What an answer says of services; `asked` is the one that was asked for, which an exception report repeats.

    Capabilities name other services in their prose only: of them the software alone counts.
    """
    head = document.body[:_HEAD_BYTES].decode("utf-8", "ignore")
    lowered = (
        f"{document.response.headers.get('server', '')} {document.url} {head}".lower()
    )
    offered = next(
        (
            names
            for traces, names in _SOFTWARE
            if any(trace in lowered for trace in traces)
        ),
        "",
    )
    is_talking = document.is_html or document.root_name in _EXCEPTIONS
    found = dict.fromkeys(_NAME.findall(head)) if is_talking else {}
    return OwsHints(
        tuple(name for name in found if name != asked), tuple(offered.split())
    )
