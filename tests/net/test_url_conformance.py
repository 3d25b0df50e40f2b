"""Who is asked: the host in a URL by the URL standard, case by case, and the same in what libcurl then sends.

A guard that reads one host where the client reads another guards nothing. The cases are our own, from the standard.
"""

from __future__ import annotations

import asyncio

import ada_url
import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from polite import behaving, bounded

from geohound.net import address_guard
from geohound.net.address_guard import Guard, Target, parse_target
from geohound.net.connect_to import Route
from geohound.net.fetcher import CurlFetcher
from geohound.urls import canonical
from geohound.urls import host as host_of

# Input, and the host that the standard's parser finds; a dash where it finds an error (or we refuse what it finds).
HOSTS = r"""
http://example.com/ | example.com
http://EXAMPLE.com/ | example.com
HTTP://example.COM | example.com
http://example.com. | example.com.
http://example.com.:80/ | example.com.
http://example.com:80/ | example.com
https://example.com:443/ | example.com
http://example.com:443/ | example.com:443
http://example.com:0080/ | example.com
http://example.com:/ | example.com
http://example.com:00000000000000000081/ | example.com:81
http://example.com:65535/ | example.com:65535
http://example.com:65536/ | -
http://example.com:8a/ | -
http://example.com:-1/ | -
http://example.com: 80/ | -
http:example.com/ | example.com
http:/example.com/ | example.com
http:///example.com/ | example.com
http:////example.com/ | example.com
http:\\example.com\a | example.com
http:/\example.com/ | example.com
http://example.com\@evil.example/ | example.com
http://example.com\.evil.example/ | example.com
http://example.com/@evil.example/ | example.com
http://example.com?@evil.example/ | example.com
http://example.com#@evil.example/ | example.com
http://example.com;@evil.example/ | -
http://user@example.com/ | -
http://user:pass@example.com/ | -
http://:@example.com/ | example.com
http://@example.com/ | example.com
http://a@b@example.com/ | -
http://example.com%00.evil.example/ | -
http://exam%70le.com/ | example.com
http://ex%61mple%2Ecom/ | example.com
http://example%2ecom:8080/ | example.com:8080
http://example.com%2F.evil.example/ | -
http://example.com%3A80/ | -
http://example.com%40evil.example/ | -
http://example.com%5Cevil.example/ | -
http://exam%20ple.com/ | -
http://exam ple.com/ | -
http://exam<ple.com/ | -
http://exam>ple.com/ | -
http://exam^ple.com/ | -
http://exam|ple.com/ | -
http://exam[ple.com/ | -
http://exam]ple.com/ | -
http://exam%ple.com/ | -
http://exam#ple.com/ | exam
http://exam?ple.com/ | exam
http://exam_ple.com/ | exam_ple.com
http://-example-.com/ | -example-.com
http://a--b.example/ | a--b.example
http://a..example/ | a..example
http://.example/ | .example
http://./ | -
http://../ | -
http:// / | -
http:///// | -
http:// | -
http://? | -
http://# | -
http://ex!ample.com/ | ex!ample.com
http://ex$ample.com/ | ex$ample.com
http://ex&ample.com/ | ex&ample.com
http://ex'ample.com/ | ex'ample.com
http://ex(am)ple.com/ | ex(am)ple.com
http://ex*ample.com/ | ex*ample.com
http://ex+ample.com/ | ex+ample.com
http://ex,ample.com/ | ex,ample.com
http://ex;ample.com/ | ex;ample.com
http://ex=ample.com/ | ex=ample.com
http://ex~ample.com/ | ex~ample.com
http://ex`ample.com/ | ex`ample.com
http://ex{am}ple.com/ | ex{am}ple.com
http://ex"ample.com/ | ex"ample.com
http://bücher.example/ | xn--bcher-kva.example
http://BÜCHER.example/ | xn--bcher-kva.example
http://b%C3%BCcher.example/ | xn--bcher-kva.example
http://xn--bcher-kva.example/ | xn--bcher-kva.example
http://XN--BCHER-KVA.example/ | xn--bcher-kva.example
http://faß.example/ | xn--fa-hia.example
http://日本語。jp/ | xn--wgv71a119e.jp
http://日本語．jp/ | xn--wgv71a119e.jp
http://ｅｘａｍｐｌｅ.com/ | example.com
http://exa­mple.com/ | example.com
http://ⓔⓧⓐⓜⓟⓛⓔ.com/ | example.com
http://℡.example/ | tel.example
http://ﬀ.example/ | ff.example
http://xn--/ | -
http://xn--mnchen-3ya.example/ | xn--mnchen-3ya.example
http://xn--a-ecp.ru/ | xn--a-ecp.ru
http://a.xn--99999999/ | -
http://xn--a/ | -
http://a.xn--zz-/ | -
http://1.2.3.4/ | 1.2.3.4
http://1.2.3.4./ | 1.2.3.4
http://1.2.772/ | 1.2.3.4
http://1.131844/ | 1.2.3.4
http://16909060/ | 1.2.3.4
http://0x01020304/ | 1.2.3.4
http://0x1.0x2.0x3.0x4/ | 1.2.3.4
http://0X1.2.3.4/ | 1.2.3.4
http://01.02.03.04/ | 1.2.3.4
http://0100402404/ | 1.2.5.4
http://1.2.3.0x/ | 1.2.3.0
http://0x/ | 0.0.0.0
http://1.2.3.256/ | -
http://256.1.1.1/ | -
http://1.2.3.4.5/ | -
http://1..2.3/ | -
http://4294967296/ | -
http://09.1.1.1/ | -
http://0x1g.1.1.1/ | -
http://example.1/ | -
http://example.0x1/ | -
http://example.0x1g/ | example.0x1g
http://1.2.3.4.example/ | 1.2.3.4.example
http://１.２.３.４/ | 1.2.3.4
http://1。2。3。4/ | 1.2.3.4
http://%31.2.3.4/ | 1.2.3.4
http://[::1]/ | [::1]
http://[::1]:80/ | [::1]
http://[::1]:81/ | [::1]:81
http://[0:0:0:0:0:0:0:1]/ | [::1]
http://[2001:DB8::ABCD]/ | [2001:db8::abcd]
http://[2001:db8:0:0:1:0:0:1]/ | [2001:db8::1:0:0:1]
http://[::ffff:1.2.3.4]/ | [::ffff:102:304]
http://[::1.2.3.4]/ | [::102:304]
http://[::]/ | [::]
http://[1::2::3]/ | -
http://[::1/ | -
http://::1/ | -
http://[]/ | -
http://[:1]/ | -
http://[1:2:3:4:5:6:7:8:9]/ | -
http://[::1.2.3]/ | -
http://[::1.2.3.256]/ | -
http://[::1%25eth0]/ | -
http://[::1%eth0]/ | -
http://[g::1]/ | -
http://[::1]x/ | -
http://[::1]@example.com/ | -
http://[example.com]/ | -
https://example.com/http://other.example/ | example.com
https://example.com//other.example/ | example.com
ftp://example.com/ | -
ws://example.com/ | -
file://example.com/x | -
javascript://example.com/%0aalert(1) | -
data:text/html,http://example.com/ | -
mailto:a@example.com | -
//example.com/ | -
example.com | -
/example.com | -
""".strip().split("\n")
TABLE = [tuple(line.split(" | ")) for line in HOSTS] + [
    ("http://exam\tple.com/", "example.com"),
    ("http://exam\nple.com/", "example.com"),
    ("\x00 http://example.com/ \x1f", "example.com"),
    ("ht\ntp://example.com/", "example.com"),
    ("http://example.com\x00/", "-"),
    ("http://exam\x7fple.com/", "-"),
    ("http://" + "a" * 64 + ".example/", "a" * 64 + ".example"),
    ("http://\ufffd.example/", "-"),
    ("http://a\u200db.example/", "-"),
    ("http://\u202eexample.com/", "-"),
    (
        "http://\U00010940.example/",
        "xn--ql9c.example",
    ),  # of Unicode 17, which this Python may not know
]


