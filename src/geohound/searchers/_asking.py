"""What all providers do alike: one request with its keys, and a sentence about every other answer than results."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from geohound.contracts import Fetcher
from geohound.document import Document, refusals
from geohound.model.failure import FailureReason
from geohound.model.secrets import Secrets
from geohound.model.visit import Failure, Response
from geohound.politeness import asked_pause_s

MAX_BYTES = 4_000_000  # of one page of results
_MAX_DETAIL = 300
# where APIs in JSON say what is wrong
_MESSAGES = "message", "error", "detail", "error_description"
_SENTENCES = {
    400: "does not understand the request",
    401: "refuses the key",
    402: "wants to be paid: the quota is used up",
    403: "refuses the request: check the key, its quota and its rights",
    404: "has no search at this address",
}


def key_values(names: Sequence[str]) -> list[str] | str:
    """The keys from the environment; or a sentence about the first that is missing or cannot be sent."""
    found = [os.environ.get(name, "").strip() for name in names]
    for name, value in zip(names, found, strict=True):
        if not value:
            return f"needs a key: set the environment variable {name}"
        if not (value.isascii() and value.isprintable()):
            return f"needs another key: {name} holds characters that no key has"
    return found


def _never(_from: str, _to: str) -> bool:
    return False


async def ask(
    fetcher: Fetcher, url: str, title: str, secrets: Secrets | None, hint: str = ""
) -> Document | Failure:
    """The document at an address, or why there is none, with a hint for whom 403 is sent. Keys follow no redirect."""
    follows = _never if secrets else None
    visit = await fetcher.fetch(
        url,
        accept="application/json",
        max_bytes=MAX_BYTES,
        follows=follows,
        secrets=secrets,
    )
    if isinstance(visit, Failure):
        return visit
    document = Document(visit)
    if visit.status < 300:
        return document
    refused = _refused(document, title, secrets or Secrets())
    return (
        replace(refused, detail=f"{refused.detail}. {hint}")
        if hint and visit.status == 403
        else refused
    )


def _refused(document: Document, title: str, secrets: Secrets) -> Failure:
    answer = document.response
    pause_s = asked_pause_s(answer)
    if answer.status == 429:
        wait = f" for {pause_s:.0f} s" if pause_s else ""
        return failure(
            answer,
            FailureReason.RATE_LIMITED,
            f"{title} wants a pause{wait}: too many requests",
            pause_s,
        )
    if answer.status >= 500:
        return failure(
            answer,
            FailureReason.UNAVAILABLE,
            f"{title} is unavailable (HTTP {answer.status})",
            pause_s,
        )
    if answer.status < 400:
        return failure(
            answer,
            FailureReason.BAD_ANSWER,
            f"{title} leads elsewhere (HTTP {answer.status})",
        )
    sentence = f"{title} {_SENTENCES.get(answer.status, 'refuses the request')} (HTTP {answer.status})"
    said = secrets.hide(_message(document.json))
    return failure(
        answer, FailureReason.HTTP_ERROR, f"{sentence}: {said}" if said else sentence
    )


def _message(value: object) -> str:
    """What an API says is wrong, where it says so in JSON."""
    for _ in range(3):
        if isinstance(value, list) and value:
            value = value[0]
        if not isinstance(value, dict):
            break
        value = next(
            (value[name] for name in _MESSAGES if value.get(name)), None
        ) or value.get("errors")
    return " ".join(value.split()) if isinstance(value, str) else ""


def not_understood(document: Document, title: str) -> Failure:
    """The answer is no page of results: a log-in page, HTML, broken JSON, or something else."""
    refusal = refusals.judge(document)
    reason = refusals.WALLS.get(refusal.reason, FailureReason.BAD_ANSWER)
    return failure(
        document.response,
        reason,
        f"{title} sent no results in JSON, but {refusal.reason}",
    )


def failure(
    answer: Response,
    reason: FailureReason,
    detail: str,
    retry_after_s: float | None = None,
) -> Failure:
    return Failure(
        answer.url,
        reason,
        detail[:_MAX_DETAIL],
        answer.at,
        answer.elapsed_s,
        retry_after_s,
        answer.address,
    )


def inside(value: object, *names: str) -> Any:
    """What stands at a path of names in nested objects; None where there is nothing."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
