"""What has been confirmed, in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from geohound.model.biography import (
    LifeChange,
    differences,
    found_change,
    state_change,
)
from geohound.model.catalogue import (
    ALL,
    Change,
    Changes,
    CheckCounts,
    Counts,
    Entry,
    Filter,
    Observation,
    Recorded,
    Revision,
    ServiceSummary,
    Topics,
)
from geohound.model.health import Check, HealthState, assess
from geohound.model.service import (
    CachedProof,
    CataloguedService,
    KnownProofs,
    Service,
    Sighting,
    service_id,
    version_order,
)
from geohound.model.visit import Via
from geohound.stores.merge_rules import (
    MAX_CANDIDATES,
    TRUST_S,
    are_apart,
    content_key,
    host_of,
    is_alike,
    is_declared_alike,
    loose_endpoint,
    may_succeed,
    merge,
    nearness,
)
from geohound.urls import canonical, endpoint, without_format
from geohound.urls.declared import declared_endpoint

from .catalogue_tables import CatalogueTables, KeptService


class MemoryCatalogue:
    """Not for several threads."""

    def __init__(self) -> None:
        self._tables = CatalogueTables({}, {}, {})

    @property
    def rows(self) -> dict[int, KeptService]:
        """For those who keep the past of services."""
        return self._tables.kept

    async def record(self, met: Sequence[Observation | Check]) -> Sequence[Recorded]:
        tables = self._tables.copy()
        recorded = [
            _look(tables, each) if isinstance(each, Check) else _put(tables, each)
            for each in met
        ]
        self._tables = tables
        return recorded

    def get(self, service_id: str) -> Service | None:
        found = self._tables.aliases.get(service_id)
        return self._tables.whole(found[1]) if found else None

    def at(self, url: str, *, with_layers: bool = True) -> Sequence[Service]:
        found = [self._tables.whole(number) for number in self._numbers_at(url)]
        return found if with_layers else [replace(each, layers=()) for each in found]

    def _numbers_at(self, url: str) -> list[int]:
        clear = canonical(url) or url
        named = {url, clear, endpoint(clear), without_format(clear)}
        return sorted(
            {
                number
                for address, number in self._tables.aliases.values()
                if address in named
            }
        )

    def entries(self, which: Filter = ALL) -> Iterator[Entry]:
        for row in list(self._tables.kept.values()):
            if which.kinds and row.service.kind not in which.kinds:
                continue
            if which.states and _state(row) not in which.states:
                continue
            if which.task is None or which.task in row.tasks:
                service = self._tables.whole(row.number)
                yield Entry(
                    service,
                    assess(row.checks),
                    row.topics,
                    row.first_seen,
                    row.last_seen,
                )

    def sightings(self, service_id: str) -> Sequence[Sighting]:
        row = self._row(service_id)
        return (
            [
                replace(sighting, service_id=row.service.id)
                for _, sighting in row.sightings
            ]
            if row
            else []
        )

    def met_at(self, limit: int) -> Sequence[str]:
        numbered = sorted(
            (found for row in self._tables.kept.values() for found in row.sightings),
            key=lambda n: n[0],
        )
        latest = [sighting for _, sighting in numbered[-limit:]]
        return [seen.found_on if seen.via is Via.GUESS else seen.url for seen in latest]

    def checks(self, service_id: str, since: datetime | None = None) -> Sequence[Check]:
        row = self._row(service_id)
        looks = row.checks if row else ()
        return [
            _plain(check, row)
            for check in looks
            if row and (since is None or check.at >= since)
        ]

    def count_checked(self, since: datetime) -> int:
        return sum(
            any(check.at >= since for check in row.checks)
            for row in self._tables.kept.values()
        )

    def count_checks(self, since: datetime, days: int) -> Sequence[CheckCounts]:
        counts = [[0, 0, 0] for _ in range(days)]
        for check in (
            check for row in self._tables.kept.values() for check in row.checks
        ):
            day = (check.at - since) // timedelta(days=1)
            if 0 <= day < days:
                counts[day][2 if check.ok is None else 0 if check.ok else 1] += 1
        return [CheckCounts(*each) for each in counts]

    def _row(self, service_id: str) -> KeptService | None:
        found = self._tables.aliases.get(service_id)
        return self._tables.kept[found[1]] if found else None

    def _remembered(self, url: str) -> CachedProof | None:
        young = time.time() - TRUST_S
        rows = [
            row
            for row in self._tables.kept.values()
            if row.proof and row.proof.asked == url
        ]
        rows = [row for row in rows if row.proof and row.proof.at.timestamp() > young]
        validators = {
            row.proof.validators for row in rows if row.proof and row.proof.validators
        }
        if len(validators) != 1:
            return None
        return CachedProof(
            validators.pop(), tuple(self._tables.whole(row.number) for row in rows)
        )

    def known_at(self, url: str) -> KnownProofs:
        rows = [self._tables.kept[number] for number in self._numbers_at(url)]
        requests = {url} | {row.proof.asked for row in rows if row.proof}
        proved = {
            asked: past
            for asked in requests
            if (past := self._remembered(asked)) is not None
        }
        endpoints = {row.service.endpoint for row in rows} | (
            {endpoint(url)} if rows else set()
        )
        services = tuple(
            CataloguedService(row.service.id, row.service.kind, row.service.endpoint)
            for row in rows
        )
        return KnownProofs(proved, frozenset(endpoints), services)

    def excerpts(self, wanted: Mapping[int, Sequence[int]]) -> Mapping[int, Service]:
        found = {
            number: self._tables.whole(number)
            for number in wanted
            if number in self._tables.kept
        }
        return {
            number: replace(
                service,
                layers=tuple(
                    service.layers[n] for n in wanted[number] if n < len(service.layers)
                ),
            )
            for number, service in found.items()
        }

    def changes(self, since: Revision, limit: int) -> Changes:
        due = sorted(
            (revision, key)
            for key, revision in self._tables.changes.items()
            if revision > since
        )[:limit]
        changes = []
        for revision, (number, is_document) in due:
            row = self._tables.kept[number]
            service, topics = (
                (self._tables.whole(number), row.topics) if is_document else (None, ())
            )
            changes.append(
                Change(
                    revision, number, _state(row), len(row.sightings), service, topics
                )
            )
        return Changes(
            tuple(changes), due[-1][0] if due else since, self._tables.revision
        )

    def endpoints(self) -> Iterator[tuple[str, str]]:
        return (
            (row.service.kind, row.service.endpoint)
            for row in self._tables.kept.values()
        )

    def summaries(self, which: Filter = ALL) -> Iterator[ServiceSummary]:
        for entry in self.entries(which):
            s = entry.service
            yield ServiceSummary(
                s.id, s.kind, s.endpoint, s.title, s.software, entry.health.state, s.location, entry.topics,
                entry.first_seen, entry.last_seen, len(s.layers),
            )  # fmt: skip

    def count(self) -> Counts:
        rows = self._tables.kept.values()
        return Counts(len(rows), sum(len(row.service.layers) for row in rows))

    def close(self) -> None: ...


def _put(tables: CatalogueTables, met: Observation) -> Recorded:
    service, sighting = met.service, met.sighting
    home = tables.aliases.get(service.id)
    row = tables.kept[home[1]] if home else None
    left = row if row is not None and not _is_proved(tables, row, service) else None
    if left is not None:
        row = None
        del tables.aliases[service.id]
    row = row or _twin(tables, service)
    is_new, stands = row is None, True
    if row is None:
        row = _insert(tables, service, met.topics, (sighting.at, sighting.at))
        row = tables.happen(row.number, sighting.at, [found_change(sighting)])
    else:
        tables.aliases.setdefault(service.id, (service.endpoint, row.number))
        stands = _is_own(row, service) and _refresh(tables, row, met)
    if left is not None:
        _move_sightings(tables, left.number, row.number, [service.endpoint])
    _see(tables, row.number, sighting, is_first=is_new and left is None)
    if met.check is not None:
        _check(tables, row.number, met.check)
        if stands:
            _prove(tables, row.number, met.check)
    return Recorded(row.service.id, is_new)


def _look(tables: CatalogueTables, check: Check) -> Recorded:
    home = tables.aliases.get(check.service_id)
    if home is None:
        return Recorded("", False)
    _check(tables, home[1], check)
    return Recorded(tables.kept[home[1]].service.id, False)


def _is_own(row: KeptService, service: Service) -> bool:
    return loose_endpoint(row.service.endpoint) == loose_endpoint(service.endpoint)


def _is_proved(tables: CatalogueTables, row: KeptService, service: Service) -> bool:
    """Read at the service's own address, or the same content as what is kept."""
    if _is_own(row, service) or (
        is_alike(row.service, service) and not are_apart(row.service, service)
    ):
        return True
    return is_declared_alike(tables.whole(row.number), service)


