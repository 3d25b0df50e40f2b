"""An answer that is no service is refused with the reason a person would give."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geohound.document import Document
from geohound.model.service import RefusalReason
from geohound.model.visit import Response
from geohound.refusals import judge

URL = "http://maps.test/ows?SERVICE=WFS&REQUEST=GetCapabilities"


def answer(
    body: bytes,
    status: int = 200,
    headers: dict[str, str] | None = None,
    final_url: str = URL,
    truncated: bool = False,
) -> Document:
    at = datetime(2024, 1, 1, tzinfo=UTC)
    return Document(Response(URL, final_url, status, headers or {}, body, at, truncated=truncated))


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
    "a Cloudflare challenge": (answer(PAGE, 403, {"cf-mitigated": "challenge"}), RefusalReason.BOT_WALL),
    "an AWS challenge": (answer(b"", 202, {"x-amzn-waf-action": "challenge"}), RefusalReason.BOT_WALL),
    "just a moment": (answer(b"<html><title>Just a moment...</title></html>"), RefusalReason.BOT_WALL),
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
    "a body that was cut": (answer(b'{"a": [1, 2', truncated=True), RefusalReason.TOO_LARGE),
    "a tiny image": (answer(b"\x89PNG\r\n\x1a\n" + b"\0" * 60), RefusalReason.BLANK_IMAGE),
    "a text": (answer(b"hello", headers={"content-type": "text/plain"}), RefusalReason.OTHER_KIND),
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
    assert (refusal.reason, refusal.detail) == (RefusalReason.EXCEPTION_REPORT, "LayerNotDefined: no x")


def test_an_exception_for_lack_of_permission_is_a_log_in_wall() -> None:
    body = b'<ExceptionReport><Exception exceptionCode="AuthenticationFailed"/></ExceptionReport>'
    assert judge(answer(body)).reason is RefusalReason.LOGIN_WALL


def test_a_page_at_an_address_that_always_spoke_of_login_is_only_a_page() -> None:
    url = "http://maps.test/login/help"
    response = Response(url, url, 200, {}, PAGE, datetime(2024, 1, 1, tzinfo=UTC))
    assert judge(Document(response)).reason is RefusalReason.HTML_PAGE
