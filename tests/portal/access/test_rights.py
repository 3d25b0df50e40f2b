"""Who may use which route: every route × every role, from one table that no route is missing from (PH-9).

"There are three levels of security groups for end users. The guest user group is only able to view results of some
sample tasks; they are not allowed to download the data services. The authorized user group will have full control of a
task they created. System administrators can access and operate on any task created by any user and are also
responsible for managing role of different user groups." (Li, Wang & Bhatia 2016, section 5)
"""

from __future__ import annotations

from contextlib import closing
from functools import reduce

import pytest
from portal_people import FOREIGN, OWN, PASSWORD, SAMPLE, Person, tasks_in
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from geohound.accounts import Accounts
from geohound.model.account import TokenScope
from geohound.model.crawl.task import CrawlGoal, TaskSpec, TaskState
from geohound.net.clock import SystemClock
from geohound.portal.access import guarded
from geohound.portal.app import create_app
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import Store, open_store

pytestmark = pytest.mark.slow

SPEC = TaskSpec(CrawlGoal(("http://a.example/",)))
# Who may: g guest, u user, a administrator. Written by hand from the sentence above.
ALL, USERS, ADMINS, SIGNED_IN = "gua", "ua", "a", "ua"
MAY: dict[tuple[str, str], str] = {
    ("GET", "/"): ALL,
    ("GET", "/services/{id}"): ALL,
    ("GET", "/services/{id}/layers.qlr"): ALL,
    ("POST", "/services/{id}/check"): USERS,
    ("GET", "/service/{id}"): ALL,
    ("GET", "/map"): ALL,
    ("GET", "/proxy/{id}"): USERS,
    ("GET", "/health"): ALL,
    ("GET", "/statistics"): ALL,
    ("GET", "/judge"): USERS,
    ("POST", "/judge"): USERS,
    ("GET", "/compare"): ALL,
    ("POST", "/compare"): USERS,
    ("GET", "/saved"): USERS,
    ("POST", "/saved"): USERS,
    ("GET", "/saved/{num}"): USERS,
    ("POST", "/saved/{num}/remove"): USERS,
    ("GET", "/api"): ALL,
    ("GET", "/about-the-crawler"): ALL,
    ("GET", "/opensearch.xml"): ALL,
    ("GET", "/opensearch.json"): ALL,
    ("GET", "/healthz"): ALL,
    ("GET", "/tasks"): ALL,
    ("POST", "/tasks"): USERS,
    ("GET", "/tasks/{id}"): USERS,  # their own; guests samples alone
    ("GET", "/tasks/{id}/delete"): USERS,
    ("POST", "/tasks/{id}/sample"): ADMINS,
    ("POST", "/tasks/{id}/{action}"): USERS,
    ("GET", "/log-in"): ALL,
    ("POST", "/log-in"): ALL,
    ("GET", "/log-in/openid"): ALL,
    ("GET", "/log-in/openid/back"): ALL,
    ("POST", "/log-out"): SIGNED_IN,
    ("GET", "/account"): SIGNED_IN,
    ("POST", "/account/password"): SIGNED_IN,
    ("POST", "/account/tokens"): SIGNED_IN,
    ("POST", "/account/tokens/revoke"): SIGNED_IN,
    ("GET", "/cluster"): ADMINS,
    ("GET", "/users"): ADMINS,
    ("POST", "/users"): ADMINS,
    ("POST", "/users/{name}/role"): ADMINS,
    ("POST", "/users/{name}/remove"): ADMINS,
    ("GET", "/api/v1/search"): ALL,
    ("GET", "/api/v1/layers"): ALL,
    ("GET", "/api/v1/facets"): ALL,
    ("GET", "/api/v1/services"): ALL,
    ("GET", "/api/v1/services/{id}"): ALL,
    ("GET", "/api/v1/services/{id}/layers"): ALL,
    ("GET", "/api/v1/services/{id}/open"): ALL,
    ("GET", "/api/v1/services/{id}/feed.atom"): ALL,
    ("GET", "/api/v1/services/{id}/outages.ics"): ALL,
    ("GET", "/api/v1/services/{id}/badge.svg"): ALL,
    ("POST", "/api/v1/services/{id}/check"): USERS,
    ("GET", "/api/v1/maintenance.atom"): ALL,
    ("GET", "/api/v1/maintenance.ics"): ALL,
    ("GET", "/api/v1/feed.atom"): ALL,
    ("GET", "/api/v1/feed.json"): ALL,
    ("GET", "/api/v1/metrics"): ALL,
    ("GET", "/api/v1/files"): ALL,
    ("GET", "/api/v1/suggest"): ALL,
    ("GET", "/api/v1/clusters"): ALL,
    ("GET", "/api/v1/places"): ALL,
    ("GET", "/api/v1/complete"): ALL,
    ("POST", "/api/v1/identify"): USERS,
    ("GET", "/api/v1/tasks"): ALL,
    ("POST", "/api/v1/tasks"): USERS,
    ("GET", "/api/v1/tasks/{id}"): USERS,
    ("DELETE", "/api/v1/tasks/{id}"): USERS,
    ("GET", "/api/v1/tasks/{id}/events"): USERS,
    ("POST", "/api/v1/tasks/{id}/pause"): USERS,
    ("POST", "/api/v1/tasks/{id}/resume"): USERS,
    ("POST", "/api/v1/tasks/{id}/stop"): USERS,
    ("GET", "/api/v1/cluster"): ADMINS,
    ("GET", "/api/v1/reports"): ALL,
    ("GET", "/api/v1/reports/{name}"): ALL,
    ("GET", "/api/v1/health"): ALL,
    ("GET", "/api/v1/openapi.json"): ALL,
}
VALUES = {"{id}": str(OWN), "{num}": "1", "{name}": "nobody", "{action}": "pause"}


