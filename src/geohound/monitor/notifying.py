"""Lets others know what happened: signed webhooks, tried again until they are taken, and one e-mail a day at most."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from geohound.contracts import HistoryStore, KnowledgeStore
from geohound.model.biography import LifeChange, LifeEvent
from geohound.model.service import Service

MAX_EVENTS: Final = 500  # in one message
MAX_MESSAGES: Final = 20  # to one receiver at a time
MAX_DIGEST: Final = 20_000  # events that one e-mail sums up
MAX_LINES: Final = 50  # of an e-mail; it says how many there are
FIRST_PAUSE_S: Final = 60.0  # after a webhook that was not taken, doubled each time
LONGEST_PAUSE_S: Final = 6 * 3600.0
BUSY_S: Final = 600.0  # longer than all messages to one receiver may take
SIGNATURE: Final = "X-Geohound-Signature"
TIMESTAMP: Final = "X-Geohound-Timestamp"
DIGEST: Final = "digest"

# why it was not taken; empty where it was
Post = Callable[[str, bytes, Mapping[str, str]], Awaitable[str]]
Mail = Callable[[str, str], Awaitable[str]]  # subject and text


Concerns = Callable[[str], bool]  # is this service one of theirs?


@dataclass(frozen=True, slots=True)
class PersonalDigest:
    """The digest of one account: of the services that its tasks have met."""

    mail: Mail
    concerns: Callable[[], Concerns]  # as it is when the mail is written


@dataclass(frozen=True, slots=True)
class NoticePlan:
    """Who is to hear of what happens."""

    webhooks: tuple[str, ...] = ()
    secret: str = ""
    digest_every_s: float = 86400.0


@dataclass(slots=True)
class _Receiver:
    """How far one receiver has heard, and when it is tried again."""

    heard: int  # the number of the last event
    next_at: float
    failures: int = 0
    busy_until: float = 0.0  # another monitor is sending to it, unless it was killed


@dataclass(slots=True)
class Notifier:
    """Sends what is new to each receiver; how far each has heard is kept in the catalogue, whichever task sends.

    Who sends says so first, and only one of several can: nobody else sends to this receiver until it is done.
    """

    plan: NoticePlan
    history: HistoryStore
    kept: KnowledgeStore
    post: Post | None = None
    mail: Mail | None = None
    # by the name of the account
    personal: Mapping[str, PersonalDigest] = field(default_factory=dict)
    service: Callable[[str], Service | None] = lambda _: None  # by its id
    # of receivers that did not take what was sent last
    problems: dict[str, str] = field(default_factory=dict)

    async def start(self, now: datetime) -> None:
        """A new receiver hears of what happens from now on."""
        for name in self._names():
            if not self.kept.find(_key(name)):
                wait_s = self.plan.digest_every_s if _is_digest(name) else 0.0
                await self._keep(
                    name, _Receiver(self.history.newest(), now.timestamp() + wait_s)
                )

    def _names(self) -> list[str]:
        own = [f"{DIGEST} of {account}" for account in self.personal]
        return [*self.plan.webhooks, *([DIGEST] if self.mail else []), *own]

    async def _keep(self, name: str, receiver: _Receiver) -> None:
        await self.kept.keep(_key(name), _packed(receiver))

    async def _taken(self, name: str, now: datetime) -> _Receiver | None:
        """The receiver, if it is due and nobody else sends to it: then it is ours for a while."""
        kept = self.kept.find(_key(name))
        receiver = _Receiver(**json.loads(kept)) if kept else None
        if receiver is None:
            receiver = _Receiver(self.history.newest(), 0.0)
        at = now.timestamp()
        is_due = at >= receiver.next_at and at >= receiver.busy_until
        if not is_due or not self.history.after(receiver.heard, 1):
            return None
        receiver.busy_until = at + BUSY_S
        is_ours = await self.kept.replace(_key(name), kept, _packed(receiver))
        return receiver if is_ours else None

    async def send(self, now: datetime) -> None:
        """To whoever is due; one that fails is tried again later, with all that happened until then."""
        for name in self._names():
            receiver = await self._taken(name, now)
            if receiver is not None:
                await self._send_to(name, receiver, now)

    async def _send_to(self, name: str, receiver: _Receiver, now: datetime) -> None:
        most = MAX_DIGEST if _is_digest(name) else MAX_EVENTS
        for _ in range(MAX_MESSAGES):
            events = self.history.after(receiver.heard, most)
            if not events or now.timestamp() < receiver.next_at:
                break
            problem = await self._deliver(name, [event for _, event in events], now)
            self._note(name, receiver, problem, events[-1][0], now)
            await self._keep(name, receiver)
        receiver.busy_until = 0.0
        await self._keep(name, receiver)

    async def _deliver(
        self, name: str, events: Sequence[LifeEvent], now: datetime
    ) -> str:
        if _is_digest(name):
            return await self._mail(name, events)
        about = self._about(events)
        records = [_record(event, about.get(event.service_id)) for event in events]
        body = json.dumps({"events": records}, ensure_ascii=True).encode()
        return (
            await self.post(name, body, signed(body, self.plan.secret, now))
            if self.post
            else ""
        )

    async def _mail(self, name: str, events: Sequence[LifeEvent]) -> str:
        """Nothing is sent to whom nothing concerns."""
        mail = self.mail
        if name != DIGEST:
            personal = self.personal[name.removeprefix(f"{DIGEST} of ")]
            mail, concerns = personal.mail, personal.concerns()
            events = [event for event in events if concerns(event.service_id)]
        if mail is None or not events:
            return ""
        return await mail(*digest(events, self._about(ranked(events)[:MAX_LINES])))

    def _about(self, events: Sequence[LifeEvent]) -> dict[str, Service]:
        found = {each: self.service(each) for each in {e.service_id for e in events}}
        return {each: service for each, service in found.items() if service}

    def _note(
        self, name: str, receiver: _Receiver, problem: str, number: int, now: datetime
    ) -> None:
        if problem:
            pause_s = min(
                FIRST_PAUSE_S * 2.0 ** min(receiver.failures, 12), LONGEST_PAUSE_S
            )
            receiver.failures += 1
            receiver.next_at = now.timestamp() + pause_s
            self.problems[name] = problem
            return
        self.problems.pop(name, None)
        receiver.failures, receiver.heard = 0, number
        receiver.next_at = now.timestamp() + (
            self.plan.digest_every_s if _is_digest(name) else 0.0
        )


def _is_digest(name: str) -> bool:
    return name == DIGEST or name.startswith(f"{DIGEST} of ")


def _key(name: str) -> str:
    """A receiver's address may hold a password; its hash does not."""
    return f"receiver:{hashlib.sha256(name.encode()).hexdigest()[:32]}"


