"""Log-in, sessions and forms under attack: what a stranger, another site, or a thief of a cookie's digest can do."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest
from portal_people import PASSWORD, Person
from starlette.testclient import TestClient

from geohound.accounts.accounts import digest_of
from geohound.accounts.log_in_limits import MOST_OF_BOTH
from geohound.model.account import TokenScope
from geohound.portal.access.visitor import COOKIE
from geohound.portal.app import About
from geohound.portal.pages.accounts import safe_path


def log_in(client: TestClient, name: str = "carla", password: str = PASSWORD, **more):
    return client.post(
        "/log-in",
        data={"name": name, "password": password, **more},
        follow_redirects=False,
    )


def test_the_cookie_of_a_session_is_for_this_site_alone_and_not_for_scripts(
    app,
) -> None:
    answer = log_in(TestClient(app))
    cookie = SimpleCookie(answer.headers["set-cookie"])[COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (
        True,
        "lax",
        "/",
    )
    assert not cookie["secure"], "over http a browser would not send it back"


def test_over_https_the_cookie_is_secure_and_bound_to_the_host(app) -> None:
    answer = log_in(TestClient(app, base_url="https://testserver"))
    cookie = SimpleCookie(answer.headers["set-cookie"])[f"__Host-{COOKIE}"]
    assert (cookie["secure"], cookie["httponly"], cookie["domain"]) == (True, True, "")


def test_behind_a_proxy_with_https_the_cookie_is_secure_too(app) -> None:
    portal = app.state.portal
    object.__setattr__(portal, "about", About(url="https://maps.example.org"))
    assert "Secure" in log_in(TestClient(app)).headers["set-cookie"]


def test_a_log_in_gives_a_new_session_and_ends_the_old_one(app) -> None:
    """A session that an attacker has planted is worth nothing after the log-in (session fixation)."""
    client = TestClient(app)
    client.cookies.set(COOKIE, "planted-by-somebody-else")
    log_in(client)
    first = client.cookies.get(COOKIE, domain="testserver.local")
    assert first
    assert first != "planted-by-somebody-else"
    again = log_in(client, csrf=_csrf_of(app, first))
    assert again.status_code == 303
    assert _status(app, first, "/account") == 303, "the session of before has ended"


def _csrf_of(app, secret: str) -> str:
    page = TestClient(app, cookies={COOKIE: secret}).get("/account").text
    return page.partition('name="csrf" value="')[2].partition('"')[0]


def _status(app, secret: str, path: str) -> int:
    return (
        TestClient(app, cookies={COOKIE: secret}, follow_redirects=False)
        .get(path)
        .status_code
    )


def test_the_digest_that_the_store_keeps_is_no_session(app, store) -> None:
    client = TestClient(app)
    log_in(client)
    secret = next(iter(client.cookies.jar)).value
    assert secret
    assert _status(app, secret, "/account") == 200
    assert _status(app, digest_of(secret), "/account") == 303
    assert secret.encode() not in store.database.path.read_bytes()


@pytest.mark.parametrize(
    "cookie",
    ["", "x", "../../etc/passwd", "a" * 5_000, "'; DROP TABLE account; --", "%00"],
)
def test_a_made_up_cookie_is_a_guest(app, cookie) -> None:
    assert _status(app, cookie, "/account") == 303


@pytest.mark.slow
@pytest.mark.parametrize("csrf", ["", "0" * 64, "ä", None])
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/log-out"), ("POST", "/account/tokens"), ("POST", "/users/carla/role"), ("POST", "/tasks"),
     ("POST", "/tasks/1/stop"), ("POST", "/tasks/1/sample"), ("POST", "/api/v1/tasks/1/stop"),
     ("DELETE", "/api/v1/tasks/1"), ("POST", "/api/v1/tasks")],
)  # fmt: skip
def test_a_session_alone_changes_nothing_without_the_word_of_our_own_pages(
    app, store, csrf, method, path
) -> None:
    ada = Person(app, "ada")
    ada.csrf = csrf
    ada.headers = {} if csrf is None or not csrf.isascii() else {"X-CSRF-Token": csrf}
    data = {} if csrf is None else {"csrf": csrf}
    if path.startswith("/api/"):
        answer = ada.client.request(
            method, path, headers=ada.headers, json={"seeds": ["http://a.example/"]}
        )
    else:
        answer = ada.client.request(
            method, path, data={"role": "administrator", "seeds": "http://a/", **data}
        )
    assert answer.status_code == 403
    assert store.tasks.get(1) is not None
    assert len(store.tasks.list()) == 3
    assert store.users.get("carla").role == "user"


def test_the_word_of_one_session_is_none_of_another(app) -> None:
    ada, carla = Person(app, "ada"), Person(app, "carla")
    answer = carla.client.post("/log-out", data={"csrf": ada.csrf})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
     {"Sec-Fetch-Site": "same-site"}, {"Origin": "http://testserver:8081"}],
)  # fmt: skip
def test_a_form_of_another_site_logs_nobody_in_and_changes_nothing(
    app, headers
) -> None:
    client = TestClient(app, follow_redirects=False)
    assert (
        client.post(
            "/log-in", data={"name": "ada", "password": PASSWORD}, headers=headers
        ).status_code
        == 403
    )
    assert (
        Person(app, "ada").ask("POST", "/log-out", headers=headers).status_code == 403
    )


@pytest.mark.parametrize(
    ("asked", "given"),
    [("/tasks/7?x=1", "/tasks/7?x=1"), ("", "/"), ("https://evil.example/", "/"), ("//evil.example", "/"),
     ("/\\evil.example", "/"), ("/a\\b", "/"), ("/\nSet-Cookie: a=b", "/"), ("javascript:alert(1)", "/"),
     ("/" + "a" * 3_000, "/")],
    ids=range(9),
)  # fmt: skip
def test_after_the_log_in_one_stays_on_this_portal(app, asked, given) -> None:
    assert safe_path(asked) == given
    assert log_in(TestClient(app), next=asked).headers["location"] == given


def test_too_many_tries_have_to_wait_and_the_answer_says_how_long(app) -> None:
    client = TestClient(app)
    tries = [
        log_in(client, password="wrong password!").status_code
        for _ in range(MOST_OF_BOTH)
    ]
    assert set(tries) == {403}
    refused = log_in(client)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["retry-after"]) <= 901


def test_hostile_names_stay_text(app) -> None:
    name = '"><script>alert(1)</script>'
    client = TestClient(app)
    assert "<script>alert" not in log_in(client, name=name).text
    page = Person(app, "ada").ask("GET", "/users").text
    assert "<script>alert" not in page


def test_a_page_that_does_not_exist_knows_who_is_logged_in(app) -> None:
    answer = Person(app, "carla").ask("GET", "/nothing-is-here")
    assert answer.status_code == 404
    assert 'href="/account">carla</a>' in answer.text
    assert "private" in answer.headers["cache-control"]
    assert 'href="/log-in"' in TestClient(app).get("/nothing-is-here").text


def test_what_a_signed_in_visitor_sees_is_kept_by_no_shared_cache(app) -> None:
    carla = Person(app, "carla")
    for path in ("/", "/tasks", "/api/v1/tasks", "/account"):
        answer = carla.ask("GET", path)
        assert any(
            word in answer.headers["cache-control"] for word in ("private", "no-store")
        ), path
        assert "Cookie" in answer.headers["vary"]


def test_a_new_password_needs_the_old_one_and_ends_all_sessions(app) -> None:
    carla, thief = Person(app, "carla"), Person(app, "carla")
    new = {"new": "another good password"}
    assert (
        carla.ask("POST", "/account/password", data={"old": "wrong", **new}).status_code
        == 400
    )
    assert (
        carla.ask(
            "POST", "/account/password", data={"old": PASSWORD, "new": "short"}
        ).status_code
        == 400
    )
    assert (
        carla.ask(
            "POST", "/account/password", data={"old": PASSWORD, **new}
        ).status_code
        == 303
    )
    assert thief.ask("GET", "/account").status_code == 303
    assert log_in(TestClient(app), password=new["new"]).status_code == 303


def test_a_token_is_made_shown_once_used_and_revoked(app) -> None:
    carla = Person(app, "carla")
    form = {
        "label": "laptop",
        "scopes": [str(TokenScope.READ), "nonsense"],
        "days": "30",
    }
    page = carla.ask("POST", "/account/tokens", data=form).text
    token = "ghp_" + page.partition("ghp_")[2].partition("<")[0]
    assert token not in carla.ask("GET", "/account").text
    program = Person(app, token=token)
    assert program.ask("GET", "/api/v1/tasks/1").status_code == 200
    digest = (
        carla.ask("GET", "/account")
        .text.partition('name="digest" value="')[2]
        .partition('"')[0]
    )
    assert (
        Person(app, "dan")
        .ask("POST", "/account/tokens/revoke", data={"digest": digest})
        .status_code
        == 400
    )
    assert (
        carla.ask("POST", "/account/tokens/revoke", data={"digest": digest}).status_code
        == 303
    )
    assert program.ask("GET", "/api/v1/tasks/1").status_code == 401


def test_an_administrator_adds_changes_and_removes_users_and_the_last_one_stays(
    app, store
) -> None:
    ada = Person(app, "ada")
    new = {"name": "eve", "password": PASSWORD, "role": "guest"}
    assert ada.ask("POST", "/users", data=new).status_code == 303
    assert ada.ask("POST", "/users/eve/role", data={"role": "user"}).status_code == 303
    assert store.users.get("eve").role == "user"
    assert (
        ada.ask("POST", "/users/eve/role", data={"role": "emperor"}).status_code == 400
    )
    assert ada.ask("POST", "/users/ada/role", data={"role": "user"}).status_code == 400
    assert ada.ask("POST", "/users/eve/remove").status_code == 303
    assert store.users.get("eve") is None
    done = [entry.what for entry in store.users.audit()]
    assert done[:3] == ["account removed", "role changed", "account added"]


def test_a_guest_cannot_make_himself_more_by_any_form(app, store) -> None:
    guest = Person(app, "guest1")
    assert (
        guest.ask(
            "POST", "/users/guest1/role", data={"role": "administrator"}
        ).status_code
        == 403
    )
    assert (
        guest.ask(
            "POST", "/users", data={"name": "x", "password": PASSWORD, "role": "user"}
        ).status_code
        == 403
    )
    form = {"label": "x", "scopes": ["admin", "tasks"], "days": "9"}
    page = guest.ask("POST", "/account/tokens", data=form).text
    token = "ghp_" + page.partition("ghp_")[2].partition("<")[0]
    assert Person(app, token=token).ask("GET", "/users").status_code == 403
    assert Person(app, token=token).ask("POST", "/api/v1/tasks").status_code == 403


def test_pages_let_no_foreign_script_or_frame_in(app) -> None:
    for path in ("/log-in", "/tasks", "/"):
        policy = TestClient(app).get(path).headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
