"""Everything that comes from a crawled service, or from a visitor, is taken for hostile."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest
from fuzzing import fuzzed
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from geohound.portal.formatting import line, mark, plain, safe_href, snippet


class Elements(HTMLParser):
    """Collects what a browser would build: every element with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_harmless(text: str) -> None:
    for tag, attributes in Elements(text).found:
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        assert "style" not in attributes
        assert tag not in {"style", "iframe", "object", "embed", "base", "img"}
        if tag == "script":
            assert (attributes.get("src") or "").startswith("/static/assets/")
        for name in ("href", "src", "action", "formaction"):
            address = attributes.get(name) or ""
            assert not address or address.startswith(
                ("/", "#", "http://", "https://", "mailto:ops@")
            ), address
        if (attributes.get("href") or "").startswith("http"):
            assert attributes["rel"] == "noopener noreferrer nofollow ugc"


@pytest.mark.parametrize(
    "address", ["/", "/?q=alert", "/?q=danger", "/?q=%3Cscript%3Ealert(1)%3C/script%3E"]
)
def test_hostile_titles_and_addresses_do_nothing_on_the_search_page(client, address):
    page = client.get(address)
    assert page.status_code == 200
    assert_harmless(page.text)


@pytest.mark.parametrize("name", ["rivers", "many", "fiji", "silent", "hostile"])
def test_hostile_text_does_nothing_on_a_service_page(client, samples, name):
    page = client.get(
        f"/services/{getattr(samples, name).id}",
        params={"find": '"><script>x</script>'},
    )
    assert page.status_code == 200
    assert_harmless(page.text)
    assert_harmless(client.get(f"/services/{getattr(samples, name).id}").text)


@pytest.mark.parametrize(
    "address",
    [
        "/<script>alert(1)</script>",
        '/?bbox="><script>alert(1)</script>',
        "/?kind='><b onclick=x>",
    ],
)
def test_hostile_requests_are_not_reflected(client, address):
    assert_harmless(client.get(address).text)


def test_hostile_text_stays_readable_as_text(client, samples):
    page = client.get(f"/services/{samples.hostile.id}").text
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/nothing",
        "/?bbox=1",
        "/healthz",
        "/api/v1/search",
        "/api/v1/nothing",
        "/static/none.js",
    ],
)
def test_every_answer_carries_the_safe_headers(client, address):
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", " JavaScript:alert(1)", "java\tscript:alert(1)", "data:text/html,x",
        "vbscript:x", "file:///etc/passwd", "//host/path", "/path", "",
        "\x00javascript:alert(1)", "blob:https://a.example/x",
    ],
)  # fmt: skip
def test_only_web_addresses_become_links(url):
    assert safe_href(url) == ""


def test_a_link_loses_credentials_that_could_mislead():
    assert safe_href("https://bank.example@evil.example/") == "https://evil.example/"


def test_a_hostile_host_header_cannot_break_the_opensearch_description(client):
    answer = client.get("/opensearch.xml", headers={"host": 'evil.example"/><x y="'})
    assert "<x" not in answer.text


@pytest.fixture
def hostile_page(samples) -> str:
    return f"/services/{samples.hostile.id}"


PARAMETERS = (
    "q",
    "bbox",
    "relation",
    "kind",
    "state",
    "limit",
    "offset",
    "west",
    "south",
    "east",
    "north",
    "find",
)
VALUES = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "wms",
            "alive",
            "within",
            "1,2,3,4",
            "-180,-90,180,90",
            "179,-1,-179,1",
            "0",
            "NaN",
            "1e999",
            "-0",
        ]
    ),
    st.sampled_from(
        [
            '"',
            "'",
            "(",
            "*",
            "NEAR(",
            "a AND",
            "-",
            '"a" OR',
            "^",
            "title:",
            "{x}",
            "lakes*",
            "\x00",
            "NOT",
        ]
    ),
)


@fuzzed(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(st.sampled_from(PARAMETERS), VALUES), max_size=5))
def test_no_parameters_whatever_bring_a_page_down(client, hostile_page, pairs):
    query = urlencode(
        [(name, value.encode("utf-8", "surrogatepass")) for name, value in pairs]
    )
    for path in ("/", "/api/v1/search", hostile_page):
        answer = client.get(f"{path}?{query}")
        assert answer.status_code in (200, 400)
        if path != "/api/v1/search":
            assert_harmless(answer.text)


@given(text=st.text(max_size=400), words=st.text(max_size=40))
def test_marking_words_changes_no_letter(text, words):
    assert "".join(piece.text for piece in mark(text, words)) == text


@pytest.mark.parametrize(
    ("text", "words", "marked"),
    [
        ("中国水文地图", "水", ["水"]),
        ("土地利用图", "土地利用", ["土地利用"]),
        ("Flüsse 水 2010", "flüsse 水", ["Flüsse", "水"]),
        ("research", "sea", []),
    ],
)
def test_what_is_written_without_spaces_is_marked_wherever_it_stands(
    text, words, marked
):
    assert [piece.text for piece in mark(text, words) if piece.marked] == marked


def test_a_title_as_long_as_a_book_is_cut():
    assert line("Roads of " + "x" * 20_000) == "Roads of " + "x" * 291 + " …"
    assert line("Roads " * 50) == ("Roads " * 50).strip()


@given(text=st.text(max_size=3000), words=st.text(max_size=40))
def test_a_snippet_is_short(text, words):
    assert sum(len(piece.text) for piece in snippet(text, words)) <= 240 + len("…  …")


def test_mark_up_in_abstracts_is_taken_off_and_comparisons_are_kept():
    assert (
        plain("<p>Depth &lt; 5&nbsp;m</p>\n<b>and</b> 3 < 4") == "Depth < 5 m and 3 < 4"
    )


def test_a_snippet_shows_the_words_even_late_in_a_long_abstract():
    text = "filler " * 200 + "glacier " + "filler " * 200
    pieces = snippet(text, "glaciers glacier")
    assert [piece.text for piece in pieces if piece.marked] == ["glacier"]


def test_signs_that_turn_the_direction_of_text_are_left_out_and_hebrew_is_not():
    assert plain("\u202egnp.exe\u202c \u2066map &#x202e;שלום") == "gnp.exe map שלום"
