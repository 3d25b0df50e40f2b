"""Whoever starts the demo can open what it found: maps draw and links lead somewhere, in a real browser."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page
from real_browser import chromium

from geoweb.visitors import page_address

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def portal() -> Iterator[str]:
    command = [sys.executable, "-m", "geohound", "demo", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        events = (json.loads(line) for line in demo.stdout)
        yield next(
            event["address"] for event in events if event.get("event") == "serving"
        )
        demo.terminate()


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page(viewport={"width": 1280, "height": 900})


def fetch(address: str) -> str:
    """By the loopback address, whatever this machine's resolver makes of names below localhost."""
    parts = urlsplit(address)
    asked = Request(
        parts._replace(netloc=f"127.0.0.1:{parts.port}").geturl(),
        headers={"Host": parts.netloc},
    )
    with urlopen(asked) as answer:
        body: bytes = answer.read()
    return body.decode("utf-8", "replace")


def hits(portal: str, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        fetch(f"{portal}api/v1/search?kind={kind}&state=alive")
    )["hits"]
    return found


def test_a_layer_draws_and_the_service_opens(portal: str, page: Page) -> None:
    found = hits(portal, "wms")
    assert found, "the demo's web has map services"
    page.goto(f"{portal}service/{found[0]['id']}")
    page.get_by_role("button", name="Add to map").click()
    page.get_by_text("Drawn by the service itself.").wait_for(timeout=20_000)

    address = page.get_by_role("link", name="GetCapabilities").first.get_attribute(
        "href"
    )
    assert address is not None
    assert re.match(r"http://127\.0\.0\.1:\d+/[\w.-]+\.test/", address)
    body = fetch(address)
    assert "Capabilities" in body
    elsewhere = [
        word for word in body.split('"') if word.startswith("http") and ".test" in word
    ]
    assert elsewhere
    assert all(word.startswith("http://127.0.0.1:") for word in elsewhere)


def test_a_page_of_the_small_web_leads_on_to_others(portal: str, page: Page) -> None:
    """From where a service was found, by a link, to another page of the same web."""
    found = hits(portal, "wms")[0]
    record = json.loads(fetch(f"{portal}api/v1/services/{found['id']}"))
    page.goto(f"{portal}service/{found['id']}")
    reached = (
        page.get_by_role("link", name="GetCapabilities").first.get_attribute("href")
        or ""
    )
    port = int(reached.split("/")[2].rpartition(":")[2])
    seen_on = next(seen["found_on"] for seen in record["sightings"] if seen["found_on"])
    answer = page.goto(page_address(seen_on, port))
    assert answer is not None
    assert answer.ok
    links = page.eval_on_selector_all("a[href]", "all => all.map(a => a.href)")
    within = [link for link in links if ".test" in link]
    assert within
    assert all(".test.localhost:" in link for link in within)


def test_an_address_that_nobody_knows_is_tested_and_its_site_can_be_crawled(
    portal: str, page: Page
) -> None:
    host = urlsplit(hits(portal, "wms")[0]["endpoint"]).netloc
    page.goto(f"{portal}?{urlencode({'q': f'http://{host}/nothing/here'})}")
    page.get_by_role("button", name="Test this address now").click()
    result = page.locator(".test-result")
    result.filter(has_text="This is no service").wait_for(timeout=20_000)
    requests = page.locator("[data-test-events] li:not(.test-result) code")
    assert f"http://{host}/nothing/here" in requests.all_inner_texts()
    result.get_by_role("link", name="Crawl this site").click()
    seeds = page.get_by_label("Seed URLs, one per line")
    assert seeds.input_value() == f"http://{host}/nothing/here"


def test_no_address_that_is_tested_leads_out_of_the_simulated_web(
    portal: str, page: Page
) -> None:
    """Numeric ones too: it answers for them, that it has no such page."""
    page.goto(f"{portal}?{urlencode({'q': 'http://10.1.2.3/wms'})}")
    page.get_by_role("button", name="Test this address now").click()
    result = page.locator(".test-result")
    result.filter(has_text="This is no service: not found").wait_for(timeout=60_000)