@pytest.mark.parametrize(("url", "expected"), TABLE)
def test_the_host_is_the_one_of_the_standard(url, expected):
    target = parse_target(url)
    assert (target.host if isinstance(target, Target) else "-") == expected


@pytest.mark.parametrize(("url", "expected"), [row for row in TABLE if row[1] != "-"])
def test_the_frontier_counts_the_same_host(url, expected):
    """But for the dot after a name, which the canonical form drops: it changes nothing about who is asked."""
    clean = canonical(url)
    assert clean is not None
    assert host_of(clean) == expected.replace(".:", ":").rstrip(".")


def test_libcurl_asks_the_host_that_the_standard_names(web):
    """Every connection goes to one server, which tells whom it was asked for."""
    rows = [(url, host) for url, host in TABLE if host != "-"]

    async def run():
        async with web.serving({"/": web.http(b"x")}) as server:
            ours = behaving(
                obey_robots=False, routes=(Route("*", "127.0.0.1", server.port),)
            )
            fetcher = CurlFetcher(ours, Guard.opening(["127.0.0.0/8"]), bounded())
            told = []
            for url, expected in rows:
                if not url.lower().strip("\x00 \n").startswith("https"):
                    before = len(server.heads)
                    visit = await fetcher.fetch(url)
                    head = (
                        server.heads[before]
                        if len(server.heads) > before
                        else str(visit)
                    )
                    told.append(
                        (
                            url,
                            expected,
                            head.partition("Host: ")[2].partition("\r\n")[0],
                        )
                    )
            await fetcher.close()
            return told

    told = asyncio.run(run())
    assert len(told) > 80
    # libcurl itself refuses some names that the standard allows (a..example, ex"ample): nobody is asked then.
    asked = [row for row in told if row[2]]
    assert len(asked) > 60
    assert [row for row in asked if plain(row[1]) != plain(row[2])] == []


