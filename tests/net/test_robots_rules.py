"""What a robots.txt means: RFC 9309, case by case, and the mistakes that people make in it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.net.robots_rules import MAX_BYTES, product_token, read_robots

US = "Geohound/0.1 (+https://geohound.example/about)"
TWO_OF_OURS = """
User-agent: geohound
Disallow: /a

User-agent: b
Disallow: /

User-agent: geohound
Disallow: /c
"""


def allows(robots, path):
    return read_robots(
        robots.encode() if isinstance(robots, str) else robots, US
    ).allow(path)


def group(*lines):
    return "\n".join(("User-agent: geohound", *lines))


@pytest.mark.parametrize(
    ("robots", "path", "allowed"),
    [
        # 2.1 and 2.2.1: groups and product tokens
        ("", "/x", True),
        ("User-agent: geohound\nDisallow: /", "/x", False),
        ("USER-AGENT: GEOHOUND\nDISALLOW: /", "/x", False),
        ("user-agent:geohound\ndisallow:/", "/x", False),
        ("User-agent: otherbot\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow: /\nUser-agent: geohound\nAllow: /", "/x", True),
        ("User-agent: geohound\nAllow: /\nUser-agent: *\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: geohound\nDisallow: /y", "/x", True),
        ("User-agent: *\nDisallow: /x\n\nUser-agent: geohound\nDisallow: /y", "/y", False),
        ("User-agent: geohound\nUser-agent: *\nDisallow: /", "/x", False),
        ("User-agent: a\nUser-agent: geohound\nUser-agent: b\nDisallow: /", "/x", False),
        (TWO_OF_OURS, "/c", False),
        (TWO_OF_OURS, "/a", False),
        (TWO_OF_OURS, "/b", True),
        ("User-agent: geohound\n\n\n\nDisallow: /", "/x", False),
        ("Disallow: /\nUser-agent: geohound\nDisallow: /y", "/x", True),
        ("User-agent: geohound", "/x", True),
        ("User-agent: *\nDisallow: /\nUser-agent: geohound", "/x", True),
        ("User-agent: geohound/2.0\nDisallow: /", "/x", False),
        ("User-agent: geohound crawler\nDisallow: /", "/x", False),
        ("User-agent: Geohound Images\nDisallow: /\nUser-agent: *\nAllow: /", "/x", False),
        ("User-agent: geohound-news\nDisallow: /", "/x", True),
        ("User-agent: geo\nDisallow: /", "/x", True),
        ("User-agent: mygeohound\nDisallow: /", "/x", True),
        ("User-agent: * \nDisallow: /", "/x", False),
        ("User-agent: * # all\nDisallow: /", "/x", False),
        ("User-agent: *bot\nDisallow: /", "/x", True),
        ("User-agent:\nDisallow: /", "/x", True),
        # 2.2.4: other lines do not interfere
        ("User-agent: a\nFoo: bar\nUser-agent: geohound\nDisallow: /", "/x", False),
        ("User-agent: geohound\nSitemap: http://h/s.xml\nUser-agent: b\nDisallow: /", "/x", False),
        ("User-agent: geohound\nHost: h\nDisallow: /", "/x", False),
        ("User-agent: geohound\nCrawl-delay: 3\nUser-agent: b\nDisallow: /", "/x", True),
        ("User-agent: geohound\nDisallow: /x\nnonsense without meaning\nDisallow: /y", "/y", False),
        # mistakes that everybody understands
        ("User-agent geohound\nDisallow /", "/x", False),
        ("Useragent: geohound\nDisalow: /", "/x", False),
        ("User agent: geohound\nDissallow: /", "/x", False),
        ("  User-agent : geohound  \n\tDisallow\t:\t/x\t", "/x", False),
        ("User-agent: geohound\rDisallow: /x", "/x", False),
        ("User-agent: geohound\r\nDisallow: /x\r\n", "/x", False),
        ("\ufeffUser-agent: geohound\nDisallow: /", "/x", False),
        ("# User-agent: geohound\nDisallow: /", "/x", True),
        ("<html><body>User-agent: geohound\nDisallow: /</body>", "/x", True),
    ],
)  # fmt: skip
def test_groups(robots, path, allowed):
    assert allows(robots, path) is allowed


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        # 2.2.2: the most specific match, case-sensitive, from the first octet; Allow wins ties
        (["Disallow: /x"], "/x", False),
        (["Disallow: /x"], "/xy", False),
        (["Disallow: /x"], "/x/y?z", False),
        (["Disallow: /x/"], "/x", True),
        (["Disallow: /X"], "/x", True),
        (["Disallow: /x"], "/a/x", True),
        (["Disallow: "], "/x", True),
        (["Allow: "], "/x", True),
        (["Disallow: /x", "Allow: /x/y"], "/x/y", True),
        (["Allow: /x/y", "Disallow: /x"], "/x/y", True),
        (["Allow: /x", "Disallow: /x/y"], "/x/y/z", False),
        (["Disallow: /x", "Allow: /x"], "/x", True),
        (["Allow: /page", "Disallow: /*.html"], "/page.html", False),
        (["Allow: /x/page.", "Disallow: /*.html"], "/x/page.html", True),
        (["Disallow: /", "Allow: /$"], "/", True),
        (["Disallow: /", "Allow: /$"], "/x", False),
        (["Disallow: /"], "/robots.txt", True),
        (["Disallow: x"], "/x", False),
        # 2.2.3: special characters
        (["Disallow: /*.php"], "/index.php", False),
        (["Disallow: /*.php"], "/a/b.php?c", False),
        (["Disallow: /*.php"], "/php", True),
        (["Disallow: /*.php$"], "/a.php", False),
        (["Disallow: /*.php$"], "/a.php?x", True),
        (["Disallow: /*.php$"], "/a.php/b.php", False),
        (["Disallow: /a*b*c"], "/a1b2c3", False),
        (["Disallow: /a*b*c"], "/acb", True),
        (["Disallow: *"], "/x", False),
        (["Disallow: /**x"], "/ax", False),
        (["Disallow: /x*"], "/x", False),
        (["Disallow: /x$"], "/x", False),
        (["Disallow: /x$"], "/xy", True),
        (["Disallow: /x*y$"], "/xyy", False),
        (["Disallow: /xy*y$"], "/xy", True),
        (["Disallow: /a$b"], "/a$bc", False),
        (["Disallow: /a%2Ab"], "/a*b", False),
        (["Disallow: /a%2Ab"], "/axb", True),
        (["Disallow: /a%24"], "/a$", False),
        (["Disallow: /a%24"], "/a", True),
        (["Disallow: /x # not /y"], "/x", False),
        (["Disallow: /?map="], "/?map=x", False),
        (["Disallow: /*?"], "/wms?service=WMS", False),
        (["Disallow: /*?"], "/wms", True),
        # percent-encoding
        (
            ["Disallow: /foo/bar?baz=http://foo.bar"],
            "/foo/bar?baz=http://foo.bar",
            False,
        ),
        (["Disallow: /foo/bar/ツ"], "/foo/bar/%E3%83%84", False),
        (["Disallow: /foo/bar/%E3%83%84"], "/foo/bar/%E3%83%84", False),
        (["Disallow: /foo/bar/%e3%83%84"], "/foo/bar/%E3%83%84", False),
        (["Disallow: /foo/bar/%62%61%7A"], "/foo/bar/baz", False),
        (["Disallow: /foo/bar/baz"], "/foo/bar/%62%61%7A", False),
        (["Disallow: /~joe"], "/%7Ejoe", False),
        (["Disallow: /a%2Fb"], "/a/b", True),
        (["Disallow: /a%2fb"], "/a%2Fb", False),
        (["Disallow: /a b"], "/a%20b", False),
        (["Disallow: /%zz"], "/%zz", False),
        # who allows the index page allows its folder
        (["Disallow: /", "Allow: /d/index.html"], "/d/", True),
        (["Disallow: /", "Allow: /d/index.htm"], "/d/", True),
        (["Disallow: /", "Allow: /d/index.html"], "/d/other", False),
        (["Disallow: /", "Allow: /d/index.html"], "/d", False),
    ],
)
def test_rules(rules, path, allowed):
    assert allows(group(*rules), path) is allowed


@pytest.mark.parametrize(
    ("lines", "delay_s"),
    [
        (["Disallow: /x"], None),
        (["Crawl-delay: 10"], 10.0),
        (["crawl-delay: 0.5"], 0.5),
        (["Crawl-delay: 99999"], 300.0),
        (["Crawl-delay: -1"], None),
        (["Crawl-delay: nan"], None),
        (["Crawl-delay: inf"], None),
        (["Crawl-delay: soon"], None),
        (["Crawl-delay: 2", "Crawl-delay: 5"], 5.0),
        (["Crawl-delay: 5", "Crawl-delay: x"], 5.0),
    ],
)
def test_the_delay_of_our_group_is_read_within_reason(lines, delay_s):
    robots = group(*lines) + "\nUser-agent: other\nDisallow: /\nCrawl-delay: 77"
    assert read_robots(robots.encode(), US).delay_s == delay_s


def test_site_maps_are_collected_wherever_they_stand():
    robots = b"Sitemap: http://h/1.xml\nUser-agent: x\nDisallow: /\nsitemap:http://h/2.xml\nSITEMAP: /3.xml # here"
    assert read_robots(robots, US).sitemaps == (
        "http://h/1.xml",
        "http://h/2.xml",
        "/3.xml",
    )


def test_what_stands_beyond_500_kib_is_not_read_and_half_a_line_neither():
    filler = b"#" + b"x" * (MAX_BYTES - len(b"User-agent: *\n") - 14) + b"\n"
    body = b"User-agent: *\n" + filler + b"Disallow: /private\nDisallow: /late\n"
    rules = read_robots(body, US)
    assert len(body) > MAX_BYTES
    assert [rules.allow(path) for path in ("/", "/pri", "/private", "/late")] == [
        True
    ] * 4


def test_a_rule_just_within_500_kib_holds():
    head = b"User-agent: *\nDisallow: /x\n"
    assert not allows(head + b"#" * (MAX_BYTES - len(head)), "/x")


def test_the_product_token_is_the_name_before_the_slash():
    assert product_token(US) == "geohound"
    assert product_token("Foo_Bar-Baz 2") == "foo_bar-baz"
    assert product_token("42") == ""


@pytest.mark.parametrize(
    "pattern", ["/" + "*a" * 100_000, "/" + "a*" * 100_000 + "$", "/*" * 50_000 + "x$"]
)
def test_no_pattern_can_keep_us_busy(pattern):
    began = time.monotonic()
    assert allows(group("Disallow: " + pattern), "/" + "a" * 5000 + "b")
    assert time.monotonic() - began < 0.5


def test_ten_thousand_rules_are_searched_quickly():
    robots = group(*(f"Disallow: /{n}/*/private" for n in range(10_000))).encode()
    rules = read_robots(robots, US)
    began = time.monotonic()
    assert not rules.allow("/9999/x/private")
    assert time.monotonic() - began < 0.1


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("*" + "a" * 12 + "b" + "a" * 12, 14_000),
        ("*" + "a" * 600 + "b" + "a" * 600, 400),
    ],
)
def test_rules_made_to_take_long_forbid_instead(pattern, count):
    rules = read_robots(group(*["Disallow: " + pattern] * count).encode(), US)
    began = time.monotonic()
    assert not rules.allow("/" + "a" * 2000)
    assert time.monotonic() - began < 0.3
    assert rules.allow("/short")


def test_thousands_of_honest_rules_are_all_heard_for_a_long_path():
    rules = read_robots(
        group(*(f"Disallow: /*/private{n}/" for n in range(4000))).encode(), US
    )
    path = "/" + "folder/" * 40
    assert rules.allow(path)
    assert not rules.allow(path + "private0/")


@given(st.binary(max_size=300), st.text(max_size=40))
def test_no_bytes_whatever_crash_the_reader(body, path):
    rules = read_robots(b"User-agent: *\nDisallow: " + body, US)
    assert rules.allow("/" + path) in (True, False)


@given(st.text(alphabet="/ab*$%2", max_size=12), st.text(alphabet="/ab", max_size=12))
def test_a_longer_allow_always_beats_a_disallow(pattern, path):
    robots = group(
        "Disallow: " + pattern,
        "Allow: /" + path + pattern + "zzzzzzzzzzzzz",
        "Allow: /*" + "*" * 30,
    )
    assert allows(robots, "/" + path)
