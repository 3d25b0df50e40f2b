"""Deep checks: what a layer answers is named for what it is, and one odd answer is asked for twice."""

from __future__ import annotations

import asyncio
import io
import json
import shlex
from datetime import UTC, datetime

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from geohound import plugins
from geohound.model.bbox import BBox
from geohound.model.failure import FailureReason
from geohound.model.monitoring.layer_check import LayerCheck
from geohound.model.service import Extent, Layer, Operation, Service
from geohound.model.visit import Failure, Response
from geohound.monitor.deep import check_layers, chosen_layers, summed_up
from geohound.monitor.images import judge_image
from geohound.monitor.looking import Asked, RecordingFetcher
from geohound.urls import params_lower
from geohound.views.looks import Repeating, curl

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOX = BBox(10.0, 50.0, 12.0, 51.0)
KINDS = plugins.discover("kinds")
REPORT = (
    b'<ServiceExceptionReport version="1.3.0"><ServiceException>no connection to the database</ServiceException>'
    b"</ServiceExceptionReport>"
)


def picture(*colours, mode="RGBA", size=(256, 128), form="PNG"):
    image = Image.new(mode, size, colours[0])
    for at, colour in enumerate(colours[1:]):
        image.putpixel((at, at), colour)
    written = io.BytesIO()
    image.save(written, form)
    return written.getvalue()


MAP = picture((0, 0, 0, 0), (200, 30, 30, 255))
EMPTY = picture((0, 0, 0, 0))