def _twin(tables: CatalogueTables, service: Service) -> KeptService | None:
    """The service of the same content that was read at another address; on its own host first of all."""
    rows = [row for row in tables.kept.values() if row.service.kind == service.kind]
    near = next(
        (
            row
            for row in rows
            if _is_own(row, service) and is_alike(row.service, service)
        ),
        None,
    )
    return (
        near
        or _same_document(tables, service, rows)
        or _same_declared(tables, service, rows)
    )


def _same_document(
    tables: CatalogueTables, service: Service, rows: Sequence[KeptService]
) -> KeptService | None:
    if not service.fingerprint:
        return None
    same = [row for row in rows if row.service.fingerprint == service.fingerprint]
    declared = canonical(service.online_resource) if service.online_resource else None
    named = endpoint(declared) if declared else ""
    content = content_key(service)
    found = [
        row
        for row in same
        if content == content_key(row.service) != ""
        or named in tables.addresses(row.number)
    ]
    found.sort(
        key=lambda row: (-nearness(host_of(row.service.endpoint), service), row.number)
    )
    return next(
        (row for row in found[:MAX_CANDIDATES] if not are_apart(row.service, service)),
        None,
    )


def _same_declared(
    tables: CatalogueTables, service: Service, rows: Sequence[KeptService]
) -> KeptService | None:
    """Documents that give the same address and are alike (OSS-9, R2); on one host only what is the same."""
    given, content = declared_endpoint(service.online_resource), content_key(service)

    def is_candidate(row: KeptService) -> bool:
        known_given = declared_endpoint(row.service.online_resource)
        addresses = tables.addresses(row.number)
        is_named = (
            given in addresses
            or known_given == service.endpoint
            or given == known_given != ""
        )
        is_apart = host_of(row.service.endpoint) != host_of(service.endpoint)
        return is_named and (
            is_apart or row.service.fingerprint == service.fingerprint or is_same(row)
        )

    def is_same(row: KeptService) -> bool:
        return content_key(row.service) == content

    found = [row for row in rows if is_candidate(row)]
    found.sort(
        key=lambda row: (
            not is_same(row),
            row.service.title != service.title,
            row.number,
        )
    )
    likely = found[:MAX_CANDIDATES]
    return next(
        (row for row in likely if is_declared_alike(tables.whole(row.number), service)),
        None,
    )


