"""robots.txt as RFC 9309 and Google's documentation have it: a file, who asks, for what, and the answer.

The cases are our own, written from the two texts. Each file is read for several crawlers, as a site owner thinks of it.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.net.robots_rules import MAX_BYTES, read_robots


def answers(robots, agent, *paths):
    body = robots if isinstance(robots, bytes) else robots.encode()
    rules = read_robots(body, agent)
    return [rules.allow(path) for path in paths]


def cases(text):
    """Each line: + or - (may be asked for or not), the crawler, the path."""
    found = []
    for line in text.strip().splitlines():
        mark, agent, path = line.split(None, 2)
        found.append((agent, path.strip(), mark == "+"))
    return found


def check(robots, text):
    body = robots if isinstance(robots, bytes) else robots.encode()
    wrong = [
        (agent, path, expected)
        for agent, path, expected in cases(text)
        if read_robots(body, agent).allow(path) is not expected
    ]
    assert wrong == []
    return len(cases(text))


# RFC 9309, 2.2.1: who is meant
WHO = """
# Welcome
User-agent: Heron
Disallow: /nest/

User-agent: STORK
User-agent: crane/2.1
Allow: /meadow/
Disallow: /

User-agent: egret news
Disallow: /reeds

User-agent: *
Disallow: /private/

