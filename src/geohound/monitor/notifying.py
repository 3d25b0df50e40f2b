"""Lets others know what happened: signed webhooks, tried again until they are taken, and one e-mail a day at most."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from geohound.contracts import HistoryStore
from geohound.model.biography import LifeChange, LifeEvent

MAX_EVENTS: Final = 500  # in one message
MAX_LINES: Final = 50  # of an e-mail; it says how many there are
FIRST_PAUSE_S: Final = 60.0  # after a webhook that was not taken, doubled each time
LONGEST_PAUSE_S: Final = 6 * 3600.0
SIGNATURE: Final = "X-Geohound-Signature"
TIMESTAMP: Final = "X-Geohound-Timestamp"

Post = Callable[[str, bytes, Mapping[str, str]], Awaitable[str]]  # why it was not taken; empty where it was
Mail = Callable[[str, str], Awaitable[str]]  # subject and text


@dataclass(frozen=True, slots=True)
class NoticePlan:
    """Who is to hear of what happens."""

    webhooks: tuple[str, ...] = ()
    secret: str = ""
    digest_every_s: float = 86400.0


@dataclass(slots=True)
class _Receiver:
    """How far one receiver has heard, and when it is tried again."""

    heard_until: datetime
    next_at: datetime
    failures: int = 0
    problem: str = ""


@dataclass(slots=True)
class Notifier:
    """Sends what is new to each receiver; what it has sent survives as `state`."""

    plan: NoticePlan
    history: HistoryStore
    post: Post | None = None
    mail: Mail | None = None
    _receivers: dict[str, _Receiver] = field(default_factory=dict)

    def start(self, now: datetime, state: Mapping[str, str]) -> None:
        """From where an earlier run left off; a new receiver hears of what happens from now on."""
        names = [*self.plan.webhooks, *(["digest"] if self.mail else [])]
        for name in names:
            said = state.get(name, "")
            heard = datetime.fromisoformat(said) if said else now
            wait = timedelta(seconds=self.plan.digest_every_s) if name == "digest" else timedelta()
            self._receivers[name] = _Receiver(heard, heard + wait)

    @property
    def state(self) -> dict[str, str]:
        return {name: receiver.heard_until.isoformat() for name, receiver in self._receivers.items()}

    @property
    def problems(self) -> dict[str, str]:
        return {name: receiver.problem for name, receiver in self._receivers.items() if receiver.problem}

    async def send(self, now: datetime) -> None:
        """To whoever is due; one that fails is tried again later, with all that happened until then."""
        for name, receiver in self._receivers.items():
            if now < receiver.next_at:
                continue
            events = list(islice(_after(self.history, receiver.heard_until), MAX_EVENTS))
            if not events:
                receiver.next_at = now + timedelta(seconds=FIRST_PAUSE_S)
                continue
            problem = await self._deliver(name, events, now)
            self._note(name, receiver, problem, events, now)

    async def _deliver(self, name: str, events: Sequence[LifeEvent], now: datetime) -> str:
        if name == "digest":
            subject, text = digest(events)
            return await self.mail(subject, text) if self.mail else ""
        body = json.dumps({"events": [_record(event) for event in events]}, ensure_ascii=True).encode()
        return await self.post(name, body, signed(body, self.plan.secret, now)) if self.post else ""

    def _note(self, name: str, receiver: _Receiver, problem: str, events: Sequence[LifeEvent], now: datetime) -> None:
        receiver.problem = problem
        if problem:
            pause_s = min(FIRST_PAUSE_S * 2.0 ** min(receiver.failures, 12), LONGEST_PAUSE_S)
            receiver.failures += 1
            receiver.next_at = now + timedelta(seconds=pause_s)
            return
        receiver.failures = 0
        receiver.heard_until = events[-1].at
        wait_s = self.plan.digest_every_s if name == "digest" else 0.0
        receiver.next_at = now + timedelta(seconds=wait_s)


def _after(history: HistoryStore, at: datetime) -> Iterable[LifeEvent]:
    return (event for event in history.since(at) if event.at > at)


def _record(event: LifeEvent) -> dict[str, Any]:
    return {
        "id": event.service_id, "at": event.at.isoformat(), "change": str(event.change), "detail": event.detail,
    }  # fmt: skip


def signed(body: bytes, secret: str, now: datetime) -> dict[str, str]:
    """Headers with which a receiver can see that the message is ours and new: HMAC-SHA256 of time, dot and body."""
    stamp = str(int(now.timestamp()))
    headers = {"Content-Type": "application/json", TIMESTAMP: stamp}
    if secret:
        mark = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        headers[SIGNATURE] = f"sha256={mark}"
    return headers


def digest(events: Sequence[LifeEvent]) -> tuple[str, str]:
    """Subject and text of one e-mail about all of it; deaths first."""
    counts = Counter(str(event.change) for event in events)
    subject = "Geohound: " + ", ".join(f"{count} {change}" for change, count in counts.most_common(4))
    ranked = sorted(events, key=lambda event: (_weight(event), event.at))
    lines = [
        f"{event.at:%Y-%m-%d %H:%M}  {event.service_id}  {event.change}: {_line(event.detail)}"
        for event in ranked[:MAX_LINES]
    ]
    more = [f"… and {len(events) - MAX_LINES} more"] if len(events) > MAX_LINES else []
    return _line(subject), "\n".join([*lines, *more]) + "\n"


def _weight(event: LifeEvent) -> int:
    if event.change is LifeChange.STATE and event.detail.partition(":")[0].endswith("to dead"):
        return 0
    return 2 if event.change is LifeChange.FOUND else 1


def _line(text: str) -> str:
    """What comes from services adds no line and no header."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]
