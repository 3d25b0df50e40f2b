"""Ask a URL what it is: every kind reads every answer, and a suspicion earns that kind's requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from geohound import urls
from geohound.contracts import Fetcher, Kind
from geohound.document import Document
from geohound.model.compact import Recent
from geohound.model.curbing import curb
from geohound.model.joining import companions, join
from geohound.model.service import (
    NOTHING_KNOWN,
    Known,
    Proof,
    Refusal,
    RefusalReason,
    Remembered,
    Service,
    Verdict,
)
from geohound.model.visit import AS_IF_CUT_OFF, Failure, FailureReason, Response, Validators
from geohound.refusals import judge

MAX_REQUESTS = 5  # until a URL has proved something; a wrong suspicion must stay cheap
MAX_KEPT_LAYERS = 2_000  # of services that are kept whole: their further documents are not asked for again
MAX_COMPANIONS = 3  # further documents of what has proved to be a service
ACCEPT = "application/json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.8"
_FINAL = frozenset({RefusalReason.LOGIN_WALL, RefusalReason.BOT_WALL, RefusalReason.UNREACHABLE})
# An exception report proves that some OWS lives here without saying which: these are asked, most frequent first.
_USUAL_OWS = ("wms", "wfs", "wmts", "wcs")


class Memory(NamedTuple):
    """What is known from earlier visits, so that less has to be asked."""

    known: Known = NOTHING_KNOWN
    completed: Recent[str, tuple[Service, ...]] | None = None  # services with their further documents, by endpoint

    def whole(self, services: Sequence[Service]) -> tuple[Service, ...] | None:
        """These services, if they have no further documents, or if those were read before."""
        endpoints = {service.endpoint for service in services}
        if endpoints <= self.known.endpoints or not companions(services):
            return tuple(services)
        return self.completed.get(services[0].endpoint) if self.completed and len(endpoints) == 1 else None

    def keep_whole(self, services: Sequence[Service]) -> None:
        if self.completed is not None and services and sum(len(s.layers) for s in services) <= MAX_KEPT_LAYERS:
            self.completed.put(services[0].endpoint, tuple(services))


NO_MEMORY = Memory()


def recognise(document: Document, kinds: Mapping[str, Kind]) -> Verdict:
    """What one answer is, in the eyes of all kinds."""
    services: list[Service] = []
    refusal: Refusal | None = None
    for kind in kinds.values():
        match kind.read(document):
            case Service() as service:
                services.append(curb(service))
            case Refusal() as refused:
                refusal = refusal or refused
    if services:
        cors = _cors(document.response.headers.get("access-control-allow-origin", ""))
        told = (replace(service, cors=cors) for service in services) if cors else services
        found = tuple(sorted(told, key=_is_second))
        return Verdict(found, proofs=_proofs(found, document.response))
    return Verdict(refusal=refusal or judge(document))


def _proofs(services: Sequence[Service], answer: Response) -> tuple[Proof, ...]:
    """Where this answer is all there is to read; of one among several a 304 says nothing about the others."""
    validators = Validators.of(answer)
    if validators is None or answer.truncated or any(service.companions for service in services):
        return ()
    return tuple(Proof(service.id, answer.url, validators) for service in services)


def _cors(allowed: str) -> str:
    """Whose pages may read the answer; nobody asked from a page, so that a named origin is no echo of ours."""
    origins = {origin.strip() for origin in allowed.split(",")} - {"", "null"}
    return "yes" if "*" in origins else "some" if origins else ""


def _is_second(service: Service) -> bool:
    """Is it what a document is beside something more telling: the processing in a WCS, the features of a STAC API?"""
    return service.kind == "wcps" or service.kind.startswith("ogcapi-")


async def identify(
    url: str,
    fetcher: Fetcher,
    kinds: Mapping[str, Kind],
    max_bytes: int | None = None,
    known: Document | None = None,
    memory: Memory = NO_MEMORY,
) -> Verdict:
    """What lives at this URL: what it suggests is asked first, and never more than a few requests are made.

    `known` is the answer to the URL as found, where somebody has it already.
    """
    suspects = sorted((kind for kind in kinds.values() if kind.suspects(url)), key=_rank)
    plan = _requests(url, suspects)
    tried: list[str] = []
    found: dict[str, Service] = {}
    proofs: list[Proof] = []
    refusal: Refusal | None = None
    while plan and len(tried) < MAX_REQUESTS:
        target = plan.pop(0)
        if target in tried:
            continue
        tried.append(target)
        document: Document | Failure | None = known if known is not None and target == url else None
        past = memory.known.proved.get(target) if document is None else None
        if document is None:
            document = await _ask(target, fetcher, max_bytes, past)
        if isinstance(document, Failure):
            refusal = _stronger(refusal, refused_by_failure(document))
            break
        verdict = _as_before(past, target) if past and document.response.status == 304 else recognise(document, kinds)
        if verdict.services:
            document.let_go()
            del document  # it may be large, and what follows may have to wait
            told = await _complete(verdict.services, fetcher, kinds, tried, memory)
            if isinstance(told, Failure):
                refusal = _stronger(refusal, refused_by_failure(told))
                break
            proofs += [proof for proof in verdict.proofs if proof.service_id not in found]
            found |= {service.id: service for service in told if service.id not in found}
            if not _may_house_more(url, suspects):
                break
            continue
        refusal = _stronger(refusal, verdict.refusal)
        if refusal and refusal.reason in _FINAL:
            break
        plan += _second_thoughts(document, verdict.refusal, suspects, kinds)
    if found:
        return Verdict(tuple(found.values()), tried=tuple(tried), proofs=tuple(proofs))
    return Verdict(refusal=refusal or Refusal(RefusalReason.INCONCLUSIVE, "nothing was asked"), tried=tuple(tried))


async def _ask(url: str, fetcher: Fetcher, max_bytes: int | None, past: Remembered | None) -> Document | Failure:
    sent = past.validators if past else None
    visit = await fetcher.fetch(url, accept=ACCEPT, max_bytes=max_bytes, known=sent)
    return visit if isinstance(visit, Failure) else Document(visit)


def _as_before(past: Remembered, url: str) -> Verdict:
    return Verdict(past.services, proofs=tuple(Proof(service.id, url, past.validators) for service in past.services))


def _rank(kind: Kind) -> int:
    """The most frequent first."""
    return _USUAL_OWS.index(kind.id) if kind.id in _USUAL_OWS else len(_USUAL_OWS)


def _may_house_more(url: str, suspects: Sequence[Kind]) -> bool:
    """A bare endpoint such as …/ows or mapserv?map= often houses several services: the usual ones are asked too."""
    usual = [kind for kind in suspects if kind.id in _USUAL_OWS]
    return len(usual) > 1 and not {"service", "request"} & set(urls.params_lower(url))


async def _complete(
    services: tuple[Service, ...], fetcher: Fetcher, kinds: Mapping[str, Kind], tried: list[str], memory: Memory
) -> tuple[Service, ...] | Failure:
    """The services with what their companion documents add: APIs tell their kinds and layers in several answers.

    Where the network is lost in between, they are half told and must be asked another time.
    """
    whole = memory.whole(services)
    if whole is not None:
        return whole
    found: list[Service] = []
    wanted = [u for u in companions(services) if urls.host(u) == urls.host(services[0].endpoint) and u not in tried]
    for target in wanted[:MAX_COMPANIONS]:
        tried.append(target)
        visit = await fetcher.fetch(target, accept=ACCEPT)
        if isinstance(visit, Failure) and visit.reason is FailureReason.RESET:
            visit = await fetcher.fetch(target, accept=ACCEPT)
        if isinstance(visit, Failure) and visit.reason in AS_IF_CUT_OFF:
            return visit
        if isinstance(visit, Response):
            found += recognise(Document(visit), kinds).services
    if not wanted:
        return services
    joined = join(services, found)
    memory.keep_whole(joined)
    return joined


def refused_by_failure(failure: Failure) -> Refusal:
    """A failed visit as a refusal: unreachable, or not even asked."""
    asked = failure.reason not in (FailureReason.ROBOTS, FailureReason.FORBIDDEN_NET, FailureReason.BAD_URL)
    reason = RefusalReason.UNREACHABLE if asked else RefusalReason.INCONCLUSIVE
    detail = f"{failure.reason}: {failure.detail}" if failure.detail else str(failure.reason)
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
    return [ladder[rung] for rung in range(longest) for ladder in ladders if rung < len(ladder)]


def _second_thoughts(
    document: Document, refusal: Refusal | None, suspects: Sequence[Kind], kinds: Mapping[str, Kind]
) -> list[str]:
    """Requests that the answer itself suggests."""
    if refusal and refusal.reason is RefusalReason.EXCEPTION_REPORT and not suspects:
        return _typed(document.url, (kinds[k] for k in _USUAL_OWS if k in kinds))
    if document.is_html:
        return _json_alternate(document)
    return []


def _json_alternate(document: Document) -> list[str]:
    """The JSON twin that an OGC API's HTML landing page names in its head."""
    head = document.text[:20_000]
    for part in head.split("<link")[1:30]:
        tag = part.partition(">")[0]
        if "alternate" in tag and "application/json" in tag and "href=" in tag:
            href = tag.partition("href=")[2].strip("\"' ").partition('"')[0].partition("'")[0]
            clean = urls.canonical(href, document.url)
            return [clean] if clean and urls.host(clean) == urls.host(document.url) else []
    return []


def _stronger(old: Refusal | None, new: Refusal | None) -> Refusal | None:
    """The refusal that tells more: an exception report or a wall beats a plain page."""
    if old is None or new is None:
        return new or old
    weak = (
        RefusalReason.HTML_PAGE,
        RefusalReason.OTHER_KIND,
        RefusalReason.NOT_FOUND,
        RefusalReason.INCONCLUSIVE,
    )
    return new if old.reason in weak and new.reason not in weak else old
