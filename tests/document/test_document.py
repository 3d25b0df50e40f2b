"""A document is read in whatever state it comes, and what had to be mended is told."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from geohound.document import Document, repair, safe_xml
from geohound.kinds.wms import KINDS
from geohound.model.service import Service
from geohound.model.visit import Response

WMS = KINDS[0]
PLAIN = """<?xml version="1.0" encoding="UTF-8"?>
<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms" xmlns:xlink="http://www.w3.org/1999/xlink">
<Service><Name>WMS</Name><Title>Gewässer</Title></Service>
<Capability><Request/><Layer><Title>All</Title>
<Layer><Name>rivers</Name><Title>Flüsse</Title></Layer>
<Layer><Name>lakes</Name><Title>Seen</Title></Layer>
</Layer></Capability></WMS_Capabilities>
"""


def document(
    body: bytes, content_type: str = "text/xml", truncated: bool = False
) -> Document:
    url = "http://maps.test/wms"
    return Document(
        Response(
            url,
            url,
            200,
            {"content-type": content_type},
            body,
            datetime(2024, 1, 1, tzinfo=UTC),
            truncated=truncated,
        )
    )


def read(body: bytes, content_type: str = "text/xml") -> Service:
    found = WMS.read(document(body, content_type))
    assert isinstance(found, Service)
    return found


def assert_whole(service: Service) -> None:
    assert service.title == "Gewässer"
    assert [(layer.name, layer.title) for layer in service.layers] == [
        ("rivers", "Flüsse"),
        ("lakes", "Seen"),
    ]


def test_a_clean_document_needs_no_repair() -> None:
    service = read(PLAIN.encode())
    assert_whole(service)
    assert service.repairs == ()


UNDECLARED = PLAIN.replace('encoding="UTF-8"', "")
LATIN = PLAIN.replace("UTF-8", "ISO-8859-1")
BROKEN = {
    "a byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "UTF-16 declared as UTF-8": PLAIN.encode("utf-16"),
    "UTF-16 without a mark": PLAIN.encode("utf-16-le"),
    "big-endian UTF-16 without a mark": PLAIN.encode("utf-16-be"),
    "a UTF-16 mark before Latin-1": b"\xff\xfe" + LATIN.encode("latin-1"),
    "Latin-1 that calls itself UTF-8": PLAIN.encode("cp1252"),
    "Latin-1 that calls itself nothing": UNDECLARED.encode("cp1252"),
    "UTF-8 that calls itself Latin-1": LATIN.encode(),
    "an encoding nobody knows": PLAIN.replace("UTF-8", "x-nonsense").encode(),
    "white space first": ("\r\n \t" + PLAIN).encode(),
    "a mark, then white space": ("\ufeff\n" + PLAIN).encode(),
    "an HTTP header block": (
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nServer: x\r\n\r\n" + PLAIN
    ).encode(),
    "headers without a status line": (
        "Content-Type: text/xml; charset=utf-8\n\n" + PLAIN
    ).encode(),
    "a PHP warning": (
        "<br />\n<b>Warning</b>: mysql_connect() in <b>/x.php</b> on line 3<br />\n"
        + PLAIN
    ).encode(),
    "a plain-text notice": (
        "Notice: Undefined index: map in /srv/wms.php on line 12\n" + PLAIN
    ).encode(),
    "HTML around it": ("<html><body><pre>\n" + PLAIN + "</pre></body></html>").encode(),
    "HTML around it that is well-formed": (
        "<html><body><pre>" + PLAIN.partition("?>")[2] + "</pre></body></html>"
    ).encode(),
    "literal line breaks": PLAIN.replace("\n", "\\n").encode(),
    "a JSON string": json.dumps(PLAIN, ensure_ascii=False)
    .replace("</", "<\\/")
    .encode(),
    "a control character": PLAIN.replace("Seen", "S\x0been").encode(),
    "text after the end": (PLAIN + "<!-- done --> served in 3 ms").encode(),
    "gzip without a header": gzip.compress(PLAIN.encode()),
    "zlib without a header": zlib.compress(PLAIN.encode()),
    "bare deflate without a header": zlib.compress(PLAIN.encode(), wbits=-15),
    "a DOCTYPE": PLAIN.replace(
        "?>\n", '?>\n<!DOCTYPE WMS_Capabilities SYSTEM "http://x.test/a.dtd">\n', 1
    ).encode(),
    "the same xmlns twice": PLAIN.replace(
        ' xmlns:xlink="', ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xlink="', 1
    ).encode(),
    "an undeclared prefix": PLAIN.replace(
        "<Request/>", "<Request><inspire:x/></Request>"
    ).encode(),
    "an undeclared prefix on the root": PLAIN.replace(
        "WMS_Capabilities", "wms:WMS_Capabilities"
    ).encode(),
    "no namespace": PLAIN.replace(' xmlns="http://www.opengis.net/wms"', "").encode(),
    "a wrong namespace": PLAIN.replace(
        "www.opengis.net/wms", "example.com/nonsense"
    ).encode(),
    "a mismatched tag": PLAIN.replace(
        "<Request/>", "<Request><Get></Post></Request>"
    ).encode(),
}


@pytest.mark.parametrize("state", BROKEN)
def test_a_document_with_a_flaw_is_read_whole(state: str) -> None:
    assert_whole(read(BROKEN[state]))


@pytest.mark.parametrize(
    "state",
    [
        "a UTF-16 mark before Latin-1",
        "Latin-1 that calls itself UTF-8",
        "UTF-8 that calls itself Latin-1",
        "white space first",
        "an HTTP header block",
        "a PHP warning",
        "HTML around it",
        "literal line breaks",
        "text after the end",
        "gzip without a header",
        "the same xmlns twice",
        "an undeclared prefix",
        "a mismatched tag",
    ],
)
def test_what_was_mended_is_told(state: str) -> None:
    assert read(BROKEN[state]).repairs


def test_the_encoding_of_the_header_counts_where_the_document_names_none() -> None:
    cyrillic = UNDECLARED.replace("Gewässer", "Водоёмы").replace("ü", "u")
    service = read(cyrillic.encode("cp1251"), "text/xml; charset=windows-1251")
    assert service.title == "Водоёмы"


def test_undeclared_entities_and_bare_ampersands_become_text() -> None:
    body = PLAIN.replace(
        "Seen", "Seen&nbsp;&amp; B&auml;che & M&O &unknown; &#1;"
    ).encode()
    layers = read(body).layers
    assert layers[1].title == "Seen & Bäche & M&O &unknown;"


def test_a_soap_envelope_is_taken_off() -> None:
    inner = PLAIN.partition("?>")[2]
    space = "http://www.w3.org/2003/05/soap-envelope"
    body = f'<s:Envelope xmlns:s="{space}"><s:Header/><s:Body>{inner}</s:Body></s:Envelope>'
    service = read(body.encode())
    assert_whole(service)
    assert "SOAP envelope removed" in service.repairs


def test_of_a_truncated_document_what_is_there_is_read() -> None:
    body = PLAIN.encode()
    service = read(body[: body.index(b"<Name>lakes") + 6])
    assert service.title == "Gewässer"
    assert [layer.name for layer in service.layers] == ["rivers"]
    assert service.layers_truncated
    assert safe_xml.CUT_OFF in service.repairs


def test_capabilities_quoted_in_a_text_or_a_page_are_not_a_service() -> None:
    quoted = (
        "How to read capabilities:\n\n>>> xml = '''"
        + PLAIN
        + "'''\n>>> parse(xml)\n"
        + "More words. " * 80
    )
    page = (
        "<html><body><p>"
        + "An example of an answer. " * 200
        + "</p>"
        + PLAIN
        + "</body></html>"
    )
    assert WMS.read(document(quoted.encode())) is None
    assert WMS.read(document(page.encode(), "text/html")) is None


def test_external_and_internal_entities_stay_unread(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cret")
    entities = f'<!DOCTYPE x [<!ENTITY out SYSTEM "{secret.as_uri()}"><!ENTITY in "expanded">]>'
    body = PLAIN.replace("?>\n", f"?>\n{entities}\n", 1).replace(
        "Seen", "a &out; b &in; c"
    )
    title = read(body.encode()).layers[1].title
    assert "s3cret" not in title
    assert "expanded" not in title


LENIENT = {
    "a byte order mark": '\ufeff{"a": [1, 2]}',
    "comments": '/* made by hand */ {"a": [1, // one\n 2]}',
    "a callback": 'callback({"a": [1, 2]});',
    "a dotted callback": 'window.app.take({"a": [1, 2]})',
    "a guard": ')]}\',\n{"a": [1, 2]}',
    "trailing commas": '{"a": [1, 2, ], }',
}


@pytest.mark.parametrize("state", LENIENT)
def test_json_with_a_flaw_is_read(state: str) -> None:
    assert document(LENIENT[state].encode(), "application/json").json == {"a": [1, 2]}


def test_json_in_utf_16_is_read() -> None:
    assert document('{"a": "ä"}'.encode("utf-16")).json == {"a": "ä"}


def test_slashes_and_commas_within_json_strings_stay() -> None:
    value = {"url": "http://x.test/a,]", "note": "/* no comment */"}
    body = json.dumps(value)[:-1] + ",}"
    assert document(body.encode()).json == value


def test_pages_images_and_prose_are_neither_xml_nor_json() -> None:
    for body in (
        b"<!doctype html><html></html>",
        b"\x89PNG\r\n\x1a\n<x/>",
        b"just words",
        b"",
        b"{broken",
        b"<",
    ):
        found = document(body)
        assert found.root is None
        assert found.json is None


SHORT = b"<WMS_Capabilities version='1.3.0'><Service><Title>x</Title></Service></WMS_Capabilities>"
COSTLY = {
    "comments before a document": lambda: (
        b"<html>" + b"<!---->" * 40 + b"x<?xml version='1.0'?>" + SHORT * 10 + b"\n"
    ),
    "comments after a document": lambda: (
        b"<html><?xml version='1.0'?>" + SHORT * 10 + b"<!---->" * 40 + b"x\n"
    ),
    "declarations that are never closed": lambda: b"<a>" + b"<!DOCTYPE[" * 400_000,
    "declarations that are half closed": lambda: b"<a>&x;" + b"<!DOCTYPE a[]" * 300_000,
    "names of entities nobody knows": lambda: (
        b"<a>" + b"&" + b"a" * 31 + b";&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab;" * 90_000
    ),
    "escaped quotes and a lone backslash": lambda: b'{"' + b'\\"' * 3_000_000 + b"\\",
    "a very long string": lambda: b'{"a":"' + b"a" * 7_900_000 + b'",}',
    "very many strings": lambda: b"{" + b'""' * 1_900_000 + b",}",
    "very many comments": lambda: b"[" + b"a//\n" * 900_000 + b",]",
    "comments that are never closed": lambda: b"[/**/" + b"/*" * 1_900_000,
    "objects by the million": lambda: b"[" + b"{}," * 10_000_000 + b"{}]",
    "more bytes than are read as JSON": lambda: b'["' + b"a" * 33_000_000 + b'"]',
    "a compressed desert": lambda: gzip.compress(b"<a>" + b" " * 60_000_000),
    "a label for host names": lambda: b"xn--" + b"a" * 200_000 + b".\xff<a",
}


@pytest.mark.parametrize("attack", COSTLY)
def test_no_answer_takes_long_to_read(attack: str) -> None:
    found = document(
        COSTLY[attack](),
        "text/xml; charset=idna" if attack == "a label for host names" else "text/xml",
    )
    started_s = time.process_time()
    assert found.json is None or isinstance(found.json, dict)
    assert found.root is None or len(found.root) < 2
    assert time.process_time() - started_s < 2


@pytest.mark.parametrize(
    "attack", ["a very long string", "objects by the million", "a compressed desert"]
)
def test_no_answer_takes_much_memory_to_read(attack: str) -> None:
    body = COSTLY[attack]()
    tracemalloc.start()
    try:
        found = document(body)
        assert found.json is None or found.root is None
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_json_of_too_many_values_is_not_read_and_counts_as_truncated() -> None:
    found = document(b"[" + b"{}," * 1_100_000 + b"{}]")
    assert found.json is None
    assert found.is_truncated


def test_a_text_too_large_for_json_is_only_a_text() -> None:
    found = document(b"a,b\n" * 9_000_000, "text/csv")
    assert found.json is None
    assert not found.is_truncated


def test_large_json_of_few_values_is_read() -> None:
    body = json.dumps([{"a": "x" * 1000}] * 20_000).encode()
    found = document(body)
    assert len(found.json) == 20_000
    assert not found.is_truncated


def test_large_capabilities_in_gzip_without_a_header_are_inflated_whole() -> None:
    rows = b"".join(
        b"<Layer><Name>rivers_%07d</Name></Layer>\n" % (n * 7919 % 9_999_991)
        for n in range(700_000)
    )
    body = PLAIN.encode().replace(b"<Layer><Name>lakes", rows + b"<Layer><Name>lakes")
    found = document(gzip.compress(body, 6))
    assert found.body == body
    assert not found.is_truncated


def test_what_is_inflated_from_a_small_answer_stays_small_and_counts_as_truncated() -> (
    None
):
    found = document(gzip.compress(b"<a>" + b" " * 60_000_000))
    assert len(found.body) == 20_000_000
    assert found.is_truncated


def test_a_half_surrogate_in_json_becomes_a_question_mark_and_a_whole_one_stays() -> (
    None
):
    found = document(b'{"a\\ud800": "\\ud83c\\udf0d", }')
    assert found.json == {"a?": "\N{EARTH GLOBE EUROPE-AFRICA}"}


def test_references_after_a_doctype_with_declarations_are_mended() -> None:
    declared = '<!DOCTYPE x [<!ENTITY known "k">\n] >'
    body = PLAIN.replace("?>\n", f"?>\n{declared}\n", 1).replace(
        "Seen", "Seen & B&auml;che"
    )
    assert read(body.encode()).layers[1].title == "Seen & Bäche"


def test_a_service_that_was_read_in_spite_of_its_certificate_says_so() -> None:
    url = "https://a.org/wms?service=WMS&request=GetCapabilities"
    response = Response(
        url,
        url,
        200,
        {},
        PLAIN.encode(),
        datetime.now(UTC),
        tls_fault="certificate expired",
    )
    service = WMS.read(Document(response))
    assert isinstance(service, Service)
    assert service.repairs == ("read in spite of: certificate expired",)


def traced_peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_the_text_of_a_large_answer_is_its_start_whatever_its_letters() -> None:
    """One letter beyond the basic plane makes every character take four bytes."""
    found = document(b"<html>" + "🌍é".encode() * 7_000_000, "text/html")
    assert traced_peak(lambda: found.text) < 50_000_000
    assert "\ufffd" not in found.text
    assert found.text.startswith("<html>🌍é")


def test_a_large_answer_is_not_made_text_to_learn_its_encoding() -> None:
    body = (
        b"<?xml version='1.0' encoding='iso-8859-1'?><a>"
        + "🌍".encode()
        + b"<b/>" * 10_000_000
    )
    found = document(body)
    assert traced_peak(lambda: found.head) < 25_000_000
    assert found._overridden_encoding == "utf-8"


@pytest.mark.parametrize("end", [b"", "é".encode()[:1], b"\xff"])
def test_utf8_is_told_from_other_bytes_wherever_they_are_cut(end: bytes) -> None:
    for size in range(4):
        data = b"a" * ((1 << 18) - size) + "é🌍".encode() + end
        assert repair.is_utf8(data) is (end == b"")


class Scales:
    def __init__(self) -> None:
        self.size = 0

    def add(self, size: int) -> None:
        self.size += size


@pytest.mark.parametrize(
    ("body", "tree"),
    [(PLAIN.encode(), "root"), (b'{"a": [' + b"1," * 5000 + b"1]}", "json")],
    ids=["XML", "JSON"],
)
def test_a_tree_is_weighed_until_it_is_let_go_of_and_can_be_made_again(
    body: bytes, tree: str
) -> None:
    scales = Scales()
    found = Document(replace(document(body).response, weight=scales))
    assert getattr(found, tree) is not None
    assert scales.size == 6 * len(body)
    found.let_go()
    assert scales.size == 0
    assert tree not in vars(found)
    assert getattr(found, tree) is not None
    assert scales.size == 6 * len(body)


def test_what_was_packed_without_saying_so_is_weighed() -> None:
    scales = Scales()
    Document(replace(document(gzip.compress(PLAIN.encode())).response, weight=scales))
    assert scales.size == len(PLAIN.encode())


def test_repairs_are_told_once_however_often_a_tree_is_made() -> None:
    found = document(b'callback({"a": 1, /* note */ "b": [1,]})', "application/json")
    assert found.json == {"a": 1, "b": [1]}
    told = list(found.repairs)
    found.let_go()
    assert found.json == {"a": 1, "b": [1]}
    assert found.repairs == told


@pytest.mark.parametrize("sign", ["Depth < 5 m", "Depth <5 m", "a <= b", "R & D < 3"])
def test_a_bare_less_than_sign_survives_as_written(sign: str) -> None:
    """Sidsten 2012, appendix B.3.1, module 6: "Fixing of slight XML-errors, like unescaped special characters"."""
    found = document(
        f"<a><b>{sign}</b><!-- 1 < 2 --><c><![CDATA[3 < 4]]></c></a>".encode()
    )
    assert found.root is not None
    assert [child.text for child in found.root if isinstance(child.tag, str)] == [
        sign,
        "3 < 4",
    ]
    assert "bare less-than signs replaced" in found.repairs
