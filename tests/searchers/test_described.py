"""A provider that a user describes in a file."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from search_server import Said, ask, provider

from geohound.model.crawl.web_search import SearchPage, SearchRequest
from geohound.model.user_error import UserError
from geohound.searchers._described import read_searcher

ANSWER = b'{"data": {"items": [{"link": "http://a.test/", "name": "Maps"}], "found": "1,250"}}'


def describe(folder: Path, *lines: str) -> Path:
    path = folder / "mine.toml"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_file_says_where_to_ask_and_where_the_results_are(tmp_path: Path) -> None:
    with provider(lambda _: Said(ANSWER)) as (origin, asked):
        path = describe(
            tmp_path, 'id = "mine"', f'url = "{origin}/api?q={{text}}&from={{offset}}&n={{size}}&p={{page}}"',
            'results = "data.items"', 'address = "link"', 'name = "name"', 'estimate = "data.found"',
            "page_size = 25", 'key = "MY_KEY"', 'key_param = "token"',
        )  # fmt: skip
        searcher = read_searcher(path)
        request = SearchRequest("crème & co", 2, searcher.address)
        page = ask(searcher, request, {"MY_KEY": "abcdef"})
    assert isinstance(page, SearchPage), page
    assert [(result.url, result.title) for result in page.results] == [
        ("http://a.test/", "Maps")
    ]
    assert (page.estimate, page.has_more) == (1250, True)
    query = urlsplit(asked[0].target).query
    assert query == "q=cr%C3%A8me%20%26%20co&from=25&n=25&p=2&token=abcdef"


def test_an_answer_that_is_a_list_is_read_by_a_dot(tmp_path: Path) -> None:
    with provider(lambda _: Said(b'[{"url": "http://a.test/"}]')) as (origin, _):
        searcher = read_searcher(
            describe(
                tmp_path, 'id = "l"', f'url = "{origin}/?q={{text}}"', 'results = "."'
            )
        )
        page = ask(searcher, SearchRequest("maps", 1, searcher.address))
    assert isinstance(page, SearchPage)
    assert len(page.results) == 1


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (("id = 'x'",), "lacks url, results"),
        (
            ("id = 'x'", "url = 'https://a.test/'", "results = 'r'"),
            "needs a url that begins with https:// and holds",
        ),
        (
            ("id = 'x'", "url = 'ftp://a.test/{text}'", "results = 'r'"),
            "needs a url that begins with https:// and",
        ),
        (
            ("id = 'x'", "url = 'https://a.test/{text}{key}'", "results = 'r'"),
            "has a url with other places than",
        ),
        (
            ("id = 'x'", "url = 'https://a.test/{text'", "results = 'r'"),
            "has a url with other places than",
        ),
        (
            ("id = 'x'", "url = 'https://a.test/{text}'", "results = 7"),
            "has a value of the wrong type: results",
        ),
        (
            (
                "id = 'x'",
                "url = 'https://a.test/{text}'",
                "results = 'r'",
                "page_size = 0",
            ),
            "wrong type: page_size",
        ),
        (
            ("id = 'x'", "url = 'https://a.test/{text}'", "results = 'r'", "key = 'K'"),
            "names a key, but neither",
        ),
        (
            (
                "id = 'x'",
                "url = 'https://a.test/{text}'",
                "results = 'r'",
                "colour = 'r'",
            ),
            "unknown entry: colour",
        ),
        (("id = ",), "is not valid TOML"),
    ],
)
def test_a_description_that_cannot_be_used_is_refused_in_a_sentence(
    tmp_path: Path, lines: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(UserError, match=r"The searcher file .*mine\.toml") as refused:
        read_searcher(describe(tmp_path, *lines))
    assert sentence in str(refused.value)
