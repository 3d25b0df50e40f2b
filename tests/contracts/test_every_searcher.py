"""What every search provider keeps to: one request a page, keys seen nowhere, a clear reason for any other answer."""

from __future__ import annotations

import json
import logging
from urllib.parse import parse_qs, urlsplit

import pytest
from search_examples import EXAMPLES, MAPS, PAGE, TITLES, body
from search_server import Said, ask, ask_recorded, provider

from geohound import plugins
from geohound.model.crawl.web_search import MAX_RESULTS, SearchPage, SearchRequest
from geohound.model.failure import FailureReason
from geohound.model.secrets import Secrets
from geohound.model.visit import Failure

SEARCHERS = plugins.discover("searchers")
KEY = "s3cr3t-0f-g30h0und"
LOG_IN = b"<html><title>Sign in</title><form><input name=u><input type=password name=p></form></html>"
MALFORMED = {
    "nothing": b"",
    "half of JSON": b'{"results": [{"url": "http',
    "null": b"null",
    "an empty list": b"[]",
    "an empty object": b"{}",
    "wrong things": b'[null, 1, "x", [], {"results": 7}]',
    "bytes": bytes(range(256)) * 4,
    "deep JSON": b"[" * 20_000,
    "a page": b"<html><title>Our search</title><p>Welcome</p></html>",
}


def keys_of(searcher: str) -> dict[str, str]:
    return {name: f"{KEY}-{n}" for n, name in enumerate(SEARCHERS[searcher].keys)}


def request(origin: str, page: int = 1) -> SearchRequest:
    return SearchRequest("land cover", page, f"{origin}/search")


