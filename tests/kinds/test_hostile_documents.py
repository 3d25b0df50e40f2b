"""Documents made to harm their reader cost at most two seconds and 500 MB, and never an exception."""

from __future__ import annotations

import gc
import gzip
import json
import os
import resource
import signal
import socket
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from books import BOOK
from fuzzing import examples, fuzzed
from hypothesis import given
from hypothesis import strategies as st

from geohound import app, mining, probe
from geohound.crawler.link_filter import ScopeFilter, follow
from geohound.crawler.seen_links import SeenLinks
from geohound.document import Document, refusals
from geohound.model.service import Service, Verdict
from geohound.model.visit import Page, Response
from geoweb import services
from geoweb.box import Box
from geoweb.protocol import Request, ServiceSpec

MAX_CPU_S = 2.0
MAX_GROWTH_BYTES = 500_000_000
WMS = (
    b'<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">'
    b"<Service><Name>WMS</Name><Title>%s</Title></Service><Capability>%s</Capability></WMS_Capabilities>"
)


def answer(
    body: bytes, content_type: str = "", url: str = "http://a.test/x"
) -> Document:
    headers = {"content-type": content_type} if content_type else {}
    return Document(
        Response(url, url, 200, headers, body, datetime(2024, 1, 1, tzinfo=UTC))
    )


def read(document: Document) -> tuple[Verdict, Page]:
    """All that a crawl does with an answer."""
    verdict = probe.recognise(document, app.kinds())
    refusals.judge(document)
    page = mining.mine(document, BOOK)
    for link in follow(page, 1, ScopeFilter(), BOOK, Counter(), SeenLinks().page()):
        link.url.encode()
    return verdict, page


@dataclass(frozen=True)
class Cost:
    cpu_s: float
    grown_bytes: int


def _slowness() -> float:
    """How much slower this machine is now than when it is left alone (0.035 s): up to two times were seen."""
    begun = time.process_time()
    sum(len(str(number)) for number in range(200_000))
    return min(max((time.process_time() - begun) / 0.035, 1.0), 2.5)


def cost_of(reading: Callable[[], object]) -> Cost:
    """CPU and memory of a reading, in a process of its own: what was used before does not count, nor hide it."""
    inlet, outlet = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        gc.freeze()  # what the tests before have left is not looked through on this reading's account
        slowness = _slowness()
        before = resource.getrusage(resource.RUSAGE_SELF)
        try:
            reading()
        except BaseException:
            os.write(outlet, traceback.format_exc()[-4000:].encode())
        after = resource.getrusage(resource.RUSAGE_SELF)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        cpu_s /= max(slowness, _slowness())
        os.write(
            outlet,
            json.dumps([cpu_s, (after.ru_maxrss - before.ru_maxrss) * 1024]).encode(),
        )
        os._exit(0)
    os.close(outlet)
    with os.fdopen(inlet, "rb") as pipe:
        told = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    assert not status, (
        f"ended by {signal.Signals(status & 0x7F).name} after 30 s of CPU"
        if status & 0x7F
        else status
    )
    assert told.startswith("["), told
    return Cost(*json.loads(told))


def survive(body: bytes, content_type: str = "", url: str = "http://a.test/x") -> None:
    """The least of five readings: what runs beside it can make any one of them dearer, never cheaper."""
    for _ in range(5):
        cost = cost_of(lambda: read(answer(body, content_type, url)))
        if cost.cpu_s < MAX_CPU_S:
            break
    assert cost.cpu_s < MAX_CPU_S
    assert cost.grown_bytes < MAX_GROWTH_BYTES


NEAR_THE_LIMIT = 4_900_000  # of the 5 MB of a page
MAX_BEYOND_BYTES = 100_000_000


