"""What a URL alone says about an OGC service: classifier, filter and first duplicate removal of OSS."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.urls.ogc import (
    Claim,
    InvalidUrl,
    classify_ogc,
    invalid_reason,
    newer,
    normalise_oss,
    request_key,
    same_but_for_www_or_version,
)


@pytest.mark.parametrize(
    ("query", "claim", "kind"),
    [
        ("SERVICE=WMS", Claim.CERTAIN, "wms"),
        ("map=x&service=wfs&foo=1", Claim.CERTAIN, "wfs"),
        ("Service=WCS&Request=GetCapabilities", Claim.CERTAIN, "wcs"),
        ("service=WMTS", Claim.CERTAIN, "wmts"),
        ("service=CSW&version=2.0.2", Claim.CERTAIN, "csw"),
        ("a=1&amp;SERVICE=WMS", Claim.CERTAIN, "wms"),
        ("map=x?service=WMS", Claim.CERTAIN, "wms"),
        ("request=GetCapabilities&version=1.1.1", Claim.CERTAIN, ""),
        ("request=capabilities&WMTVER=1.0.0", Claim.CERTAIN, ""),
        ("version=1.0.0&request=GetFeature&typename=a", Claim.CERTAIN, "wfs"),
        ("request=GetMap&layers=a", Claim.CERTAIN, "wms"),
        ("request=GetCapabilities&map=wms.map", Claim.CERTAIN, "wms"),
        ("request=GetCapabilities", Claim.UNCERTAIN, ""),
        ("REQUEST=capabilities", Claim.UNCERTAIN, ""),
        ("request=GetMap", Claim.UNCERTAIN, "wms"),
        ("request=GetFeature", Claim.NO, ""),
        ("service=email", Claim.NO, ""),
        ("service=wmsx", Claim.NO, ""),
        ("myservice=WMS", Claim.NO, ""),
        ("page=3", Claim.NO, ""),
        ("", Claim.NO, ""),
    ],
)
def test_parameters_say_certain_uncertain_or_no(query: str, claim: Claim, kind: str) -> None:
    assert classify_ogc(f"http://a.test/ows?{query}") == (claim, kind)


def test_the_name_of_a_service_in_the_path_helps_only_beside_a_request() -> None:
    assert classify_ogc("http://a.test/wms?REQUEST=GetCapabilities") == (Claim.CERTAIN, "wms")
    assert classify_ogc("http://a.test/wms") == (Claim.NO, "")
    assert classify_ogc("http://a.test/forms?REQUEST=GetCapabilities") == (Claim.UNCERTAIN, "")


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("ftp://a.test/", InvalidUrl.SCHEME),
        ("a.test/wms", InvalidUrl.SCHEME),
        ("", InvalidUrl.SCHEME),
        ("http://a.test/wms&service=WMS&request=GetCapabilities", InvalidUrl.NO_QUESTION_MARK),
        ("http://", InvalidUrl.ONLY_SCHEME),
        ("https:", InvalidUrl.ONLY_SCHEME),
        ("http://?service=WMS", InvalidUrl.ONLY_SCHEME),
        ("http://10.1.2.3/wms", InvalidUrl.RESERVED_ADDRESS),
        ("http://0x7f.1/wms", InvalidUrl.RESERVED_ADDRESS),
        ("http://[::1]/wms", InvalidUrl.RESERVED_ADDRESS),
        ("http://[::ffff:192.168.0.1]/", InvalidUrl.RESERVED_ADDRESS),
        ("http://169.254.1.1/", InvalidUrl.RESERVED_ADDRESS),
        ("http://224.0.0.1/", InvalidUrl.RESERVED_ADDRESS),
        ("http://localhost:8080/geoserver", InvalidUrl.RESERVED_ADDRESS),
        ("http://a.test:65536/", InvalidUrl.PORT),
        ("http://a.test:-1/", InvalidUrl.PORT),
        ("http://a.test:99999999999999999999/", InvalidUrl.PORT),
        ("http://a.test:8o/", InvalidUrl.PORT),
        ("http://a.test/<b>", InvalidUrl.CHARACTERS),
        ("http://a.test/{z}/{x}/{y}", InvalidUrl.CHARACTERS),
        ("http://a.test/\x01", InvalidUrl.CHARACTERS),
        ("http://a^b.test/", InvalidUrl.CHARACTERS),
    ],
)
def test_each_of_the_six_reasons_is_named(address: str, reason: InvalidUrl) -> None:
    assert invalid_reason(address) is reason


@pytest.mark.parametrize(
    "address",
    [
        "http://a.test/wms?service=WMS", "https://a.test:65535/", "http://8.8.8.8/wms", "http://a.test/a b/ü",
        "http://a.test/R&D/", "http://a.test/x?a=b&c=d", "http://user:p@a.test/", "http://[2606:4700::1111]/",
    ],
)  # fmt: skip
def test_a_sound_url_has_no_reason_against_it(address: str) -> None:
    assert invalid_reason(address) is None


@pytest.mark.parametrize(
    ("written", "formatted"),
    [
        ("http://p.test/?url=http%3A%2F%2Fb.test%2Fx", "http://b.test/x"),
        ("HTTP://A.Test/Path", "http://a.test/Path"),
        ("http://a.test/%7ex%c3%bc", "http://a.test/~x%C3%BC"),
        ("http://a.test/x#top", "http://a.test/x"),
        ("http://a.test//x///y", "http://a.test/x/y"),
        ("a.test/x", "http://a.test/x"),
        ("http://a.test:80/x", "http://a.test/x"),
        ("http://a.test/x/./y/../z", "http://a.test/x/z"),
        ("http://a.test/x?b=1?a=2", "http://a.test/x?a=2&b=1"),
        ("http://a.test/x?b=1&a=2", "http://a.test/x?a=2&b=1"),
        (
            "http://a.test/x?SERVICE=wms&REQUEST=GetMap&LAYERS=a&map=m&VERSION=1.1.1",
            "http://a.test/x?map=m&request=GetCapabilities&service=WMS&version=1.1.1",
        ),
    ],
)
def test_the_standard_format_does_the_ten_and_the_two(written: str, formatted: str) -> None:
    assert normalise_oss(written) == formatted


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://www.a.test/ows?service=WMS", "http://a.test/ows?service=WMS"),
        ("http://a.test/ows?service=WMS&version=1.1.1", "http://a.test/ows?VERSION=1.3.0&service=WMS"),
        ("http://www.a.test/ows?service=WMS&version=1.1.1", "http://a.test/ows?service=WMS"),
        (
            "http://a.test/ows?service=WMS&request=GetMap&layers=a",
            "http://a.test/ows?request=GetCapabilities&service=wms",
        ),
    ],
)
def test_www_and_version_alone_make_no_second_service(first: str, second: str) -> None:
    assert same_but_for_www_or_version(first, second)
    assert request_key(first) == request_key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://a.test/ows?service=WMS", "http://a.test/ows?service=WFS"),
        ("http://a.test/ows?service=WMS&map=a", "http://a.test/ows?service=WMS&map=b"),
        ("http://a.test/ows?service=WMS", "http://b.test/ows?service=WMS"),
        ("http://a.test/one?service=WMS", "http://a.test/two?service=WMS"),
        ("http://a.test/ows?service=WMS", "https://a.test/ows?service=WMS"),
    ],
)
def test_other_differences_count(first: str, second: str) -> None:
    assert not same_but_for_www_or_version(first, second)


def test_the_higher_version_is_kept_and_else_the_first() -> None:
    old, new = "http://a.test/?service=WMS&version=1.1.1", "http://a.test/?service=WMS&VERSION=1.3.0"
    assert newer(old, new) == newer(new, old) == new
    assert newer("http://www.a.test/", "http://a.test/") == "http://www.a.test/"
    assert newer("http://a.test/?version=1.10.0", "http://a.test/?version=1.9.0") == "http://a.test/?version=1.10.0"


ODD = st.text(max_size=80) | st.text(st.sampled_from("htp:/[].?&=%1fservicewms#@ "), max_size=40).map(
    "http://a".__add__
)


@given(ODD)
def test_no_text_whatever_upsets_them(text: str) -> None:
    assert classify_ogc(text)[0] in Claim
    assert invalid_reason(text) is None or invalid_reason(text) in InvalidUrl
    assert newer(text, text) == text
    assert same_but_for_www_or_version(text, text)
    assert isinstance(normalise_oss(text), str)
