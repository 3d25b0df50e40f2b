"""What a visit says of services that are known: was each asked, and why did it not answer as it should?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from geohound import urls
from geohound.contracts import Kind
from geohound.model.addresses import NO_KVP
from geohound.model.crawl.job import FailedCheck
from geohound.model.health import Check, is_unclear, outcome_of, reason_of
from geohound.model.service import (
    CataloguedService,
    KnownProofs,
    Refusal,
    RefusalReason,
    Verdict,
)
from geohound.urls.address_book import AddressBook


class Timed(NamedTuple):
    """When an answer came, and how long it took."""

    at: datetime
    elapsed_s: float


# Whoever is asked anything at an address that answers so would have been answered so.
_FOR_ALL = frozenset({
    RefusalReason.UNREACHABLE, RefusalReason.LOGIN_WALL, RefusalReason.BOT_WALL, RefusalReason.REDIRECTED,
})  # fmt: skip


def checks_of(
    known: KnownProofs,
    verdict: Verdict,
    kinds: Mapping[str, Kind],
    book: AddressBook,
    timed: Timed,
) -> list[Check]:
    """The checks of all services at an address that a verdict makes; `timed` is its last answer."""
    at, elapsed_s = timed
    good = [
        Check(each.id, at, True, each.tls_fault, elapsed_s, each.fingerprint)
        for each in verdict.services
    ]
    failed = failed_checks(known, verdict, kinds, book)
    return good + [
        Check(each.service_id, at, each.ok, each.reason, elapsed_s) for each in failed
    ]


def failed_checks(
    known: KnownProofs, verdict: Verdict, kinds: Mapping[str, Kind], book: AddressBook
) -> tuple[FailedCheck, ...]:
    """The checks of those services that were asked in vain, while others may have answered at the same address."""
    proved = {service.id for service in verdict.services}
    failed = []
    for service in known.services:
        refusal = (
            _refusal(service, known, verdict, kinds, book)
            if service.id not in proved
            else None
        )
        reason = reason_of(refusal) if refusal else ""
        if reason and not is_unclear(reason):
            failed.append(FailedCheck(service.id, outcome_of(reason), reason))
    return tuple(failed)


def _refusal(
    service: CataloguedService,
    known: KnownProofs,
    verdict: Verdict,
    kinds: Mapping[str, Kind],
    book: AddressBook,
) -> Refusal | None:
    """What this service answered, if it was asked: where others were proved, only requests for itself count."""
    if verdict.services:
        own = [
            refusal
            for url, refusal in verdict.refusals
            if _is_asked(service, known, (url,), kinds, book)
        ]
        return own[-1] if own else None
    refusal = verdict.refusal
    is_meant = refusal and (
        refusal.reason in _FOR_ALL
        or _is_asked(service, known, verdict.tried, kinds, book)
    )
    return refusal if is_meant else None


def _is_asked(
    service: CataloguedService,
    known: KnownProofs,
    tried: Sequence[str],
    kinds: Mapping[str, Kind],
    book: AddressBook,
) -> bool:
    """Would one of these requests have proved this service?"""
    kind = kinds.get(service.kind)
    if kind is None:
        return False
    proving = {
        url
        for url, past in known.proved.items()
        if service.id in {each.id for each in past.services}
    }
    questions = {*kind.probe_urls(service.endpoint), *proving}
    if kind.addresses.kvp is NO_KVP:
        questions.add(service.endpoint)
    if set(map(urls.without_format, questions)) & set(map(urls.without_format, tried)):
        return True
    return any(
        book.classify(url) == (urls.ServiceHint.CERTAIN, service.kind) for url in tried
    )
