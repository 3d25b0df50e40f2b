"""Logging in at a real OpenID provider (oidc-provider from npm), and what a forged way back gets."""

from __future__ import annotations

import asyncio
import html
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
import requests
from starlette.testclient import TestClient

from geohound.model.account import Role
from geohound.model.user_error import UserError
from geohound.portal.access.openid import OpenIdLogIn

BACK = "http://testserver/log-in/openid/back"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    if not (
        Path(__file__).parents[3] / "frontend" / "node_modules" / "oidc-provider"
    ).is_dir():
        pytest.fail("oidc-provider is missing: run make frontend")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [
        "node",
        str(Path(__file__).with_name("openid_provider.mjs")),
        str(port),
        BACK,
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield f"http://127.0.0.1:{port}"
        process.kill()


def visit_provider(address: str, name: str) -> str:
    """What a person does there: type a name, consent; the address that leads back."""
    browser = requests.Session()
    page = browser.get(address, timeout=20)
    for _ in range(3):
        action = html.unescape(re.search(r'action="([^"]+)"', page.text)[1])
        prompt = re.search(r'name="prompt" value="(\w+)"', page.text)[1]
        form = {"prompt": prompt, "login": name, "password": "x"}
        page = browser.post(action, data=form, allow_redirects=False, timeout=20)
        while page.is_redirect and not page.headers["location"].startswith(BACK):
            page = browser.get(
                urljoin(page.url, page.headers["location"]),
                allow_redirects=False,
                timeout=20,
            )
        if page.is_redirect:
            break
    return page.headers["location"]


def with_provider(app, issuer: str, role: Role = Role.GUEST) -> TestClient:
    provider = OpenIdLogIn(issuer, "geohound", "a secret of tests", role)
    object.__setattr__(app.state.portal, "openid", provider)
    return TestClient(app, follow_redirects=False)


def test_a_visitor_logs_in_at_the_provider_and_gets_an_account(
    app, store, issuer
) -> None:
    client = with_provider(app, issuer, Role.USER)
    assert "Log in with 127.0.0.1" in client.get("/log-in").text
    begun = client.get("/log-in/openid?next=/tasks")
    back = visit_provider(begun.headers["location"], "Alice")
    ended = client.get(back.removeprefix("http://testserver"))
    assert (ended.status_code, ended.headers["location"]) == (303, "/tasks")
    assert "alice" in client.get("/account").text
    (account,) = [each for each in store.users.list() if each.subject]
    assert (account.name, account.role, account.subject) == (
        "alice",
        "user",
        f"{issuer}#Alice",
    )
    again = client.get(back.removeprefix("http://testserver"))
    assert again.status_code == 403, "a code is good once"


def test_a_way_back_that_was_not_begun_here_logs_nobody_in(app, issuer) -> None:
    client = with_provider(app, issuer)
    assert client.get("/log-in/openid/back?code=x&state=y").status_code == 403
    begun = client.get("/log-in/openid")
    forged = visit_provider(begun.headers["location"], "eve")
    # the victim of a forged link has no cookie of its own
    other = TestClient(app, follow_redirects=False)
    assert other.get(forged.removeprefix("http://testserver")).status_code == 403
    wrong = forged.replace("state=", "state=x")
    assert client.get(wrong.removeprefix("http://testserver")).status_code == 403


def test_a_token_for_another_nonce_is_refused(issuer) -> None:
    provider = OpenIdLogIn(issuer, "geohound", "a secret of tests")

    async def swapped() -> None:
        address, _ = await provider.begin(BACK)
        _, other = await provider.begin(BACK)
        answer = dict(parse_qsl(urlsplit(visit_provider(address, "bob")).query))
        await provider.end(BACK, other, answer)

    with pytest.raises(UserError, match="begin again"):
        asyncio.run(swapped())


def test_a_provider_that_does_not_answer_is_named() -> None:
    with pytest.raises(UserError, match="does not answer"):
        asyncio.run(OpenIdLogIn("http://127.0.0.1:9", "a", "b").begin(BACK))
