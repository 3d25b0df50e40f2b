"""URLs keep one spelling, by the URL standard, and lose nothing that a server could tell apart."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geohound import urls
from geohound.urls import (
    canonical,
    embedded,
    endpoint,
    params_lower,
    shape,
    site,
    with_params,
)

WEB_ADDRESS = st.builds(
    lambda scheme, host, rest: f"{scheme}://{host}/{rest}",
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(
        [
            "a.test",
            "A.Test.",
            "u:p@a.test:80",
            "1.2.3.4..",
            "0x7f.1..",
            "münchen.test",
            "[::1]:8080",
        ]
    ),
    st.text(st.sampled_from("ab/.;?&=#%0124eE7~+ü sid{}jessonamp"), max_size=40),
)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("HTTP://GIS.Example.ORG/Path", "http://gis.example.org/Path"),
        ("http://example.org", "http://example.org/"),
        ("http://example.org:80/a", "http://example.org/a"),
        ("https://example.org:443/a", "https://example.org/a"),
        ("http://example.org:443/a", "http://example.org:443/a"),
        ("http://example.org:/a", "http://example.org/a"),
        ("http://example.org./a", "http://example.org/a"),
        ("http://example.org.:8080/a", "http://example.org:8080/a"),
        ("http://user:secret@example.org/a", "http://example.org/a"),
        ("http:\\\\example.org\\a\\b", "http://example.org/a/b"),
        ("ht\ttp://exam\nple.org/a\r\nb", "http://example.org/ab"),
        (" \t http://example.org/a \n", "http://example.org/a"),
        ("http:example.org/a", "http://example.org/a"),
        ("http:////example.org/a", "http://example.org/a"),
        ("http://example.org/a/./b/../c", "http://example.org/a/c"),
        ("http://example.org/a/%2e%2E/c", "http://example.org/c"),
        ("http://example.org/../../c", "http://example.org/c"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/%7euser/%c3%bc", "http://example.org/~user/%C3%BC"),
        ("http://example.org/ü?q=ü", "http://example.org/%C3%BC?q=%C3%BC"),
        ("http://example.org/a%2Fb", "http://example.org/a%2Fb"),
        ("http://example.org/a?b=100%", "http://example.org/a?b=100%"),
        ("http://example.org/a#part", "http://example.org/a"),
        ("http://example.org/a?#", "http://example.org/a"),
        ("http://Bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://faß.example/", "http://xn--fa-hia.example/"),
        ("http://ＧＯ.com/", "http://go.com/"),
        ("http://%65xample.org/", "http://example.org/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0300.0250.0.1/", "http://192.168.0.1/"),
        ("http://1.2.3/", "http://1.2.0.3/"),
        ("http://[0:0::0:1]:80/", "http://[::1]/"),
        ("http://[::FFFF:1.2.3.4]/", "http://[::ffff:102:304]/"),
    ],
)
def test_an_address_is_read_as_the_url_standard_reads_it(
    written: str, kept: str
) -> None:
    assert canonical(written) == kept


@pytest.mark.parametrize(
    "written",
    [
        "", "   ", "/relative", "mailto:a@b.test", "javascript:void(0)", "ftp://a.test/", "data:text/plain,http://a.test",
        "http://", "http://a.test:99999/", "http://a.test:x/", "http://a b.test/", "http://[::1/", "http://256.1.1.1/",
        "http://a<b.test/", "http://.../", "file:///etc/passwd", "\ud800", "http://a.test/\ud800",
    ],
)  # fmt: skip
def test_what_is_no_web_address_has_no_canonical_form(written: str) -> None:
    assert canonical(written) is None


@pytest.mark.parametrize(
    ("written", "base", "kept"),
    [
        ("b?x=1", "http://a.test/dir/page", "http://a.test/dir/b?x=1"),
        ("../b", "http://a.test/dir/sub/", "http://a.test/dir/b"),
        ("//c.test/b", "https://a.test/", "https://c.test/b"),
        ("?x=1", "http://a.test/p?y=2#z", "http://a.test/p?x=1"),
        ("https://c.test", "http://a.test/", "https://c.test/"),
        ("#top", "http://a.test/p", "http://a.test/p"),
    ],
)
def test_a_relative_address_is_read_from_its_page(
    written: str, base: str, kept: str
) -> None:
    assert canonical(written, base) == kept


def test_a_base_that_is_no_address_gives_nothing() -> None:
    assert canonical("b", "not an address") is None


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("http://a.test/p;jsessionid=1F?x=1", "http://a.test/p?x=1"),
        ("http://a.test/x/..;sid=3/y", "http://a.test/y"),
        (
            "http://a.test/p?PHPSESSID=1&x=1&utm_source=m&fbclid=q",
            "http://a.test/p?x=1",
        ),
        ("http://a.test/p?&&x=1&&y=2&", "http://a.test/p?x=1&y=2"),
        ("http://a.test/p?x=1&amp;amp;y=2&amp;", "http://a.test/p?x=1&y=2"),
        ("http://a.test/p?sid=9", "http://a.test/p"),
        ("http://a.test/p?side=9&fields=sid", "http://a.test/p?side=9&fields=sid"),
        ("http://a.test/p?%73id=9", "http://a.test/p"),
    ],
)
def test_sessions_trackers_and_empty_parts_are_no_part_of_an_address(
    written: str, kept: str
) -> None:
    assert canonical(written) == kept


@pytest.mark.parametrize(
    "written",
    [
        "http://a.test/a//b",
        "http://a.test/proxy/http://b.test/x",
        "http://a.test/p?b=2&a=1",
        "http://a.test/p?map=x?service=WMS",
        "http://a.test/p?url=http://b.test/",
        "http://a.test/Case?Case=Case",
        "http://a.test/p?a=1&a=2",
    ],
)
def test_what_a_server_could_tell_apart_is_kept(written: str) -> None:
    assert canonical(written) == written


@given(st.one_of(st.text(max_size=60), WEB_ADDRESS))
@example("http://a.test/%%341")
@example("http://a.test/%4%31")
@example("http://a.test/?amp;amp;sid=1")
@example("http://0x7f.1../")
def test_canonical_never_raises_and_its_own_output_stays(text: str) -> None:
    once = canonical(text)
    if once is not None:
        assert canonical(once) == once
        assert "#" not in once


@given(WEB_ADDRESS)
def test_the_endpoint_of_an_endpoint_is_itself(address: str) -> None:
    assert endpoint(endpoint(address)) == endpoint(address)


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(
    WEB_ADDRESS,
    st.dictionaries(
        NAMES.map(str.lower),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
        max_size=4,
    ),
)
def test_parameters_that_were_set_are_read_back(
    address: str, wanted: dict[str, str]
) -> None:
    wanted = {k: v for k, v in wanted.items() if k == k.lower()}
    found = params_lower(with_params(address, wanted))
    assert {k: found[k] for k in wanted} == wanted


def test_parameters_are_replaced_whatever_their_case_and_others_are_kept() -> None:
    address = with_params(
        "http://a.test/ows?MAP=/x.map&Service=WFS#top",
        {"SERVICE": "WMS", "request": "GetCapabilities"},
    )
    assert address == "http://a.test/ows?MAP=/x.map&SERVICE=WMS&request=GetCapabilities"


def test_the_endpoint_keeps_what_belongs_to_the_vendor() -> None:
    asked = "http://a.test/cgi?SERVICE=WMS&token=t&map=/x.map&REQUEST=GetMap&LAYERS=a&BBOX=1,2,3,4"
    assert endpoint(asked) == "http://a.test/cgi?map=/x.map&token=t"
    assert (
        endpoint("http://a.test/ows?service=WFS&request=GetCapabilities")
        == "http://a.test/ows"
    )


@pytest.mark.parametrize(
    ("written", "inside"),
    [
        ("http://p.test/?url=http://b.test/wms", ["http://b.test/wms"]),
        (
            "http://p.test/?a=1&url=http%3A%2F%2Fb.test%2Fwms%3Fmap%3Dx",
            ["http://b.test/wms?map=x"],
        ),
        ("http://p.test/?url=http%253A%252F%252Fb.test%252Fwms", ["http://b.test/wms"]),
        (
            "http://p.test/proxy.php?http://b.test/wms?service=WMS&x=1",
            ["http://b.test/wms?service=WMS&x=1"],
        ),
        ("http://p.test/proxy.php?http%3A%2F%2Fb.test%2Fwms", ["http://b.test/wms"]),
        (
            "http://p.test/?a=HTTP://b.test/&b=https://c.test/",
            ["http://b.test/", "https://c.test/"],
        ),
        ("http://p.test/?url=ftp://b.test/", []),
        ("http://p.test/?q=see+http://b.test/", []),
        ("http://p.test/http://b.test/", []),
    ],
)
def test_addresses_inside_parameters_are_taken_out(
    written: str, inside: list[str]
) -> None:
    assert embedded(written) == inside


@pytest.mark.parametrize(
    "address",
    [
        "http://a.test/photo.JPG", "http://a.test/x.tar.gz", "http://a.test/report.pdf?v=2", "http://a.test/fonts/a.woff2",
        "http://a.test/2012/05/03.jpg", "http://a.test/data/big.nc", "http://a.test/3/9/1.png",
    ],
)  # fmt: skip
def test_media_archives_and_documents_are_never_services(address: str) -> None:
    assert urls.looks_like_media(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://a.test/", "http://a.zip", "http://a.test/page.html", "http://a.test/wms.php?f=x.png", "http://a.test/v1.0",
        "http://a.test/tiles/3/4/1.png", "http://a.test/catalog.xml", "http://a.test/doc.kml", "http://a.test/app.js",
        "http://a.test/thredds/dodsC/big.nc",
    ],
)  # fmt: skip
def test_pages_services_tiles_and_scripts_are_not_media(address: str) -> None:
    assert not urls.looks_like_media(address)


def test_pages_of_one_generator_share_a_shape() -> None:
    assert shape("http://a.test/cal/2024/05?day=3&month=7") == shape(
        "http://a.test/cal/1999/11?month=1&day=28"
    )
    assert shape("http://a.test/r/6f9619ff-8b86-d011-b42d-00c04fc964ff") == shape(
        "http://a.test/r/12"
    )
    assert shape("http://a.test/a?x=1") != shape("http://a.test/a?y=1")
    assert shape("http://a.test/facade") != shape("http://a.test/decade")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.org/news/2026/01/02", "http://a.org/news/1999/12/31"),
        ("http://a.org/p?id=1&lang=de", "http://a.org/p?lang=fr&id=77"),
        ("http://a.org/d/0f8fad5b-d9cb-469f-a165-70867728950e", "http://a.org/d/7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ("http://a.org/p?page1=x", "http://a.org/p?PAGE22=y"),
        ("http://a.org/c/9f86d081884c7d659a2feaa0c55ad015", "http://a.org/c/60303ae22b998861bce3b28f33eec1be"),
    ],
)  # fmt: skip
def test_urls_that_differ_in_ids_have_one_shape(one: str, other: str) -> None:
    assert shape(one) == shape(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.org/roads", "http://a.org/rivers"),
        ("http://a.org/1", "http://b.org/1"),
        ("http://a.org/p?id=1", "http://a.org/p?id=1&page=2"),
        ("http://a.org/wiki/%E5%9C%9F", "http://a.org/wiki/%E5%9C%9D"),
        ("http://a.org", "http://a.org/x"),
    ],
)
def test_urls_that_differ_in_words_have_different_shapes(one: str, other: str) -> None:
    assert shape(one) != shape(other)


@given(st.text())
def test_any_text_has_a_shape(text: str) -> None:
    assert isinstance(shape(text), str)


@pytest.mark.parametrize(
    "path", ["a/b/a/b/a/b", "x/a/a/a", "a/b/c/a/b/c/a/b/c/d", "q/" * 5000]
)
def test_a_path_that_runs_in_circles_is_seen(path: str) -> None:
    assert urls.repeats_path(f"http://h.test/{path}")


@pytest.mark.parametrize(
    "path", ["", "a/b/a/b", "a/a", "tiles/1/1/1", "a/b/a/c/a/d", "a?x=a/a/a/a"]
)
def test_a_path_that_merely_resembles_itself_is_no_trap(path: str) -> None:
    assert not urls.repeats_path(f"http://h.test/{path}")


@pytest.mark.parametrize(
    ("address", "owner"),
    [
        ("https://maps.gov.uk.example.co.uk/x", "example.co.uk"),
        ("http://a.b.example.com:8080/", "example.com"),
        ("http://someone.github.io/", "someone.github.io"),
        ("http://gis.town.test/", "town.test"),
        ("http://127.0.0.1:8080/", "127.0.0.1"),
        ("http://[::1]:8080/", "::1"),
        ("http://localhost/", "localhost"),
        ("http://co.uk/", "co.uk"),
        ("nonsense", ""),
    ],
)
def test_a_site_is_the_registered_domain(address: str, owner: str) -> None:
    assert site(address) == owner


@given(st.one_of(st.text(max_size=60), WEB_ADDRESS))
def test_no_text_whatever_upsets_the_marks(text: str) -> None:
    assert urls.looks_like_media(text) in (True, False)
    assert urls.repeats_path(text) in (True, False)
    assert all(isinstance(f(text), str) for f in (shape, site, urls.host))
    assert all(canonical(inner) == inner for inner in embedded(text))