def plain(host):
    """libcurl writes IPv4 inside IPv6 with dots; a dot after a name means the same name."""
    return address_guard.literal_address(host) or host.rstrip(".")


PIECES = st.one_of(
    st.sampled_from(
        ["http://", "https://", "http:", "//", "/", "\\", "@", ":", "#", "?", "%2e", "%00", "[", "]", "::1", "0x7f",
         "127.0.0.1", "2130706433", "example.com", "localhost", "ü", "。", "\t", " ", "80", "a", ".", "..", "-", "--"]
    ),
    st.text(max_size=3),
)  # fmt: skip


@fuzzed(600)
@given(st.lists(PIECES, max_size=8))
def test_parsing_never_disagrees_with_the_standard(pieces):
    url = "".join(pieces)
    target = parse_target(url)
    try:
        standard = ada_url.URL(url)
    except ValueError:
        assert isinstance(target, str)
        return
    if isinstance(target, str):
        assert standard.protocol not in ("http:", "https:") or standard.username or standard.password or not (
            standard.hostname.strip(".")
        ) or len(url) > 8192  # fmt: skip
        return
    assert (target.host, target.hostname) == (standard.host, standard.hostname)
    assert target.url == standard.href.partition("#")[0]
    assert target.path == standard.pathname + (
        "?" + standard.href.partition("#")[0].partition("?")[2]
    ) * ("?" in standard.href.partition("#")[0])
    assert target.origin == standard.origin


@pytest.mark.slow
@fuzzed(600)
@given(st.from_regex(address_guard._AS_IT_IS, fullmatch=True))
def test_what_is_taken_as_it_is_would_be_left_as_it_is_by_the_standard(url):
    if address_guard._is_as_it_is(url):
        assert ada_url.normalize_url(url) == url


@fuzzed(300)
@given(st.lists(PIECES, max_size=6))
def test_a_redirect_never_disagrees_with_the_standard(pieces):
    location = "".join(pieces)
    base = "http://base.example/dir/page?x"
    target = parse_target(location, base=base)
    try:
        standard = ada_url.URL(location, base=base)
    except ValueError:
        assert isinstance(target, str)
        return
    if isinstance(target, Target):
        assert (target.url, target.host) == (
            standard.href.partition("#")[0],
            standard.host,
        )
