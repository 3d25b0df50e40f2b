"""Why an answer that no kind claims is no service, in words a person understands."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from geohound import urls
from geohound.document import Document, safe_xml
from geohound.model.failure import FailureReason
from geohound.model.service import Refusal, RefusalReason

WALLS = {
    RefusalReason.LOGIN_WALL: FailureReason.LOGIN_WALL,
    RefusalReason.BOT_WALL: FailureReason.BOT_WALL,
}
_MAX_DETAIL = 300
_WALL_BYTES = 60_000
_FEW_LINKS = 15
_MAX_ELEMENTS = 100
_MAX_PIXEL_BYTES = 8_000_000
_MAX_CHUNKS = 10_000
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by PNG colour type
# the last is WMS 1.0.0
_EXCEPTIONS = "ServiceExceptionReport", "ExceptionReport", "Fault", "WMTException"
_PROTOCOL = re.compile(r"[a-z][a-z0-9-]{1,9}")
# Where the schema of a report lies: behind the protocol stands its version. OWS Common belongs to all of them.
_SCHEMA = re.compile(r"/(?!ows/|ogc/|gml/)([a-z]{2,5})/(?:v?\d|exception)")
_LOGIN_URL = re.compile(
    r"[/.?&=](?:log-?in|sign-?in|sso|cas|saml2?|oauth2?|openid-connect|adfs|idp|auth)(?:[/.?&=]|$)",
    re.IGNORECASE,
)
_PASSWORD_FIELD = re.compile(rb"<input[^>]{0,300}\btype\s*=\s*[\"']?password")
_BOT_TITLE = re.compile(
    rb"<title>\s*(?:just a moment|attention required|access denied|ddos-guard|checking your browser)"
)
# Looked for one by one in the bytes in lower case: a tenth of the time that one expression of all of them takes.
_BOT_WORDS = (
    b"captcha", b"incapsula", b"cf_chl_", b"cf-browser-verification", b"challenge-platform", b"awswafintegration",
    b"are you a robot", b"verify you are human",
)  # fmt: skip
# These two stand in harmless texts too; then what is around them decides.
_BOT_MORE = {
    b"captcha": (
        b"g-recaptcha",
        b"h-captcha",
        b"captcha-delivery",
        b"px-captcha",
        b"geo.captcha",
    ),
    b"incapsula": (b"_incapsula_", b"request unsuccessful. incapsula"),
}
_BOT_HEADERS = {
    "cf-mitigated": "challenge",
    "x-amzn-waf-action": "",
    "x-datadome": "",
    "x-sucuri-block": "",
}
_TITLE = re.compile(r"<title[^>]{0,300}+>(.{0,200}?)</title", re.IGNORECASE | re.DOTALL)


def judge(document: Document) -> Refusal:
    """The general refusal: body before status, walls before pages."""
    refusal = _judge(document)
    if refusal.detail.isascii():
        return refusal
    # Headers and scripts may hold lone surrogates, which no one can store or print.
    return replace(refusal, detail=refusal.detail.encode("utf-8", "replace").decode())


def _judge(document: Document) -> Refusal:
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
    if not document.body or document.body.isspace():
        return Refusal(RefusalReason.NO_CONTENT, f"HTTP {status}")
    if status >= 400:
        return Refusal(RefusalReason.INCONCLUSIVE, f"HTTP {status}")
    return _judge_content(document)


def _judge_content(document: Document) -> Refusal:
    if document.is_html:
        return Refusal(RefusalReason.HTML_PAGE, _title(document))
    if document.is_image:
        if _is_blank_png(document.body):
            return Refusal(RefusalReason.BLANK_IMAGE, "an image of one colour")
        return Refusal(RefusalReason.OTHER_KIND, "an image")
    if document.root_name:
        return Refusal(RefusalReason.OTHER_KIND, _describe_xml(document))
    if document.json is not None:
        return Refusal(RefusalReason.OTHER_KIND, _describe_json(document.json))
    if document.is_truncated:
        return Refusal(RefusalReason.TOO_LARGE, _describe_size(document))
    if document.body.lstrip()[:1] in (b"<", b"{", b"["):
        trouble = "starts like XML or JSON and cannot be read as either"
        return Refusal(RefusalReason.MALFORMED, trouble)
    kind = document.response.content_type.partition(";")[0].strip()
    if kind:
        return Refusal(RefusalReason.OTHER_KIND, kind)
    return Refusal(RefusalReason.INCONCLUSIVE, "of no known type")


def _title(page: Document) -> str:
    title = _TITLE.search(page.text[:20_000])
    return " ".join(title[1].split())[:_MAX_DETAIL] if title else ""


def _describe_size(document: Document) -> str:
    size = f"{len(document.body)} bytes"
    if document.response.truncated:
        return f"cut off after {size}"
    return f"{size}, more than is read"


def _find_wall(document: Document) -> Refusal | None:
    status = document.response.status
    if header := _bot_header(document.response.headers):
        return Refusal(RefusalReason.BOT_WALL, header[:_MAX_DETAIL])
    page = document.body[:_WALL_BYTES] if document.is_html else b""
    # Portals ask for a password in the corner of every page, and for a riddle beside every form: these keep nobody out.
    is_thin = status >= 400 or not _has_many_links(page)
    page = page.lower() if is_thin else page
    if is_thin and (challenge := _find_challenge(page)):
        return Refusal(RefusalReason.BOT_WALL, challenge)
    if status in (401, 403, 407):
        return Refusal(RefusalReason.LOGIN_WALL, f"HTTP {status}")
    if is_thin and _asks_for_password(page):
        return Refusal(RefusalReason.LOGIN_WALL, "a page that asks for a password")
    if page and _was_sent_to_login(document):
        return Refusal(RefusalReason.LOGIN_WALL, "sent on to a log-in page")
    return None


def _has_many_links(page: bytes) -> bool:
    """Most pages show it at their beginning."""
    start = b"<a "
    is_sure = len(page.split(start, _FEW_LINKS + 1)) > _FEW_LINKS + 1
    return is_sure or page.lower().count(start) > _FEW_LINKS


def _asks_for_password(page: bytes) -> bool:
    return b"password" in page and _PASSWORD_FIELD.search(page) is not None


def _bot_header(headers: Mapping[str, str]) -> str:
    for name, value in _BOT_HEADERS.items():
        if name in headers and value in headers[name].lower():
            return f"{name}: {headers[name]}"
    return ""


def _was_sent_to_login(document: Document) -> bool:
    asked_for_login = _LOGIN_URL.search(document.response.url)
    return not asked_for_login and bool(_LOGIN_URL.search(document.url))


def redirected(target: str) -> Refusal:
    """An answer that leads to another site: that of a log-in, or any."""
    reason = (
        RefusalReason.LOGIN_WALL
        if _LOGIN_URL.search(target)
        else RefusalReason.REDIRECTED
    )
    return Refusal(reason, f"to {target}"[:_MAX_DETAIL])


def _find_challenge(page: bytes) -> str:
    """The words of a bot wall in a page in lower case; empty if there are none."""
    title = _BOT_TITLE.search(page)
    if title:
        return " ".join(
            title[0].decode("ascii", "replace").removeprefix("<title>").split()
        )
    for words in _BOT_WORDS:
        if words in page:
            said = next(
                (more for more in _BOT_MORE.get(words, (words,)) if more in page), b""
            )
            if said:
                return said.decode()
    return ""


def _read_exception(document: Document) -> Refusal:
    """Code and words of the first exception; a missing permission is a log-in wall, whatever the status."""
    code, words = "", ""
    for element in _exceptions(document):
        code = (
            code
            or safe_xml.attribute(element, "code")
            or safe_xml.attribute(element, "exceptionCode")
        )
        words = words or _read_words(element)
    detail = ": ".join(filter(None, (code, words)))[:_MAX_DETAIL]
    kind = _kind_of_exception(document)
    if code.lower() in (
        "authenticationfailed",
        "notauthorized",
        "unauthorized",
        "accessdenied",
        "forbidden",
    ):
        return Refusal(RefusalReason.LOGIN_WALL, detail, kind)
    return Refusal(RefusalReason.EXCEPTION_REPORT, detail, kind)


def _exceptions(document: Document) -> Iterator[safe_xml.Element]:
    names = ("ServiceException", "Exception", "Fault", "WMTException")
    elements = (
        islice(document.head.iter("{*}*"), _MAX_ELEMENTS)
        if document.head is not None
        else ()
    )
    return (element for element in elements if safe_xml.local(element) in names)


def _read_words(element: safe_xml.Element) -> str:
    """The text in the first elements within; `safe_xml.text` would go through all, and any may hold the document."""
    inner = islice(element.iter("{*}*"), _MAX_ELEMENTS)
    parts = [
        part[: 4 * _MAX_DETAIL]
        for e in inner
        for part in (e.text, e.tail if e is not element else "")
        if part
    ]
    return " ".join("".join(map(str, parts)).split())


def _kind_of_exception(document: Document) -> str:
    """The protocol that was asked for, else the one whose schema the report names; empty where neither says it."""
    asked = urls.params_lower(document.url).get("service", "").lower()
    if _PROTOCOL.fullmatch(asked):
        return asked
    schema = _SCHEMA.search(safe_xml.attribute(document.head, "schemaLocation").lower())
    return schema[1] if schema else ""


def _describe_xml(document: Document) -> str:
    space = f" in {document.root_namespace}" if document.root_namespace else ""
    return f"XML: {document.root_name}{space}"[:_MAX_DETAIL]


def _describe_json(value: object) -> str:
    if isinstance(value, dict):
        return f"JSON with {', '.join(str(k) for k in list(value)[:8])}"[:_MAX_DETAIL]
    return "a JSON list" if isinstance(value, list) else "a JSON value"


def _is_blank_png(body: bytes) -> bool:
    """True if all pixels of this PNG are the same; of one that is broken, interlaced or huge it is not said."""
    if len(body) < 33 or not body.startswith(b"\x89PNG") or body[12:16] != b"IHDR":
        return False
    width, height, bits, colour, _, _, interlaced = struct.unpack(
        ">IIBBBBB", body[16:29]
    )
    pixel_bits = bits * _CHANNELS.get(colour, 0)
    row_bytes = 1 + (width * pixel_bits + 7) // 8
    size = row_bytes * height
    has_pixels = width and height and pixel_bits
    if interlaced or not has_pixels or size > _MAX_PIXEL_BYTES:
        return False
    try:
        rows = zlib.decompressobj().decompress(_find_pixels(body), size)
    except zlib.error:
        return False
    if len(rows) < size:
        return False
    if pixel_bits >= 8:
        return _are_rows_of(rows[1 : 1 + pixel_bits // 8], rows, row_bytes)
    return _are_packed_rows(rows, row_bytes, width, pixel_bits)


def _find_pixels(body: bytes) -> bytes:
    """The compressed pixels: the content of all IDAT chunks."""
    parts, at = [], 8
    for _ in range(_MAX_CHUNKS):
        size = int.from_bytes(body[at : at + 4], "big")
        if body[at + 4 : at + 8] == b"IDAT":
            parts.append(body[at + 8 : at + 8 + size])
        at += 12 + size
        if at >= len(body):
            break
    return b"".join(parts)


def _are_rows_of(pixel: bytes, rows: bytes, row_bytes: int) -> bool:
    """True if each row is what its filter makes of nothing but this pixel.

    The filters of PNG can be undone, so a row of one colour under one of one colour has but one form for each.
    """
    count, zero = (row_bytes - 1) // len(pixel), bytes(len(pixel))
    half = bytes(v - v // 2 for v in pixel)
    first = [
        (pixel, pixel),
        (pixel, zero),
        (pixel, pixel),
        (pixel, half),
        (pixel, zero),
    ]
    later = [(pixel, pixel), (pixel, zero), (zero, zero), (half, zero), (zero, zero)]
    first_rows = [
        bytes([n]) + left + rest * (count - 1) for n, (left, rest) in enumerate(first)
    ]
    later_rows = {
        bytes([n]) + left + rest * (count - 1) for n, (left, rest) in enumerate(later)
    }
    return rows[:row_bytes] in first_rows and all(
        rows[at : at + row_bytes] in later_rows
        for at in range(row_bytes, len(rows), row_bytes)
    )


def _are_packed_rows(rows: bytes, row_bytes: int, width: int, pixel_bits: int) -> bool:
    """The same for several pixels to a byte, which encoders leave unfiltered; a row may end in unused bits."""
    value = rows[1] >> (8 - pixel_bits)
    byte = value * (255 // (2**pixel_bits - 1))
    unused_bits = (row_bytes - 1) * 8 - width * pixel_bits
    start, end = b"\0" + bytes([byte]) * (row_bytes - 2), byte >> unused_bits
    return all(
        rows[at : at + row_bytes - 1] == start
        and rows[at + row_bytes - 1] >> unused_bits == end
        for at in range(0, len(rows), row_bytes)
    )
