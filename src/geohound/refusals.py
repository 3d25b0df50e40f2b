"""Why an answer that no kind claims is no service, in words a person understands."""

from __future__ import annotations

import re

from geohound import safe_xml
from geohound.document import Document
from geohound.model import url as urls
from geohound.model.service import Refusal, RefusalReason

_MAX_DETAIL = 300
_EXCEPTIONS = ("ServiceExceptionReport", "ExceptionReport", "Fault", "WMTException")  # the last is WMS 1.0.0
_SERVICES = frozenset({"wms", "wfs", "wcs", "wmts", "wps", "csw", "sos", "sps", "wcps"})
_LOGIN_URL = re.compile(
    r"[/.?&=](?:log-?in|sign-?in|sso|cas|saml2?|oauth2?|openid-connect|adfs|idp|auth)(?:[/.?&=]|$)",
    re.IGNORECASE,
)
_PASSWORD_FIELD = re.compile(r"<input[^>]{0,300}\btype\s*=\s*[\"']?password", re.IGNORECASE)
_BOT_WORDS = re.compile(
    r"<title>\s*(?:just a moment|attention required|access denied|ddos-guard|checking your browser)"
    r"|cf-browser-verification|cf_chl_|challenge-platform|g-recaptcha|h-captcha|_incapsula_|captcha-delivery"
    r"|px-captcha|awswafintegration|geo\.captcha|request unsuccessful\. incapsula"
    r"|are you a robot|verify you are human",
    re.IGNORECASE,
)
_BOT_HEADERS = {"cf-mitigated": "challenge", "x-amzn-waf-action": "", "x-datadome": "", "x-sucuri-block": ""}
_TITLE = re.compile(r"<title[^>]*>(.{0,200}?)</title", re.IGNORECASE | re.DOTALL)


def judge(document: Document) -> Refusal:
    """The general refusal: body before status, walls before pages."""
    wall = _find_wall(document)
    if wall is not None:
        return wall
    status = document.response.status
    if document.root_name in _EXCEPTIONS:
        return _read_exception(document)
    if status in (404, 410):
        return Refusal(RefusalReason.NOT_FOUND, f"HTTP {status}")
    if status >= 500:
        return Refusal(RefusalReason.SERVER_ERROR, f"HTTP {status}")
    if not document.body.strip():
        return Refusal(RefusalReason.NO_CONTENT, f"HTTP {status}")
    if status >= 400:
        return Refusal(RefusalReason.INCONCLUSIVE, f"HTTP {status}")
    return _judge_content(document)


def _judge_content(document: Document) -> Refusal:
    if document.is_html:
        title = _TITLE.search(document.text[:20_000])
        return Refusal(RefusalReason.HTML_PAGE, " ".join(title[1].split())[:_MAX_DETAIL] if title else "")
    if document.is_image:
        if len(document.body) < 2_000:
            return Refusal(RefusalReason.BLANK_IMAGE, f"an image of {len(document.body)} bytes")
        return Refusal(RefusalReason.OTHER_KIND, "an image")
    if document.root_name:
        return Refusal(RefusalReason.OTHER_KIND, _describe_xml(document))
    if document.json is not None:
        return Refusal(RefusalReason.OTHER_KIND, _describe_json(document.json))
    if document.response.truncated:
        return Refusal(RefusalReason.TOO_LARGE, f"cut off after {len(document.body)} bytes")
    if document.body.lstrip()[:1] in (b"<", b"{", b"["):
        return Refusal(RefusalReason.MALFORMED, "starts like XML or JSON and cannot be read as either")
    kind = document.response.content_type.partition(";")[0].strip()
    return Refusal(RefusalReason.OTHER_KIND if kind else RefusalReason.INCONCLUSIVE, kind or "of no known type")


def _find_wall(document: Document) -> Refusal | None:
    headers, status = document.response.headers, document.response.status
    for name, value in _BOT_HEADERS.items():
        if name in headers and value in headers[name].lower():
            return Refusal(RefusalReason.BOT_WALL, f"{name}: {headers[name]}"[:_MAX_DETAIL])
    page = document.text[:60_000] if document.is_html else ""
    challenge = _BOT_WORDS.search(page)
    if challenge:
        return Refusal(RefusalReason.BOT_WALL, " ".join(re.sub(r"<[^>]*>", "", challenge[0]).split()))
    if status in (401, 403, 407):
        return Refusal(RefusalReason.LOGIN_WALL, f"HTTP {status}")
    if page and _PASSWORD_FIELD.search(page):
        return Refusal(RefusalReason.LOGIN_WALL, "a page that asks for a password")
    was_sent_on = document.response.url != document.url
    if page and was_sent_on and _LOGIN_URL.search(document.url) and not _LOGIN_URL.search(document.response.url):
        return Refusal(RefusalReason.LOGIN_WALL, "sent on to a log-in page")
    return None


def _read_exception(document: Document) -> Refusal:
    """Code and words of the first exception; a missing permission is a log-in wall, whatever the status."""
    code, words = "", ""
    root = document.root
    for element in root.iter("{*}*") if root is not None else ():
        name = safe_xml.local(element)
        if name in ("ServiceException", "Exception", "Fault", "WMTException"):
            code = code or safe_xml.attribute(element, "code") or safe_xml.attribute(element, "exceptionCode")
            words = words or safe_xml.text(element)
    detail = ": ".join(part for part in (code, words) if part)[:_MAX_DETAIL]
    kind = _kind_of_exception(document)
    if code.lower() in ("authenticationfailed", "notauthorized", "unauthorized", "accessdenied", "forbidden"):
        return Refusal(RefusalReason.LOGIN_WALL, detail, kind)
    return Refusal(RefusalReason.EXCEPTION_REPORT, detail, kind)


def _kind_of_exception(document: Document) -> str:
    asked = urls.params_lower(document.url).get("service", "").lower()
    if asked in _SERVICES:
        return asked
    location = safe_xml.attribute(document.root, "schemaLocation").lower()
    return next((s for s in ("wms", "wfs", "wcs", "wmts", "wps", "csw", "sos", "sps") if f"/{s}/" in location), "")


def _describe_xml(document: Document) -> str:
    space = f" in {document.root_namespace}" if document.root_namespace else ""
    return f"XML: {document.root_name}{space}"[:_MAX_DETAIL]


def _describe_json(value: object) -> str:
    if isinstance(value, dict):
        return f"JSON with {', '.join(str(k) for k in list(value)[:8])}"[:_MAX_DETAIL]
    return "a JSON list" if isinstance(value, list) else "a JSON value"
