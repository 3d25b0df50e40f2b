"""One look at a known service: is it there, is it the same, and if not, why; confirmed before anything is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from geohound import probe
from geohound.contracts import CatalogueStore, Fetcher, Kind
from geohound.fetcher_wrapper import FetcherWrapper, NextFetch
from geohound.model.failure import BUSY_STATUSES, FailureReason
from geohound.model.health import Check, is_unclear, outcome_of, reason_of
from geohound.model.monitoring.layer_check import LayerCheck
from geohound.model.service import (
    NOTHING_KNOWN,
    KnownProofs,
    Proof,
    Refusal,
    RefusalReason,
    Service,
    Verdict,
)
from geohound.model.visit import Failure, Response, Visit

_LEFT_ALONE = "the host is to be left alone"
MOVED = "moved"  # so begins the reason of a good check of a service that answers at another address
# Somebody said so, and may say otherwise when asked once more: a look asks twice before it says so too.
_CONFIRMED = frozenset({
    RefusalReason.NOT_FOUND, RefusalReason.SERVER_ERROR, RefusalReason.EXCEPTION_REPORT, RefusalReason.HTML_PAGE,
    RefusalReason.OTHER_KIND, RefusalReason.NO_CONTENT, RefusalReason.MALFORMED,
})  # fmt: skip


@dataclass(slots=True)
class Asked:
    """One request of a look and how it ended; everything that is needed to repeat it by hand."""

    url: str
    accept: str
    status: int = 0
    elapsed_s: float = 0.0
    bytes: int = 0
    problem: str = ""  # why there was no answer
    is_sent: bool = True  # False where our own rules kept us from asking
    # its certificate was not accepted, and it was read all the same
    is_unverified: bool = False


class RecordingFetcher(FetcherWrapper):
    """A fetcher that notes what was asked, and asks no host again that wants to be left alone."""

    def __init__(self, inner: Fetcher) -> None:
        super().__init__(inner)
        self.asked: list[Asked] = []
        self.first: Visit | None = None
        self.last: Visit | None = None
        self.accept = probe.ACCEPT  # what the next requests say
        self._is_busy = False

    async def ask(self, url: str, onward: NextFetch) -> Visit:
        if self._is_busy and self.last is not None:
            return Failure(url, FailureReason.RATE_LIMITED, _LEFT_ALONE, self.last.at)
        visit = await onward()
        self.first = self.first or visit
        self.last = visit
        is_busy = isinstance(visit, Response) and visit.status in BUSY_STATUSES
        self._is_busy = is_busy or (
            isinstance(visit, Failure) and visit.reason is FailureReason.RATE_LIMITED
        )
        self.asked.append(_asked(url, self.accept, visit))
        return visit

    @property
    def postponed_s(self) -> float | None:
        """After how long to come again, where our own pace has kept us from asking anything."""
        first = self.first
        is_early = isinstance(first, Failure) and not first.reason.means.is_attempt
        return (
            (first.retry_after_s or 60.0)
            if is_early and isinstance(first, Failure)
            else None
        )


def _asked(url: str, accept: str, visit: Visit) -> Asked:
    if isinstance(visit, Failure):
        problem = (
            f"{visit.reason}: {visit.detail}" if visit.detail else str(visit.reason)
        )
        is_sent = visit.reason.means.is_asked and visit.reason.means.is_attempt
        return Asked(url, accept, 0, visit.elapsed_s, 0, problem, is_sent=is_sent)
    is_unverified = bool(visit.tls_fault)
    return Asked(
        url,
        accept,
        visit.status,
        visit.elapsed_s,
        len(visit.body),
        is_unverified=is_unverified,
    )


@dataclass(frozen=True, slots=True)
class Look:
    """What one look showed."""

    check: Check
    # as it describes itself now; None where it was not read, or a 304 says it is the same
    read: Service | None = None
    moved_to: Service | None = None  # what answers at the address to which it redirects
    asked: list[Asked] = field(default_factory=list)
    retry_after_s: float | None = None  # as the host, or our own rules, ask for
    layers: tuple[LayerCheck, ...] = ()  # of a deep look
    is_other_document: bool = False  # than the one that the catalogue has: it differs, but nothing was changed


@dataclass(frozen=True, slots=True)
class Postponed:
    """Nobody looked: the host is to be left alone for so long."""

    wait_s: float


@dataclass(frozen=True, slots=True)
class LookTarget:
    """A service with what proved it before, and the address at which it was met first."""

    service: Service
    known: KnownProofs = NOTHING_KNOWN
    met_at: str = ""
    is_dead: bool = False  # then one answer is enough to say that it still is


def target_of(service: Service, catalogue: CatalogueStore | None) -> LookTarget:
    """The service as the catalogue knows it."""
    if catalogue is None:
        return LookTarget(service)
    first = next(iter(catalogue.sightings(service.id)), None)
    return LookTarget(
        service,
        catalogue.known_at(service.endpoint),
        first.url if first is not None else "",
    )


async def look_at(
    target: LookTarget,
    fetcher: Fetcher,
    kinds: Mapping[str, Kind],
    max_bytes: int,
    now: datetime,
) -> Look | Postponed:
    """Ask the service for its description, by what proved it the last time, and in other words where that fails."""
    service, known = target.service, target.known
    asking = RecordingFetcher(fetcher)
    mine = _kinds_at(service, known, kinds)
    proved = KnownProofs(known.proved, frozenset(), known.services)
    url = _request(target, kinds)
    verdict = await probe.identify(
        url, asking, mine, max_bytes, cache=probe.ProbeCache(proved)
    )
    if _needs_confirmation(verdict) and not target.is_dead:
        again = await probe.identify(url, asking, mine, max_bytes)
        verdict = (
            again
            if again.services
            else replace(again, refusals=(*verdict.refusals, *again.refusals))
        )
    wait_s = asking.postponed_s
    if wait_s is not None:
        return Postponed(wait_s)
    elapsed_s = _elapsed_s(asking)
    return _judge(service, verdict, asking, elapsed_s, now)


async def read_where_met(
    target: LookTarget, fetcher: Fetcher, kinds: Mapping[str, Kind], max_bytes: int
) -> tuple[Service | None, list[Asked]]:
    """The service as the address at which it was met describes it: a crawl may have read another document there."""
    service, asking = target.service, RecordingFetcher(fetcher)
    if not target.met_at:
        return None, []
    verdict = await probe.identify(
        target.met_at, asking, _kinds_at(service, target.known, kinds), max_bytes
    )
    own = (
        each
        for each in verdict.services
        if each.kind == service.kind and _is_near(each.endpoint, service.endpoint)
    )
    return next(own, None), asking.asked


def _needs_confirmation(verdict: Verdict) -> bool:
    """Was it refused by one answer alone?"""
    reason = (
        verdict.refusal.reason if verdict.refusal and not verdict.services else None
    )
    return reason in _CONFIRMED and len(verdict.tried) == 1


def _elapsed_s(asking: RecordingFetcher) -> float:
    """Of the answer that counts; of several documents the first, of several attempts the last."""
    visit = (
        asking.last
        if not isinstance(asking.first, Response) or asking.first.status >= 400
        else asking.first
    )
    return visit.elapsed_s if visit is not None else 0.0


def _kinds_at(
    service: Service, known: KnownProofs, kinds: Mapping[str, Kind]
) -> Mapping[str, Kind]:
    """Only what is known to live there is asked for: a look is no search."""
    wanted = {
        service.kind,
        *(other.kind for other in known.services if other.endpoint == service.endpoint),
    }
    own = kinds.get(service.kind)
    questions = own.probe_urls(service.endpoint) if own else ()
    # Who asks the same questions costs no request more, and may read in an answer what the service's own kind does not.
    wanted |= {
        name
        for name, kind in kinds.items()
        if questions and kind.probe_urls(service.endpoint) == questions
    }
    return {name: kind for name, kind in kinds.items() if name in wanted} or kinds


def _request(target: LookTarget, kinds: Mapping[str, Kind]) -> str:
    """What proved it the last time, else the first question of its kind.

    An endpoint may be no address that anybody answers at, as that of tiles: there it is asked where it was met.
    """
    service = target.service
    proofs = target.known.proved.items()
    proving = (
        url for url, past in proofs if service.id in {each.id for each in past.services}
    )
    kind = kinds.get(service.kind)
    if kind is None:
        return next(proving, service.endpoint)
    is_askable = kind.suspects(service.endpoint) or not kind.suspects(target.met_at)
    usual = kind.probe_urls(service.endpoint if is_askable else target.met_at)
    return next(proving, "") or next(iter(usual), service.endpoint)


def _judge(
    service: Service,
    verdict: Verdict,
    asking: RecordingFetcher,
    elapsed_s: float,
    now: datetime,
) -> Look:
    at = asking.last.at if asking.last is not None else now
    home = {service.endpoint, *service.aliases}
    found = [each for each in verdict.services if each.kind == service.kind]
    own = next(
        (
            each
            for each in found
            if each.endpoint in home or _is_near(each.endpoint, service.endpoint)
        ),
        None,
    )
    if own is not None:
        check = _good(own, service, verdict, elapsed_s, at)
        is_same = isinstance(asking.first, Response) and asking.first.status == 304
        return Look(
            check,
            None if is_same else replace(own, endpoint=service.endpoint),
            None,
            asking.asked,
        )
    if found:
        reason = f"{MOVED}: to {found[0].endpoint}"
        check = Check(service.id, at, True, reason[:500], elapsed_s, "")
        return Look(check, None, found[0], asking.asked)
    reason = _reason(verdict)
    ok = None if is_unclear(reason) else outcome_of(reason)
    wait_s = asking.last.retry_after_s if isinstance(asking.last, Failure) else None
    return Look(
        Check(service.id, at, ok, reason[:500], elapsed_s),
        None,
        None,
        asking.asked,
        wait_s,
    )


def failed_look(
    service_id: str,
    found: Postponed | Verdict,
    now: datetime,
    asked: Sequence[Asked] = (),
) -> Look:
    """A look that found no service, by what was answered instead."""
    reason = (
        f"{FailureReason.RATE_LIMITED}: the host asked for a pause"
        if isinstance(found, Postponed)
        else _reason(found)
    )
    ok = None if is_unclear(reason) else outcome_of(reason)
    return Look(Check(service_id, now, ok, reason[:500]), None, None, list(asked))


def _is_near(one: str, other: str) -> bool:
    """The same address, apart from scheme, www and a slash at the end."""
    return _loose(one) == _loose(other)


def _loose(address: str) -> str:
    return address.partition("://")[2].removeprefix("www.").rstrip("/?")


def _good(
    own: Service, service: Service, verdict: Verdict, elapsed_s: float, at: datetime
) -> Check:
    """A good check; the fingerprint stands in it where it is another than the catalogue has."""
    proof: Proof | None = next(
        (each for each in verdict.proofs if each.service_id == own.id), None
    )
    changed = own.fingerprint if own.fingerprint != service.fingerprint else ""
    asked, validators = (proof.url, proof.validators) if proof else ("", None)
    return Check(
        service.id, at, True, own.tls_fault, elapsed_s, changed, asked, validators
    )


def _reason(verdict: Verdict) -> str:
    """Why it is not there. "Not found" counts only where every spelling of the question was answered so."""
    refusals = [
        refusal
        for _, refusal in verdict.refusals
        if not refusal.detail.endswith(_LEFT_ALONE)
    ]
    is_ours = verdict.refusal is not None and verdict.refusal.detail.endswith(
        _LEFT_ALONE
    )
    refusal = (refusals[-1] if is_ours and refusals else verdict.refusal) or Refusal(
        RefusalReason.INCONCLUSIVE, "nothing was asked"
    )
    if refusal.reason is RefusalReason.NOT_FOUND and not _is_confirmed(refusals):
        other = next(
            each for each in refusals if each.reason is not RefusalReason.NOT_FOUND
        )
        return reason_of(other)
    return reason_of(refusal)


def _is_confirmed(refusals: list[Refusal]) -> bool:
    return all(each.reason is RefusalReason.NOT_FOUND for each in refusals)


def same_document(read: Service, known: Service) -> bool:
    """Does a service describe itself as it did, apart from what the catalogue adds?"""
    versions = known.versions
    return (
        replace(
            read,
            aliases=known.aliases,
            versions=versions,
            endpoint=known.endpoint,
            cors=known.cors,
        )
        == known
    )
