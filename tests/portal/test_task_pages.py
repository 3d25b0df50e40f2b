"""The pages of tasks: what they show, what their forms do, and to whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import pytest
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from geohound.cli.hunt import ready_searchers
from geohound.model.catalogue import Observation
from geohound.model.crawl.event import Progressed, ServiceFound, VisitEnded, Warned
from geohound.model.crawl.task import (
    Budget,
    Checkpoint,
    CrawlGoal,
    Ending,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.model.location import HostLocation
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.search.index import CatalogueIndex
from geohound.settings import load
from geohound.stores.sqlite import Store
from geohound.tasks.claiming import this_process
from geohound.tasks.control import TaskControl

ORIGIN = "http://localhost:8080"
OURS = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}
HOSTILE = "\"'><script>alert(1)</script>"


def client_of(store: Store, kinds, *, may_write: bool = True) -> TestClient:
    control = TaskControl(store.tasks)
    tasks = PortalTasks(control, TaskEvents(control), ("adaptive", "fifo"), may_write)
    app = create_app(
        store.catalogue,
        CatalogueIndex(store.catalogue, store.segments),
        kinds,
        tasks=tasks,
        names=(),
    )
    return TestClient(app, base_url=ORIGIN, follow_redirects=False)


@pytest.fixture
def client(store: Store, kinds) -> Iterator[TestClient]:
    with client_of(store, kinds) as client:
        yield client


def progressed(pages: int, services: int) -> Progressed:
    return Progressed(
        pages,
        0,
        9,
        0,
        services,
        4,
        2,
        0,
        7,
        3,
        0,
        0,
        75.0,
        2.5,
        0.0,
        0.0,
        0.0,
        0.0,
        "hosts",
    )


def under_way(store: Store) -> None:
    """A task that this very process runs, with hostile things found."""
    task = store.tasks.create(
        TaskSpec(CrawlGoal(("http://a.example/maps", "http://b.example/")))
    ).id
    claim = store.tasks.claim(task, str(this_process()), 30.0)
    assert claim is not None
    visits = [
        VisitEnded(f"http://a.example/{n}", "page", 200, "", 0, 0.25) for n in range(20)
    ]
    visits.append(VisitEnded(f"http://a.example/{HOSTILE}", "page", 0, "dns", 0, 1.5))
    services = [
        ServiceFound("0" * 16, "http://a.example/wms", "wms", "Roads", 1, 2, 0.5),
        ServiceFound(
            "1" * 16, f"http://a.example/{HOSTILE}", "wfs", HOSTILE, 1, 2, 0.5
        ),
    ]
    store.tasks.emit(
        claim, [*visits, *services, Warned(HOSTILE), progressed(12_345, 2)]
    )


def test_the_page_of_a_task_shows_how_far_it_is_and_what_it_found(
    client: TestClient, store: Store
) -> None:
    under_way(store)
    page = client.get("/tasks/1").text
    for shown in (
        "running",
        "all queued hosts are rate-limited",
        "12,345",
        "1 min 15 s",
        "a.example/wms",
        "Roads",
        "1.5 s",
    ):
        assert shown in page, shown
    assert page.index("&gt;&lt;script&gt;") < page.index("Roads"), "the latest first"
    assert page.count(">a.example/1") == 10, (
        "of 21 visits the latest twelve: 9 to 19, and the hostile one"
    )
    assert "<script>alert" not in page
    assert 'data-task="1" data-last="27"' in page


def test_the_list_shows_state_and_progress_of_each_task(
    client: TestClient, store: Store
) -> None:
    under_way(store)
    store.tasks.create(TaskSpec(CrawlGoal(("http://c.example/",))))
    page = client.get("/tasks").text
    assert page.index("c.example") < page.index("a.example/maps")
    assert "and 1 more" in page
    assert ("queued" in page, "running" in page) == (True, True)
    assert 'href="/tasks/1"' in page


def test_who_may_not_write_sees_no_form(store: Store, kinds) -> None:
    under_way(store)
    with client_of(store, kinds, may_write=False) as client:
        pages = [client.get("/tasks").text, client.get("/tasks/1").text]
        assert (
            client.post("/tasks", data={"seeds": "a.example"}, headers=OURS).status_code
            == 403
        )
        assert client.post("/tasks/1/stop", headers=OURS).status_code == 403
    assert not any('method="post"' in page for page in pages)
    assert "geohound serve --single-user" in pages[0]


def test_a_form_starts_a_crawl_and_leads_to_its_page(
    client: TestClient, store: Store
) -> None:
    """PH-1: PolarHub (Li, Wang & Bhatia 2016), section 5: a user creates a task and watches it."""
    form = {
        "seeds": "a.example/maps\r\n\r\n http://b.example/ \r\n", "depth": "3", "max_pages": "", "minutes": "2",
        "kinds": ["wms", "wfs"], "bbox": "-75,-34,-34,6", "order": "fifo", "width": "",
    }  # fmt: skip
    answer = client.post("/tasks", data=form, headers=OURS)
    assert (answer.status_code, answer.headers["location"]) == (303, "/tasks/1")
    task = store.tasks.get(1)
    assert task is not None
    box = (-75.0, -34.0, -34.0, 6.0)
    goal = CrawlGoal(
        ("https://a.example/maps", "http://b.example/"),
        kinds=("wms", "wfs"),
        bbox=box,
        order="fifo",
    )
    assert task.spec.goal.seeds == goal.seeds
    assert (task.spec.goal.kinds, task.spec.goal.bbox, task.spec.goal.order) == (
        goal.kinds,
        box,
        "fifo",
    )
    assert (task.spec.goal.max_depth, task.spec.goal.max_width) == (3, None)
    assert task.spec.budget == Budget(max_time_s=120)
    asked = client.get("/tasks/1").text.partition("What was asked for")[2]
    assert (">WMS</span>" in asked, ">WFS</span>" in asked) == (True, True)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"seeds": " "}, "at least one seed URL in seeds"),
        ({"seeds": "mailto://x"}, "begin with http:// or https://"),
        ({"seeds": "a.example", "depth": "deep"}, "must be a whole number"),
        ({"seeds": "a.example", "bbox": "1,2"}, "bbox"),
        ({"seeds": "a.example", "kinds": "wmx"}, "is not known; use one of"),
        ({"seeds": HOSTILE}, "is not a web address"),
    ],
)
def test_a_form_that_cannot_be_used_comes_back_as_it_was_typed(
    client: TestClient, form, sentence: str
) -> None:
    answer = client.post("/tasks", data={"minutes": "77", **form}, headers=OURS)
    assert answer.status_code == 400
    assert (sentence in answer.text, 'value="77"' in answer.text) == (True, True)
    assert "<script>alert" not in answer.text
    assert client.get("/api/v1/tasks").json()["tasks"] == []


def test_the_buttons_pause_resume_stop_and_delete(
    client: TestClient, store: Store
) -> None:
    store.tasks.create(TaskSpec(CrawlGoal(("http://a.example/",))))
    shown = []
    for action in ("pause", "resume", "stop"):
        answer = client.post(f"/tasks/1/{action}", headers=OURS)
        assert (answer.status_code, answer.headers["location"]) == (303, "/tasks/1")
        task = store.tasks.get(1)
        assert task is not None
        shown.append(str(task.state))
    assert shown == ["paused", "queued", "stopped"]
    deleted = client.post("/tasks/1/delete", headers=OURS)
    assert (deleted.status_code, deleted.headers["location"]) == (303, "/tasks")
    assert client.get("/tasks/1").status_code == 404
    assert client.post("/tasks/1/pause", headers=OURS).status_code == 404
    store.tasks.create(TaskSpec())
    assert client.post("/tasks/2/explode", headers=OURS).status_code == 404


def test_a_task_that_has_tried_all_its_pages_offers_a_larger_limit(
    client: TestClient, store: Store
) -> None:
    spec = TaskSpec(CrawlGoal(("http://a.example/",)), Budget(max_pages=200))
    claim = store.tasks.claim(store.tasks.create(spec).id, "somebody", 30.0)
    assert claim is not None
    store.tasks.save(claim, Checkpoint({"visits": 203}))
    store.tasks.release(claim, TaskState.STOPPED, Ending.PAGE_BUDGET)
    for path in ("/tasks/1", "/tasks"):
        shown = LexborHTMLParser(client.get(path).text)
        field = shown.css_first('form[action="/tasks/1/resume"] input[name=max_pages]')
        assert field is not None
        assert (field.attributes["value"], field.attributes["min"]) == ("406", "204")
    page = client.get("/tasks/1").text
    assert "with a larger one it goes on" in page
    assert "Resume goes on where it was" not in page
    resume = "/tasks/1/resume"
    for typed, status in (("", 409), ("203", 409), ("many", 400), ("0", 400)):
        answer = client.post(resume, data={"max_pages": typed}, headers=OURS)
        assert answer.status_code == status, typed
    answer = client.post(resume, data={"max_pages": "406"}, headers=OURS)
    assert answer.headers["location"] == "/tasks/1"
    found = store.tasks.get(1)
    assert found is not None
    assert (found.state, found.spec.budget.max_pages) == (TaskState.QUEUED, 406)


def test_a_task_that_has_been_asked_to_pause_says_so(
    client: TestClient, store: Store
) -> None:
    under_way(store)
    store.tasks.want(1, Wanted.PAUSE)
    assert "pausing" in client.get("/tasks/1").text


def test_only_what_can_still_be_wanted_has_a_button(
    client: TestClient, store: Store
) -> None:
    def buttons() -> list[str]:
        tree = LexborHTMLParser(client.get("/tasks/1").text)
        return [each.text() for each in tree.css(".task-buttons button")]

    under_way(store)
    assert buttons() == ["Pause", "Stop"]
    store.tasks.want(1, Wanted.PAUSE)
    assert buttons() == ["Stop"]
    store.tasks.want(1, Wanted.STOP)
    assert buttons() == []


def test_a_paused_task_says_how_it_goes_on(client: TestClient, store: Store) -> None:
    store.tasks.create(TaskSpec(CrawlGoal(("http://a.example/",))))
    client.post("/tasks/1/pause", headers=OURS)
    tree = LexborHTMLParser(client.get("/tasks/1").text)
    said = tree.css_first("[data-waiting]")
    assert said is not None
    assert said.text() == "the queue is kept; Resume goes on where it was"
    assert tree.css_first("button.first").text() == "Resume"
    assert "Being fetched now" not in tree.text()


def test_a_task_that_has_ended_is_not_followed(
    client: TestClient, store: Store
) -> None:
    under_way(store)
    held = store.tasks.get(1)
    assert held is not None
    assert held.claim is not None
    store.tasks.release(held.claim, TaskState.STOPPED, Ending.PAGE_BUDGET)
    page = client.get("/tasks/1").text
    assert "data-task=" not in page
    assert "page budget" in page


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_a_form_of_another_site_starts_nothing(
    client: TestClient, store: Store, headers
) -> None:
    store.tasks.create(TaskSpec())
    assert (
        client.post("/tasks", data={"seeds": "a.example"}, headers=headers).status_code
        == 403
    )
    assert client.post("/tasks/1/delete", headers=headers).status_code == 403
    assert len(store.tasks.list()) == 1


def test_browsers_are_told_to_say_where_a_form_comes_from(client: TestClient) -> None:
    """With the `no-referrer` of other pages, the origin of a form would be sent as `null`."""
    assert client.get("/tasks").headers["referrer-policy"] == "same-origin"


def test_a_task_is_copied_into_the_form(client: TestClient, store: Store) -> None:
    goal = CrawlGoal(
        ("http://a.example/", "http://b.example/"),
        kinds=("wfs",),
        bbox=(1.0, 2.0, 3.0, 4.5),
        order="fifo",
        max_depth=3,
    )
    store.tasks.create(TaskSpec(goal, Budget(max_pages=77, max_time_s=120.0)))
    page = client.get("/tasks?copy=1").text
    for shown in ("http://a.example/\nhttp://b.example/</textarea>", 'value="1,2,3,4.5"', 'value="77"',
                  'value="wfs" checked',
                  'name="depth" type="number" min="0" max="1000" value="3"', "<option selected>fifo</option>",
                  'value="seeds" checked'):  # fmt: skip
        assert shown in page, shown
    assert client.get("/tasks?copy=99").status_code == 200
    assert client.get("/tasks?copy=x").status_code == 200


def test_of_the_three_ways_to_begin_only_the_chosen_one_counts(
    client: TestClient, store: Store
) -> None:
    form = {
        "how": "harvest",
        "seeds": "a.example",
        "harvest": "b.example/csw",
        "keywords": "rivers",
    }
    assert client.post("/tasks", data=form, headers=OURS).status_code == 303
    task = store.tasks.get(1)
    assert task is not None
    assert (str(task.spec.kind), task.spec.goal.seeds) == (
        "harvest",
        ("https://b.example/csw",),
    )
    refused = client.post("/tasks", data={**form, "how": "keywords"}, headers=OURS)
    assert refused.status_code == 400
    assert "No search provider is set up" in refused.text
    said = "GEOHOUND_WEB_SEARCHERS=searxng=https://searx.example.org"
    assert f"{said} geohound serve" in refused.text
    name, _, value = said.partition("=")
    assert ready_searchers(load(environ={name: value})) == [value]


def test_a_hunt_is_given_a_budget_of_queries_which_other_crawls_have_not(
    client: TestClient, store: Store
) -> None:
    tasks = client.app.state.portal.tasks
    with_searcher = replace(tasks, searchers=("searxng=http://search.example",))
    object.__setattr__(client.app.state.portal, "tasks", with_searcher)
    page = client.get("/tasks").text
    assert 'name="queries"' in page
    form = {"how": "keywords", "keywords": "rivers", "queries": "7"}
    assert client.post("/tasks", data=form, headers=OURS).status_code == 303
    assert store.tasks.get(1).spec.budget.max_queries == 7
    assert 'value="7"' in client.get("/tasks?copy=1").text
    crawl = {"how": "seeds", "seeds": "a.example", "queries": "7"}
    assert client.post("/tasks", data=crawl, headers=OURS).status_code == 303
    assert store.tasks.get(2).spec.budget.max_queries is None
    json = {"seeds": ["http://a.example/"], "max_queries": 3}
    refused = client.post("/api/v1/tasks", json=json, headers=OURS)
    assert "give keywords too" in refused.json()["detail"]


def test_the_page_begins_with_curves_places_and_what_is_fetched(
    client: TestClient, store: Store
) -> None:
    """Figure 8 of Li, Yang & Yang 2010 and section 5 of Li, Wang & Bhatia 2016: URLs being crawled, statistics, map."""
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.example/",)))).id
    claim = store.tasks.claim(task, str(this_process()), 30.0)
    assert claim is not None
    lima = HostLocation("PE", -12.05, -77.04, "x")
    for number in range(3):
        service = Service(
            "wms",
            f"http://a.example/{number}",
            title=f"S{number}",
            location=lima if number else None,
        )
        sighting = Sighting(
            service.id, service.endpoint, "", Via.SEED, "", datetime.now(UTC), task
        )
        store.catalogue.record_now([Observation(service, sighting)])
    progress = replace(
        progressed(5, 3),
        fetching=((f"http://a.example/{HOSTILE}", "seed"),),
        drops={"trap": 2},
    )
    store.tasks.emit(claim, [progress])
    page = unescape(client.get("/tasks/1").text)
    assert 'data-places="[[-77.04, -12.05, 2]]"' in page
    assert "2 services have a known place" in page
    assert 'data-history="[[75.0, 5, 3, 0.0, 7, 0.0]]"' in page
    assert "seed" in page
    assert "trap" in page


def test_an_address_fills_the_form_and_starts_nothing(
    client: TestClient, store: Store
) -> None:
    page = client.get("/tasks", params={"seeds": f"http://a.example/{HOSTILE}"})
    assert page.status_code == 200
    assert f"http://a.example/{HOSTILE}</textarea>" in unescape(page.text)
    assert "<script>alert(1)" not in page.text
    assert 'value="seeds" checked' in page.text
    assert store.tasks.list() == []


def test_a_hunt_over_a_known_catalogue_says_how_many_it_met_and_how_many_are_new(
    client: TestClient, store: Store
) -> None:
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.example/",)))).id
    claim = store.tasks.claim(task, str(this_process()), 30.0)
    assert claim is not None
    met = [
        ServiceFound(
            f"{n:016}", f"http://a.example/{n}", "wms", f"S{n}", 1, 2, 0.5, known=True
        )
        for n in range(43)
    ]
    store.tasks.emit(claim, [*met, replace(progressed(110, 0), known=43)])
    store.tasks.save(claim, Checkpoint({"pages": 110, "services": 0, "known": 43}))
    page = client.get("/tasks/1").text
    assert '<span data-count="met">43</span>' in page
    assert "0 new" in page
    listed = client.get("/tasks").text
    assert '43 <small class="muted">0 new</small>' in listed


def test_of_many_services_a_page_shows_the_latest_and_names_the_next_page(
    client: TestClient, store: Store
) -> None:
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.example/",)))).id
    claim = store.tasks.claim(task, str(this_process()), 30.0)
    assert claim is not None
    store.tasks.emit(
        claim,
        [
            ServiceFound(
                f"{n:016}", f"http://a.example/{n}", "wms", f"Nr{n}.", 1, 2, 0.5
            )
            for n in range(25)
        ],
    )
    first, last = client.get("/tasks/1").text, client.get("/tasks/1?from=20").text
    assert ("Nr24." in first, "Nr14." in first) == (True, False)
    assert 'href="/tasks/1?from=10#services-title"' in first
    assert "data-services>" in first
    assert ("Nr4." in last, "Nr5." in last) == (True, False)
    assert "data-services>" not in last, "what comes live belongs on the first page"
    for nonsense in ("x", "-1", "99999999999", "9999"):
        assert client.get("/tasks/1", params={"from": nonsense}).status_code == 200


def test_deleting_asks_first(client: TestClient, store: Store) -> None:
    store.tasks.create(TaskSpec(CrawlGoal((f"http://a.example/{HOSTILE}",))))
    asked = client.get("/tasks/1/delete")
    assert asked.status_code == 200
    assert 'action="/tasks/1/delete" method="post"' in asked.text
    assert "<script>alert" not in asked.text
    assert len(store.tasks.list()) == 1
    assert client.get("/tasks/2/delete").status_code == 404
    assert 'href="/tasks/1/delete"' in client.get("/tasks").text
