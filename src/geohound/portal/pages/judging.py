"""A form to judge the services of a class: are they really about it? (Hou, Chen & Wu 2016, section 5.2, table 8)"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from geohound.model.notes import Judgement, verdict
from geohound.model.service import Service
from geohound.model.topic import Topic
from geohound.portal.access.forms import field_of, read_form
from geohound.portal.access.visitor import visitor_of
from geohound.portal.judging import DrawnClass, drawn_classes
from geohound.portal.portal import Portal, portal_of
from geohound.portal.reports import verdicts_of
from geohound.reports.exclusive_classes import PER_CLASS, ROUNDS

from .rendering import render
from .saved import HEADERS, notes_of

WORDS = {"yes": True, "no": False}
_SHOWN_LAYERS = 6


@dataclass(frozen=True)
class Judged:
    """One service of the sample, and what was said of it."""

    service: Service
    said: str  # yes, no, or nothing
    layers: tuple[str, ...]
    more_layers: int


def judging_page(request: Request) -> Response:
    """GET /judge"""
    notes_of(request)
    portal, asked = portal_of(request), request.query_params
    topic = _topic(portal, asked.get("topic", ""))
    classes = drawn_classes(portal, topic)
    chosen = next((each for each in classes if each.id == asked.get("class")), None)
    number = _round(asked.get("round", ""), chosen)
    verdicts = verdicts_of(portal)
    context = {
        "topics": portal.topics,
        "topic": topic,
        "classes": [(each, each.share(verdicts)) for each in classes],
        "chosen": chosen,
        "share": chosen.share(verdicts) if chosen else None,
        "round": number,
        "sample": _sample(portal, chosen, number) if chosen else [],
        "per_class": PER_CLASS,
        "rounds": ROUNDS,
        "address": address_of,
    }
    page = render(request, "judge.html", context)
    page.headers.update(HEADERS)
    return page


async def judge(request: Request) -> Response:
    """POST /judge: yes, no or nothing for each service of a round"""
    fields = await read_form(request)
    portal = portal_of(request)
    topic = _topic(portal, field_of(fields, "topic"))
    named = field_of(fields, "class")
    classes = await run_in_threadpool(drawn_classes, portal, topic)
    chosen = next((each for each in classes if each.id == named), None)
    if chosen is None:
        raise HTTPException(400, "Choose a class of this topic.")
    number = _round(field_of(fields, "round"), chosen)
    said = {each: field_of(fields, f"real-{each}") for each in chosen.of_round(number)}
    await run_in_threadpool(_keep, request, chosen, said)
    following = number + 1 if number < chosen.rounds else number
    return RedirectResponse(address_of(chosen, following), 303, HEADERS)


def routes() -> list[Route]:
    return [
        Route("/judge", judging_page),
        Route("/judge", judge, methods=["POST"]),
    ]


def address_of(chosen: DrawnClass, number: int = 1) -> str:
    pairs = {"topic": chosen.topic, "class": chosen.id}
    if number > 1:
        pairs["round"] = str(number)
    return f"/judge?{urlencode(pairs)}"


def _keep(request: Request, chosen: DrawnClass, said: dict[str, str]) -> None:
    """Services of the round that the form did not name stay as they are."""
    notes, judge = notes_of(request), visitor_of(request).name
    judged = [
        Judgement(chosen.topic, chosen.id, service, WORDS[word], judge)
        for service, word in said.items()
        if word in WORDS
    ]
    open_again = [service for service, word in said.items() if word == "open"]
    notes.judge(judged)
    notes.unjudge(chosen.topic, chosen.id, open_again)
    about = f"{chosen.topic}/{chosen.id}: {len(judged)}"
    portal_of(request).note(judge, "judged", about, visitor_of(request).address)


def _topic(portal: Portal, named: str) -> Topic:
    if not portal.topics:
        raise HTTPException(404, "This portal sorts services by no topic.")
    found = next((each for each in portal.topics if each.id == named), None)
    if named and found is None:
        raise HTTPException(404, "There is no such topic.")
    return found or portal.topics[0]


def _round(text: str, chosen: DrawnClass | None) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) <= 3
    most = chosen.rounds if chosen else 1
    return min(max(int(text) if is_number else 1, 1), max(most, 1))


def _sample(portal: Portal, chosen: DrawnClass, number: int) -> list[Judged]:
    verdicts = verdicts_of(portal)
    words = {True: "yes", False: "no", None: ""}
    found = [portal.catalogue.get(each) for each in chosen.of_round(number)]
    return [
        _judged(each, words[verdict(verdicts, chosen.topic, chosen.id, each.id)])
        for each in found
        if each is not None
    ]


def _judged(service: Service, said: str) -> Judged:
    titles = [layer.title or layer.name for layer in service.layers]
    shown = tuple(dict.fromkeys(filter(None, titles)))
    return Judged(
        service, said, shown[:_SHOWN_LAYERS], max(0, len(shown) - _SHOWN_LAYERS)
    )
