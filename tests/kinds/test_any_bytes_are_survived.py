"""No bytes whatever break a reader, and hostile ones cost little time and memory."""

from __future__ import annotations

import time
import tracemalloc
from datetime import UTC, datetime

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st

from geohound import plugins
from geohound.document import Document, safe_xml
from geohound.document.refusals import judge
from geohound.model.service import Service
from geohound.model.visit import Response
from geoweb import services
from geoweb.box import Box
from geoweb.protocol import Request, ServiceSpec

URL = "http://x.test/ows"
OWS = ("wms", "wfs", "wcs", "wmts", "wps", "csw", "sos")


def read_all(body: bytes) -> list[Service]:
    document = Document(
        Response(URL, URL, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC))
    )
    answers = [kind.read(document) for kind in plugins.discover("kinds").values()]
    judge(document)
    return [a for a in answers if isinstance(a, Service)]


def capture(kind: str) -> bytes:
    endpoint = f"http://gis.test{services.endpoint_path(kind, 3)}"
    spec = ServiceSpec(
        kind,
        services.VERSIONS[kind][-1],
        3,
        endpoint,
        topic="rivers",
        bbox=Box(5, 47, 15, 55),
    )
    address = services.facts(spec).proof_url.partition("http://gis.test")[2]
    path, _, query = address.partition("?")
    reply = services.answer(spec, Request("GET", "gis.test", path, query))
    assert reply is not None
    return reply.body


CAPTURES = {kind: capture(kind) for kind in OWS}


@given(st.binary(max_size=300))
def test_random_bytes_are_no_service(body: bytes) -> None:
    assert read_all(body) == []


@given(st.text(alphabet="<>/?!&;#\"'=[]{}-: \nAaCWxm1\x00\ufeff", max_size=120))
def test_random_markup_is_survived(text: str) -> None:
    read_all(text.encode())
    read_all(b"<WMS_Capabilities version='1.3.0'><Capability><Layer>" + text.encode())


@pytest.mark.parametrize("kind", OWS)
def test_any_beginning_of_a_document_is_survived_and_never_another_kind(
    kind: str,
) -> None:
    body = CAPTURES[kind]
    for end in range(0, len(body), max(1, len(body) // 60)):
        assert {s.kind for s in read_all(body[:end])} <= {kind, "wcps"}


@fuzzed(60)
@given(st.sampled_from(OWS), st.data())
def test_a_mutated_document_is_survived(kind: str, data: st.DataObject) -> None:
    body = bytearray(CAPTURES[kind])
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(body) - 1))
        length = data.draw(st.integers(0, 30))
        body[start : start + length] = data.draw(st.binary(max_size=20))
    read_all(bytes(body))


def test_entity_bombs_neither_expand_nor_take_time() -> None:
    laughs = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    bomb = f'<!DOCTYPE x [<!ENTITY e0 "ha">{laughs}]><WMS_Capabilities><Service><Title>%s</Title>'
    for place in ("&e12;", "<a b='&e12;'/>"):
        start = time.perf_counter()
        found = read_all((bomb % place).encode() + b"</Service></WMS_Capabilities>")
        assert time.perf_counter() - start < 2
        assert all(len(s.title) < 1000 for s in found)


