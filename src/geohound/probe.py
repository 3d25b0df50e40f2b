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
from geohound.model.visit import Failure, Response, Validators, Visit

# requests for services at a neutral address, beside that of the page
MAX_AT_ENDPOINT = 7
MAX_UNFOUNDED = 2  # of them for services, while nothing speaks for one
MAX_REQUESTS = 5  # until a URL has proved something; a wrong suspicion must stay cheap
MAX_KEPT_LAYERS = 2_000  # of services that are kept whole: their further documents are not asked for again
MAX_COMPANIONS = 3  # further documents of what has proved to be a service
ACCEPT = "application/json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.8"
# The most frequent first, and last what a document is beside something more specific.
_rank = attrgetter("addresses.rank")
_ABSENT = (404, 410)
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
    """What is known beforehand, so that fewer requests are needed."""

    known: KnownProofs = NOTHING_KNOWN
    # services with their further documents, by endpoint
    completed: Recent[str, tuple[Service, ...]] | None = None
    # nobody names the URL: an answer that nothing is there ends it
    is_guess: bool = False

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
    state = _Identification(url, kinds, is_read=known is not None)
    while (target := state.next_request()) is not None:
        past = cache.known.proved.get(target)
        document: Document | Failure
        if known is not None and target == url:
            document = known
        else:
            document = await _ask(target, fetcher, max_bytes, past)
        if isinstance(document, Failure):
            state.refuse(target, document)
            break
        verdict = _verdict(document, past, target, kinds)
        state.choose_next(document, verdict)
        if not verdict.services:
            is_absent = cache.is_guess and document.response.status in _ABSENT
            if state.is_ended_by(target, document, verdict) or is_absent:
                break
            del document  # it may be large, and what follows may have to wait
            continue
        document.let_go()
        del document  # likewise
        tried = state.tried
        complete = await _complete(verdict.services, fetcher, kinds, tried, cache)
        if isinstance(complete, Failure):
            state.refuse(target, complete)
            break
        state.add(complete, verdict.proofs)
        if not state.is_at_endpoint:
            break
    return state.verdict()


class _Identification:
    """A URL that is being identified: what it was asked, what it has proved, and what is asked next."""

    def __init__(self, url: str, kinds: Mapping[str, Kind], *, is_read: bool) -> None:
        self.tried: list[str] = []
        self._url = url
        self._kinds = kinds
        self._found: dict[str, Service] = {}
        self._proofs: list[Proof] = []
        self._refusals: list[tuple[str, Refusal]] = []
        ranked = sorted(kinds.values(), key=_rank)
        self._suspects = [kind for kind in ranked if kind.suspects(url)]
        self._endpoint: _NeutralEndpoint | None = None
        if is_neutral(url, kinds):
            self._endpoint = _NeutralEndpoint(url, self._suspects)
            self._plan = self._endpoint.first(is_read=is_read)
        else:
            self._plan = _requests(url, self._suspects)

    @property
    def is_at_endpoint(self) -> bool:
        """May several services live here?"""
        return self._endpoint is not None

    def next_request(self) -> str | None:
        """The next URL of the plan that was not yet requested, while there may be one more request."""
        while self._plan and self._is_within_budget():
            target = self._plan.pop(0)
            if target not in self.tried:
                self.tried.append(target)
                return target
        return None

    def _is_within_budget(self) -> bool:
        if self._endpoint is None:
            return len(self.tried) < MAX_REQUESTS
        return sum(target != self._url for target in self.tried) < MAX_AT_ENDPOINT

    def choose_next(self, document: Document, verdict: Verdict) -> None:
        """An address that suggests nothing, but answers as a service does, is as neutral as one that may have any."""
        if self._endpoint is None and not self._suspects and _is_report(verdict):
            every = sorted(self._kinds.values(), key=_rank)
            self._endpoint = _NeutralEndpoint(self._url, every)
        if self._endpoint is not None:
            self._plan = self._endpoint.then(document, verdict, self.tried)

    def is_ended_by(self, target: str, document: Document, verdict: Verdict) -> bool:
        """Was this answer, which is no service, the last one? If not, it may suggest further requests."""
        if verdict.refusal:
            self._refusals.append((target, verdict.refusal))
        if _strongest(self._refusals).reason in _FINAL:
            return True
        self._plan += _second_thoughts(document, verdict.refusal, self._kinds)
        return False

    def refuse(self, target: str, failure: Failure) -> None:
        self._refusals.append((target, refused_by_failure(failure)))

    def add(self, services: Iterable[Service], proofs: Iterable[Proof]) -> None:
        """What was proved first counts."""
        known = self._found
        self._proofs += [each for each in proofs if each.service_id not in known]
        for service in services:
            known.setdefault(service.id, service)

    def verdict(self) -> Verdict:
        return Verdict(
            tuple(self._found.values()),
            None if self._found else _strongest(self._refusals),
            tuple(self.tried),
            tuple(self._proofs),
            tuple(self._refusals),
        )


def _verdict(
    document: Document, past: CachedProof | None, url: str, kinds: Mapping[str, Kind]
) -> Verdict:
    """What an answer is; by a 304 it is what it was before."""
    if past is None or document.response.status != 304:
        return recognise(document, kinds)
    proofs = tuple(Proof(each.id, url, past.validators) for each in past.services)
    return Verdict(past.services, proofs=proofs)


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
        self._learn(document, verdict, tried[-1])
        left = [target for target in self._in_order() if target not in tried]
        if self._is_ows or self._hints.named:
            return left
        page = [] if self._url in tried else [self._url]
        if document.response.status in _ABSENT:
            return page
        asked = sum(target in self._asked_as for target in tried)
        return [*page, *left[: MAX_UNFOUNDED - asked]]

    def _learn(self, document: Document, verdict: Verdict, asked: str) -> None:
        before, hints = self._hints, ows_hints(document, self._asked_as.get(asked, ""))
        named = dict.fromkeys((*before.named, *hints.named))
        software = before.of_software or hints.of_software
        self._hints = OwsHints(tuple(named), software)
        self._has_service = self._has_service or bool(verdict.services)
        self._is_ows = self._is_ows or _is_report(verdict) or self._has_service

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
    host = urls.host(services[0].endpoint)
    on_host = (each for each in companions(services) if urls.host(each) == host)
    wanted = [target for target in on_host if target not in tried]
    if not wanted:
        return services
    found: list[Service] = []
    for target in wanted[:MAX_COMPANIONS]:
        tried.append(target)
        visit = await _fetch_twice(target, fetcher)
        if isinstance(visit, Response):
            found += recognise(Document(visit), kinds).services
        elif visit.reason.means.is_outage:
            return visit
    joined = join(services, found)
    cache.store(joined)
    return joined


async def _fetch_twice(url: str, fetcher: Fetcher) -> Visit:
    """A server that resets a connection may answer on the next one."""
    visit = await fetcher.fetch(url, accept=ACCEPT)
    if isinstance(visit, Failure) and visit.reason is FailureReason.RESET:
        visit = await fetcher.fetch(url, accept=ACCEPT)
    return visit


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
    # all that the software can offer; empty where it is not known
    of_software: tuple[str, ...] = ()


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