@pytest.mark.slow  # five answers of 5 MB, their memory watched
@pytest.mark.parametrize(
    ("unit", "start", "end", "kind"),
    [
        pytest.param(b'<b c="d"/>', b"<a>", b"</a>", "text/xml", id="attributes"),
        pytest.param(b"<b/>", b"<a>", b"</a>", "text/xml", id="elements"),
        pytest.param(b'"%07d":1,', b"{", b'"":1}', "application/json", id="keys"),
        pytest.param(b"\\", b'{"a":"', b"", "application/json", id="backslashes"),
        pytest.param(b"<a href=/%07d>p</a>", b"<html>", b"", "text/html", id="links"),
    ],
)
def test_an_answer_near_the_limit_costs_at_most_100_megabytes_beyond_it(
    unit: bytes, start: bytes, end: bytes, kind: str
) -> None:
    read(answer(start + unit.replace(b"%07d", b"0") + end, kind))  # loads what reads it
    count = NEAR_THE_LIMIT // len(unit.replace(b"%07d", b"0000000"))
    each = (unit % n for n in range(count)) if b"%" in unit else (unit,) * count
    body = start + b"".join(each) + end
    assert cost_of(lambda: read(answer(body, kind))).grown_bytes < MAX_BEYOND_BYTES


LAUGHS = b"".join(
    [
        b'<!DOCTYPE a [<!ENTITY e0 "lol">',
        *[b'<!ENTITY e%d "%s">' % (i, b"&e%d;" % (i - 1) * 10) for i in range(1, 12)],
        b"]>",
    ]
)
QUADRATIC = b'<!DOCTYPE a [<!ENTITY e "' + b"a" * 100_000 + b'">]>'
PARAMETERS = (
    b"<!DOCTYPE a [<!ENTITY % p0 'x'>"
    + b"".join(
        b"<!ENTITY %% p%d '%s'>" % (i, b"&#37;p%d;" % (i - 1) * 10)
        for i in range(1, 12)
    )
    + b"%p11;]>"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        LAUGHS + WMS % (b"&e11;", b""),
        LAUGHS + b'<WMS_Capabilities version="&e11;"/>',
        LAUGHS + (WMS % (b"&e11;", b""))[:-40],
        QUADRATIC + WMS % (b"&e;" * 20_000, b""),
        QUADRATIC + b'<WMS_Capabilities version="' + b"&e;" * 20_000 + b'"/>',
        PARAMETERS + WMS % (b"t", b""),
        b'<!DOCTYPE a [<!ATTLIST Layer title CDATA "'
        + b"a" * 10_000
        + b'">]>'
        + WMS % (b"t", b"<Layer/>" * 100_000),
    ],
    ids=[
        "billion laughs",
        "in an attribute",
        "cut off",
        "quadratic",
        "quadratic attribute",
        "parameters",
        "defaults",
    ],
)
def test_entities_are_never_blown_up(body: bytes) -> None:
    survive(body)


@contextmanager
def listener() -> Iterator[socket.socket]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        yield server


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE a SYSTEM "{url}">',
        '<!DOCTYPE a PUBLIC "x" "{url}">',
        '<!DOCTYPE a [<!ENTITY e SYSTEM "{url}">]>',
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "{url}"> %p;]>',
        '<?xml-stylesheet href="{url}"?>',
    ],
)
def test_nothing_a_document_names_is_fetched_while_it_is_read(doctype: str) -> None:
    with listener() as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/a.dtd"
        verdict, _ = read(
            answer(doctype.format(url=address).encode() + WMS % (b"t &e;", b""))
        )
        assert [s.kind for s in verdict.services] == ["wms"]
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_file_named_by_an_entity_is_never_read(tmp_path: Any) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret words")
    doctype = f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{secret}">]>'.encode()
    verdict, page = read(answer(doctype + WMS % (b"before &e; after", b"")))
    assert "before" in verdict.services[0].title
    assert "secret words" not in repr((verdict, page))


@pytest.mark.slow
@pytest.mark.parametrize("content_type", ["", "text/html"])
@pytest.mark.parametrize(
    "body",
    [
        b"<a>" * 100_000,
        b"<a>" * 100_000 + b"</a>" * 100_000,
        WMS % (b"t", b"<Layer>" * 100_000 + b"</Layer>" * 100_000),
        b"<!doctype html>" + b"<div>" * 100_000,
        b"<!doctype html>" + b"<table><tr><td>" * 100_000,
        b"<!doctype html>" + b"<p><b><i><u>" * 100_000,
        b"<Envelope><Body>" * 50_000 + WMS % (b"t", b""),
    ],
    ids=["open", "closed", "layers", "divisions", "tables", "formatting", "envelopes"],
)
def test_deep_nesting_is_survived(body: bytes, content_type: str) -> None:
    survive(body, content_type)


def number(pattern: bytes, count: int) -> bytes:
    return b"".join(pattern.replace(b"#", str(i).encode()) for i in range(count))


