"""An older geoweb is the same one, in which some of the services have died."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from geoweb import World, services
from geoweb.aging import LATER_FATES
from geoweb.placing import Fate
from geoweb.protocol import Request
from geoweb.respond import respond
from geoweb.trouble import NO_TROUBLE

DYING = replace(NO_TROUBLE, dying_service=0.3)


@pytest.fixture(scope="module")
def ages() -> list[World]:
    return [World(3, 60, 2000, DYING, age=age) for age in range(4)]


def test_only_the_fates_of_services_differ(ages: list[World]) -> None:
    young, old = ages[0], ages[3]
    assert (young.seeds, young.pages) == (old.seeds, old.pages)
    assert [p.spec for p in young.services] == [p.spec for p in old.services]
    assert all(p.alive for p in young.services)


def test_with_each_age_a_share_of_the_living_dies_and_none_comes_back(
    ages: list[World],
) -> None:
    dead = [{p.number for p in world.services if not p.alive} for world in ages]
    assert all(earlier < later for earlier, later in pairwise(dead))
    share = len(dead[1]) / len(ages[0].services)
    assert 0.2 < share < 0.4, "0.3 of some hundred"


def test_services_die_in_every_way(ages: list[World]) -> None:
    fates = Counter(p.fate for p in ages[3].services if not p.alive)
    assert set(fates) == set(LATER_FATES)


def test_an_older_web_travels_to_another_process_with_its_age(
    ages: list[World],
) -> None:
    make, numbers = ages[2].__reduce__()
    assert [p.fate for p in make(*numbers).services] == [
        p.fate for p in ages[2].services
    ]


@pytest.mark.parametrize(
    ("fate", "status", "hangs"),
    [(Fate.SILENT, 200, True), (Fate.RATE_LIMITED, 429, False)],
)
def test_the_late_fates_answer_as_they_say(
    ages: list[World], fate: Fate, status: int, hangs: bool
) -> None:
    placed = next(p for p in ages[3].services if p.fate is fate)
    host, path, query = _parts(services.facts(placed.spec).proof_url)
    reply = respond(ages[3], Request("GET", host, path, query))
    assert (reply.status, reply.hang) == (status, hangs)


def _parts(url: str) -> tuple[str, str, str]:
    host, _, rest = url.removeprefix("http://").partition("/")
    path, _, query = rest.partition("?")
    return host, f"/{path}", query