class Server:
    """A fetcher that answers by a function of the parameters."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    async def fetch(self, url, **_):
        self.asked.append(url)
        status, kind, body = self.answer(params_lower(url))
        return Response(url, url, status, {"content-type": kind}, body, NOW, 0.1)

    async def close(self): ...


def wms(*names):
    layers = tuple(
        Layer(name, extent=Extent(BOX), crs=("EPSG:4326",)) for name in names
    )
    operations = (Operation("GetMap", "http://a.test/wms", formats=("image/png",)),)
    return Service(
        "wms", "http://a.test/wms", "1.3.0", layers=layers, operations=operations
    )


def wfs():
    layer = Layer(
        "roads", extent=Extent(BOX), crs=("EPSG:4326",), formats=("application/json",)
    )
    return Service("wfs", "http://a.test/wfs", "2.0.0", layers=(layer,))


def look(service, answer):
    server = Server(answer)
    checks, asked = asyncio.run(
        check_layers(service, service.layers, server, KINDS, NOW)
    )
    assert [each.url for each in asked] == server.asked
    return checks, server.asked


def reason_of(service, answer):
    (check,), _ = look(service, answer)
    return check.ok, check.reason


def test_a_map_that_shows_something_is_good_and_is_asked_for_small_and_inside_the_box():
    checks, asked = look(wms("roads"), lambda _: (200, "image/png", MAP))
    assert [check.ok for check in checks] == [True]
    (params,) = map(params_lower, asked)
    assert max(int(params["width"]), int(params["height"])) == 256
    assert params["bbox"] == "50,10,51,12", "latitude first in WMS 1.3.0 with EPSG:4326"


@pytest.mark.parametrize(
    ("answer", "ok", "reason"),
    [
        ((200, "image/png", EMPTY), False, "blank image: all of it is transparent"),
        (
            (200, "image/png", picture((255, 255, 255, 255))),
            False,
            "blank image: all of it has one colour, #ffffff",
        ),
        (
            (200, "text/xml", REPORT),
            False,
            "exception report: no connection to the database",
        ),
        (
            (200, "image/png", MAP[: len(MAP) // 2]),
            False,
            "truncated: a picture that breaks off",
        ),
        (
            (200, "text/html", b"<html><title>Welcome</title></html>"),
            False,
            "HTML page: Welcome",
        ),
        ((500, "text/plain", b"oops"), False, "server error: HTTP 500"),
        ((404, "text/plain", b"no"), False, "not found: HTTP 404"),
        ((401, "text/plain", b"who are you"), None, "log-in wall: HTTP 401"),
        ((429, "text/plain", b"slow down"), None, "rate limited: HTTP 429"),
        (
            (200, "image/png", picture((0, 0, 0, 0), (9, 9, 9, 255), size=(8, 8))),
            False,
            "malformed: 8 x 8 pixels",
        ),
    ],
)
def test_each_way_to_fail_has_its_name(answer, ok, reason):
    found = reason_of(wms("roads"), lambda _: answer)
    assert found[0] is ok
    assert found[1].startswith(reason), found[1]


def test_a_blank_map_counts_only_where_the_middle_of_the_layer_is_blank_too():
    answers = iter([EMPTY, MAP])
    assert reason_of(wms("roads"), lambda _: (200, "image/png", next(answers))) == (
        True,
        "",
    )


def test_what_is_drawn_only_outside_its_box_is_in_a_wrong_projection():
    def answer(params):
        _south, west, _north, east = map(float, params["bbox"].split(","))
        width, height = int(params["width"]), int(params["height"])
        is_world = east - west > 100
        colours = [(0, 0, 0, 0), (1, 2, 3, 255)] if is_world else [(0, 0, 0, 0)]
        return 200, "image/png", picture(*colours, size=(width, height))

    ok, reason = reason_of(wms("roads"), answer)
    assert ok is False
    assert reason.startswith("wrong projection: nothing is drawn inside the box")


def features(*points):
    found = [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": list(point)}}
        for point in points
    ]
    return (
        200,
        "application/json",
        json.dumps({"type": "FeatureCollection", "features": found}).encode(),
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (features((11.0, 50.5)), ""),
        (
            features((50.5, 11.0)),
            "wrong projection: latitude and longitude are swapped",
        ),
        (
            features((1224514.4, 6521400.0)),
            "wrong projection: coordinates in metres where degrees are meant",
        ),
        (
            features((-70.0, -30.0)),
            "wrong projection: features lie outside the box of their layer",
        ),
        (features(), "empty answer: no features"),
        (
            (
                200,
                "application/json",
                b'{"type": "FeatureCollection", "features": [{"ty',
            ),
            "truncated: JSON that breaks",
        ),
        (
            (
                200,
                "application/json",
                b'{"error": {"code": 499, "message": "Token Required"}}',
            ),
            "log-in wall: 499",
        ),
        (
            (200, "application/json", b'{"error": {"code": 500, "message": "Failed"}}'),
            "exception report: 500 Failed",
        ),
    ],
)
def test_features_are_looked_at_and_not_only_counted(answer, reason):
    found = reason_of(wfs(), lambda _: answer)[1]
    assert found.startswith(reason)
    assert bool(found) == bool(reason)


def test_one_layer_of_many_that_fails_leaves_its_service_alive():
    checks, _ = look(
        wms("a", "b", "c"),
        lambda p: (200, "image/png", EMPTY if p["layers"] == "b" else MAP),
    )
    assert [check.ok for check in checks] == [True, False, True]
    assert summed_up(checks) == (
        True,
        "some layers fail: 1 of 3, b: blank image: all of it is transparent",
    )


def test_where_no_layer_works_the_service_does_not():
    failed = [LayerCheck(name, NOW, False, "exception report: gone") for name in "ab"]
    assert summed_up(failed) == (False, "no layer works: a: exception report: gone")
    assert summed_up([LayerCheck("a", NOW, None, "rate limited: HTTP 429")]) == (
        None,
        "",
    )
    assert summed_up([LayerCheck("a", NOW, None, "log-in wall: HTTP 401")]) == (
        None, "log-in wall: HTTP 401 (layer a)",
    )  # fmt: skip


def test_the_host_that_asks_for_a_pause_is_asked_for_no_further_layer():
    checks, asked = look(wms("a", "b", "c"), lambda _: (429, "text/plain", b""))
    assert (len(checks), len(asked)) == (1, 1)


def test_layers_take_turns():
    names = [
        [layer.name for layer in chosen_layers(wms(*"abcde"), 2, turn)]
        for turn in range(4)
    ]
    assert names == [["a", "b"], ["c", "d"], ["e", "a"], ["b", "c"]]
    assert chosen_layers(wms("a"), 0) == []


@given(st.binary(max_size=300))
@fuzzed(200)
def test_no_bytes_are_taken_for_a_map_or_break_the_judge(noise):
    for start in (b"", MAP[:40], b"GIF89a", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBP"):
        assert judge_image(start + noise) is not None


def test_a_picture_with_too_many_pixels_is_not_unpacked():
    huge = picture(0, mode="1", size=(20_000, 20_000))
    refusal = judge_image(huge)
    assert refusal is not None
    assert refusal.reason == "too large"


def test_the_command_that_repeats_a_request_is_one_word_to_the_shell():
    url = "http://a.test/wms?x=$(rm -rf ~)&y='`id`\nz"
    words = shlex.split(curl(Asked(url, "image/png"), Repeating()))
    assert words[:4] == ["curl", "-sSL", "-H", "Accept: image/png"]
    assert words[4:] == [url.replace("\n", " ")]


def test_the_command_says_who_asks_where_the_name_leads_and_whether_the_certificate_was_accepted():
    way = Repeating(
        "Geohound/1 (+http://us.test/)", ("*.org=10.0.0.1:80", "*.test=127.0.0.1:8123")
    )
    agent = ["-A", "Geohound/1 (+http://us.test/)"]
    route = ["--connect-to", "a.test::127.0.0.1:8123"]
    plain = Asked("http://a.test/wms", "*/*")
    assert shlex.split(curl(plain, way)) == [
        "curl",
        "-sSL",
        *agent,
        *route,
        "http://a.test/wms",
    ]
    expired = Asked("https://b.example/wms", "*/*", is_unverified=True)
    assert shlex.split(curl(expired, way)) == [
        "curl",
        "-sSLk",
        *agent,
        "https://b.example/wms",
    ]
    kept_out = Asked(
        "http://a.test/wms?x=1", "text/xml", problem="robots.txt: disallowed"
    )
    assert shlex.split(curl(kept_out, way))[-1] == "http://a.test/robots.txt"


def test_what_the_guard_refuses_is_no_request():
    async def refuse(url):
        async def onward():
            return Failure(url, FailureReason.FORBIDDEN_NET, "private", NOW)

        asking = RecordingFetcher(None)
        await asking.ask(url, onward)
        return asking.asked

    (asked,) = asyncio.run(refuse("http://10.0.0.1/wms"))
    assert not asked.is_sent


@pytest.mark.parametrize(
    ("body", "ok"),
    [
        (
            b'<feed xmlns="http://www.w3.org/2005/Atom"><title>Results</title></feed>',
            True,
        ),
        (b'<rss version="2.0"><channel><title>Results</title></channel></rss>', True),
        (REPORT, False),
        (b"<html><body><h1>Sorry</h1><p>Down for maintenance</p></body></html>", False),
    ],
)
def test_the_feed_of_a_search_is_its_answer(body, ok):
    template = "http://a.test/search?q={searchTerms?}&bbox={geo:box?}"
    layer = Layer("records", links=(template,), formats=("application/atom+xml",))
    service = Service("opensearch", "http://a.test/opensearch.xml", layers=(layer,))
    kind = "text/html" if body.startswith(b"<html") else "application/atom+xml"
    assert reason_of(service, lambda _: (200, kind, body))[0] is ok


def test_tiles_without_a_name_are_asked_for_too():
    service = Service(
        "tilejson",
        "http://a.test/t.json",
        layers=(Layer("", "Relief", links=(TEMPLATE,)),),
    )
    server = Server(
        lambda _: (
            200,
            "image/png",
            picture((0, 0, 0, 0), (200, 30, 30, 255), size=(256, 256)),
        )
    )
    checks, asked = asyncio.run(
        check_layers(service, chosen_layers(service, 5), server, KINDS, NOW)
    )
    assert [(check.layer, check.ok) for check in checks] == [("Relief", True)]
    assert [each.url for each in asked] == server.asked
    assert server.asked[0].startswith("http://a.test/t/")


TEMPLATE = "http://a.test/t/{z}/{x}/{y}.png"
