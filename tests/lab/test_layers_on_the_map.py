"""LC-16 (section 4.3, figure 8): "integrate the returned LCWMSs into the interactive graphical interface".

Results go onto the search map itself, two layers are compared there, and a copied address shows the same.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import uvicorn
from lab_truth import MARKS, pick
from PIL import Image
from playwright.sync_api import Page
from real_browser import chromium

from geohound import app as wiring
from geohound.model.catalogue import Observation
from geohound.model.service import Sighting, Verdict
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.portal.app import create_app
from geohound.portal.listener import listen
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store

pytestmark = MARKS
MAPSERV = "mapserver/cgi-bin/mapserv?map=BALTIC&SERVICE=WMS&VERSION=1.3.0&REQUEST=GetCapabilities"


@pytest.fixture
def origin(identify: Callable[[str], Verdict], tmp_path: Path) -> Iterator[str]:
    service = pick(identify(MAPSERV), "wms")
    with closing(open_store(tmp_path / "c.db", SystemClock())) as store:
        sighting = Sighting(
            service.id, service.endpoint, "", Via.SEED, "", SystemClock().now()
        )
        store.catalogue.record_now([Observation(service, sighting)])
        index = CatalogueIndex(store.catalogue, store.segments)
        portal = create_app(
            store.catalogue, index, wiring.kinds(), exporters=wiring.exporters()
        )
        with listen("127.0.0.1", 0) as listener:
            server = uvicorn.Server(
                uvicorn.Config(portal, log_level="error", ws="none", lifespan="off")
            )
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
            thread.start()
            while not server.started:
                time.sleep(0.02)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
            server.should_exit = True
            thread.join()


@pytest.fixture
def page(
    origin: str,
) -> Iterator[Page]:  # the lab is asked before the browser's own loop runs
    with chromium() as browser:
        yield browser.new_page(
            viewport={"width": 1280, "height": 900}, color_scheme="light"
        )


def _shot(page: Page) -> Image.Image:
    """The map without what lies over it."""
    over = ".map-panel, .map-info, .ol-control, .swipe"
    page.evaluate(
        "over => document.querySelectorAll(over).forEach((each) => (each.style.opacity = 0))",
        over,
    )
    return Image.open(io.BytesIO(page.locator(".map").screenshot())).convert("RGB")


def picture(page: Page) -> Image.Image:
    """The map once it is still: on a busy machine layers are drawn later than they are asked for."""
    last = _shot(page)
    for _ in range(20):
        page.wait_for_timeout(400)
        now = _shot(page)
        if now.tobytes() == last.tobytes():
            break
        last = now
    return last


def difference(a: Image.Image, b: Image.Image, share: tuple[float, float]) -> int:
    """How many pixels of this part of the width differ; the line of the comparison is in the middle."""
    left, right = (round(part * a.width) for part in share)
    return sum(
        a.getpixel((x, y)) != b.getpixel((x, y))
        for x in range(left, right, 2)
        for y in range(40, a.height, 2)
    )


def add(page: Page, layer: str) -> None:
    card = page.locator(".hit", has=page.locator(f"code:text-is('{layer}')"))
    card.get_by_role("button", name="Add to map").click()
    row = page.locator(f".layer-stack [data-layer$='~{layer}']")
    row.get_by_text("Drawn by the service itself.").wait_for()
    page.wait_for_timeout(400)  # the picture is put on the screen in the next frames


def test_two_layers_of_a_real_server_are_added_and_compared(
    page: Page, origin: str
) -> None:
    """LC-16: section 4.3, figure 8."""
    page.goto(f"{origin}/?what=layers")
    page.locator(".map canvas").first.wait_for()
    add(page, "depth")
    add(page, "basins")
    both = picture(page)
    page.get_by_label("Compare the top layer with").select_option("base")
    page.wait_for_timeout(400)
    swiped = picture(page)
    # To the right of the line the top layer stays; to the left the base map alone is seen.
    assert difference(both, swiped, (0.02, 0.45)) > 200
    page.get_by_label("Compare the top layer with").select_option(index=2)
    page.wait_for_timeout(400)
    compared = picture(page)
    assert (
        difference(compared, swiped, (0.02, 0.45)) > 200
    )  # the lower layer is to the left now
    assert (
        difference(compared, swiped, (0.55, 0.98)) == 0
    )  # and the top one still to the right

    address = page.url
    assert address.count("map=") == 2
    page.goto("about:blank")
    page.goto(address)
    page.locator(".layer-stack li").nth(1).get_by_text(
        "Drawn by the service itself."
    ).wait_for()
    titles = page.locator(".stack-title").all_inner_texts()
    assert len(titles) == 2
    page.get_by_label("Words, or the address of a service").fill("harbours")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url("**/?*q=harbours*")
    page.locator(".layer-stack li").nth(1).wait_for()
    assert page.locator(".stack-title").all_inner_texts() == titles
