"""An answer that is no service is refused with the reason a person would give."""

from __future__ import annotations

import struct
import time
import zlib
from datetime import UTC, datetime

import orjson
import pytest

from geohound.document import Document
from geohound.document.refusals import judge
from geohound.model.service import RefusalReason
from geohound.model.visit import Response

URL = "http://maps.test/ows?SERVICE=WFS&REQUEST=GetCapabilities"


def answer(
    body: bytes,
    status: int = 200,
    headers: dict[str, str] | None = None,
    final_url: str = URL,
    truncated: bool = False,
) -> Document:
    at = datetime(2024, 1, 1, tzinfo=UTC)
    return Document(
        Response(URL, final_url, status, headers or {}, body, at, truncated=truncated)
    )


def png(
    rows: list[bytes], width: int, bits: int = 8, colour: int = 2, interlaced: int = 0
) -> bytes:
    """A PNG of these rows, each with its filter byte before it; the checksums are the true ones."""
    header = struct.pack(">IIBBBBB", width, len(rows), bits, colour, 0, 0, interlaced)
    pixels = zlib.compress(b"".join(rows))
    chunks = [
        (b"IHDR", header),
        (b"IDAT", pixels[:9]),
        (b"IDAT", pixels[9:]),
        (b"IEND", b""),
    ]
    framed = [
        struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d))
        for n, d in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