def _insert(
    tables: CatalogueTables,
    service: Service,
    topics: Topics,
    seen: tuple[datetime, datetime],
) -> KeptService:
    number = len(tables.kept) + 1
    row = tables.kept[number] = KeptService(
        number, replace(service, aliases=()), topics, *seen
    )
    tables.aliases[service.id] = (service.endpoint, number)
    twins = [
        other
        for other in tables.kept.values()
        if other.number != number
        and other.service.fingerprint == service.fingerprint != ""
    ]
    for other in twins:
        if _is_dead(other) and may_succeed(other.service, service, 1 + len(twins)):
            tables.happen(
                other.number, seen[0], [(LifeChange.SUCCESSOR, service.endpoint)]
            )
    tables.change(row, is_document=True)
    return row


def _refresh(tables: CatalogueTables, row: KeptService, met: Observation) -> bool:
    """Keep what a new reading changes; False if the known one stays, as the newer."""
    service = met.service
    known = tables.whole(row.number)
    merged = merge(known, service)
    stands = version_order(service.version) >= version_order(known.version)
    if merged != known:
        if not is_alike(known, merged):
            _part(tables, row, known)
        news = differences(known, merged) if met.is_news else []
        row = tables.happen(row.number, met.sighting.at, news)
        kept_topics = met.topics if stands else row.topics
        tables.kept[row.number] = replace(
            row, service=replace(merged, aliases=()), topics=kept_topics
        )
        tables.change(row, is_document=True)
    return stands


