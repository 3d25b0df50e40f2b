"""One budget of bytes for all answers that are held: who waits for it, who goes on, and that all of it comes back."""

from __future__ import annotations

import asyncio
import gc
import gzip
import time

import pytest
from polite import bounded

from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Response
from geohound.net import byte_budget
from geohound.net.byte_budget import AS_TEXT, ByteBudget

MB = 1_000_000
OK = b"HTTP/1.1 200 OK\r\n"


def limits(**more):
    return bounded(**{"max_bytes_in_flight": 4 * AS_TEXT * MB, **more})


def host(n, path="/"):
    return f"http://h{n}.test{path}"


def large(web, size=3 * MB):
    return web.http(gzip.compress(b"water " * (size // 6)), "Content-Encoding: gzip")


def in_parts(first, *more):
    """A handler that sends the first part, and each of the others once the event before it is set."""
    parts = list(zip(more[::2], more[1::2], strict=True))

    async def handler(_, writer):
        size = len(first) + sum(len(part) for _, part in parts)
        writer.write(OK + b"Content-Length: %d\r\n\r\n" % size + first)
        for gate, part in parts:
            await writer.drain()
            await gate.wait()
            writer.write(part)
        await writer.drain()

    return handler


async def visit(fetcher, url, reading_s=0.0, **more):
    """One examination: ask, and hold the answer while it is read."""
    with fetcher.budget.account():
        answer = await fetcher.fetch(url, **more)
        await asyncio.sleep(reading_s)
        return len(answer.body) if isinstance(answer, Response) else answer


async def holding(fetcher, url, until):
    """Ask, and hold the answer until told otherwise."""
    with fetcher.budget.account():
        answer = await fetcher.fetch(url)
        await until.wait()
        return answer


async def peak(budget, samples):
    while True:
        samples.append(budget.held)
        await asyncio.sleep(0)


async def until(condition, most_s=5.0):
    end = time.monotonic() + most_s
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        await asyncio.sleep(0.005)


def run(web, answers, story, **more):
    """Tell a story to a fetcher in front of these answers; afterwards nothing may be held."""

    async def told():
        async with (
            web.serving(answers) as server,
            web.fetching(server, limits(**more)) as fetcher,
        ):
            result = await asyncio.wait_for(story(fetcher, server), 20)
            gc.collect()
            assert fetcher.budget.held == 0
            return result

    return asyncio.run(told())


@pytest.mark.slow
def test_forty_bombs_at_once_hold_the_budget_and_one_answer_more(web):
    samples = []

    async def story(fetcher, _):
        watching = asyncio.create_task(peak(fetcher.budget, samples))
        sizes = await asyncio.gather(
            *(visit(fetcher, host(n), 0.01) for n in range(40))
        )
        watching.cancel()
        return sizes

    sizes = run(web, {"/": large(web)}, story)
    assert sizes == [3 * MB] * 40
    assert max(samples) <= AS_TEXT * (4 * MB + 3 * MB)


def test_without_an_account_nobody_waits(web):
    async def story(fetcher, _):
        answers = await asyncio.gather(*(fetcher.fetch(host(n)) for n in range(4)))
        held = fetcher.budget.held
        return held, [len(answer.body) for answer in answers]

    assert run(web, {"/": large(web)}, story) == (AS_TEXT * 12 * MB, [3 * MB] * 4)


def test_an_answer_larger_than_the_whole_budget_comes_to_its_own_limit(web):
    async def story(fetcher, _):
        return await visit(fetcher, host(1)), await visit(
            fetcher, host(2), max_bytes=8 * MB
        )

    assert run(web, {"/": large(web, 9 * MB)}, story) == (9 * MB, 8 * MB)


def test_no_request_begins_while_the_budget_is_spent(web):
    async def story(fetcher, server):
        let_go = asyncio.Event()
        first = asyncio.create_task(holding(fetcher, host(1, "/large"), let_go))
        await until(lambda: fetcher.budget.is_spent)
        second = asyncio.create_task(visit(fetcher, host(2, "/small")))
        await asyncio.sleep(0.1)
        begun_before = "/small" in server.requests
        let_go.set()
        await first
        return begun_before, await second

    answers = {"/large": large(web, 9 * MB), "/small": web.http(b"small")}
    assert run(web, answers, story) == (False, 5)


@pytest.mark.slow
def test_a_server_is_not_blamed_for_our_pause(web):
    """It answers at once, and is not read for longer than any bound in time."""

    async def story(fetcher, server):
        let_go, gate, end = asyncio.Event(), asyncio.Event(), asyncio.Event()
        server.answers["/slow"] = in_parts(b"a" * 1000, gate, b"b" * 100, end, b"b")
        paused = asyncio.create_task(holding(fetcher, host(2, "/slow"), let_go))
        await asyncio.sleep(0.2)  # it is looked at, before the pause
        holder = asyncio.create_task(holding(fetcher, host(1), let_go))
        await until(lambda: fetcher.budget.is_spent)
        gate.set()
        await asyncio.sleep(1.5)
        assert not paused.done()
        let_go.set()
        await holder
        await asyncio.sleep(0.3)  # it is looked at, after the pause
        end.set()
        answer = await paused
        return answer.body.count(b"b"), answer.elapsed_s

    brief = {"first_byte_s": 0.5, "stall_s": 0.5, "total_s": 1.0}
    rest, elapsed_s = run(web, {"/": large(web, 9 * MB)}, story, **brief)
    assert rest == 101
    assert elapsed_s < 1.0


def test_who_came_first_goes_first(web):
    async def story(fetcher, _):
        let_go, order = asyncio.Event(), []

        async def one(n):
            await visit(fetcher, host(n, "/large"), 0.02)
            order.append(n)

        holder = asyncio.create_task(holding(fetcher, host(0, "/large"), let_go))
        await until(lambda: fetcher.budget.is_spent)
        others = [asyncio.create_task(one(n)) for n in range(1, 6)]
        await asyncio.sleep(0.05)
        let_go.set()
        await asyncio.gather(holder, *others)
        return order

    assert run(web, {"/large": large(web, 9 * MB)}, story) == [1, 2, 3, 4, 5]


def test_who_comes_when_there_is_room_again_does_not_overtake_who_waited():
    async def told():
        budget, order = ByteBudget(10), []

        async def wants(name):
            with budget.account():
                await budget.turn(budget.current())
                order.append(name)

        with budget.account():
            weight = byte_budget.ByteHold(budget.current())
            weight.add(11)
            early = [asyncio.create_task(wants(n)) for n in (1, 2)]
            await asyncio.sleep(0.01)
        await asyncio.gather(wants(3), *early)
        return order

    assert asyncio.run(told()) == [1, 2, 3]


def test_who_is_cancelled_while_waiting_leaves_the_line_and_holds_nothing(web):
    async def story(fetcher, server):
        let_go, gate = asyncio.Event(), asyncio.Event()
        server.answers["/slow"] = in_parts(b"a" * 1000, gate, b"b" * MB)
        begun = asyncio.create_task(visit(fetcher, host(2, "/slow")))
        await until(lambda: fetcher.budget.held)
        holder = asyncio.create_task(holding(fetcher, host(1), let_go))
        await until(lambda: fetcher.budget.is_spent)
        waiting = [asyncio.create_task(visit(fetcher, host(n))) for n in range(3, 6)]
        await asyncio.sleep(0.05)
        for task in (begun, *waiting):
            task.cancel()
        await asyncio.gather(begun, *waiting, return_exceptions=True)
        let_go.set()
        await holder
        assert fetcher.budget.held == 0
        assert not fetcher.budget.is_wanted
        return await visit(fetcher, host(9))

    assert run(web, {"/": large(web, 9 * MB)}, story) == 9 * MB


def test_what_fails_and_who_breaks_give_all_back(web):
    async def breaks(fetcher):
        with fetcher.budget.account():
            kept = await fetcher.fetch(host(1))
            raise ValueError(len(kept.body))

    async def lost(_, writer):
        writer.write(OK + b"Content-Length: 9000000\r\n\r\n" + b"x" * MB)
        await writer.drain()

    async def story(fetcher, _):
        with pytest.raises(ValueError, match="9000000"):
            await breaks(fetcher)
        assert fetcher.budget.held == 0
        failure = await visit(fetcher, host(2, "/lost"))
        assert fetcher.budget.held == 0
        return failure.reason

    assert (
        run(web, {"/": large(web, 9 * MB), "/lost": lost}, story) is FailureReason.RESET
    )


def test_an_answer_that_is_let_go_of_counts_no_more_though_its_account_goes_on(web):
    async def story(fetcher, _):
        with fetcher.budget.account():
            answer = await fetcher.fetch(host(1))
            held = fetcher.budget.held
            del answer
            return held, fetcher.budget.held

    assert run(web, {"/": large(web)}, story) == (AS_TEXT * 3 * MB, 0)


def test_where_all_hold_and_want_more_the_eldest_goes_on(web):
    async def twice(fetcher, n):
        with fetcher.budget.account():
            first = await fetcher.fetch(host(n))
            second = await fetcher.fetch(host(n))
            return len(first.body) + len(second.body)

    async def story(fetcher, _):
        return await asyncio.gather(*(twice(fetcher, n) for n in range(6)))

    assert run(web, {"/": large(web)}, story) == [6 * MB] * 6


@pytest.mark.slow
def test_a_drip_that_holds_much_does_not_keep_others_waiting(web):
    async def drips(_, writer):
        writer.write(OK + b"Content-Length: 90000000\r\n\r\n" + b"x" * 5 * MB)
        while True:
            writer.write(b"y" * 2000)
            await writer.drain()
            await asyncio.sleep(0.1)

    async def story(fetcher, _):
        dripping = asyncio.create_task(
            visit(fetcher, host(1, "/drips"), max_bytes=50 * MB)
        )
        await until(lambda: fetcher.budget.is_spent)
        began = time.monotonic()
        other = await visit(fetcher, host(2))
        return await dripping, other, time.monotonic() - began

    dripped, other, waited_s = run(
        web, {"/": large(web), "/drips": drips}, story, drip_s=0.5
    )
    assert isinstance(dripped, Failure)
    assert dripped.reason is FailureReason.STALLED
    assert other == 3 * MB
    assert waited_s < 3.0


@pytest.mark.slow
def test_a_drip_that_nobody_waits_for_has_its_time(web):
    async def drips(_, writer):
        writer.write(OK + b"Content-Length: 5010000\r\n\r\n" + b"x" * 5 * MB)
        for _ in range(5):
            writer.write(b"y" * 2000)
            await writer.drain()
            await asyncio.sleep(0.2)

    async def story(fetcher, _):
        return await visit(fetcher, host(1), max_bytes=50 * MB)

    assert run(web, {"/": drips}, story, drip_s=0.3, stall_s=0.3) == 5_010_000


def test_who_goes_on_and_waits_for_one_who_waits_is_not_waited_for(web, monkeypatch):
    """The eldest wants a host whose only connection is paused: nobody would ever move."""
    monkeypatch.setattr(byte_budget, "STILL_S", 0.2)

    async def story(fetcher, server):
        gate, let_go = asyncio.Event(), asyncio.Event()
        server.answers["/slow"] = in_parts(b"a" * 1000, gate, b"b" * MB)

        async def elder():
            with fetcher.budget.account():
                await until(lambda: fetcher.budget.is_spent)
                return len((await fetcher.fetch(host(2, "/small"))).body)

        eldest = asyncio.create_task(elder())
        await asyncio.sleep(0)
        paused = asyncio.create_task(visit(fetcher, host(2, "/slow")))
        await until(lambda: fetcher.budget.held)
        holder = asyncio.create_task(holding(fetcher, host(1), let_go))
        await until(lambda: fetcher.budget.is_spent)
        gate.set()
        ends = await eldest, await paused
        let_go.set()
        await holder
        return ends

    answers = {"/": large(web, 9 * MB), "/small": web.http(b"small")}
    assert run(web, answers, story) == (5, 1_001_000)


def test_who_has_held_much_for_long_while_others_wait_is_told_to_come_back(
    web, monkeypatch
):
    monkeypatch.setattr(byte_budget, "PRESSED_S", 0.3)

    async def story(fetcher, server):
        with fetcher.budget.account():
            kept = await fetcher.fetch(host(1))
            waiting = asyncio.create_task(visit(fetcher, host(2)))
            endings = []
            while not isinstance(
                ending := await fetcher.fetch(host(1, "/small")), Failure
            ):
                endings.append(ending.status)
                await asyncio.sleep(0.05)
            asked = len(server.requests)
            del kept
        return (
            ending.reason,
            ending.retry_after_s > 0,
            bool(endings),
            await waiting,
            asked == 1 + len(endings),
        )

    answers = {"/": large(web, 9 * MB), "/small": web.http(b"small")}
    assert run(web, answers, story) == (
        FailureReason.RATE_LIMITED,
        True,
        True,
        9 * MB,
        True,
    )


def test_robots_txt_is_asked_for_whoever_waits(web):
    """Others may wait for the same robots.txt."""

    async def story(fetcher, server):
        let_go = asyncio.Event()
        holder = asyncio.create_task(holding(fetcher, host(1), let_go))
        await until(lambda: fetcher.budget.is_spent)
        maps = await fetcher.robots.sitemaps(host(2))
        let_go.set()
        await holder
        return maps, "/robots.txt" in server.requests

    answers = {"/": large(web, 9 * MB), "/robots.txt": web.http(b"Sitemap: /map.xml")}
    assert run(web, answers, story) == ((host(2, "/map.xml"),), True)


def test_a_closed_account_counts_nothing_more():
    budget = ByteBudget(10)
    account = budget.nobodys()
    weight = byte_budget.ByteHold(account)
    weight.add(5)
    account.close()
    weight.add(7)
    assert budget.held == 0
    del weight
    assert budget.held == 0
