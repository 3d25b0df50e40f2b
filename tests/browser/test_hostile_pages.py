"""Pages that mean harm: each ends within its budget, and the next one is run as if nothing had been."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace

import pytest
from visiting import BUDGET, Site, Visitor

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

HARMLESS = "<script>fetch('/fine.json')</script>"
PAGES = {
    "endless loop": "<script>while (true);</script>",
    "endless loop after a click": "<button onclick='for (;;);'>Layers</button>",
    "endless writing": "<script>for (;;) document.write('<p>x')</script>",
    "memory of the script": "<script>a = []; setInterval(() => a.push(Array(5e6).fill(a.length + .5)), 1)</script>",
    "memory beside the script": "<script>a = []; setInterval(() => a.push(new Uint8Array(2e7).fill(7)), 1)</script>",
    "storm of dialogs": "<script>while (true) { alert(1); confirm(2); prompt(3); print() }</script>",
    "storm of windows": "<a id=x target=_blank href=w></a><script>setInterval(() => open(x) || x.click(), 1)</script>",
    "page that moves on and on": "<script>location = '/hostile?' + Math.random()</script>",
    "page that loads itself again": "<script>setTimeout(() => location.reload(), 20)</script>",
    "frames in frames": "<iframe src='/hostile?a'></iframe><iframe src='/hostile?b'></iframe>",
    "ten thousand requests": "<script>for (let i = 0; i < 10000; i++) fetch('/r' + i).catch(() => 0)</script>",
    "ten thousand scripts": "".join(
        f"<script async src=/s{n}></script>" for n in range(10_000)
    ),
    "scripts that write themselves": "<body><script>function f() { const s = document.createElement('script');"
    "s.text = f + ';setTimeout(f); setTimeout(f)'; document.body.append(s) } f()</script>",
    "page that does not let go": "<button>Layers</button><script>onpagehide = onbeforeunload = () => { for (;;); };"
    "setTimeout(() => location = '/hostile?2', 50)</script>",
    "endless loop in a frame": "<iframe srcdoc='<script>setTimeout(() => { for (;;); }, 50)</script>'></iframe>",
    "broken built-ins": "<script>Array.prototype.slice = () => 7; String.prototype.slice = null; Event = 1</script>",
}


# Pages that would use up whatever patience there is: they get less, what is tested is that they end.
# time enough to start the browser on a busy machine
LESS = replace(BUDGET, time_s=20.0, patience_s=2.0)
WEARING = frozenset(
    (
        "endless loop", "endless loop after a click", "endless loop in a frame", "endless writing", "storm of dialogs",
        "page that moves on and on", "page that does not let go", "scripts that write themselves",
    )
)  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_hostile_page_ends_in_time_and_harms_no_other(
    name: str, site: Site, visitor: Visitor
) -> None:
    site.files |= {"/hostile": PAGES[name], "/": HARMLESS, "/fine.json": "{}"}
    began = time.monotonic()
    (seen,) = visitor.run(
        f"{site.origin}/hostile", budget=LESS if name in WEARING else None
    )
    # a busy machine took longer than the little patience: the browser is not to blame
    if "/hostile" not in site.paths():
        began = time.monotonic()
        (seen,) = visitor.run(f"{site.origin}/hostile")
    elapsed_s = time.monotonic() - began
    assert "/hostile" in site.paths()
    assert (
        elapsed_s < BUDGET.time_s + 20
    )  # to close it, and where need be to replace the browser, on a busy machine
    assert seen.requests <= BUDGET.requests
    assert len(site.requests) <= BUDGET.requests + 1  # and robots.txt
    (after,) = visitor.run(f"{site.origin}/")
    assert after.trouble == ""
    assert "/fine.json" in site.paths()


def test_a_page_beside_a_hostile_one_is_run_to_its_end(
    site: Site, visitor: Visitor
) -> None:
    site.files |= {
        "/hostile": PAGES["memory beside the script"],
        "/": HARMLESS,
        "/fine.json": "{}",
    }
    hostile, fine = visitor.run(f"{site.origin}/hostile", f"{site.origin}/")
    assert hostile.trouble == "it broke its process"
    assert fine.trouble == ""


def test_a_browser_that_dies_is_replaced(site: Site, visitor: Visitor) -> None:
    site.files |= {"/": HARMLESS, "/fine.json": "{}"}
    visitor.run(f"{site.origin}/")
    chromium = visitor.pool._chromium
    assert chromium is not None
    os.kill(chromium.pid, signal.SIGKILL)
    (seen,) = visitor.run(f"{site.origin}/")
    assert seen.trouble == ""
    assert visitor.pool._chromium is not chromium


def test_a_page_that_cannot_be_had_is_told_as_such(visitor: Visitor) -> None:
    (refused,) = visitor.run("http://169.254.169.254/latest/meta-data/")
    assert refused.trouble == "the page could not be had: forbidden net"
    assert refused.requests == 1