def _part(tables: CatalogueTables, row: KeptService, known: Service) -> None:
    """Addresses elsewhere keep the content that was read there."""
    strangers = [
        a for a in known.aliases if loose_endpoint(a) != loose_endpoint(known.endpoint)
    ]
    if not strangers:
        return
    parted = _insert(
        tables,
        replace(known, endpoint=strangers[0]),
        row.topics,
        (row.first_seen, row.last_seen),
    )
    for address in strangers[1:]:
        tables.aliases[service_id(known.kind, address)] = (address, parted.number)
    _move_sightings(tables, row.number, parted.number, strangers)


def _move_sightings(
    tables: CatalogueTables, old: int, new: int, addresses: Sequence[str]
) -> None:
    row, other = tables.kept[old], tables.kept[new]
    known = {_key(sighting) for _, sighting in other.sightings}
    moving = [
        (number, sighting)
        for number, sighting in row.sightings
        if endpoint(canonical(sighting.url) or sighting.url) in addresses
        and _key(sighting) not in known
    ]
    staying = tuple(each for each in row.sightings if each not in moving)
    tables.kept[old] = replace(row, sightings=staying)
    tables.kept[new] = replace(
        other,
        sightings=tuple(sorted((*other.sightings, *moving), key=lambda each: each[0])),
    )
    for changed in (row, other) if moving else ():
        tables.change(changed, is_document=False)


def _key(sighting: Sighting) -> tuple[str, str, str]:
    return sighting.url, sighting.found_on, sighting.via


def _see(
    tables: CatalogueTables, number: int, sighting: Sighting, *, is_first: bool
) -> None:
    row = tables.kept[number]
    is_known = _key(sighting) in {_key(known) for _, known in row.sightings}
    tables.seen += 1
    row = tables.kept[number] = replace(
        row,
        sightings=row.sightings
        if is_known
        else (*row.sightings, (tables.seen, sighting)),
        first_seen=min(row.first_seen, sighting.at),
        last_seen=max(row.last_seen, sighting.at),
        tasks=row.tasks | {sighting.task},
    )
    if not is_known and not is_first:
        tables.change(row, is_document=False)


def _check(tables: CatalogueTables, number: int, check: Check) -> None:
    row = tables.kept[number]
    after = tuple(sorted((*row.checks, check), key=lambda each: each.at))
    changed = tables.kept[number] = replace(row, checks=after)
    if check.word == LifeChange.MOVED:
        to = check.reason.partition(": ")[2]
        is_known = any(
            (event.change, event.detail) == (LifeChange.MOVED, to)
            for event in changed.events
        )
        changed = (
            changed
            if is_known
            else tables.happen(number, check.at, [(LifeChange.MOVED, to)])
        )
    was, state = _state(row), _state(changed)
    if state is not was:
        tables.happen(number, check.at, [state_change(was, state, check.reason)])
        tables.change(changed, is_document=False)


def _prove(tables: CatalogueTables, number: int, check: Check) -> None:
    """The answer of this look stands for the service from now on; the same answer again does not make it younger."""
    for other in list(tables.kept.values()):
        is_named = (
            other.proof is not None and check.asked and other.proof.asked == check.asked
        )
        if check.validators is None and (other.number == number or is_named):
            tables.kept[other.number] = replace(other, proof=None)
    row = tables.kept[number]
    if check.validators is not None:
        past = row.proof
        is_same = past is not None and (past.asked, past.validators) == (
            check.asked,
            check.validators,
        )
        is_old = (
            past is not None and check.at.timestamp() - past.at.timestamp() > TRUST_S
        )
        tables.kept[number] = replace(
            row, proof=past if is_same and not is_old else check
        )


def _plain(check: Check, row: KeptService) -> Check:
    """Without the request, which only the proof keeps."""
    return Check(
        row.service.id,
        check.at,
        check.ok,
        check.reason,
        check.elapsed_s,
        check.fingerprint,
    )


def _is_dead(row: KeptService) -> bool:
    return _state(row) is HealthState.DEAD


def _state(row: KeptService) -> HealthState:
    return assess(row.checks).state