@pytest.mark.slow
@pytest.mark.parametrize("content_type", ["", "text/html"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: b"<a " + number(b'a#="" ', 300_000) + b"/>",
        lambda: b"<a " + b'a="" ' * 500_000 + b"/>",
        lambda: b"<a " + number(b'xmlns:a#="u#" ', 200_000) + b"/>",
        lambda: b"<a>" + number(b'<x xmlns:a#="u#"/>', 100_000) + b"</a>",
        lambda: b"<a>" + (b"<b " + number(b'a#="" ', 1900) + b"/>") * 100 + b"</a>",
        lambda: b"<!doctype html><body " + number(b'a#=">" ', 200_000) + b">",
        lambda: b'<!doctype html><p ="><p ' + number(b"a# ", 200_000) + b'" >',
        lambda: b"<!doctype html><p " + number(b"a#/", 300_000) + b">",
        lambda: b"<!doctype html><p " + number(b"a#='1'", 200_000) + b">",
    ],
    ids=[
        "distinct", "equal", "namespaces", "a namespace each", "many crowds", "quoted brackets",
        "a quote astray", "slashes",
        "no space",
    ],
)  # fmt: skip
def test_floods_of_attributes_and_namespaces_are_survived(
    make: Callable[[], bytes], content_type: str
) -> None:
    survive(make(), content_type)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tag", [b"<Layer>", b"<Layer/>", b"<", b"<a b='c'/>", b"<!-- -->", b"&amp;"]
)
@pytest.mark.parametrize(
    "start",
    [b"", b'<WMS_Capabilities version="1.3.0"><Capability>', b"<!doctype html>"],
)
def test_a_hundred_megabytes_of_one_tag_are_survived(start: bytes, tag: bytes) -> None:
    body = start + tag * (100_000_000 // len(tag))
    survive(body)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "entry"),
    [
        (b"<urlset>", b"<url><loc>http://a.test/</loc></url>"),
        (
            b'<kml xmlns="http://www.opengis.net/kml/2.2">',
            b"<NetworkLink><Link><href>x</href></Link></NetworkLink>",
        ),
        (
            b'<feed xmlns="http://www.w3.org/2005/Atom">',
            b'<entry><link href="http://a.test/wms"/></entry>',
        ),
        (
            b'<catalog xmlns="http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0">',
            b'<dataset name="a"/>',
        ),
        (
            b'<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">',
            b'<Url template="x"/>',
        ),
        (b'<TileMapService version="1.0.0"><TileMaps>', b'<TileMap href="x"/>'),
        (b"<ViewContext><LayerList>", b"<Layer><Server/></Layer>"),
        (
            b'<Dataset xmlns="http://xml.opendap.org/ns/DAP/4.0#" name="a">',
            b'<Int32 name="x"/>',
        ),
        (
            b'<Envelope><Body><WMS_Capabilities version="1.3.0"><Capability>',
            b"<Layer><Title>a</Title></Layer>",
        ),
        (b'{"collections":[', b'{"id":"a","links":[{"rel":"items","href":"x"}]},'),
    ],
    ids=lambda part: part[1:12].decode(),
)
def test_eighty_megabytes_of_one_entry_are_survived(start: bytes, entry: bytes) -> None:
    survive(start + entry * (80_000_000 // len(entry)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "pack",
    [lambda b: gzip.compress(b, 9), lambda b: zlib.compress(b, 9)],
    ids=["gzip", "zlib"],
)
@pytest.mark.parametrize(
    "content",
    [
        b"\0",
        b"<a>",
        b"[",
        b"1,",
        b"{},",
        b"&",
        b"http://a.test/wms ",
        b"<!doctype html><p>x</p>",
    ],
)
def test_a_bomb_that_no_header_announces_is_survived(
    pack: Callable[[bytes], bytes], content: bytes
) -> None:
    start = b"[" if content[-1:] == b"," else b""
    survive(pack(start + content * (300_000_000 // len(content))))


CAPABILITIES = WMS % (b"Fl\xc3\xbcsse", b"<Layer><Name>a</Name></Layer>")


@pytest.mark.slow
@pytest.mark.parametrize(
    "encoding",
    ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-7"],
)
@pytest.mark.parametrize(
    "declared",
    ["", "utf-8", "utf-16", "utf-32", "UCS-4", "utf-7", "rot13", "idna", "x"],
)
def test_every_game_with_encodings_ends_in_an_answer(
    encoding: str, declared: str
) -> None:
    start = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    body = (start + CAPABILITIES.decode()).encode(encoding)
    for charset in ("", "utf-7", "utf-32", "rot13", "unicode_escape", "punycode"):
        for kind in ("text/xml", "text/html"):
            verdict, _ = read(answer(body, f"{kind}; charset={charset}"))
            assert {s.title for s in verdict.services} <= {"Flüsse", "Fl+APw-sse"}


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"layers":[' * 100_000,
        b"// a comment\n" + b"[" * 100_000 + b"]" * 100_000,
        b"callback(" + b'{"links":[' * 50_000 + b"]}" * 50_000 + b")",
    ],
    ids=["lists", "objects", "open", "mended", "called"],
)
def test_json_of_any_depth_is_survived(body: bytes) -> None:
    survive(body, "application/json")


@pytest.mark.parametrize(
    "number",
    [
        "1e999",
        "-1e999",
        "NaN",
        "Infinity",
        "1" + "0" * 400,
        "9" * 5000,
        '"NaN"',
        '"1e999"',
    ],
)
def test_a_number_that_is_none_makes_no_box(number: str) -> None:
    tiles = f'{{"tilejson":"2.0.0","name":"n","tiles":["http://a.test/{{z}}/{{x}}/{{y}}.png"],"bounds":[{number},1,2,{number}]}}'
    collection = (
        '{"collections":[{"id":"a","links":[{"rel":"items","href":"x"}],'
        f'"extent":{{"spatial":{{"bbox":[[{number},1,2,3]]}}}}}}]}}'
    )
    bare = number.strip('"')
    box = f'<BoundingBox CRS="CRS:84" minx="{bare}" miny="1" maxx="2" maxy="{bare}"/>'
    layer = f"<Layer><Name>a</Name>{box}</Layer>"
    for text in (tiles, collection, (WMS % (b"t", layer.encode())).decode()):
        verdict, _ = read(answer(text.encode(), url="http://a.test/collections"))
        for service in verdict.services:
            extents = [service.extent, *(layer.extent for layer in service.layers)]
            assert all(e is None or e.box is None for e in extents)


def test_a_lone_surrogate_is_no_reason_to_fail() -> None:
    link = '{"rel":"child","href":"\\ud800"}'
    catalog = f'{{"stac_version":"1.0.0","type":"Catalog","id":"\\ud800","title":"a\\udfff","links":[{link}]}}'
    survive(catalog.encode())
    survive(
        b"<!doctype html><a href='http://a.test/\xed\xa0\x80?service=WMS'>x</a>",
        "text/html",
    )
    survive(
        WMS % (b"\xed\xa0\x80&#xD800;", b"<Layer><Name>\xed\xbf\xbf</Name></Layer>")
    )


# What follows was found by bench/fuzz.py or by hand; each of these once crashed, hung or filled the memory.


def test_a_page_with_a_doctype_that_names_a_system_is_mined() -> None:
    body = b'<!DOCTYPE html SYSTEM "about:legacy-compat"><title>t</title><p>see <a href="/wms?service=WMS">map</a>'
    page = mining.mine(answer(body, "text/html"), BOOK)
    assert page.title == "t"
    assert page.text == "see map"
    assert [link.url for link in page.links] == ["/wms?service=WMS"]


def test_an_alternate_whose_address_is_broken_is_passed_over() -> None:
    class Echo:
        async def fetch(
            self, url: str, *, accept: str = "*/*", max_bytes: int | None = None
        ) -> Response:
            return document.response

        async def close(self) -> None:
            """Nothing is held."""

    document = answer(
        b'<!doctype html><link rel="alternate" type="application/json" href="http://[">',
        "text/html",
    )
    identifying = probe.identify(document.url, Echo(), app.kinds(), known=document)
    with pytest.raises(StopIteration) as end:
        identifying.send(None)
    assert end.value.value.services == ()


@pytest.mark.slow
@pytest.mark.parametrize("tag", [b"<pre>", b"<code>"])
def test_code_within_code_is_read_in_bounded_time(tag: bytes) -> None:
    survive(
        b"<!doctype html><body>" + (tag + b"http://a.test/wms ") * 9_000, "text/html"
    )
    survive(b"<!doctype html><body>" + tag * 9_900 + b"x" * 1_000_000, "text/html")


@pytest.mark.slow
def test_links_within_links_are_read_in_bounded_time() -> None:
    survive(
        b"<!doctype html><body>" + b"<span><a href=http://a.test/x></a>" * 9_000,
        "text/html",
    )
    survive(
        b"<!doctype html><body>" + b"<a href=http://a.test/x>word <object>" * 9_000,
        "text/html",
    )


@pytest.mark.slow
def test_a_page_of_nothing_but_scripts_yields_a_bounded_number_of_links() -> None:
    scripts = number(b'<script>f("http://a#.test/wms")</script>', 20_000)
    page = mining.mine(answer(b"<!doctype html>" + scripts, "text/html"), BOOK)
    assert 1_000 < len(page.links) <= mining.html.MAX_LINKS


@pytest.mark.slow
def test_lists_that_layers_inherit_do_not_multiply() -> None:
    codes = number(b"<CRS>EPSG:#</CRS>", 50_000)
    inner = number(b"<Layer><Name>x#</Name><CRS>EPSG:x#</CRS></Layer>", 40_000)
    survive(WMS % (b"t", b"<Layer>" + codes + inner + b"</Layer>"))
    styles = number(b"<Style><Name>s#</Name></Style>", 20_000)
    inner = number(
        b"<Layer><Name>x#</Name><Style><Name>t#</Name></Style></Layer>", 40_000
    )
    survive(WMS % (b"t", b"<Layer>" + styles + inner + b"</Layer>"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "opening",
    [
        b"<!DOCTYPE a [",
        b"<!DOCTYPE ",
        b"<![CDATA[",
        b"<!--",
        b"<?a ",
        b"{/*",
        b'{"',
        b"[,",
    ],
)
def test_openings_that_nobody_closes_cost_time_in_proportion(opening: bytes) -> None:
    survive(opening * (4_000_000 // len(opening)))
    survive(b"<a>&" + opening * (4_000_000 // len(opening)))


SEEDS = [
    (kind, version) for kind in services.KINDS for version in services.VERSIONS[kind]
]


def document_of(kind: str, version: str) -> tuple[str, str, bytes]:
    endpoint = f"http://gis.town.test{services.endpoint_path(kind, 1)}"
    spec = ServiceSpec(
        kind, version, 1, endpoint, topic="rivers", bbox=Box(5.5, 47.0, 15.0, 55.0)
    )
    url = services.facts(spec).proof_url
    parts = urlsplit(url)
    reply = services.answer(spec, Request("GET", parts.netloc, parts.path, parts.query))
    assert reply is not None
    return url, reply.content_type, reply.body


@pytest.mark.slow
@pytest.mark.hypothesis  # `make fuzz` cuts at five times as many places
@pytest.mark.parametrize(("kind", "version"), SEEDS)
def test_every_prefix_of_a_true_document_is_survived(kind: str, version: str) -> None:
    url, content_type, body = document_of(kind, version)
    cuts = examples(60)
    step = max(1, len(body) // cuts)
    for end in (*range(0, len(body), step), *range(min(cuts, len(body)))):
        read(answer(body[:end], content_type, url))
    verdict, _ = read(answer(body, content_type, url))
    assert (
        any(isinstance(s, Service) for s in verdict.services) or kind in services.LISTS
    )


JUNK = st.sampled_from(
    [
        b"<![CDATA[", b"]]>", b"<!--", b"&x;", b"&#0;", b"\x00", b"\xed\xa0\x80", b"\xff\xfe", b"1e999",
        b"NaN", b"null", b"[]",
        b"{}", b'"', b"<", b">", b"\\ud800", b"http://[", b"xmlns:a=''", b"<!DOCTYPE a [<!ENTITY x 'y'>]>",
        b"", b"9" * 5000,
    ]
)  # fmt: skip


@fuzzed(150)
@given(
    st.sampled_from(SEEDS),
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 200), JUNK), min_size=1, max_size=5
    ),
)
def test_a_true_document_with_wounds_is_survived(
    seed: tuple[str, str], wounds: list[tuple[float, int, bytes]]
) -> None:
    url, content_type, body = document_of(*seed)
    for place, length, junk in wounds:
        start = int(place * len(body))
        body = body[:start] + junk + body[start + length :]
    read(answer(body, content_type, url))