def test_every_provider_has_an_example() -> None:
    assert set(SEARCHERS) == set(EXAMPLES)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_the_documented_answer_is_read(searcher: str) -> None:
    with provider(lambda _: Said(body(searcher))) as (origin, asked):
        page = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    example = EXAMPLES[searcher]
    assert isinstance(page, SearchPage), page
    assert [result.url for result in page.results] == [PAGE, MAPS]
    assert tuple(result.title for result in page.results) == TITLES
    assert page.results[0].text == "All about land cover."
    assert (page.estimate, page.has_more) == (example.estimate, example.has_more)
    assert len(asked) == 1


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_page_is_asked_for_as_documented_with_the_key_where_it_belongs(
    searcher: str,
) -> None:
    example = EXAMPLES[searcher]
    with provider(lambda _: Said(body(searcher))) as (origin, asked):
        for page in (1, 3):
            ask(SEARCHERS[searcher], request(origin, page), keys_of(searcher))
    for made, wanted in zip(
        asked, (example.first_query, example.third_query), strict=True
    ):
        sent = urlsplit(made.target)
        assert sent.query.startswith(wanted)
        where = {
            **{name: values[0] for name, values in parse_qs(sent.query).items()},
            **made.headers,
        }
        assert not example.secret or where[example.secret] == f"{KEY}-0"


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize("status", [200, 302, 401, 403, 429, 500])
def test_keys_are_in_no_record_log_error_or_result(
    searcher: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Even a provider that repeats them in all that it says does not bring them into our hands."""
    echo = body(searcher).replace(b"/land-cover", f"/land-cover?from={KEY}-0".encode())
    if status >= 400:
        echo = f'{{"error": {{"code": {status}, "message": "The key {KEY}-0 is not valid."}}}}'.encode()
    away = (("Location", f"/elsewhere?key={KEY}-0"),) if status == 302 else ()
    caplog.set_level(logging.DEBUG)
    keys = keys_of(searcher)
    with provider(lambda _: Said(echo, status, headers=away)) as (origin, asked):
        came, records = ask_recorded(SEARCHERS[searcher], request(origin), keys)
    assert asked
    if keys:
        assert KEY not in f"{came!r} {records!r} {caplog.text}"
        assert all("elsewhere" not in made.target for made in asked), (
            "a key follows no redirect"
        )


@pytest.mark.parametrize(
    "searcher", [name for name, part in SEARCHERS.items() if part.keys]
)
def test_a_missing_key_is_a_sentence_and_asks_nobody(
    searcher: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = SEARCHERS[searcher]
    for name in part.keys:
        monkeypatch.delenv(name, raising=False)
    with provider(lambda _: Said(body(searcher))) as (origin, asked):
        came = ask(part, request(origin))
    assert isinstance(came, Failure)
    assert (
        came.detail
        == f"{part.title} needs a key: set the environment variable {part.keys[0]}."
    )
    assert asked == []


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize("broken", MALFORMED)
def test_a_malformed_answer_has_a_reason(searcher: str, broken: str) -> None:
    with provider(lambda _: Said(MALFORMED[broken])) as (origin, _):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, Failure), came
    assert came.reason is FailureReason.BAD_ANSWER
    assert came.detail.startswith(
        f"{SEARCHERS[searcher].title} sent no results in JSON, but "
    )


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_log_in_page_is_called_one(searcher: str) -> None:
    with provider(lambda _: Said(LOG_IN, content_type="text/html")) as (origin, _):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, Failure)
    assert came.reason is FailureReason.LOGIN_WALL


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_rate_limit_says_how_long_to_wait(searcher: str) -> None:
    with provider(lambda _: Said(b"", 429, headers=(("Retry-After", "7"),))) as (
        origin,
        _,
    ):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, Failure)
    assert (came.reason, came.retry_after_s) == (FailureReason.RATE_LIMITED, 7.0)
    assert (
        came.detail
        == f"{SEARCHERS[searcher].title} wants a pause for 7 s: too many requests"
    )


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_refusal_is_a_sentence_with_what_the_provider_says(searcher: str) -> None:
    said = b'{"error": {"code": 402, "message": "Quota exceeded for this month."}}'
    with provider(lambda _: Said(said, 402)) as (origin, _):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, Failure)
    title = SEARCHERS[searcher].title
    wanted = f"{title} wants to be paid: the quota is used up (HTTP 402): Quota exceeded for this month."
    assert came.detail == wanted


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_results_in_another_encoding_are_read(searcher: str) -> None:
    text = (
        body(searcher)
        .decode()
        .replace("Land cover</strong> of Fiji", "Wälder</strong> of Fiji")
    )
    in_latin = Said(
        text.encode("latin-1"), content_type="application/json; charset=iso-8859-1"
    )
    with provider(lambda _: in_latin) as (origin, _):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, SearchPage), came
    assert came.results[0].title == "Wälder of Fiji"


def test_secrets_show_their_names_alone() -> None:
    assert (
        repr(Secrets(headers=(("X-Key", KEY),), params=(("cx", KEY),)))
        == "Secrets(X-Key, cx)"
    )


HOSTILE = {
    "a file": "file:///etc/passwd",
    "data": "data:text/html,<h1>x</h1>",
    "a script": "javascript:alert(1)",
    "spaces": "https://a.test/\r\nHost: b.test",
    "a long one": "https://a.test/" + "a" * 100_000,
    "a number": 7,
    "a nested object": {"url": {"url": {"url": "https://a.test/"}}},
    "nothing": None,
}


def changed(searcher: str, was: object, now: object) -> bytes:
    """The documented answer with another value in the place of each that is this one."""

    def walk(value: object) -> object:
        if value == was:
            return now
        if isinstance(value, dict):
            return {name: walk(each) for name, each in value.items()}
        return [walk(each) for each in value] if isinstance(value, list) else value

    return json.dumps(walk(EXAMPLES[searcher].answer)).encode()


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_result_that_no_browser_would_follow_costs_itself_alone(
    searcher: str, hostile: str
) -> None:
    answer = changed(searcher, PAGE, HOSTILE[hostile])
    with provider(lambda _: Said(answer)) as (origin, _):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, SearchPage), came
    assert [result.url for result in came.results] == [MAPS]


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_markup_and_length_of_titles_stay_with_the_provider(searcher: str) -> None:
    title = "<script>alert(1)</script>Maps\x00 \u202e" + "<b>&" * 50_000
    with provider(lambda _: Said(changed(searcher, "Maps & data", title))) as (
        origin,
        _,
    ):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, SearchPage), came
    assert "<script>" not in came.results[1].title
    assert len(came.results[1].title) <= 500


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize("said", [-5, 10**30, 1e308, "many", True, [], None, "-1"])
def test_a_number_of_results_that_is_a_lie_costs_no_result(
    searcher: str, said: object
) -> None:
    true = EXAMPLES[searcher].estimate
    true = str(true) if searcher == "google" else true
    if true is None:
        return  # it says no number
    with provider(lambda _: Said(changed(searcher, true, said))) as (origin, _):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, SearchPage), came
    assert [result.url for result in came.results] == [PAGE, MAPS]
    assert came.estimate is None or 0 <= came.estimate <= 10**15


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_more_results_than_anybody_shows_are_bounded(searcher: str) -> None:
    answer = json.dumps(EXAMPLES[searcher].answer)
    row = json.dumps(next(iter(rows_of(EXAMPLES[searcher].answer))))
    many = answer.replace(row, ", ".join([row] * 5_000), 1)
    with provider(lambda _: Said(many.encode())) as (origin, _):
        came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
    assert isinstance(came, SearchPage), came
    assert 2 <= len(came.results) <= MAX_RESULTS


def rows_of(value: object) -> list[dict]:
    """The results of an answer, wherever they stand."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return value if PAGE in value[0].values() else []
    inner = value.values() if isinstance(value, dict) else ()
    return [row for each in inner for row in rows_of(each)]


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_an_answer_that_is_too_large_or_breaks_off_has_a_reason(searcher: str) -> None:
    whole = body(searcher)
    huge = whole[:-1] + b" " * 5_000_000 + whole[-1:]
    for answer in (huge, whole[: len(whole) // 2]):
        with provider(lambda _, answer=answer: Said(answer)) as (origin, _):
            came = ask(SEARCHERS[searcher], request(origin), keys_of(searcher))
        assert isinstance(came, Failure), came
        assert came.detail
