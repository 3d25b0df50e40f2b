"""Texts too long to be meant are cut where an answer is recognised; all others stay as they are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geohound import app
from geohound.document import Document
from geohound.model import truncation
from geohound.model.service import Layer, Provider, Service
from geohound.model.truncation import LINE_CHARS, REPAIR, TEXT_CHARS, truncate
from geohound.model.visit import Response
from geohound.probe import recognise


def test_a_service_of_usual_length_is_the_very_same() -> None:
    service = Service(
        "wms",
        "http://a.test/",
        title="Rivers",
        abstract="x" * 5_000,
        layers=(Layer("a", "b"),),
    )
    assert truncate(service) is service


def test_what_is_too_long_is_cut_and_said() -> None:
    long = "r" * 100_000
    layers = (Layer("plain"), Layer(long, long, long, (long, "k")))
    service = Service(
        "wms",
        "http://a.test/",
        title=long,
        abstract=long,
        layers=layers,
        provider=Provider(long),
    )
    kept = truncate(service)
    assert (len(kept.title), len(kept.abstract), len(kept.provider.name)) == (
        LINE_CHARS,
        TEXT_CHARS,
        LINE_CHARS,
    )
    assert kept.layers[0] is layers[0]
    layer = kept.layers[1]
    assert (len(layer.name), len(layer.title), len(layer.abstract)) == (
        LINE_CHARS,
        LINE_CHARS,
        TEXT_CHARS,
    )
    assert [len(word) for word in layer.keywords] == [LINE_CHARS, 1]
    assert kept.repairs == (REPAIR,)


def test_a_capabilities_document_with_a_title_of_a_megabyte_is_read_with_a_shorter_one() -> (
    None
):
    body = f"""<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Name>WMS</Name>
    <Title>{"A" * 1_000_000}</Title></Service><Capability><Request><GetMap/></Request>
    <Layer><Title>all</Title><Layer><Name>{"n" * 5_000}</Name><Title>t</Title></Layer></Layer>
    </Capability></WMS_Capabilities>""".encode()
    url = "http://a.test/wms?SERVICE=WMS&REQUEST=GetCapabilities"
    answer = Response(
        url,
        url,
        200,
        {"content-type": "text/xml"},
        body,
        datetime(2026, 1, 1, tzinfo=UTC),
    )
    (service,) = recognise(Document(answer), app.kinds()).services
    assert service.title == "A" * LINE_CHARS
    assert max(len(layer.name) for layer in service.layers) == LINE_CHARS


def test_layers_that_say_too_much_together_keep_their_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(truncation, "SERVICE_CHARS", 1_000)
    layers = tuple(Layer(f"l{n}", "Roads", "a" * 90, ("b" * 10,)) for n in range(30))
    kept = truncate(Service("wms", "http://a.test/", layers=layers))
    assert [layer.name for layer in kept.layers] == [layer.name for layer in layers]
    assert kept.layers[:10] == layers[:10]
    assert not any(layer.abstract or layer.keywords for layer in kept.layers[10:])
    assert kept.repairs == (REPAIR,)


def test_layers_whose_names_alone_are_too_much_are_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(truncation, "SERVICE_CHARS", 1_000)
    layers = tuple(Layer("n" * 50, "t" * 50) for _ in range(30))
    kept = truncate(Service("wms", "http://a.test/", layers=layers))
    assert kept.layers == layers[:10]
    assert kept.repairs == (REPAIR,)
