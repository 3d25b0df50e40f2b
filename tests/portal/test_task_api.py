"""Tasks by the API: started, paused, gone on with, stopped and deleted by who may, refused to all others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from geohound.model.crawl.event import ServiceFound, Warned
from geohound.model.crawl.task import (
    Budget,
    Checkpoint,
    CrawlGoal,
    Ending,
    MonitorGoal,
    TaskKind,
    TaskSpec,
    TaskState,
)
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.portal.tasks.request import TaskRequest
from geohound.reports import EndedVisit
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import Store
from geohound.tasks.control import TaskControl
from geohound.topics import TOPICS, Classifier

SEED = "http://a.example/maps"
ORIGIN = "http://localhost:8080"


def client_of(
    store: Store, kinds, *, may_write: bool = True, classifier=None
) -> TestClient:
    control = TaskControl(store.tasks)
    tasks = PortalTasks(control, TaskEvents(control), ("adaptive", "fifo"), may_write)
    index = CatalogueIndex(store.catalogue, store.segments)
    app = create_app(
        store.catalogue,
        index,
        kinds,
        tasks=tasks,
        names=(),
        classifier=classifier,
        origins=("*",),
    )
    return TestClient(app, base_url=f"{ORIGIN}/api/v1/")


@pytest.fixture
def api(store: Store, kinds) -> Iterator[TestClient]:
    with client_of(store, kinds) as client:
        yield client


def running(store: Store, task: int):
    claim = store.tasks.claim(task, "somebody", 30.0)
    assert claim is not None
    return claim


def test_a_crawl_is_queued_with_all_that_was_asked_for(
    api: TestClient, store: Store
) -> None:
    asked = {
        "seeds": [SEED, "https://b.example", SEED], "depth": 2, "width": 3, "kinds": ["wms", "wfs"],
        "bbox": [-75, 6, -34, -34], "order": "fifo", "max_pages": 50, "max_time_s": 60.5,
    }  # fmt: skip
    answer = api.post("tasks", json=asked)
    assert answer.status_code == 201
    assert answer.headers["location"] == "/api/v1/tasks/1"
    made = answer.json()
    assert (made["id"], made["state"], made["wanted"]) == (1, "queued", "run")
    assert made["seeds"] == [SEED, "https://b.example/"]
    found = store.tasks.get(1)
    assert found is not None
    goal, budget = found.spec.goal, found.spec.budget
    assert (goal.max_depth, goal.max_width, goal.order) == (2, 3, "fifo")
    assert (goal.kinds, goal.bbox) == (("wms", "wfs"), (-75.0, -34.0, -34.0, 6.0))
    assert (budget.max_pages, budget.max_time_s) == (50, 60.5)
    assert api.get("tasks").json()["tasks"] == [api.get("tasks/1").json()]


def test_keywords_are_a_hunt_with_the_published_depth_and_width(
    store: Store, kinds
) -> None:
    """PH-1: "In tests, a depth of 2 is most effective", "a crawling width of eight is recommended" (Li, Wang & Bhatia 2016,
    section 6.1). The words as they are come first, then with each mandatory word (Hou, Chen & Wu 2016, table 5)."""
    control = TaskControl(store.tasks)
    tasks = PortalTasks(
        control, TaskEvents(control), ("fifo",), True, ("searxng=http://s.test/",)
    )
    app = create_app(
        store.catalogue,
        CatalogueIndex(store.catalogue, store.segments),
        kinds,
        tasks=tasks,
    )
    with TestClient(app, base_url=f"{ORIGIN}/api/v1/") as api:
        made = api.post(
            "tasks",
            json={"keywords": ["land", " cover "], "thrift": 0.5, "seeds": [SEED]},
        )
        assert (made.status_code, made.json()["kind"], made.json()["queries"][:2]) == (
            201, "hunt", ["land cover", "land cover WMS"],
        )  # fmt: skip
        api.post(
            "tasks",
            json={"keywords": ["reef"], "depth": 1, "width": 3, "thrift": "auto"},
        )
    first, second = store.tasks.get(1), store.tasks.get(2)
    assert first is not None
    assert second is not None
    goal = first.spec.goal
    assert (goal.words, goal.searchers, goal.seeds) == (
        "land cover",
        ("searxng=http://s.test/",),
        (SEED,),
    )
    assert (goal.max_depth, goal.max_width, goal.thrift) == (2, 8, "0.5")
    assert (
        second.spec.goal.max_depth,
        second.spec.goal.max_width,
        second.spec.goal.thrift,
    ) == (1, 3, "auto")


def test_reports_on_a_task_are_of_the_latest_unless_another_is_named(
    store: Store, kinds
) -> None:
    """Task 1 has read one page of a.test, task 2 one of b.test."""
    control = TaskControl(store.tasks)
    for _ in range(2):
        store.tasks.create(TaskSpec(CrawlGoal((SEED,))))

    def visits(task: int) -> list[EndedVisit]:
        address = f"http://{'-ab'[task]}.test/"
        return [EndedVisit(address, "", 0, False, True, "", (), 1_777_896_000.0)]

    tasks = PortalTasks(control, TaskEvents(control), visits=visits)
    app = create_app(
        store.catalogue,
        CatalogueIndex(store.catalogue, store.segments),
        kinds,
        tasks=tasks,
    )
    with TestClient(app, base_url=f"{ORIGIN}/api/v1/") as api:
        assert api.get("reports/hosts").json()["rows"] == [["b.test", 1, 0, 0, 0]]
        assert api.get("reports/hosts?task=1").json()["rows"] == [
            ["a.test", 1, 0, 0, 0]
        ]
        assert api.get("reports/hosts?task=9").status_code == 404
        assert api.get("reports/hosts?task=x").status_code == 400


def test_what_is_left_out_is_left_to_the_settings_of_who_runs_it(
    api: TestClient, store: Store
) -> None:
    assert (
        api.post(
            "tasks", json={"seeds": [SEED], "order": None, "keywords": []}
        ).status_code
        == 201
    )
    found = store.tasks.get(1)
    assert found is not None
    assert (
        found.spec.goal.order,
        found.spec.goal.max_depth,
        found.spec.budget.max_pages,
    ) == (None, None, None)


def test_catalogues_are_harvested(api: TestClient, store: Store) -> None:
    made = api.post(
        "tasks", json={"seeds": [], "harvest": ["http://a.example/csw"], "max_pages": 9}
    )
    assert (made.status_code, made.json()["kind"], made.json()["seeds"]) == (
        201,
        "harvest",
        ["http://a.example/csw"],
    )
    found = store.tasks.get(1)
    assert found is not None
    assert (found.spec.kind, found.spec.goal.max_depth) == (TaskKind.HARVEST, 0), (
        "no link is followed"
    )


def test_a_crawl_may_keep_to_a_topic(store: Store, kinds) -> None:
    with client_of(store, kinds, classifier=Classifier(TOPICS)) as api:
        assert (
            api.post("tasks", json={"seeds": [SEED], "topic": "land_cover"}).status_code
            == 201
        )
    found = store.tasks.get(1)
    assert found is not None
    assert found.spec.goal.topic == "land_cover"


def test_lists_may_be_written_as_on_the_command_line(
    api: TestClient, store: Store
) -> None:
    assert (
        api.post(
            "tasks", json={"seeds": [SEED], "kinds": "wms,wfs", "bbox": "-75,-34,-34,6"}
        ).status_code
        == 201
    )
    found = store.tasks.get(1)
    assert found is not None
    assert (found.spec.goal.kinds, found.spec.goal.bbox) == (
        ("wms", "wfs"),
        (-75.0, -34.0, -34.0, 6.0),
    )


@pytest.mark.parametrize(
    ("asked", "parameter", "sentence"),
    [
        ({}, "seeds", "at least one seed URL"),
        ({"seeds": [], "harvest": []}, "seeds", "at least one seed URL"),
        ({"seeds": [SEED], "harvest": [SEED]}, "harvest", "send two requests"),
        ({"seeds": [SEED], "topic": "soups"}, "topic", "use one of"),
        ({"seeds": ["a.example"]}, "seeds", "begin with http:// or https://"),
        (
            {"seeds": ["javascript:alert(1)"]},
            "seeds",
            "begin with http:// or https://",
        ),
        ({"seeds": ["https://a b/"]}, "seeds", "not a web address"),
        (
            {"seeds": [SEED], "depth": -1},
            "depth",
            "a whole number from 0 to 1,000, not -1",
        ),
        ({"seeds": [SEED], "depth": "2"}, "depth", "1,000, not “2”"),
        (
            {"seeds": [SEED], "kinds": ["wmx"]},
            "kinds",
            "use one of ogcapi-features, wfs, wms",
        ),
        ({"seeds": [SEED], "order": "best"}, "order", "use one of adaptive, fifo"),
        ({"seeds": [SEED], "bbox": [1, 2, 3]}, "bbox", "four numbers in degrees"),
        ({"seeds": [SEED], "bbox": [1, 2, 3, 91]}, "bbox", "item 4 is 91"),
        (
            {"seeds": [SEED], "max_pages": 0},
            "max_pages",
            "from 1 to 1,000,000,000, not 0",
        ),
        (
            {"seeds": [SEED], "speed": 3},
            "speed",
            "There is no field “speed” here; use kind,",
        ),
        (
            {"seeds": [SEED], "keywords": ["rivers"]},
            "keywords",
            "No search provider is set up",
        ),
        ({"seeds": [SEED], "keywords": [""]}, "keywords", "of 1 to 200 characters"),
        ({"harvest": [SEED], "keywords": ["rivers"]}, "harvest", "send two requests"),
        ({"seeds": [SEED], "thrift": 1.5}, "thrift", 'from 0 to 1, or "auto", not 1.5'),
        ({"seeds": [SEED], "thrift": "much"}, "thrift", "not “much”"),
        ([SEED], "", "Send a JSON object"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    api: TestClient, asked, parameter: str, sentence: str
) -> None:
    answer = api.post("tasks", json=asked)
    problem = answer.json()
    assert answer.status_code == 400
    assert (problem.get("parameter", ""), sentence in problem["detail"]) == (
        parameter,
        True,
    ), problem
    assert api.get("tasks").json()["tasks"] == []


@pytest.mark.slow
@pytest.mark.parametrize("field", TaskRequest.__struct_fields__)
@pytest.mark.parametrize(
    "value", [{"a": 1}, [None], [[]], "\ud800", -7.5, 1e30, [1] * 9]
)
def test_no_wrong_value_is_answered_in_the_words_of_a_library(
    api: TestClient, field: str, value: object
) -> None:
    body = json.dumps({"seeds": [SEED]} | {field: value})
    answer = api.post(
        "tasks", content=body, headers={"content-type": "application/json"}
    )
    said = answer.json()["detail"]
    assert answer.status_code == 400, said
    assert not re.search(r"`|Expected|\bstr\b|\bint\b|null\b.*\||Object|enum", said), (
        said
    )
    assert said.endswith(".")
    assert len(said) < 400


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"seeds": ["\\ud800"]}', b"NaN"]
)
def test_what_is_no_json_is_refused(api: TestClient, body: bytes) -> None:
    answer = api.post(
        "tasks", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400


def test_what_is_too_long_is_refused(api: TestClient) -> None:
    body = json.dumps({"seeds": ["http://a.example/" + "x" * 1_000_000]})
    answer = api.post(
        "tasks", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413


def test_a_task_that_is_queued_again_has_not_ended(
    api: TestClient, store: Store
) -> None:
    api.post("tasks", json={"seeds": [SEED]})
    store.tasks.release(running(store, 1), TaskState.STOPPED, Ending.TIME)
    stopped = api.get("tasks/1").json()
    assert (stopped["ending"], bool(stopped["finished_at"])) == ("time", True)
    resumed = api.post("tasks/1/resume").json()
    assert (resumed["state"], resumed["ending"], resumed["finished_at"]) == (
        "queued",
        None,
        None,
    )


def out_of_pages(store: Store, tried: int = 200, most: int = 200) -> None:
    spec = TaskSpec(CrawlGoal((SEED,)), Budget(max_pages=most))
    claim = running(store, store.tasks.create(spec).id)
    store.tasks.save(claim, Checkpoint({"visits": tried}))
    store.tasks.release(claim, TaskState.STOPPED, Ending.PAGE_BUDGET)


def test_a_task_that_has_tried_all_its_pages_goes_on_with_a_larger_limit_alone(
    api: TestClient, store: Store
) -> None:
    out_of_pages(store)
    for body in ({}, {"max_pages": None}, {"max_pages": 200}):
        refused = api.post("tasks/1/resume", json=body)
        assert refused.status_code == 409
        assert "has tried 200 pages" in refused.json()["detail"]
        assert '{"max_pages": 400}' in refused.json()["detail"]
    assert api.post("tasks/1/resume").status_code == 409
    assert api.get("tasks/1").json()["state"] == "stopped"
    resumed = api.post("tasks/1/resume", json={"max_pages": 300.0})
    assert (resumed.status_code, resumed.json()["state"]) == (200, "queued")
    found = store.tasks.get(1)
    assert found is not None
    assert found.spec.budget.max_pages == 300
    running(store, 1)
    refused = api.post("tasks/1/resume", json={"max_pages": 900})
    assert (refused.status_code, "is running" in refused.json()["detail"]) == (
        409,
        True,
    )


def test_a_task_whose_last_pages_hung_is_resumed_within_its_limit(
    api: TestClient, store: Store
) -> None:
    out_of_pages(store, tried=199)
    assert api.post("tasks/1/resume").json()["state"] == "queued"


@pytest.mark.parametrize(
    "body",
    ['{"max_pages": 0}', '{"max_pages": "x"}', '{"pages": 3}', "[]", "{", "\xff"],
)
def test_a_limit_that_is_none_is_refused(
    api: TestClient, store: Store, body: str
) -> None:
    out_of_pages(store)
    json_type = {"content-type": "application/json"}
    refused = api.post(
        "tasks/1/resume", content=body.encode("latin-1"), headers=json_type
    )
    assert refused.status_code == 400
    assert "max_pages must be a whole number" in refused.json()["detail"]


def test_a_task_is_paused_goes_on_is_stopped_and_deleted(
    api: TestClient, store: Store
) -> None:
    api.post("tasks", json={"seeds": [SEED]})
    states = [
        api.post(f"tasks/1/{action}").json()["state"]
        for action in ("pause", "resume", "stop", "resume")
    ]
    assert states == ["paused", "queued", "stopped", "queued"]
    claim = running(store, 1)
    asked = api.post("tasks/1/pause").json()
    assert (asked["state"], asked["wanted"]) == ("running", "pause"), (
        "whoever runs it obeys soon"
    )
    refused = api.delete("tasks/1")
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        "Task 1 is running: stop it first.",
    )
    store.tasks.release(claim, TaskState.DONE, Ending.FINISHED)
    finished = api.post("tasks/1/resume")
    assert (finished.status_code, finished.json()["detail"]) == (
        409,
        "Task 1 is finished already.",
    )
    assert api.delete("tasks/1").json() == {"id": 1, "state": "deleted"}
    assert api.get("tasks/1").status_code == 404


@pytest.mark.parametrize(
    "number", ["7", "0", "-1", "x", "1e3", "99999999999999999999", "١"]
)
def test_a_task_that_is_not_there_is_not_found(api: TestClient, number: str) -> None:
    asked = [
        api.get(f"tasks/{number}"),
        api.get(f"tasks/{number}/events"),
        api.delete(f"tasks/{number}"),
    ]
    asked += [
        api.post(f"tasks/{number}/{action}") for action in ("pause", "resume", "stop")
    ]
    assert [answer.status_code for answer in asked] == [404] * 6


WRITES = (
    ("POST", "tasks"),
    ("POST", "tasks/1/pause"),
    ("POST", "tasks/1/resume"),
    ("POST", "tasks/1/stop"),
)
WRITES = (*WRITES, ("DELETE", "tasks/1"))


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_nobody_may_write_unless_the_portal_was_started_for_that(
    store: Store, kinds, method: str, path: str
) -> None:
    store.tasks.create(TaskSpec())
    with client_of(store, kinds, may_write=False) as client:
        answer = client.request(method, path, json={"seeds": [SEED]})
    assert answer.status_code == 403
    assert "geohound serve --single-user" in answer.json()["detail"]
    assert [(task.id, task.state) for task in store.tasks.list()] == [
        (1, TaskState.QUEUED)
    ]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:3000"},
        {"origin": "http://127.0.0.1:8080"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
    ],
)
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_page_of_another_site_changes_nothing(
    api: TestClient, store: Store, method, path, headers
) -> None:
    store.tasks.create(TaskSpec())
    assert (
        api.request(method, path, json={"seeds": [SEED]}, headers=headers).status_code
        == 403
    )
    assert [(task.id, task.state) for task in store.tasks.list()] == [
        (1, TaskState.QUEUED)
    ]


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_what_a_form_of_another_site_can_send_is_refused_even_without_an_origin(
    api: TestClient, store: Store, method: str, path: str, kind: str
) -> None:
    store.tasks.create(TaskSpec())
    answer = api.request(
        method,
        path,
        content=b'{"seeds": ["http://a.example/"]}',
        headers={"content-type": kind},
    )
    assert answer.status_code == 415
    assert [(task.id, task.state) for task in store.tasks.list()] == [
        (1, TaskState.QUEUED)
    ]


def test_the_pages_of_the_portal_itself_may_write(api: TestClient) -> None:
    headers = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}
    assert api.post("tasks", json={"seeds": [SEED]}, headers=headers).status_code == 201


def test_other_sites_may_not_read_what_writing_answers_nor_events(
    api: TestClient,
) -> None:
    made = api.post("tasks", json={"seeds": [SEED]})
    for answer in (made, api.get("tasks/1/events"), api.post("tasks/1/stop")):
        assert "access-control-allow-origin" not in answer.headers
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    assert (
        "POST"
        not in api.options("tasks", headers=asked).headers[
            "access-control-allow-methods"
        ]
    )


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8080", 200), ("127.0.0.1", 200), ("127.0.0.1:8080", 200), ("[::1]:8080", 200), ("LOCALHOST.", 200),
        ("portal.localhost", 200), ("testserver", 200),
        ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example", 421), ("", 421),
        ("evil.example:8080", 421), ("localhost@evil.example", 421), ("10.0.0.1", 421), ("localhost evil", 421),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/api/v1/tasks", "/tasks", "/static/none.js", "/nothing"]
)
def test_another_name_for_this_machine_is_not_answered(
    api: TestClient, host: str, status: int, path: str
) -> None:
    """TestClient arrives at an address called testserver."""
    app = TestClient(api.app, base_url="http://testserver")
    answer = app.get(path, headers={"host": host})
    assert (answer.status_code == 421) == (status == 421), answer.text
    if status == 421:
        assert "web_names" in answer.json()["detail"]


def test_names_that_are_configured_are_answered(store: Store, kinds) -> None:
    index = CatalogueIndex(store.catalogue, store.segments)
    with TestClient(
        create_app(store.catalogue, index, kinds, names=["Maps.example.org"])
    ) as client:
        assert (
            client.get("/healthz", headers={"host": "maps.example.org"}).status_code
            == 200
        )
        refused = client.get("/healthz", headers={"host": "example.org"})
        assert refused.status_code == 421
        assert "access-control-allow-origin" not in refused.headers
    with TestClient(create_app(store.catalogue, index, kinds, names=["*"])) as client:
        assert (
            client.get("/healthz", headers={"host": "whatever.example"}).status_code
            == 200
        )


def filled(store: Store) -> int:
    """A task that is done, with five events."""
    task = store.tasks.create(TaskSpec()).id
    claim = running(store, task)
    found = ServiceFound(
        "0f", "http://a.example/wms", "wms", "Roads\u2028\n<b>", 1, 2, 0.5
    )
    store.tasks.emit(claim, [found, Warned("a word")])
    store.tasks.save(claim, Checkpoint({"pages": 3}))
    store.tasks.release(claim, TaskState.DONE, Ending.FINISHED)
    return task


def test_events_are_numbered_and_read_in_parts(api: TestClient, store: Store) -> None:
    filled(store)
    page = api.get("tasks/1/events").json()
    assert [(event["n"], event["type"]) for event in page["events"]] == [
        (1, "state"), (2, "state"), (3, "service"), (4, "warning"), (5, "state"),
    ]  # fmt: skip
    assert page["first"] == 1
    assert [
        event["n"] for event in api.get("tasks/1/events?after=3").json()["events"]
    ] == [4, 5]
    assert api.get("tasks/1/events?after=5&wait=30").json()["events"] == [], (
        "it has ended: there is nothing to wait for"
    )
    assert api.get("tasks/1/events?after=-1").status_code == 400
    assert api.get("tasks/1/events?wait=61").status_code == 400
    assert api.get("tasks/1").json()["counters"] == {"pages": 3}


STREAM = {"accept": "text/event-stream"}


def streamed(text: str) -> list[dict]:
    parts = [part for part in text.split("\n\n") if part.startswith("id: ")]
    events = [json.loads(part.partition("\ndata: ")[2]) for part in parts]
    assert [part.split("\n")[0] for part in parts] == [
        f"id: {event['n']}" for event in events
    ]
    return events


def test_a_task_that_has_ended_is_streamed_whole_and_the_stream_ends(
    api: TestClient, store: Store
) -> None:
    filled(store)
    answer = api.get("tasks/1/events", headers=STREAM)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    assert streamed(answer.text) == api.get("tasks/1/events").json()["events"]
    assert [
        event["title"] for event in streamed(answer.text) if event["type"] == "service"
    ] == ["Roads\u2028\n<b>"]


def test_a_browser_that_comes_again_gets_what_it_has_not_had(
    api: TestClient, store: Store
) -> None:
    filled(store)
    again = api.get("tasks/1/events?after=1", headers={**STREAM, "last-event-id": "4"})
    assert [event["n"] for event in streamed(again.text)] == [5]
    nonsense = api.get(
        "tasks/1/events?after=3", headers={**STREAM, "last-event-id": "9" * 50}
    )
    assert [event["n"] for event in streamed(nonsense.text)] == [4, 5]
    nothing = api.get("tasks/1/events", headers={**STREAM, "last-event-id": "5"})
    assert (nothing.status_code, nothing.text) == (204, ""), (
        "an EventSource that gets 204 does not come again"
    )


def test_of_a_very_long_task_the_first_number_that_is_kept_is_said(
    kinds, store: Store
) -> None:
    store.tasks._max_events = 4
    filled(store)
    with client_of(store, kinds) as api:
        page = api.get("tasks/1/events").json()
    assert (page["first"], [event["n"] for event in page["events"]]) == (
        2,
        [2, 3, 4, 5],
    )


def test_tasks_come_in_pages_that_new_tasks_do_not_move(
    api: TestClient, store: Store
) -> None:
    for _ in range(5):
        store.tasks.create(TaskSpec())
    first = api.get("tasks?limit=2").json()
    assert ([task["id"] for task in first["tasks"]], first["total"]) == ([5, 4], 5)
    store.tasks.create(TaskSpec())
    second = api.get(f"tasks?limit=2&cursor={first['next']}").json()
    assert [task["id"] for task in second["tasks"]] == [3, 2]
    last = api.get(f"tasks?limit=2&cursor={second['next']}").json()
    assert ([task["id"] for task in last["tasks"]], last["next"]) == ([1], None)
    assert api.get("tasks?cursor=x").status_code == 400
    assert api.get("tasks?limit=0").status_code == 400


def test_a_monitor_is_queued_once(api: TestClient, store: Store) -> None:
    made = api.post("tasks", json={"kind": "monitor"})
    assert (made.status_code, made.json()["kind"], made.json()["state"]) == (
        201,
        "monitor",
        "queued",
    )
    again = api.post("tasks", json={"kind": "monitor"})
    assert (again.status_code, again.json()["detail"]) == (
        409,
        "Task 1 is such a monitor and is under way.",
    )
    assert (
        api.post(
            "tasks", json={"kind": "monitor", "once": True, "deep": True}
        ).status_code
        == 201
    )
    first, second = store.tasks.get(1), store.tasks.get(2)
    assert first is not None
    assert second is not None
    assert (first.spec.kind, first.spec.watch) == (TaskKind.MONITOR, MonitorGoal())
    assert second.spec.watch == MonitorGoal(once=True, deep=True)


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "monitor", "seeds": [SEED]},
        {"seeds": [SEED], "deep": True},
        {"kind": "crawl", "seeds": [SEED]},
    ],
)
def test_a_monitor_has_no_seeds_and_a_crawl_is_not_deep(
    api: TestClient, asked: dict
) -> None:
    assert api.post("tasks", json=asked).status_code == 400
