"""Others hear of what happened: signed, once each, again after a failure, and never in a flood."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from loopback import running

from geohound.model.biography import LifeChange, LifeEvent
from geohound.model.service import Service
from geohound.monitor.notifying import (
    MAX_EVENTS,
    MAX_LINES,
    NoticePlan,
    Notifier,
    PersonalDigest,
    digest,
    signed,
)
from geohound.net.address_guard import Guard
from geohound.net.poster import Poster
from geohound.stores.memory.knowledge import MemoryKnowledge

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOOK = "http://hook.test/"


def event(minutes: int, change=LifeChange.STATE, detail="alive to dead: not found"):
    return LifeEvent(
        "0123456789abcdef", NOON + timedelta(minutes=minutes), change, detail
    )


class Past:
    def __init__(self, *events):
        self.events = list(events)

    def newest(self):
        return len(self.events)

    def after(self, number, limit):
        return list(enumerate(self.events, 1))[number : number + limit]


class Receiver:
    def __init__(self, *problems):
        self.problems, self.bodies = list(problems), []

    async def post(self, url, body, headers):
        self.bodies.append(json.loads(body))
        return self.problems.pop(0) if self.problems else ""

    async def mail(self, subject, text):
        self.bodies.append((subject, text))
        return self.problems.pop(0) if self.problems else ""


def started(past, receiver, *, minutes=0, kept=None, plan=None, mails=False):
    post, mail = (None, receiver.mail) if mails else (receiver.post, None)
    notifier = Notifier(
        plan or NoticePlan((HOOK,)), past, kept or MemoryKnowledge(), post, mail
    )
    in_loop(notifier.start(NOON + timedelta(minutes=minutes)))
    return notifier


def in_loop(awaited):
    async def story():
        return await awaited

    return asyncio.run(story())


def send(notifier, minutes):
    asyncio.run(notifier.send(NOON + timedelta(minutes=minutes)))


def test_a_webhook_hears_of_each_event_once():
    past, receiver = Past(event(-5)), Receiver()
    notifier = started(past, receiver)
    past.events.append(event(1))
    send(notifier, 2)
    past.events.append(event(3))
    send(notifier, 4)
    send(notifier, 9)
    assert [len(body["events"]) for body in receiver.bodies] == [1, 1], (
        "not of what was before it was set up"
    )


def test_a_webhook_that_fails_is_tried_again_ever_more_rarely_with_all_that_happened():
    past, receiver = Past(), Receiver("HTTP 500", "HTTP 500")
    notifier = started(past, receiver)
    past.events.append(event(1))
    for minutes in range(2, 9):
        send(notifier, minutes)
    past.events.append(event(10))
    assert len(receiver.bodies) == 3, "at 2, 3 and 5 minutes"
    assert notifier.problems == {}
    assert [len(body["events"]) for body in receiver.bodies] == [1, 1, 1]


def test_another_run_goes_on_where_the_last_one_ended():
    past, receiver, kept = Past(), Receiver(), MemoryKnowledge()
    first = started(past, receiver, kept=kept)
    past.events += [event(1), event(2)]
    send(first, 3)
    past.events.append(event(4))
    send(started(past, receiver, minutes=5, kept=kept), 6)
    assert [len(body["events"]) for body in receiver.bodies] == [2, 1]


def test_what_a_webhook_did_not_take_is_sent_by_a_later_run():
    past, receiver, kept = Past(), Receiver("HTTP 500"), MemoryKnowledge()
    first = started(past, receiver, kept=kept)
    past.events.append(event(1))
    send(first, 2)
    later = started(past, receiver, minutes=30, kept=kept)
    send(later, 31)
    send(later, 32)
    assert [len(body["events"]) for body in receiver.bodies] == [1, 1], (
        "once in vain, once taken"
    )


def test_no_event_is_lost_where_many_happen_at_the_same_moment():
    past, receiver = Past(), Receiver()
    notifier = started(past, receiver)
    past.events += [
        event(1, detail=str(number)) for number in range(2 * MAX_EVENTS + 7)
    ]
    send(notifier, 2)
    heard = [each["detail"] for body in receiver.bodies for each in body["events"]]
    assert heard == [each.detail for each in past.events]


def test_an_event_that_is_written_late_is_heard_of():
    past, receiver = Past(), Receiver()
    notifier = started(past, receiver)
    past.events.append(event(5))
    send(notifier, 6)
    past.events.append(event(4, detail="a slow look"))
    send(notifier, 7)
    assert [body["events"][0]["detail"] for body in receiver.bodies][1:] == [
        "a slow look"
    ]


def test_short_runs_send_one_mail_when_it_is_due():
    past, receiver, kept = Past(), Receiver(), MemoryKnowledge()
    plan = NoticePlan(digest_every_s=86400.0)
    for hour in range(0, 60, 6):
        run = started(
            past, receiver, minutes=60 * hour, kept=kept, plan=plan, mails=True
        )
        past.events.append(event(60 * hour))
        send(run, 60 * hour + 1)
    assert [subject for subject, _ in receiver.bodies] == [
        "Geohound: 5 state",
        "Geohound: 4 state",
    ]


def test_one_mail_a_day_has_all_of_it_and_never_more_than_some_lines():
    past, receiver = Past(), Receiver()
    notifier = started(
        past, receiver, plan=NoticePlan(digest_every_s=86400.0), mails=True
    )
    past.events += [event(n) for n in range(1, 400)]
    for minutes in range(0, 3 * 1440, 30):
        send(notifier, minutes)
    assert len(receiver.bodies) == 1, "nothing more happened"
    subject, text = receiver.bodies[0]
    assert subject == "Geohound: 399 state"
    assert len(text.splitlines()) == 2 * MAX_LINES + 1


def test_deaths_stand_first_in_a_mail_and_no_service_writes_its_headers():
    found = event(1, LifeChange.FOUND, "link\r\nBcc: everybody@example.org")
    named = Service("wms", "http://a.test/wms", title="Roads\r\nCc: all@example.org")
    _, text = digest([found, event(2)], {found.service_id: named})
    first, what, second, how = text.splitlines()
    assert "Roads Cc: all@example.org, http://a.test/wms (0123456789abcdef)" in first
    assert "alive to dead" in what
    assert "0123456789abcdef" in second
    assert "link Bcc: everybody@example.org" in how


def test_a_message_says_which_service_it_is_about():
    past, receiver = Past(), Receiver()
    notifier = started(past, receiver)
    notifier.service = {
        "0123456789abcdef": Service("wms", "http://a.test/wms", title="Roads")
    }.get
    past.events += [event(1), LifeEvent("f" * 16, NOON, LifeChange.FOUND, "")]
    send(notifier, 2)
    (body,) = receiver.bodies
    known, gone = body["events"]
    assert (known["kind"], known["endpoint"], known["title"]) == (
        "wms",
        "http://a.test/wms",
        "Roads",
    )
    assert (gone["kind"], gone["endpoint"]) == ("", ""), "it left the catalogue"


def test_the_signature_is_an_hmac_of_time_and_body():
    headers = signed(b"{}", "key", NOON)
    stamp = str(int(NOON.timestamp()))
    expected = hmac.new(b"key", f"{stamp}.{{}}".encode(), hashlib.sha256).hexdigest()
    assert headers["X-Geohound-Signature"] == f"sha256={expected}"
    assert "X-Geohound-Signature" not in signed(b"{}", "", NOON)


class _Hook(BaseHTTPRequestHandler):
    seen: list[tuple[bytes, str]] = []  # noqa: RUF012 - one for all
    status = 204

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).seen.append((body, self.headers["X-Geohound-Timestamp"]))
        self.send_response(self.status)
        self.send_header("Location", "http://127.0.0.1/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def hook() -> Iterator[str]:
    _Hook.seen, _Hook.status = [], 204
    with running(ThreadingHTTPServer(("127.0.0.1", 0), _Hook)) as origin:
        yield origin


def post(guard: Guard, url: str) -> str:
    return asyncio.run(
        Poster(guard, "Geohound/test").post(url, b"{}", signed(b"{}", "", NOON))
    )


def test_a_webhook_is_posted_to_a_net_that_is_open(hook: str) -> None:
    assert post(Guard.opening(["127.0.0.0/8"]), f"{hook}/in") == ""
    assert _Hook.seen == [(b"{}", str(int(NOON.timestamp())))]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "0x7f.1"]
)
def test_a_webhook_to_a_private_address_is_refused_by_the_guard(
    hook: str, host: str
) -> None:
    port = hook.rpartition(":")[2]
    problem = post(Guard.opening([], [int(port)]), f"http://{host}:{port}/in")
    assert problem.startswith("refused by the guard"), problem
    assert _Hook.seen == []


def test_a_redirect_is_not_followed_and_not_taken(hook: str) -> None:
    _Hook.status = 302
    assert post(Guard.opening(["127.0.0.0/8"]), f"{hook}/in") == "HTTP 302"
    assert post(Guard.opening([]), "ftp://a.test/").startswith(
        ("refused", "no", "only", "the", "scheme", "a ")
    )


def test_of_two_monitors_at_once_only_one_sends() -> None:
    past, kept = Past(), MemoryKnowledge()
    receiver = SlowReceiver()
    one, other = (started(past, receiver, kept=kept) for _ in range(2))
    past.events.append(event(1))

    async def both():
        now = NOON + timedelta(minutes=2)
        await asyncio.gather(one.send(now), other.send(now))

    asyncio.run(both())
    assert len(receiver.bodies) == 1


def test_what_a_killed_monitor_was_sending_is_sent_by_the_next_one() -> None:
    past, kept = Past(), MemoryKnowledge()
    receiver = SlowReceiver()
    killed, next_one = (started(past, receiver, kept=kept) for _ in range(2))
    past.events.append(event(1))

    async def kill():
        sending = asyncio.create_task(killed.send(NOON + timedelta(minutes=2)))
        await asyncio.sleep(0.01)
        sending.cancel()

    asyncio.run(kill())
    receiver.bodies.clear()
    send(next_one, 3)
    assert not receiver.bodies, "somebody may still be sending"
    send(next_one, 30)
    assert len(receiver.bodies) == 1


class SlowReceiver(Receiver):
    async def post(self, url, body, headers):
        await asyncio.sleep(0.05)
        return await super().post(url, body, headers)


def test_an_account_gets_one_mail_about_its_own_services_and_none_about_others() -> (
    None
):
    past, receiver = Past(), Receiver()
    mine = {"0123456789abcdef"}
    own = PersonalDigest(receiver.mail, lambda: mine.__contains__)
    notifier = Notifier(NoticePlan(), past, MemoryKnowledge(), None, None, {"ada": own})
    in_loop(notifier.start(NOON))
    past.events.append(event(1)._replace(service_id="f" * 16))
    send(notifier, 25 * 60)
    assert not receiver.bodies, "nothing of hers"
    past.events += [event(2), event(3)._replace(service_id="f" * 16)]
    send(notifier, 26 * 60)
    assert not receiver.bodies, "not more than one a day"
    send(notifier, 50 * 60)
    ((subject, text),) = receiver.bodies
    assert subject == "Geohound: 1 state"
    assert "0123456789abcdef" in text
    assert "f" * 16 not in text