def _packed(receiver: _Receiver) -> bytes:
    return json.dumps(asdict(receiver)).encode()


def _record(event: LifeEvent, service: Service | None) -> dict[str, Any]:
    about = (service.kind, service.endpoint, service.title) if service else ("",) * 3
    return {
        "id": event.service_id, "at": event.at.isoformat(), "change": str(event.change), "detail": event.detail,
        **dict(zip(("kind", "endpoint", "title"), about, strict=True)),
    }  # fmt: skip


def signed(body: bytes, secret: str, now: datetime) -> dict[str, str]:
    """Headers with which a receiver can see that the message is ours and new: HMAC-SHA256 of time, dot and body."""
    stamp = str(int(now.timestamp()))
    headers = {"Content-Type": "application/json", TIMESTAMP: stamp}
    if secret:
        mark = hmac.new(
            secret.encode(), stamp.encode() + b"." + body, hashlib.sha256
        ).hexdigest()
        headers[SIGNATURE] = f"sha256={mark}"
    return headers


def digest(
    events: Sequence[LifeEvent], about: Mapping[str, Service]
) -> tuple[str, str]:
    """Subject and text of one e-mail about all of it; deaths first."""
    counts = Counter(str(event.change) for event in events)
    subject = "Geohound: " + ", ".join(
        f"{count} {change}" for change, count in counts.most_common(4)
    )
    lines = [
        f"{event.at:%Y-%m-%d %H:%M}  {_named(event, about)}\n"
        f"                  {event.change}: {_line(event.detail)}"
        for event in ranked(events)[:MAX_LINES]
    ]
    more = [f"… and {len(events) - MAX_LINES} more"] if len(events) > MAX_LINES else []
    return _line(subject), "\n".join([*lines, *more]) + "\n"


def ranked(events: Sequence[LifeEvent]) -> list[LifeEvent]:
    return sorted(events, key=lambda event: (_weight(event), event.at))


def _named(event: LifeEvent, about: Mapping[str, Service]) -> str:
    service = about.get(event.service_id)
    if service is None:
        return event.service_id
    title = f"{_line(service.title)[:80]}, " if service.title else ""
    return f"{title}{_line(service.endpoint)} ({event.service_id})"


def _weight(event: LifeEvent) -> int:
    if event.change is LifeChange.STATE and event.detail.partition(":")[0].endswith(
        "to dead"
    ):
        return 0
    return 2 if event.change is LifeChange.FOUND else 1


def _line(text: str) -> str:
    """What comes from services adds no line and no header."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]
