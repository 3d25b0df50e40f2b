"""What a URL alone says about an OGC service: classifier, filter and first duplicate removal of OSS."""

from __future__ import annotations

import pytest
from books import BOOK
from hypothesis import given
from hypothesis import strategies as st

from geohound.urls import ServiceHint
from geohound.urls.ogc import (
    InvalidUrl,
    invalid_reason,
    newer,
    normalise_oss,
    request_key,
    same_but_for_www_or_version,
)


@pytest.mark.parametrize(
    ("query", "claim", "kind"),
    [
        ("SERVICE=WMS", ServiceHint.CERTAIN, "wms"),
        ("map=x&service=wfs&foo=1", ServiceHint.CERTAIN, "wfs"),
        ("Service=WCS&Request=GetCapabilities", ServiceHint.CERTAIN, "wcs"),
        ("service=WMTS", ServiceHint.CERTAIN, "wmts"),
        ("service=CSW&version=2.0.2", ServiceHint.CERTAIN, "csw"),
        ("a=1&amp;SERVICE=WMS", ServiceHint.CERTAIN, "wms"),
        ("map=x?service=WMS", ServiceHint.CERTAIN, "wms"),
        ("request=GetCapabilities&version=1.1.1", ServiceHint.CERTAIN, ""),
        ("request=capabilities&WMTVER=1.0.0", ServiceHint.CERTAIN, ""),
        ("version=1.0.0&request=GetFeature&typename=a", ServiceHint.CERTAIN, "wfs"),
        ("request=GetMap&layers=a", ServiceHint.CERTAIN, "wms"),
        ("request=GetCapabilities&map=wms.map", ServiceHint.CERTAIN, "wms"),
        ("request=GetCapabilities", ServiceHint.UNCERTAIN, ""),
        ("REQUEST=capabilities", ServiceHint.UNCERTAIN, ""),
        ("request=GetMap", ServiceHint.UNCERTAIN, "wms"),
        ("request=GetFeature", ServiceHint.NO, ""),
        ("service=email", ServiceHint.NO, ""),
        ("page=3", ServiceHint.NO, ""),
        ("", ServiceHint.NO, ""),
    ],
)
def test_parameters_say_certain_uncertain_or_no(
    query: str, claim: ServiceHint, kind: str
) -> None:
    assert BOOK.classify(f"http://a.test/ows?{query}") == (claim, kind)


@pytest.mark.parametrize(
    ("address", "claim", "kind"),
    [
        ("http://a.test/x?myservice=WMSx", ServiceHint.CERTAIN, "wms"),  # check 1
        (
            "http://a.test/x?the_request=GetCapabilities2&map_version=3",
            ServiceHint.CERTAIN,
            "",
        ),  # version pair
        (
            "http://a.test/x?xrequest=GetMap&mylayers=a",
            ServiceHint.CERTAIN,
            "wms",
        ),  # protocol pair
        (
            "http://a.test/geowmsserver/x?request=GetCapabilities",
            ServiceHint.CERTAIN,
            "wms",
        ),  # service pair
        (
            "http://a.test/x?wrequest=getcapabilitiesnow",
            ServiceHint.UNCERTAIN,
            "",
        ),  # check 3
        ("http://a.test/x?request=describe&version=1", ServiceHint.NO, ""),
    ],
)
def test_a_string_counts_wherever_the_url_contains_it(
    address: str, claim: ServiceHint, kind: str
) -> None:
    """Sidsten 2012, section 3.4.2, C1: positive if "both a and b are contained in u"."""
    assert BOOK.classify(address) == (claim, kind)


def test_only_what_has_nothing_but_a_request_is_uncertain() -> None:
    assert BOOK.is_uncertain("http://a.test/x?request=GetMap")
    assert not BOOK.is_uncertain("http://a.test/x?request=GetMap&layers=a")
    assert not BOOK.is_uncertain("http://a.test/geoserver/ows?request=GetMap")
    assert not BOOK.is_uncertain("http://a.test/x?page=2")


def test_the_name_of_a_service_in_the_path_helps_only_beside_a_request() -> None:
    assert BOOK.classify("http://a.test/wms?REQUEST=GetCapabilities") == (
        ServiceHint.CERTAIN,
        "wms",
    )
    assert BOOK.classify("http://a.test/wms") == (ServiceHint.NO, "")
    assert BOOK.classify("http://a.test/forms?REQUEST=GetCapabilities") == (
        ServiceHint.UNCERTAIN,
        "",
    )


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("ftp://a.test/", InvalidUrl.SCHEME),
        ("a.test/wms", InvalidUrl.SCHEME),
        ("", InvalidUrl.SCHEME),
        (
            "http://a.test/wms&service=WMS&request=GetCapabilities",
            InvalidUrl.NO_QUESTION_MARK,
        ),
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
def test_the_standard_format_does_the_ten_and_the_two(
    written: str, formatted: str
) -> None:
    assert normalise_oss(written, BOOK) == formatted


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://www.a.test/ows?service=WMS", "http://a.test/ows?service=WMS"),
        (
            "http://a.test/ows?service=WMS&version=1.1.1",
            "http://a.test/ows?VERSION=1.3.0&service=WMS",
        ),
        (
            "http://www.a.test/ows?service=WMS&version=1.1.1",
            "http://a.test/ows?service=WMS",
        ),
        (
            "http://a.test/ows?service=WMS&request=GetMap&layers=a",
            "http://a.test/ows?request=GetCapabilities&service=wms",
        ),
    ],
)
def test_www_and_version_alone_make_no_second_service(first: str, second: str) -> None:
    assert same_but_for_www_or_version(first, second, BOOK)
    assert request_key(first, BOOK) == request_key(second, BOOK)


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
    assert not same_but_for_www_or_version(first, second, BOOK)


def test_the_higher_version_is_kept_and_else_the_first() -> None:
    old = "http://a.test/?service=WMS&version=1.1.1"
    new = "http://a.test/?service=WMS&VERSION=1.3.0"
    assert newer(old, new) == newer(new, old) == new
    assert newer("http://www.a.test/", "http://a.test/") == "http://www.a.test/"
    assert (
        newer("http://a.test/?version=1.10.0", "http://a.test/?version=1.9.0")
        == "http://a.test/?version=1.10.0"
    )


ODD = st.text(max_size=80) | st.text(
    st.sampled_from("htp:/[].?&=%1fservicewms#@ "), max_size=40
).map("http://a".__add__)


@given(ODD)
def test_no_text_whatever_upsets_them(text: str) -> None:
    assert BOOK.classify(text)[0] in ServiceHint
    assert invalid_reason(text) is None or invalid_reason(text) in InvalidUrl
    assert newer(text, text) == text
    assert same_but_for_www_or_version(text, text, BOOK)
    assert isinstance(normalise_oss(text, BOOK), str)
