"""Pages as visitors know them, in the real Chromium."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Error
from visiting import Site, Trap, Visitor

from geohound import watcher
from geohound.browser.chromium import Chromium, check
from geohound.model.crawl.browsed import BrowsedPage, EventRow

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]

MAP = "?SERVICE=WMS&REQUEST=GetMap&LAYERS=a"


def events_of(seen: BrowsedPage, path: str) -> list[str]:
    return [asked.event for asked in seen.asked if path in asked.url]


def test_each_kind_of_event_is_triggered_and_told_as_evidence(
    site: Site, visitor: Visitor
) -> None:
    site.files[
        "/"
    ] = f"""<body onload="show('loaded')"><button onclick="show('pressed')">Layers</button>
        <div id="tab">Legend</div><p id="twice">Zoom to detail</p>
        <select onchange="show(this.value)"><option value="none">none<option value="chosen">Roads</select>
        <label><input type="checkbox" id="box">Rivers</label><script>
        function show(name) {{ new Image().src = '/' + name + '/wms{MAP}' }}
        document.getElementById('tab').addEventListener('mouseover', () => show('hovered'));
        document.getElementById('twice').ondblclick = () => show('doubled');
        document.getElementById('box').addEventListener('change', e => e.target.checked && show('ticked'));
        </script>"""
    (seen,) = visitor.run(f"{site.origin}/")
    assert seen.trouble == ""
    assert events_of(seen, "/loaded/wms") == ["load"]
    assert events_of(seen, "/pressed/wms") == ["click on button[submit] “Layers”"]
    assert events_of(seen, "/hovered/wms") == ["mouseover on div#tab “Legend”"]
    assert events_of(seen, "/doubled/wms") == ["dblclick on p#twice “Zoom to detail”"]
    assert events_of(seen, "/chosen/wms") == ["change on select[select-one] “Roads”"]
    assert events_of(seen, "/ticked/wms") == ["click on input[checkbox]#box “Rivers”"]
    assert site.paths() == {"/robots.txt", "/"}  # pictures are noted, not fetched


def test_the_events_of_a_page_are_reported_combined_and_equal_ones_triggered_once(
    site: Site, visitor: Visitor
) -> None:
    # The rows of section 2.1.1: Updateinfo() changes text.innerHTML, whoever calls it; loading the page has done so.
    site.files[
        "/"
    ] = f"""<body onload="Updateinfo()"><div id="text"></div><button id="move" onclick="Updateinfo()">Move
        </button><b id="next" ondblclick="Updateinfo()">Next</b>
        <i id="other" onclick="other.innerHTML = Roads()">Other</i>
        <script>
        function Updateinfo() {{ document.getElementById('text').innerHTML = 'x'; new Image().src = '/up/wms{MAP}' }}
        function Roads() {{ new Image().src = '/roads/wms{MAP}'; return 'roads' }}
        </script>"""
    (seen,) = visitor.run(f"{site.origin}/")
    assert set(seen.event_rows) == {
        EventRow(
            ("onload", "onclick", "ondblclick"), ("body", "button[submit]#move", "b#next"), "text.innerHTML",
            "Updateinfo()",
        ),
        EventRow(("onclick",), ("i#other",), "other.innerHTML", "Roads()"),
    }  # fmt: skip
    assert events_of(seen, "/up/wms") == ["load"]
    assert seen.events == 1


def test_the_events_that_a_watcher_reports_are_triggered_instead_of_all(
    site: Site, visitor: Visitor
) -> None:
    """WBC-7, Alqaraleh et al. 2015, section 2.2 (4): the AJAX unit triggers the reported events instead of all."""
    site.files[
        "/"
    ] = f"""<div id="text"></div><div id="next" onclick="text.innerHTML = Roads()">Next</div>
        <div id="back" onmouseover="text.innerHTML = Roads()">Back</div><p id="late">Late</p>
        {"".join(f"<button>Idle {n}</button>" for n in range(8))}
        <script>
        function Roads() {{ new Image().src = '/roads/wms{MAP}'; return 'roads' }}
        function rivers() {{ new Image().src = '/rivers/wms{MAP}' }}
        document.getElementById("late").addEventListener("dblclick", rivers);
        </script>"""
    rows = [
        EventRow(
            tuple(row["events"]), tuple(row["sources"]), row["target"], row["value"]
        )
        for row in watcher.events_of(site.files["/"])
    ]
    assert [(row.events, row.sources) for row in rows] == [
        (("onclick", "onmouseover"), ("div#next", "div#back")),
        (("ondblclick",), ("#late",)),
    ]
    (everything,) = visitor.run(f"{site.origin}/")
    (reported,) = visitor.run(f"{site.origin}/", reported=rows)
    assert (everything.events, reported.events) == (10, 2)  # eight buttons in vain
    assert events_of(reported, "/roads/wms") == ["click on div#next “Next”"]
    assert events_of(reported, "/rivers/wms") == ["dblclick on p#late “Late”"]


def test_what_a_new_state_offers_is_tried_too(site: Site, visitor: Visitor) -> None:
    site.files["/list.json"] = '["depth", "quays"]'
    site.files[
        "/"
    ] = f"""<p><span class="clock"></span></p><button id="open">Layers</button><ul id="list"></ul><script>
        setInterval(() => document.querySelector('.clock').textContent = Math.random(), 20);
        document.getElementById('open').addEventListener('click', async () => {{
          for (const name of await (await fetch('list.json')).json()) {{
            const item = document.createElement('li');
            item.textContent = name;
            item.onclick = () => new Image().src = '/' + name + '/wms{MAP}';
            document.getElementById('list').append(item);
          }}
        }}, {{once: true}});</script>"""
    (seen,) = visitor.run(f"{site.origin}/")
    assert events_of(seen, "/depth/wms") == ["click on li “depth”"]
    assert events_of(seen, "/quays/wms") == ["click on li “quays”"]
    assert seen.files == (f"{site.origin}/list.json",)
    # The clock, the button pressed twice and the pictures change nothing that counts: loaded, and with its list.
    assert [state.event for state in seen.states] == [
        "load",
        "click on button[submit]#open “Layers”",
    ]


def test_states_hold_what_changed_in_web_components_and_in_frames(
    site: Site, visitor: Visitor
) -> None:
    """WBC-13; Alqaraleh, Ramadan & Salamah 2015, Algorithm 1, step 18: "save the html of" each new state.

    A button that changes nothing makes none, though the page has a frame.
    """
    site.files["/"] = """<p>Maps</p><button onclick="1">Layers</button>
        <button onclick="themes()">Themes</button><div id="own"></div>
        <iframe srcdoc="<p id=f>empty</p><button onclick='f.textContent = `Harbours`'>Layer</button>"></iframe><script>
        const shadow = own.attachShadow({mode: 'open'});
        const themes = () => shadow.innerHTML = '<a href="/roads/wms?service=WMS">' + 'Ro' + 'ads</a>';</script>"""
    (seen,) = visitor.run(f"{site.origin}/")
    told = {state.event: state for state in seen.states}
    assert (len(told), seen.events) == (3, 3)
    assert ">Roads</a>" in told["click on button[submit] “Themes”"].html
    assert ">Harbours</p>" in told["click on button[submit] “Layer”"].frames
    assert ">empty</p>" in told["load"].frames


def test_forms_are_left_alone_but_searches_that_the_task_wants(
    site: Site, visitor: Visitor
) -> None:
    site.files["/found"] = f"<body><p>1 result: {site.origin}/soil/wms"
    site.files[
        "/"
    ] = """<form action="/session" method="post"><input name="user"><input type="password" name="key">
        <button>Enter</button></form>
        <form action="/found"><input type="search" name="q"><button>Find</button></form>"""
    (seen,) = visitor.run(f"{site.origin}/")
    assert not events_of(seen, "/session")
    assert not events_of(seen, "/found")
    (asking,) = visitor.run(f"{site.origin}/", words=("soil",))
    assert asking.pages == (f"{site.origin}/found?q=soil",)
    assert "/soil/wms" in asking.states[-1].html
    assert asking.states[-1].event == "search for “soil”"
    assert "/session" not in site.paths()


def test_a_page_behind_a_redirect_stands_where_it_was_sent(
    site: Site, visitor: Visitor
) -> None:
    site.files |= {
        "/old": "/app/new",
        "/app/new": "<script src='main.js'></script>",
        "/app/main.js": "fetch('x.json')",
    }
    visitor.run(f"{site.origin}/old")
    assert "/app/x.json" in site.paths()
    assert site.requests.count("/app/new") == 1


def test_robots_txt_holds_inside_the_browser(site: Site, visitor: Visitor) -> None:
    site.files["/robots.txt"] = "User-agent: *\nDisallow: /private/\n"
    site.files |= {
        "/": "<script src='/private/a.js'></script><script src='/open.js'></script>",
        "/open.js": "var a",
    }
    visitor.run(f"{site.origin}/")
    assert site.paths() == {"/robots.txt", "/", "/open.js"}


def test_nothing_is_posted_and_no_cookie_is_ever_sent(
    site: Site, visitor: Visitor
) -> None:
    site.files[
        "/"
    ] = """<script>document.cookie = 'own=1'; fetch('/a.json', {credentials: 'include'});
        fetch('/wfs', {method: 'POST', body: '<GetFeature service="WFS"/>'}); navigator.sendBeacon('/beacon', 'x');
        </script><form id=f method=post action=/post></form><script>f.submit()</script>"""
    seen, again = (visitor.run(f"{site.origin}/")[0] for _ in range(2))
    assert site.paths() == {"/robots.txt", "/", "/a.json"}
    assert not any("cookie:" in head.lower() for head in site.heads)
    assert [(a.method, a.body) for a in again.asked if a.url.endswith("/wfs")] == [
        ("POST", '<GetFeature service="WFS"/>')
    ]
    assert seen.trouble == again.trouble == ""


def test_no_way_of_asking_reaches_an_address_that_the_guard_refuses(
    site: Site, visitor: Visitor, trap: Trap
) -> None:
    place = f"127.0.0.2:{trap.port}"
    site.files["/away"] = f"http://{place}/redirected"
    site.files["/worker.js"] = f"fetch('http://{place}/worker')"
    site.files[
        "/"
    ] = f"""<link rel=preconnect href='http://{place}'><link rel=prefetch href='http://{place}/p'>
        <link rel=dns-prefetch href='http://{place}'><iframe src='http://{place}/frame'></iframe>
        <script src='http://{place}/script.js'></script><script>
        const quiet = promise => promise.catch(() => 0);
        quiet(fetch('http://{place}/fetch')); quiet(fetch('/away')); quiet(fetch('http://169.254.169.254/latest/meta-data/'));
        quiet(fetch('http://0x7f.2:{trap.port}/hex')); new WebSocket('ws://{place}/socket'); new EventSource('http://{place}/stream');
        navigator.sendBeacon('http://{place}/beacon'); new Worker('/worker.js');
        try {{ new SharedWorker('data:text/javascript,fetch("http://{place}/shared")') }} catch (e) {{}}
        navigator.serviceWorker && quiet(navigator.serviceWorker.register('/worker.js'));
        const relay = {{urls: 'turn:{place}?transport=tcp', username: 'a', credential: 'b'}};
        const peer = new RTCPeerConnection({{iceServers: [relay]}});
        peer.createDataChannel('x'); peer.createOffer().then(o => peer.setLocalDescription(o));
        window.open('http://{place}/window'); setTimeout(() => location = 'http://{place}/gone', 300);
        </script><p>Here"""
    (seen,) = visitor.run(f"{site.origin}/")
    assert trap.visitors == 0
    assert {"/away", "/worker.js"} <= site.paths()
    assert any("/fetch" in asked.url for asked in seen.asked)


def test_the_events_of_frames_are_triggered_whoever_made_them(
    site: Site, visitor: Visitor
) -> None:
    other = site.origin.replace("127.0.0.1", "localhost")
    button = "<button onclick=\"fetch('/wms?request=GetCapabilities&f={0}'); this.textContent = 'on'\">Layer {0}</button>"
    site.files |= {"/near": button.format("near"), "/far": button.format("far")}
    site.files["/"] = (
        f"<iframe src=/near></iframe><iframe src='{other}/far'></iframe><p>Maps</p>"
    )
    (seen,) = visitor.run(f"{site.origin}/")
    asked = {a.url.rpartition("=")[2]: a.event for a in seen.asked if "/wms" in a.url}
    assert asked.keys() == {"near", "far"}
    assert all(event.startswith("click on button") for event in asked.values())


def test_files_of_this_machine_and_its_devices_are_out_of_reach(
    site: Site, visitor: Visitor, tmp_path: Path
) -> None:
    (tmp_path / "secret.html").write_text(
        "<script>fetch('http://x.test/')</script>secret"
    )
    place = (tmp_path / "secret.html").as_uri()
    site.files[
        "/"
    ] = f"""<iframe src='{place}'></iframe><object data='{place}'></object><script>
        const tell = what => fetch('/told?' + what);
        fetch('{place}').then(() => tell('file'), () => 0);
        navigator.geolocation.getCurrentPosition(() => tell('place'), () => 0);
        const media = navigator.mediaDevices;
        media && media.getUserMedia({{video: true}}).then(() => tell('camera'), () => 0);
        Notification.requestPermission().then(said => said === 'granted' && tell('notes'));
        const a = document.createElement('a'); a.href = '/big'; a.download = 'big'; document.body.append(a); a.click();
        </script><p>Here"""
    site.files["/big"] = "U" * 20_000_000
    (seen,) = visitor.run(f"{site.origin}/")
    assert seen.trouble == ""
    assert "/told" not in site.paths()
    assert not any(
        "secret" in state.html for state in seen.states if place not in state.html
    )


def test_few_pages_are_run_at_once_and_each_is_alone(
    site: Site, visitor: Visitor
) -> None:
    site.files["/a"] = site.files[
        "/b"
    ] = """<script>const before = localStorage.length + document.cookie.length;
        localStorage.a = document.cookie = 'x=1'; fetch('/seen' + before)</script>"""
    seen = visitor.run(*(f"{site.origin}/{name}" for name in "abab"))
    assert [one.trouble for one in seen] == [""] * 4
    assert "/seen0" in site.paths()
    assert not {path for path in site.paths() if path.startswith("/seen")} - {"/seen0"}


def test_the_browser_itself_has_no_way_out_even_if_nobody_watched_its_requests(
    trap: Trap,
) -> None:
    place = f"127.0.0.2:{trap.port}"

    async def let_loose() -> None:
        chromium = Chromium(check(), 500_000_000)
        await chromium.start()
        try:
            page = await (await chromium.context()).new_page()
            await page.evaluate(
                f"new WebSocket('ws://{place}/'); new EventSource('http://{place}/'); new Image().src = 'http://{place}'"
            )
            with pytest.raises(Error, match="ERR_"):
                await page.goto(f"http://{place}/")
        finally:
            await chromium.end()

    asyncio.run(let_loose())
    assert trap.visitors == 0