PAGE = b"<!DOCTYPE html><html><head><title>City of Ulm</title></head><body>Welcome</body></html>"
LOGIN = b"<html><body><form><input name=u><input name='p' type=\"password\"></form></body></html>"
CASES = {
    "a plain page": (answer(PAGE), RefusalReason.HTML_PAGE),
    "a password field": (answer(LOGIN), RefusalReason.LOGIN_WALL),
    "HTTP 401": (answer(b"", 401), RefusalReason.LOGIN_WALL),
    "HTTP 403 with a page": (answer(PAGE, 403), RefusalReason.LOGIN_WALL),
    "a redirect to single sign-on": (
        answer(PAGE, final_url="http://maps.test/sso/start?x=1"),
        RefusalReason.LOGIN_WALL,
    ),
    "a Cloudflare challenge": (
        answer(PAGE, 403, {"cf-mitigated": "challenge"}),
        RefusalReason.BOT_WALL,
    ),
    "an AWS challenge": (
        answer(b"", 202, {"x-amzn-waf-action": "challenge"}),
        RefusalReason.BOT_WALL,
    ),
    "just a moment": (
        answer(b"<html><title>Just a moment...</title></html>"),
        RefusalReason.BOT_WALL,
    ),
    "a schema": (
        answer(b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'),
        RefusalReason.OTHER_KIND,
    ),
    "other JSON": (answer(b'{"name": "x", "version": "1"}'), RefusalReason.OTHER_KIND),
    "HTTP 404": (answer(PAGE, 404), RefusalReason.NOT_FOUND),
    "HTTP 410": (answer(b"", 410), RefusalReason.NOT_FOUND),
    "HTTP 503": (answer(PAGE, 503), RefusalReason.SERVER_ERROR),
    "nothing": (answer(b" \n"), RefusalReason.NO_CONTENT),
    "half a JSON": (answer(b'{"a": [1, 2'), RefusalReason.MALFORMED),
    "a body that was cut": (
        answer(b'{"a": [1, 2', truncated=True),
        RefusalReason.TOO_LARGE,
    ),
    "an image of one colour": (
        answer(png([b"\0" + b"\xee\xf0\xff" * 256] * 256, 256)),
        RefusalReason.BLANK_IMAGE,
    ),
    "a broken image": (
        answer(b"\x89PNG\r\n\x1a\n" + b"\0" * 60),
        RefusalReason.OTHER_KIND,
    ),
    "a tiny image of another format": (
        answer(b"GIF89a" + b"\0" * 60),
        RefusalReason.OTHER_KIND,
    ),
    "a text": (
        answer(b"hello", headers={"content-type": "text/plain"}),
        RefusalReason.OTHER_KIND,
    ),
    "bytes without a type": (answer(b"\x01\x02\x03"), RefusalReason.INCONCLUSIVE),
    "HTTP 400": (answer(b"bad request", 400), RefusalReason.INCONCLUSIVE),
}


@pytest.mark.parametrize("case", CASES)
def test_an_answer_is_refused_for_its_reason(case: str) -> None:
    document, reason = CASES[case]
    assert judge(document).reason is reason


def test_an_exception_report_gives_code_words_and_kind_whatever_the_status() -> None:
    body = b"""<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1"><ows:Exception
    exceptionCode="OperationNotSupported"><ows:ExceptionText>No such  operation</ows:ExceptionText>
    </ows:Exception></ows:ExceptionReport>"""
    for status in (200, 400, 404, 500):
        refusal = judge(answer(body, status))
        assert refusal.reason is RefusalReason.EXCEPTION_REPORT
        assert refusal.detail == "OperationNotSupported: No such operation"
        assert refusal.kind == "wfs"


def test_an_old_service_exception_is_read_too() -> None:
    exception = b"<ServiceException code='LayerNotDefined'>no x</ServiceException>"
    body = b"<ServiceExceptionReport>" + exception + b"</ServiceExceptionReport>"
    refusal = judge(answer(body))
    assert (refusal.reason, refusal.detail) == (
        RefusalReason.EXCEPTION_REPORT,
        "LayerNotDefined: no x",
    )


def test_an_exception_for_lack_of_permission_is_a_log_in_wall() -> None:
    body = b'<ExceptionReport><Exception exceptionCode="AuthenticationFailed"/></ExceptionReport>'
    assert judge(answer(body)).reason is RefusalReason.LOGIN_WALL


@pytest.mark.parametrize(
    "corner",
    [
        b"<form><input type=password></form>",
        b"<div class=g-recaptcha></div>",
        b"<script src=/cdn-cgi/challenge-platform/x.js></script>",
    ],
)
def test_a_portal_with_a_log_in_or_a_riddle_in_its_corner_keeps_nobody_out(
    corner: bytes,
) -> None:
    links = b"".join(b"<li><a href=/%d>map</a></li>" % i for i in range(40))
    assert (
        judge(answer(b"<html><body>" + corner + links + b"</body></html>")).reason
        is RefusalReason.HTML_PAGE
    )
    assert (
        judge(answer(b"<html><body>" + corner + links + b"</body></html>", 403)).reason
        is not RefusalReason.HTML_PAGE
    )
    assert (
        judge(answer(b"<html><body>" + corner + b"</body></html>")).reason
        is not RefusalReason.HTML_PAGE
    )


def test_a_page_at_an_address_that_always_spoke_of_login_is_only_a_page() -> None:
    url = "http://maps.test/login/help"
    response = Response(url, url, 200, {}, PAGE, datetime(2024, 1, 1, tzinfo=UTC))
    assert judge(Document(response)).reason is RefusalReason.HTML_PAGE


# One colour (200, 10, 7), written with each filter as the PNG specification defines it, by hand.
COLOUR, HALF, ZERO = bytes((200, 10, 7)), bytes((100, 5, 4)), bytes(3)
FILTERED = {
    "none": (b"\0" + COLOUR * 4, b"\0" + COLOUR * 4),
    "sub": (b"\1" + COLOUR + ZERO * 3, b"\1" + COLOUR + ZERO * 3),
    "up": (b"\2" + COLOUR * 4, b"\2" + ZERO * 4),
    "average": (b"\3" + COLOUR + HALF * 3, b"\3" + HALF + ZERO * 3),
    "Paeth": (b"\4" + COLOUR + ZERO * 3, b"\4" + ZERO * 4),
}


@pytest.mark.parametrize("first", FILTERED)
@pytest.mark.parametrize("later", FILTERED)
def test_an_image_of_one_colour_is_blank_whatever_its_filters(
    first: str, later: str
) -> None:
    rows = [FILTERED[first][0], FILTERED[later][1], FILTERED[later][1]]
    assert judge(answer(png(rows, 4))).reason is RefusalReason.BLANK_IMAGE
    for row in range(3):
        # the first pixel of all, changed, may colour all the others alike
        for place in (4, 6, 12):
            spoilt = list(rows)
            spoilt[row] = (
                rows[row][:place]
                + bytes([rows[row][place] ^ 1])
                + rows[row][place + 1 :]
            )
            assert judge(answer(png(spoilt, 4))).reason is RefusalReason.OTHER_KIND


def test_a_small_map_with_dots_is_not_blank() -> None:
    rows = [
        b"\0" + bytes(255 if (x * y) % 97 else 0 for x in range(256))
        for y in range(256)
    ]
    body = png(rows, 256, colour=3)
    assert len(body) < 2_500
    assert judge(answer(body)).reason is RefusalReason.OTHER_KIND


def test_an_image_with_several_pixels_to_a_byte_is_blank_if_those_are_the_same() -> (
    None
):
    # Ten pixels of two bits: the last byte has four bits that mean nothing.
    blank = [b"\0\xaa\xaa\xa0", b"\0\xaa\xaa\xaf"]
    assert judge(answer(png(blank, 10, 2, 3))).reason is RefusalReason.BLANK_IMAGE
    for row in (b"\0\xaa\xab\xa0", b"\0\xaa\xaa\xb0"):
        assert (
            judge(answer(png([blank[0], row], 10, 2, 3))).reason
            is RefusalReason.OTHER_KIND
        )


def test_an_image_larger_than_is_decoded_or_cut_short_is_only_an_image() -> None:
    rows = [b"\0" + b"\xff" * 9_000] * 900
    assert judge(answer(png(rows, 9_000, colour=0))).reason is RefusalReason.OTHER_KIND
    whole = png(rows[:100], 9_000, colour=0)
    assert judge(answer(whole)).reason is RefusalReason.BLANK_IMAGE
    assert judge(answer(whole[:80])).reason is RefusalReason.OTHER_KIND


@pytest.mark.parametrize(
    "body",
    [b"<Exception/>" * 600_000, b"<Exception>" * 100 + b"<a/>" * 1_000_000],
    ids=["many exceptions", "exceptions within exceptions"],
)
def test_an_exception_report_without_words_is_judged_soon_however_long(
    body: bytes,
) -> None:
    document = answer(b"<ServiceExceptionReport>" + body)
    assert document.root is not None
    started_s = time.process_time()
    assert judge(document).reason is RefusalReason.EXCEPTION_REPORT
    assert time.process_time() - started_s < 0.5


@pytest.mark.parametrize("body", [b'{"\\ud800": 1,}', b'{"\\udfff\\ud800": 1,}'])
def test_what_is_said_of_an_answer_can_be_sent_as_json(body: bytes) -> None:
    assert orjson.dumps(judge(answer(body)).detail)
    assert orjson.dumps(judge(answer(b"", headers={"x-datadome": "\udcff"})).detail)


def test_json_of_too_many_values_is_too_large() -> None:
    refusal = judge(answer(b"[" + b"{}," * 1_100_000 + b"{}]"))
    assert (refusal.reason, refusal.detail) == (
        RefusalReason.TOO_LARGE,
        "3300004 bytes, more than is read",
    )