def is_refused(answer) -> bool:
    is_sent_to_log_in = answer.status_code == 303 and answer.headers[
        "location"
    ].startswith("/log-in?next=")
    return answer.status_code in (401, 403) or is_sent_to_log_in


def routes_of(app) -> list[tuple[str, str]]:
    pairs = []
    for route in app.routes:
        if isinstance(route, Route):
            pairs += [
                (method, route.path)
                for method in sorted(route.methods - {"HEAD", "OPTIONS"})
            ]
        else:
            assert isinstance(route, Mount)
            assert route.path == "/static"
    return pairs


def test_no_route_is_missing_from_the_table_and_none_is_too_many(app) -> None:
    assert sorted(routes_of(app)) == sorted(MAY)


def test_a_route_that_nobody_has_thought_about_does_not_start() -> None:
    with pytest.raises(LookupError, match="say who may use it"):
        guarded([Route("/new", lambda _: None)])


@pytest.mark.parametrize("role", ["g", "u", "a"])
def test_every_route_lets_in_whom_the_table_names_and_nobody_else(
    app, role: str
) -> None:
    """The user is the owner of the task in the addresses; a task that somebody may not see is 404 to them."""
    wrong = []
    for (method, path), allowed in MAY.items():
        # some routes end the session
        person = Person(app, {"g": "", "u": "carla", "a": "ada"}[role])
        address = path
        for name, value in VALUES.items():
            address = address.replace(name, value)
        answer = person.ask(method, address.replace("reports/nobody", "reports/kinds"))
        for_a_task = "tasks/{id}" in path and path != "/tasks/{id}/sample"
        refused = is_refused(answer) or (
            role == "g" and for_a_task and answer.status_code == 404
        )
        if path.startswith("/log-in") and method == "POST":
            refused = False  # an empty form is a wrong password, for everybody
        if refused == (role in allowed) or answer.status_code >= 500:
            wrong.append((method, path, role, answer.status_code))
    assert wrong == []


@pytest.mark.parametrize(
    ("who", "own", "foreign", "sample"),
    [("", 404, 404, 200), ("guest1", 404, 404, 200), ("carla", 200, 404, 200), ("dan", 404, 404, 200),
     ("ada", 200, 200, 200)],
)  # fmt: skip
def test_guests_see_samples_users_their_own_and_administrators_all_tasks(
    app, who, own, foreign, sample
) -> None:
    person = Person(app, who)
    for number, expected in ((OWN, own), (FOREIGN, foreign), (SAMPLE, sample)):
        assert person.ask("GET", f"/tasks/{number}").status_code == expected
        assert person.ask("GET", f"/api/v1/tasks/{number}").status_code == expected
        assert (
            person.ask("GET", f"/api/v1/tasks/{number}/events").status_code == expected
        )
        assert (
            person.ask("GET", f"/api/v1/reports/failures?task={number}").status_code
            == expected
        )
    seen = [
        n
        for n, status in ((SAMPLE, sample), (FOREIGN, foreign), (OWN, own))
        if status == 200
    ]
    listed = person.ask("GET", "/api/v1/tasks").json()
    assert [task["id"] for task in listed["tasks"]] == seen
    assert listed["total"] == len(seen)
    page = person.ask("GET", "/tasks").text
    assert [n for n in (SAMPLE, FOREIGN, OWN) if f'href="/tasks/{n}"' in page] == seen