User-agent: heron
Disallow: /pond/
"""


def test_whom_a_group_addresses():
    check(
        WHO,
        """
        - heron          /nest/1
        - Heron/1.0      /nest/1
        - HERON          /pond/2
        + heron          /private/x
        + heron          /anything
        - stork          /
        - Stork/9        /x
        + stork          /meadow/grass
        + crane          /meadow/grass
        - crane          /x
        - Crane/2.0      /x
        - egret          /reeds
        + egret          /private/x
        + egret-images   /reeds
        - egret-images   /private/x
        - ibis           /private/x
        + ibis           /nest/1
        + ibis           /
        - her            /private/x
        - heronry        /private/x
        + her            /nest/1
        - her-on         /private/x
        """,
    )
    assert answers(
        WHO, "heron/3 (+https://heron.example)", "/pond/2", "/private/x"
    ) == [False, True]
    assert answers(WHO, "Heron 2.0", "/pond/2") == [False]


def test_a_crawler_whose_name_is_two_words_obeys_both_groups_that_may_mean_it():
    robots = "User-agent: *\nDisallow: /\nUser-agent: Grey Goose\nAllow: /field/\nDisallow: /"
    assert answers(robots, "Grey", "/field/x", "/lake") == [True, False]
    assert answers(robots, "Grey Goose", "/field/x", "/lake") == [False, False]
    robots = "User-agent: Grey Goose\nDisallow: /lake"
    assert answers(robots, "Grey Goose", "/field/x", "/lake") == [True, False]


# 2.1 and 2.2: what belongs to a group
GROUPS = [
    ("rules before any group are nobody's", "Disallow: /a\nUser-agent: x\nDisallow: /b", "+ x /a\n- x /b\n+ y /a"),
    ("blank lines end nothing", "User-agent: x\n\n\nDisallow: /a\n\n\nDisallow: /b", "- x /a\n- x /b"),
    ("blank lines between names end nothing", "User-agent: x\n\nUser-agent: y\n\nDisallow: /a", "- x /a\n- y /a"),
    ("a name after a rule begins anew", "User-agent: x\nDisallow: /a\nUser-agent: y\nDisallow: /b", "+ x /b\n+ y /a"),
    ("an unknown line ends nothing", "User-agent: x\nColour: red\nUser-agent: y\nDisallow: /a", "- x /a\n- y /a"),
    ("a site map ends nothing", "User-agent: x\nSitemap: /s\nUser-agent: y\nDisallow: /a", "- x /a\n- y /a"),
    ("an unknown line among rules", "User-agent: x\nDisallow: /a\nHost: h\nDisallow: /b", "- x /a\n- x /b"),
    ("groups of one name are one", "User-agent: x\nDisallow: /a\nUser-agent: y\nAllow: /\nUser-agent: X\nDisallow: /b",
     "- x /a\n- x /b\n+ x /c"),
    ("groups of everybody are one", "User-agent: *\nDisallow: /a\nUser-agent: x\nAllow: /\nUser-agent: *\nAllow: /a/b",
     "- y /a\n+ y /a/b"),
    ("an empty group of our own frees us", "User-agent: *\nDisallow: /\n\nUser-agent: x\nDisallow:", "+ x /a\n- y /a"),
    ("a group with no rules frees us", "User-agent: *\nDisallow: /\nUser-agent: x", "+ x /a\n- y /a"),
    ("our name and everybody in one group", "User-agent: x\nUser-agent: *\nDisallow: /a", "- x /a\n- y /a"),
    ("everybody is not added to our own group", "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b",
     "+ x /a\n- x /b\n- y /a\n+ y /b"),
    ("no group for us, none for everybody", "User-agent: z\nDisallow: /", "+ x /"),
    ("no names at all", "Disallow: /", "+ x /"),
    ("nothing at all", "", "+ x /\n+ x /a?b"),
    ("comments only", "# User-agent: *\n# Disallow: /", "+ x /"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "robots", "expected"), GROUPS, ids=[case[0] for case in GROUPS]
)
def test_groups(what, robots, expected):
    check(robots, expected)


# 2.2.2: the most octets win, Allow wins a tie; the order of lines means nothing
PRECEDENCE = [
    (("Allow: /p", "Disallow: /"), "+ x /page\n- x /other"),
    (("Disallow: /folder", "Allow: /folder"), "+ x /folder/page"),
    (("Allow: /page", "Disallow: /*.htm"), "- x /page.htm\n+ x /page"),
    (("Allow: /page", "Disallow: /*.ph"), "+ x /page.php5"),
    (("Allow: /$", "Disallow: /"), "+ x /\n- x /page.htm"),
    (
        ("Disallow: /a", "Allow: /a/b", "Disallow: /a/b/c"),
        "- x /a/z\n+ x /a/b/z\n- x /a/b/c/z",
    ),
    (("Disallow: /*/c", "Allow: /a/b/c"), "+ x /a/b/c\n- x /z/c"),
    (("Disallow: /a*", "Allow: /ab"), "+ x /abc"),
    (("Disallow: /abc", "Allow: /ab*"), "+ x /abc"),
    (("Disallow: /x$", "Allow: /x"), "- x /x\n+ x /xy"),
    (("Allow: /x/", "Disallow: /x"), "- x /x\n+ x /x/\n- x /x.html"),
    (("Disallow: /é", "Allow: /%C3"), "- x /%C3%A9"),
    (("Disallow:", "Allow:"), "+ x /a"),
    (("Disallow: /", "Allow:"), "- x /a"),
]


@pytest.mark.parametrize(("lines", "expected"), PRECEDENCE)
def test_precedence_whatever_the_order(lines, expected):
    check("User-agent: x\n" + "\n".join(lines), expected)
    check("User-agent: x\n" + "\n".join(reversed(lines)), expected)


# Google's table of what a value matches, and RFC 9309, 2.2.3
MATCHES = {
    "/": "/ /a /a.b?c=d",
    "/*": "/ /a /a/b",
    "/$": "/",
    "*": "/ /a",
    "/fisch": "/fisch /fisch.html /fisch/lachs.html /fischkopf /fischkopf/hering.html /fisch.php?id=alles",
    "/fisch*": "/fisch /fisch.html /fisch/lachs.html /fischkopf /fisch.php?id=alles",
    "/fisch/": "/fisch/ /fisch/?id=alles /fisch/lachs.htm",
    "/*.php": "/index.php /datei.php /ordner/datei.php /ordner/datei.php?wert /ordner/x.php.datei.html /datei.php/",
    "/*.php$": "/datei.php /ordner/datei.php",
    "/fisch*.php": "/fisch.php /fischkopf/kabeljau.php?wert",
    "/a*b*c": "/abc /a1b2c /a/b/c/d /aXbbXc",
    "/a*b*c$": "/abc /a1b2c /abcbc",
    "/a**b": "/ab /axb",
    "/*?": "/? /a?b /a/b?",
    "/*?$": "/? /a?",
    "/a?b=*&c": "/a?b=1&c /a?b=&c=2",
    "/%7Ejoe": "/~joe /%7ejoe",
    "/a$b": "/a$b /a%24b",
    "/a%24": "/a$ /a%24b",
    "/a%2Ab": "/a*b /a%2ab",
    "/ä": "/%C3%A4 /%c3%a4x",
    "/%C3%a4": "/%C3%A4 /%c3%a4x",
    "/a b": "/a%20b",
    "/a+b": "/a+b",
    "/;x": "/;x=1",
    "/@": "/@user",
}
MATCHES_NOT = {
    "/$": "/a /index.html",
    "/fisch": "/Fisch.asp /katzenfisch /?id=fisch /wueste/fisch",
    "/fisch*": "/Fisch.asp /katzenfisch /?id=fisch",
    "/fisch/": "/fisch /fisch.html /tier/fisch/ /Fisch/Lachs.asp",
    "/*.php": "/ /windows.PHP /php",
    "/*.php$": "/datei.php?wert /datei.php/ /datei.php5 /windows.PHP",
    "/fisch*.php": "/Fisch.PHP /fisch /fisch/php",
    "/a*b*c": "/acb /ab /cba /Abc",
    "/a*b*c$": "/abcd /abc?",
    "/*?": "/ /a",
    "/*?$": "/a?b",
    "/a$b": "/a /ab",
    "/a%24": "/a /ab",
    "/a%2Ab": "/ab /axb",
    "/a%2Fb": "/a/b",
    "/a/b": "/a%2Fb",
    "/a+b": "/a%20b /aab",
    "/a.c": "/abc",
    "/(a|b)": "/a",
    "/[ab]": "/a",
    "/a{2}": "/aa",
    "/\\d": "/1",
    "/^a": "/a",
}


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        (pattern, path, True)
        for pattern, paths in MATCHES.items()
        for path in paths.split(" ")
    ]
    + [
        (pattern, path, False)
        for pattern, paths in MATCHES_NOT.items()
        for path in paths.split(" ")
    ],
)
def test_what_a_pattern_matches(pattern, path, expected):
    assert answers(f"User-agent: *\nDisallow: {pattern}", "x", path) == [not expected]


def test_there_are_more_than_120_cases():
    told = sum(
        len(paths.split(" "))
        for table in (MATCHES, MATCHES_NOT)
        for paths in table.values()
    )
    told += sum(len(cases(expected)) for _, _, expected in GROUPS)
    told += 2 * sum(len(cases(expected)) for _, expected in PRECEDENCE)
    assert told > 120 + 60


# Percent-encoding: RFC 9309 compares what is meant, Google what is written; we ask for what both allow
@pytest.mark.parametrize(
    ("lines", "path", "allowed"),
    [
        (["Disallow: /%62ar"], "/bar", False),
        (["Disallow: /bar"], "/%62ar", False),
        (["Disallow: /", "Allow: /%62ar"], "/bar", False),
        (["Disallow: /", "Allow: /%62ar"], "/%62ar", True),
        (["Disallow: /", "Allow: /bar"], "/%62ar", False),
        (["Disallow: /", "Allow: /bar"], "/bar", True),
        (["Disallow: /", "Allow: /ツ"], "/%E3%83%84", True),
        (["Disallow: /", "Allow: /%e3%83%84"], "/%E3%83%84", True),
        (["Disallow: /", "Allow: /%E3%83%84"], "/%e3%83%84", True),
        (["Disallow: /", "Allow: /a?q=http://b/?c&d"], "/a?q=http://b/?c&d", True),
    ],
)
def test_percent_encoding(lines, path, allowed):
    assert answers("User-agent: x\n" + "\n".join(lines), "x", path) == [allowed]


# Names of lines: any case, blanks around them, a forgotten colon, the typos that Google takes
@pytest.mark.parametrize(
    "word",
    [
        "user-agent",
        "User-Agent",
        "USER-AGENT",
        "useragent",
        "User agent",
        "user-agents",
    ],
)
@pytest.mark.parametrize("joint", [":", " : ", "\t:\t", ": ", " :"])
def test_ways_to_write_user_agent(word, joint):
    assert answers(f"{word}{joint}x\nDisallow: /", "x", "/") == [False]


@pytest.mark.parametrize(
    "word",
    [
        "disallow",
        "DISALLOW",
        "dissallow",
        "dissalow",
        "disalow",
        "diasllow",
        "disallaw",
        "Disallowed",
    ],
)
def test_ways_to_write_disallow(word):
    assert answers(f"user-agent: x\n{word}: /", "x", "/a") == [False]
    assert answers(f"user-agent: x\n  {word} :/  # all", "x", "/a") == [False]


@pytest.mark.parametrize(
    "line", ["disallow /", "disallow\t/", "Disallow   /", "disallow / # all"]
)
def test_a_forgotten_colon_is_forgiven(line):
    assert answers(f"user-agent x\n{line}", "x", "/a") == [False]


@pytest.mark.parametrize(
    "word", ["dis-allow", "xdisallow", "no-disallow", "forbid", "dissaloww"]
)
def test_what_is_no_known_line_is_none(word):
    expected = word == "dissaloww"  # begins like a typo that is taken
    assert answers(f"user-agent: x\n{word}: /", "x", "/a") == [not expected]


# Bytes: line ends, byte order marks, NUL, Latin-1, half characters, length of lines, size of the file
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b"\n\r", b"\r\n\r\n"])
def test_every_line_end_ends_a_line(end):
    assert answers(
        end.join([b"User-agent: x", b"Disallow: /a", b"Disallow: /b"]),
        "x",
        "/a",
        "/b",
        "/c",
    ) == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("other", [b"\x0b", b"\x0c", b"\x85", b"\xe2\x80\xa8"])
def test_nothing_else_ends_a_line(other):
    assert answers(
        b"User-agent: x\nDisallow: /a" + other + b"Disallow: /b", "x", "/b"
    ) == [True]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_a_byte_order_mark_and_what_is_left_of_one_are_skipped(mark):
    assert answers(mark + b"User-agent: x\nDisallow: /", "x", "/") == [False]


@pytest.mark.parametrize("mark", [b"\xef\x11\xbf", b"x\xef\xbb\xbf", b"\xbb\xbf"])
def test_what_is_no_byte_order_mark_spoils_the_first_line(mark):
    assert answers(mark + b"User-agent: x\nDisallow: /", "x", "/") == [True]


def test_a_byte_order_mark_inside_is_none():
    assert answers(b"User-agent: x\n\xef\xbb\xbfDisallow: /", "x", "/") == [True]


def test_bytes_that_are_no_utf8_are_escaped_as_they_are():
    assert answers(
        b"User-agent: x\nDisallow: /caf\xe9", "x", "/caf%E9", "/caf%C3%A9"
    ) == [False, True]


def test_a_file_that_ends_within_its_last_line_is_read_to_there():
    assert answers(b"User-agent: x\nDisallow: /a", "x", "/a") == [False]
    assert answers(b"User-agent: x\nDisallow", "x", "/a") == [True]


def test_a_line_longer_than_16_kib_is_cut_and_still_forbids():
    longest = 2083 * 8 - 1
    value = "/" + "a" * (longest - len("Disallow: /"))
    assert answers(
        f"User-agent: x\nDisallow: {value}zzz", "x", value + "zzz", value + "b", "/a"
    ) == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("over", [0, 1, 10])
def test_500_kib_are_read_and_a_line_that_is_cut_by_the_limit_is_not(over):
    head, last = b"User-agent: x\nDisallow: /a\n", b"Disallow: /bbbbbbbbbbbbbbb"
    filler = b"#" * (MAX_BYTES - len(head) - len(last) - 1 + over) + b"\n"
    body = head + filler + last
    assert len(body) == MAX_BYTES + over
    assert answers(body, "x", "/a", "/bbbbbbbbbbbbbbb", "/b") == [False, over > 0, True]


def test_robots_txt_itself_may_always_be_asked_for():
    assert answers(
        "User-agent: *\nDisallow: /",
        "x",
        "/robots.txt",
        "/robots.txt?x",
        "/a/robots.txt",
    ) == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("robots", "sitemaps"),
    [
        (
            "Sitemap: http://a/1\nsite-map: http://a/2\nSITEMAP:http://a/3#x",
            ("http://a/1", "http://a/2", "http://a/3"),
        ),
        ("User-agent: x\nDisallow: /\nSitemap: http://a/ä", ("http://a/ä",)),
        ("Sitemap:\nSitemap: ", ()),
    ],
)
def test_site_maps_belong_to_everybody(robots, sitemaps):
    assert read_robots(robots.encode(), "y").sitemaps == sitemaps


def naive_match(pattern, path):
    """The definition itself, slow: * is any run of characters, a last $ is the end, all else is itself."""
    if not pattern:
        return True
    if pattern == "$":
        return not path
    if pattern[0] == "*":
        return any(naive_match(pattern[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and path[0] == pattern[0] and naive_match(pattern[1:], path[1:])


@given(st.text("ab/*", max_size=8), st.booleans(), st.text("ab/", max_size=8))
def test_matching_is_what_its_definition_says(pattern, to_the_end, path):
    pattern = "/" + pattern + "$" * to_the_end
    assert answers(f"User-agent: *\nDisallow: {pattern}", "x", "/" + path) == [
        not naive_match(pattern, "/" + path)
    ]


@given(
    st.lists(st.tuples(st.booleans(), st.text("ab/*", max_size=5)), max_size=6),
    st.text("ab/", max_size=6),
)
def test_the_order_of_rules_means_nothing(rules, path):
    lines = [
        f"{'Allow' if allows else 'Disallow'}: /{pattern}" for allows, pattern in rules
    ]
    there = answers("User-agent: *\n" + "\n".join(lines), "x", "/" + path)
    back = answers("User-agent: *\n" + "\n".join(reversed(lines)), "x", "/" + path)
    assert there == back
