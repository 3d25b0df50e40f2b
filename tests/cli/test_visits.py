"""`geohound visits` and `geohound requests`, on a catalogue with one small crawl in it."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import geohound
from frontiers import open_with_delay
from typer.testing import CliRunner

from geohound import app
from geohound.cli import program
from geohound.frontier import FrontierLimits
from geohound.frontier.thrift import Thrift
from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import Checkpoint, CrawlGoal, TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.service import Extent, Service, Sighting
from geohound.model.visit import (
    Candidate,
    Lane,
    Link,
    Outcome,
    Page,
    Purpose,
    RequestRecord,
    Settlement,
    Via,
)
from geohound.net.clock import SystemClock
from geohound.orders.adaptive import Adaptive
from geohound.stores.sqlite import open_store

FIJI = Service(
    "wms",
    "http://a.test/wms",
    title="Reefs",
    extent=Extent(BBox(176.0, -21.0, -178.0, -12.0)),
)
NOWHERE = Service("wps", "http://a.test/wps")
AT = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


@pytest.fixture
def catalogue(tmp_path: Path) -> str:
    path = tmp_path / "c.db"
    store = open_store(path, SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)))).id

    async def crawl() -> None:
        frontier = open_with_delay(store, task, FrontierLimits(max_attempts=3))
        seed = Candidate("http://a.test/")
        link = Candidate("http://b.test/wms", Via.LINK, "http://a.test/", depth=1)
        frontier.admit([seed, link])
        await frontier.flush()
        leased = frontier.lease(5, Lane.PAGES)
        assert len(leased) == 2
        frontier.settle(
            seed, Settled(Settlement.DONE, services=2, status=200, address="192.0.2.1")
        )
        frontier.settle(link, Settled(Settlement.DROPPED, FailureReason.DNS))
        store.requests.record(
            task,
            [
                RequestRecord(
                    AT, "a.test", "http://a.test/", 200, None, 99, 0.25, "192.0.2.1"
                )
            ],
        )
        await frontier.flush()

    asyncio.run(crawl())
    for service in (FIJI, NOWHERE):
        store.catalogue.record_now(
            [
                Observation(
                    service,
                    Sighting(service.id, "http://a.test/", "", Via.SEED, "", AT, task),
                )
            ]
        )
    store.close()
    return str(path)


def lines(*words: str) -> list[dict]:
    result = CliRunner().invoke(program(), [*words, "--json"])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.output.splitlines()]


def test_every_visited_url_is_told_with_its_parent_and_what_became_of_it(
    catalogue: str,
) -> None:
    seed, link = lines("visits", "--catalogue", catalogue)
    assert (seed["url"], seed["parent"], seed["status"], seed["services"]) == (
        "http://a.test/",
        "",
        200,
        2,
    )
    assert seed["met"] == [
        {"id": FIJI.id, "kind": "wms", "latitude": -16.5, "longitude": 179.0},
        {"id": NOWHERE.id, "kind": "wps", "latitude": None, "longitude": None},
    ]
    assert link["met"] == []
    assert (seed["address"], link["address"]) == ("192.0.2.1", "")
    told = CliRunner().invoke(program(), ["visits", "--catalogue", catalogue]).output
    assert "http://a.test/  2 services (wms, wps)  from seed list" in told
    assert (link["parent"], link["reason"], link["settlement"]) == (
        "http://a.test/",
        "name not found",
        "dropped",
    )
    assert link["task"] == seed["task"]
    assert (seed["purpose"], seed["probe"]) == ("page", False)
    assert len(lines("visits", "--catalogue", catalogue, "--limit", "1")) == 1


def test_why_a_link_was_taken_is_told_weightiest_first(catalogue: str) -> None:
    seed, link = lines("visits", "--why", "--catalogue", catalogue)
    assert [part["what"] for part in seed["why"]] == ["seed"]
    weights = {part["what"]: part["weight"] for part in link["why"]}
    assert weights["any link"] == -4.0
    assert weights["file name has words of services"] == 1.5, "wms in the address"
    sizes = [abs(part["weight"]) for part in link["why"]]
    assert sizes == sorted(sizes, reverse=True)
    told = CliRunner().invoke(program(), ["visits", "--why", "--catalogue", catalogue])
    assert "file name has words of services +1.50" in told.output
    assert "why" not in lines("visits", "--catalogue", catalogue)[0]


def test_why_a_host_was_asked_explored_or_left_is_told_in_plain_words(
    tmp_path: Path,
) -> None:
    """Two hosts at a time and no pauses, so that the best score is always due.

    After three pages a loses its place to c, as one of the two places is for hosts that
    were never asked; b is the best then, for three pages, and a for the last four.
    """
    store = open_store(tmp_path / "h.db", SystemClock())
    task = store.tasks.create(
        TaskSpec(CrawlGoal(("http://a.test/",), active_hosts=2))
    ).id
    scores = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}
    pages = [
        Candidate(f"http://{h}.test/{n}", Via.LINK, score=score)
        for h, score in scores.items()
        for n in range(9)
    ]

    async def crawl() -> None:
        bounds = FrontierLimits(max_attempts=3, thrift=Thrift(active_hosts=2))
        frontier = open_with_delay(store, task, bounds, host_delay_s=0.0)
        frontier.admit(pages)
        await frontier.flush()
        for _ in range(10):
            (leased,) = frontier.lease(1, Lane.PAGES)
            frontier.settle(leased, Settled(Settlement.DONE, status=200))
            await frontier.flush()

    asyncio.run(crawl())
    store.close()
    where = ["--catalogue", str(tmp_path / "h.db")]
    visited = lines("visits", *where)
    assert [record["url"][7] for record in visited] == [*"aaaaaaa", *"bbb"]
    assert {record["host_role"] for record in visited} == {"best"}
    told = CliRunner().invoke(program(), ["visits", "--why", *where]).output
    assert told.count("host asked as one of the best") == 10
    next_ones = told.partition(
        "To be asked next: 8 pages on 2 hosts, the most promising first:\n"
    )[2]
    assert [line.strip() for line in next_ones.splitlines()] == [
        "a.test  2 pages queued; judged by the links to it",
        "b.test  6 pages queued; judged by the links to it",
        "Left for later: 18 pages on 2 hosts, the most promising first:",
        "c.test  9 pages queued; judged by the links to it",
        "d.test  9 pages queued; judged by the links to it",
    ]


def test_hosts_left_are_ranked_by_what_their_order_expects_of_them_not_by_the_score_of_a_link(
    tmp_path: Path,
) -> None:
    """The poor host has the better link, and nineteen pages without a service."""
    store = open_store(tmp_path / "l.db", SystemClock())
    task = store.tasks.create(
        TaskSpec(CrawlGoal(("http://a.test/",), active_hosts=1))
    ).id
    order = Adaptive()
    for host, pages, paying in (("rich", 16, 7), ("poor", 19, 0)):
        for n in range(pages):
            order.learn(
                Outcome(
                    Candidate(f"http://{host}.test/{n}", Via.LINK),
                    new_services=int(n < paying),
                )
            )
    queued = [
        Candidate("http://poor.test/x", Via.LINK, score=-2.0),
        Candidate("http://rich.test/x", Via.LINK, score=-3.0),
    ]

    async def admit() -> None:
        frontier = open_with_delay(store, task, FrontierLimits())
        frontier.admit(queued)
        await frontier.flush()

    asyncio.run(admit())
    claim = store.tasks.claim(task, "test", 30.0)
    store.tasks.save(claim, Checkpoint({}, order.state()))
    store.close()
    told = (
        CliRunner()
        .invoke(program(), ["visits", "--why", "--catalogue", str(tmp_path / "l.db")])
        .output
    )
    assert [line.strip() for line in told.splitlines()] == [
        "To be asked next: 1 page on 1 host, the most promising first:",
        "rich.test  1 page queued; services on 7 of 16 pages",
        "Left for later: 1 page on 1 host, the most promising first:",
        "poor.test  1 page queued; no service on 19 pages so far",
    ]


def test_refused_urls_are_told_with_their_reason_and_may_come_in_later(
    tmp_path: Path,
) -> None:
    store = open_store(tmp_path / "r.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)))).id
    deep = Candidate("http://a.test/deep", Via.LINK, "http://a.test/x", depth=2)

    async def crawl(*found: Candidate) -> int:
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_depth=1)
        )
        admitted = frontier.admit(found).count
        await frontier.flush()
        return admitted

    assert asyncio.run(crawl(deep, deep)) == 0
    (told,) = lines("visits", "--catalogue", str(tmp_path / "r.db"))
    assert (told["url"], told["reason"], told["parent"]) == (
        deep.url,
        "too deep",
        "http://a.test/x",
    )
    assert not told["was_asked"]
    assert (told["purpose"], told["probe"]) == ("page", False)
    near = Candidate("http://a.test/deep", Via.LINK, "http://a.test/", depth=1)
    assert asyncio.run(crawl(near)) == 1, (
        "an example of what was refused is no known URL"
    )
    store.close()


def test_the_requests_to_a_host_are_told(catalogue: str) -> None:
    (made,) = lines("requests", "A.test", "--catalogue", catalogue)
    assert (made["url"], made["status"], made["bytes"]) == ("http://a.test/", 200, 99)
    assert made["at"].startswith("2026-05-04T03:02:01")


def test_a_host_that_was_never_asked_is_told_so(catalogue: str) -> None:
    ended = geohound("requests", "never.test", "--catalogue", catalogue)
    assert ended.returncode == 1
    assert "No requests to never.test" in ended.stderr


def test_every_order_is_told_in_a_line() -> None:
    told = {each["id"]: each for each in lines("orders")}
    assert {"adaptive", "fifo", "polarhub"} <= set(told)
    assert [name for name, each in told.items() if each["default"]] == ["adaptive"]
    assert all(len(each["about"]) > 20 for each in told.values())


def test_an_unknown_task_is_told_so(catalogue: str) -> None:
    result = CliRunner().invoke(program(), ["visits", "99", "--catalogue", catalogue])
    assert result.exit_code != 0
    assert "There is no task 99" in str(result.exception)


@pytest.mark.slow
@pytest.mark.parametrize(
    "order",
    ["atf", "backlink", "depth_first", "fifo", "opic", "oss", "polarhub", "shark"],
)
def test_the_visits_of_every_order_are_told_with_its_own_reasons(
    order: str, tmp_path: Path
) -> None:
    path = tmp_path / "c.db"
    store = open_store(path, SystemClock())
    chosen = app.orders()[order].fresh()
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",), order=order))).id

    async def crawl() -> None:
        frontier = open_with_delay(store, task, FrontierLimits(max_attempts=3), chosen)
        seed = Candidate("http://a.test/", score=chosen.seed("http://a.test/", 0))
        link = Link("http://a.test/maps", "maps")
        score = chosen.score(link, Page(seed.url, score=seed.score, links=(link,)))
        frontier.admit(
            [seed, Candidate(link.url, Via.LINK, seed.url, score=score, depth=1)]
        )
        await frontier.flush()
        for _ in range(2):
            [leased] = frontier.lease(1, Lane.PAGES)
            chosen.learn(Outcome(leased))
            frontier.settle(leased, Settled(Settlement.DONE))
        await frontier.flush()

    asyncio.run(crawl())
    claim = store.tasks.claim(task, "test", 30.0)
    store.tasks.save(claim, Checkpoint({}, chosen.state()))
    store.close()
    assert len(lines("visits", "--catalogue", str(path))) == 2
    _, link = lines("visits", "--why", "--catalogue", str(path))
    names = [part["what"] for part in link["why"]]
    assert names, "every order has a reason"
    assert "its host" not in names, "which is a reason of the adaptive order alone"


def test_a_harvest_is_told_as_such_under_the_address_of_the_catalogue(
    tmp_path: Path,
) -> None:
    store = open_store(tmp_path / "h.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)))).id

    async def crawl() -> None:
        frontier = open_with_delay(store, task, FrontierLimits(max_attempts=3))
        frontier.admit(
            [
                Candidate(
                    "http://a.test/csw",
                    Via.HARVEST,
                    purpose=Purpose.HARVEST,
                    harvester="csw",
                )
            ]
        )
        await frontier.flush()
        [leased] = frontier.lease(1, Lane.PROBES)
        frontier.settle(leased, Settled(Settlement.DONE))
        await frontier.flush()

    asyncio.run(crawl())
    (told,) = lines("visits", "--catalogue", str(tmp_path / "h.db"))
    assert (told["url"], told["purpose"], told["probe"]) == (
        "http://a.test/csw",
        "harvest",
        True,
    )
    store.close()


def test_reports_are_printed_as_table_csv_and_json(catalogue: str) -> None:
    """Of this crawl: a seed that was read and has two services, and a page whose host does not exist."""

    def printed(*words: str) -> str:
        result = CliRunner().invoke(
            program(), ["report", *words, "--catalogue", catalogue]
        )
        assert result.exit_code == 0, result.output
        return result.output

    assert printed("failures", "--format", "csv").splitlines() == [
        "what,end,urls,share",
        "page,name not found,1,50.00 %",
        "page,service proved,1,50.00 %",
    ]
    assert [json.loads(row) for row in printed("hosts", "--json").splitlines()] == [
        {"host": "a.test", "pages": 1, "tests": 0, "failures": 0, "services": 2},
        {"host": "b.test", "pages": 1, "tests": 0, "failures": 1, "services": 0},
        {"summary": {"report": "hosts", "rows": 2}},
    ]
    assert printed("depth-width").splitlines()[1:] == [
        "width  depth  pages  tests  services",
        "    1      0      1      0         2",
        "    1      1      1      0         0",
    ]
    assert "quickness" in printed()


def test_an_unknown_report_is_answered_with_those_that_exist(catalogue: str) -> None:
    result = CliRunner().invoke(
        program(), ["report", "nonsense", "--catalogue", catalogue]
    )
    error = str(result.exception)
    assert error.startswith("There is no report 'nonsense'; known reports: ")
    for name in ("quickness", "depth-width", "failures", "list-pages", "countries"):
        assert f"{name}, " in error


def test_a_report_on_the_catalogue_is_of_no_task_and_can_be_written_to_a_file(
    catalogue: str, tmp_path: Path
) -> None:
    """The two services of this crawl stand on a.test: no country."""
    invoke = CliRunner().invoke
    file = tmp_path / "countries.csv"
    words = [
        "report",
        "countries",
        "--format",
        "csv",
        "-o",
        str(file),
        "--catalogue",
        catalogue,
    ]
    assert invoke(program(), words).exit_code == 0
    assert file.read_text("utf-8").splitlines()[1].startswith("unknown,2,1,")
    refused = invoke(program(), ["report", "countries", "1", "--catalogue", catalogue])
    assert "leave the task number out" in str(refused.exception)
    words[5] = str(tmp_path / "missing" / "x.csv")
    assert "cannot be written" in str(invoke(program(), words).exception)