@pytest.mark.parametrize(
    ("who", "own", "sample"),
    [("carla", 200, 403), ("dan", 404, 403), ("ada", 200, 200)],
)
def test_only_the_owner_and_administrators_change_a_task(app, who, own, sample) -> None:
    person = Person(app, who)
    for action in ("resume", "pause", "stop"):
        assert person.ask("POST", f"/api/v1/tasks/{OWN}/{action}").status_code == own
        assert (
            person.ask("POST", f"/api/v1/tasks/{SAMPLE}/{action}").status_code == sample
        )
    assert person.ask("DELETE", f"/api/v1/tasks/{SAMPLE}").status_code == sample
    assert person.ask("DELETE", f"/api/v1/tasks/{OWN}").status_code == own


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/api/v1/services?f=csv", {}),
        ("/api/v1/search?f=geojson", {}),
        ("/api/v1/search?f=CSV", {}),
        ("/api/v1/services", {"Accept": "application/x-ndjson"}),
        ("/api/v1/layers", {"Accept": "Application/X-NDJSON"}),
        ("/?f=csv", {}),
        ("/opensearch.json?f=csv", {}),
        ("/opensearch.json", {"Accept": "application/x-ndjson"}),
    ],
)
def test_guests_download_nothing_in_bulk(app, path, headers) -> None:
    """PH-15: who may download the services and who may not (Li, Wang & Bhatia 2016, section 4.3.1)."""
    assert Person(app).ask("GET", path, headers=headers).status_code == 403
    assert Person(app, "guest1").ask("GET", path, headers=headers).status_code == 403
    assert Person(app, "carla").ask("GET", path, headers=headers).status_code != 403


BULK = (
    "text/csv",
    "application/x-ndjson",
    "application/geo+json",
    "application/vnd.apache",
)
# figures; layers of a service
ONE_THING = "/api/v1/reports/{name}", "/api/v1/services/{id}/layers"


@pytest.mark.parametrize(
    ("query", "headers"), [("?f=csv", {}), ("", {"Accept": "application/x-ndjson"})]
)
def test_no_route_whatever_gives_guests_a_bulk_download(
    app, query: str, headers: dict[str, str]
) -> None:
    """/opensearch.json did: it is the search by another name."""
    guest, given = Person(app), []
    for method, path in MAY:
        if method == "GET" and path not in (*ONE_THING, "/api/v1/tasks/{id}/events"):
            address = reduce(lambda at, value: at.replace(*value), VALUES.items(), path)
            said = guest.ask("GET", address + query, headers=headers).headers
            if said.get("content-type", "").startswith(BULK):
                given.append(path)
    assert given == []


@pytest.mark.parametrize("name", ["difference", "sampling-sheet"])
def test_a_report_that_names_all_services_is_a_bulk_download(app, name) -> None:
    address = f"/api/v1/reports/{name}"
    for who, status in (("", 403), ("guest1", 403), ("carla", 200)):
        assert Person(app, who).ask("GET", address).status_code == status


def test_a_user_has_at_most_five_tasks_under_way_and_an_administrator_as_many_as_needed(
    app,
) -> None:
    """ "Only administrator can start unlimited number of tasks, other authenticated user is only allowed to start no
    more than k (k = 5) tasks" (Li, Wang & Bhatia 2016, section 4.3.1)."""
    carla, ada = Person(app, "carla"), Person(app, "ada")
    made = [carla.ask("POST", "/api/v1/tasks") for _ in range(6)]
    assert [answer.status_code for answer in made] == [201] * 5 + [409]
    assert "may have 5" in made[5].json()["detail"]
    assert carla.ask("POST", f"/api/v1/tasks/{OWN}/resume").status_code == 409
    assert (
        "may have 5"
        in carla.ask("POST", "/tasks", data={"seeds": "http://a.example/"}).text
    )
    first = made[0].json()
    assert first["owner"] == "carla"
    assert carla.ask("POST", f"/api/v1/tasks/{first['id']}/pause").status_code == 200
    assert carla.ask("POST", "/api/v1/tasks").status_code == 201
    assert {ada.ask("POST", "/api/v1/tasks").status_code for _ in range(7)} == {201}