def test_bombs_in_attributes_of_layers_are_not_expanded() -> None:
    laughs = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    body = (
        f'<!DOCTYPE x [<!ENTITY e0 "ha">{laughs}]><WMS_Capabilities version="1.3.0"><Capability><Layer>'
        '<Name>a</Name><BoundingBox CRS="&e9;" minx="&e9;" miny="1" maxx="2" maxy="3"/></Layer></Capability>'
        "</WMS_Capabilities>"
    )
    tracemalloc.start()
    start = time.perf_counter()
    read_all(body.encode())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.perf_counter() - start < 2
    assert peak < 20_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "tag",
    [
        b"<Layer></b>",
        b"<a b:c='' b:c=''/>",
        b"&a;",
        b"a='' ",
        b"]]>",
        b"<!-- x -->",
        b"<?x?>",
    ],
)
def test_eight_megabytes_of_errors_are_bounded(tag: bytes) -> None:
    before = b"<WMS_Capabilities version='1.3.0'><Capability><Layer " + (
        b"" if tag == b"a='' " else b">"
    )
    start = time.thread_time()
    read_all((before + tag * (8_000_000 // len(tag)))[: safe_xml.LARGE_BYTES])
    assert time.thread_time() - start < 5


def test_deep_nesting_is_bounded() -> None:
    for opening in (b"<Layer>", b"<a>", b"[", b'{"a":'):
        start = time.perf_counter()
        read_all(b"<WMS_Capabilities><Capability>" + opening * 200_000)
        read_all(opening * 200_000)
        assert time.perf_counter() - start < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "tag"),
    [
        (b"<a>", b"<a/>"),
        (b"<WMS_Capabilities version='1.3.0'><Capability>", b"<a/>"),
        (b"<WMS_Capabilities version='1.3.0'><Capability>", b"<Layer/>"),
        (b"<WMS_Capabilities version='1.3.0'><Capability>", b"<Layer>"),
        (b"<WMS_Capabilities version='1.3.0'><Capability><Layer>", b"<CRS/>"),
        (b"<WMS_Capabilities version='1.3.0'><Capability><Layer ", b"a='' "),
        (b"<WMS_Capabilities version='1.3.0'><Capability>", b"<Layer></b>"),
        (b"<WMS_Capabilities version='1.3.0'><Capability><Layer><Name>", b"&"),
        (b"<html>", b"<p>"),
        (b"", b"<!--"),
        (b"", b"&"),
    ],
)
def test_a_hundred_megabytes_of_one_tag_cost_two_seconds_at_most(
    before: bytes, tag: bytes
) -> None:
    body = before + tag * (100_000_000 // len(tag))
    document = Document(
        Response(URL, URL, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC))
    )
    start = time.thread_time()
    plugins.discover("kinds")["wms"].read(document)
    assert time.thread_time() - start < 2


LAYER = (
    "<Layer queryable='1'><Name>l{n}</Name><Title>Layer {n}</Title><Abstract>{filler}</Abstract>"
    "<CRS>EPSG:4326</CRS>"
    "<EX_GeographicBoundingBox><westBoundLongitude>5</westBoundLongitude><eastBoundLongitude>6</eastBoundLongitude>"
    "<southBoundLatitude>7</southBoundLatitude><northBoundLatitude>8</northBoundLatitude></EX_GeographicBoundingBox>"
    "<Style><Name>s</Name></Style></Layer>\n"
)


@pytest.mark.slow
def test_sixty_megabytes_with_fifty_thousand_layers_are_read_without_the_whole_tree() -> (
    None
):
    filler = "water " * 140
    layers = "".join(LAYER.format(n=n, filler=filler) for n in range(50_000))
    body = (
        "<WMS_Capabilities version='1.3.0' xmlns='http://www.opengis.net/wms'><Service><Title>Big</Title></Service>"
        f"<Capability><Layer><Title>g</Title><CRS>CRS:84</CRS>{layers}</Layer></Capability></WMS_Capabilities>"
    ).encode()
    del layers
    assert len(body) > 58_000_000
    live: list[int] = []

    def spy(element: safe_xml.Element) -> str:
        if len(live) < 50 or len(live) % 1000 == 0:
            parent = element.getparent()
            siblings = parent.iterchildren() if parent is not None else ()
            live.append(sum(1 for s in list(siblings)[-200:] if len(s)))
        else:
            live.append(0)
        return ""

    skimmed = safe_xml.skim(body, frozenset({"Layer"}), spy)
    assert len(skimmed.items) == 50_000
    # Of all layers before it, hardly any has content left: only those in the chunk being read.
    assert max(live) <= 200
    assert skimmed.root is not None
    assert float(skimmed.root.xpath("count(//*)")) < 51_000
    url_answer = Response(URL, URL, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC))
    found = plugins.discover("kinds")["wms"].read(Document(url_answer))
    assert isinstance(found, Service)
    assert len(found.layers) == 50_000
    assert found.layers[-1].crs == ("CRS:84", "EPSG:4326")
    assert found.layers[0].parent == "g"
    assert not found.layers_truncated


@pytest.mark.slow
def test_reading_stops_where_the_budget_says() -> None:
    layers = "".join(
        f"<Layer><Name>l{n}</Name></Layer>" for n in range(safe_xml.MAX_ITEMS + 500)
    )
    body = f"<WMS_Capabilities><Capability><Layer>{layers}</Layer></Capability></WMS_Capabilities>"
    body += " " * safe_xml.LARGE_BYTES
    for text in (body, body.strip()):
        (found,) = read_all(text.encode())
        assert len(found.layers) == safe_xml.MAX_ITEMS
        assert found.layers_truncated
