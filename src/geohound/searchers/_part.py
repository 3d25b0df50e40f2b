"""A provider put together from data and two functions: its request, and what its answer says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from geohound.contracts import Fetcher
from geohound.model.crawl.web_search import (
    MAX_RESULTS,
    SearchPage,
    SearchRequest,
    SearchTerms,
    WebResult,
)
from geohound.model.failure import FailureReason
from geohound.model.secrets import Secrets
from geohound.model.visit import MAX_URL_CHARS, Failure

from . import _asking

_TAG = re.compile(r"<[^<>]{0,200}>")  # providers mark the words that were asked for
_MAX_TEXT_CHARS = 500
_MAX_ESTIMATE = 10**15

# text: why the provider has no results now; None: the JSON is something else
Answer = SearchPage | str | None


def no_secrets(_: Sequence[str]) -> Secrets | None:
    return None


@dataclass(frozen=True, slots=True)
class WebSearcher:
    """One provider."""

    id: str
    title: str
    # address, what is asked: the URL, without keys
    request: Callable[[str, SearchRequest, SearchTerms], str]
    read: Callable[[Any, SearchRequest, SearchTerms], Answer]
    terms: SearchTerms = field(default_factory=SearchTerms)
    address: str = ""  # where it is asked; empty: only the user knows
    keys: tuple[str, ...] = ()  # environment variables, all of which it needs
    # from the values of the keys
    secrets: Callable[[Sequence[str]], Secrets | None] = no_secrets
    hint: str = ""  # what to do where it refuses a request (HTTP 403)

    async def page(
        self, request: SearchRequest, fetcher: Fetcher
    ) -> SearchPage | Failure:
        """One page of results by one request, or a sentence about why there is none."""
        address = request.address or self.address
        if not address:
            return self._unasked("needs an address", address)
        values = _asking.key_values(self.keys)
        if isinstance(values, str):
            return self._unasked(values, address)
        secrets = self.secrets(values)
        url = self.request(address, request, self.terms)
        answer = await _asking.ask(fetcher, url, self.title, secrets, self.hint)
        if isinstance(answer, Failure):
            return answer
        page = self.read(answer.json, request, self.terms)
        if page is None:
            return _asking.not_understood(answer, self.title)
        if isinstance(page, str):
            said = secrets.hide(page) if secrets else page
            return _asking.failure(
                answer.response, FailureReason.UNAVAILABLE, f"{self.title} {said}"
            )
        return _without(page, secrets) if secrets else page

    def _unasked(self, why: str, address: str) -> Failure:
        return Failure(
            address, FailureReason.NO_KEY, f"{self.title} {why}.", datetime.now(UTC)
        )


def _without(page: SearchPage, secrets: Secrets) -> SearchPage:
    """The page without results that repeat a key: nothing that is stored may hold one."""
    kept = tuple(
        result
        for result in page.results
        if all(secrets.hide(text) == text for text in result)
    )
    return SearchPage(kept, page.estimate, page.has_more)


def results(
    rows: object, url: str = "url", title: str = "title", text: str = "description"
) -> list[WebResult]:
    """The rows that name an address; of a row that says more than a result holds, the start."""
    if not isinstance(rows, list):
        return []
    found = [WebResult(_address(row.get(url)), _words(row.get(title)), _words(row.get(text)))
             for row in rows[:MAX_RESULTS] if isinstance(row, dict)]  # fmt: skip
    return [result for result in found if result.url]


def _address(value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    is_web = text[:8].lower().startswith(("http://", "https://"))
    return (
        text
        if is_web and len(text) <= MAX_URL_CHARS and not any(map(str.isspace, text))
        else ""
    )


def _words(value: object) -> str:
    plain = _TAG.sub("", value[: 4 * _MAX_TEXT_CHARS]) if isinstance(value, str) else ""
    clean = plain.encode("utf-8", "replace").decode()
    return " ".join(clean.split())[:_MAX_TEXT_CHARS]


def count(value: object) -> int | None:
    """A number of results as providers write it: a number, or one as text; None where it is none."""
    digits = (
        str(value).replace(",", "")
        if isinstance(value, int | str) and not isinstance(value, bool)
        else ""
    )
    number = (
        int(digits)
        if digits.isascii() and digits.isdecimal() and len(digits) <= 16
        else None
    )
    return None if number is None else min(number, _MAX_ESTIMATE)