def test_an_administrator_marks_a_task_as_sample_and_guests_see_it(app) -> None:
    """PH-18: "The guest user group is only able to view results of some sample tasks" (section 5)."""
    ada, guest = Person(app, "ada"), Person(app)
    assert (
        ada.ask("POST", f"/tasks/{FOREIGN}/sample", data={"sample": "yes"}).status_code
        == 303
    )
    assert guest.ask("GET", f"/tasks/{FOREIGN}").status_code == 200
    ada.ask("POST", f"/tasks/{FOREIGN}/sample", data={"sample": "no"})
    assert guest.ask("GET", f"/tasks/{FOREIGN}").status_code == 404


def test_without_any_account_everything_can_be_read_and_nothing_changed(
    store: Store, kinds, tmp_path
) -> None:
    with closing(open_store(tmp_path / "other.db", SystemClock())) as other:
        other.tasks.create(SPEC, TaskState.STOPPED)
        nobody = Accounts(other.users, SystemClock())
        index = CatalogueIndex(other.catalogue, other.segments)
        app = create_app(
            other.catalogue, index, kinds, tasks=tasks_in(other), accounts=nobody
        )
        guest = Person(app)
        assert guest.ask("GET", "/tasks/1").status_code == 200
        assert (
            guest.ask("GET", "/api/v1/services?f=jsonl", headers={}).status_code != 403
        )
        assert guest.ask("POST", "/api/v1/tasks").status_code == 403
        assert (
            guest.ask("POST", "/tasks", data={"seeds": "http://a.example/"}).status_code
            == 403
        )
        assert guest.ask("GET", "/users").status_code == 403
        assert "geohound users add" in guest.ask("GET", "/log-in").text
        assert (
            guest.ask(
                "POST", "/log-in", data={"name": "x", "password": "y"}
            ).status_code
            == 404
        )


SCOPES = {
    TokenScope.READ: ("GET", f"/api/v1/tasks/{OWN}"),
    TokenScope.TASKS: ("POST", "/api/v1/tasks"),
    TokenScope.ADMIN: ("GET", "/users"),
}


@pytest.mark.parametrize("scope", list(TokenScope))
def test_a_token_opens_what_its_scope_names_and_nothing_else(
    app, accounts: Accounts, scope: TokenScope
) -> None:
    token = accounts.make_token("ada", "t", frozenset({scope}), "", 30)
    person = Person(app, token=token)
    for each, (method, path) in SCOPES.items():
        assert (person.ask(method, path).status_code == 401) == (each is not scope), (
            path
        )
    bulk = accounts.make_token("ada", "t", frozenset({scope, TokenScope.READ}), "", 30)
    answer = Person(app, token=bulk).ask(
        "GET", "/api/v1/services", headers={"Accept": "application/x-ndjson"}
    )
    assert (answer.status_code == 200) == (scope is TokenScope.DOWNLOAD)


def test_a_token_gives_no_more_than_its_owner_has_and_makes_no_further_tokens(
    app, accounts: Accounts
) -> None:
    token = accounts.make_token("carla", "t", frozenset(TokenScope), "", 30)
    person = Person(app, token=token)
    assert person.ask("GET", "/users").status_code == 403
    assert person.ask("GET", f"/api/v1/tasks/{FOREIGN}").status_code == 404
    assert (
        person.ask(
            "POST",
            "/account/tokens",
            data={"label": "x", "scopes": "read", "days": "9"},
        ).status_code
        == 401
    )
    assert (
        person.ask(
            "POST", "/account/password", data={"old": PASSWORD, "new": "x" * 20}
        ).status_code
        == 401
    )


@pytest.mark.parametrize("token", ["", "ghp_nothing", "x" * 10_000, "ghp_\xe4"])
def test_a_token_that_nobody_gave_is_refused_and_not_taken_for_a_guest(
    app, token
) -> None:
    answer = TestClient(app).get(
        "/api/v1/tasks", headers={"Authorization": f"Bearer {token}".encode()}
    )
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(("who", "status"), [("carla", 403), ("ada", 201)])
def test_only_administrators_start_a_monitor(app, who: str, status: int) -> None:
    assert (
        Person(app, who)
        .ask("POST", "/api/v1/tasks", json={"kind": "monitor"})
        .status_code
        == status
    )
