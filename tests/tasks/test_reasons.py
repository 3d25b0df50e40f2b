"""What speaks for a URL is said in a few words, without the numbers of the order."""

from __future__ import annotations

import pytest

from geohound.model.visit import Candidate, Purpose, Via
from geohound.orders.adaptive import Adaptive
from geohound.tasks.reasons import TEXTS, UNKNOWN_HOST, why

PAGE = Candidate("http://a.test/maps/", Via.LINK, clue="WMS services")


@pytest.mark.parametrize(
    ("explained", "said"),
    [
        (
            [("any link", -4.16), ("its host: judged by the links to it", -3.5)],
            UNKNOWN_HOST,
        ),
        (
            [
                ("its host: services on 3 of 5 pages", 2.0),
                ("link text has “wms”", 0.7),
                ("link text has words of services", 0.8),
                ("path has “shop”", -1.0),
                ("the page it stands on", 0.1),
            ],
            "its host has services; the words of the link; the page it stands on",
        ),
        (
            [("path has “geo”", 0.2), ("its host: no service on 9 pages so far", -2.0)],
            "its address; no service on its host so far",
        ),
        ([], ""),
    ],
)
def test_what_speaks_for_a_link_comes_first(
    explained: list[tuple[str, float]], said: str
) -> None:
    assert why(PAGE, lambda _: explained) == said


def test_all_that_an_order_says_of_a_new_link_has_words_that_are_translated() -> None:
    said = why(PAGE, Adaptive().explain)
    assert said
    assert set(said.split("; ")) <= set(TEXTS)


@pytest.mark.parametrize(
    "purpose", [purpose for purpose in Purpose if purpose is not Purpose.PAGE]
)
def test_requests_that_are_no_pages_say_what_they_are(purpose: Purpose) -> None:
    said = why(
        Candidate("http://a.test/x", Via.LINK, purpose=purpose), Adaptive().explain
    )
    assert (said == "looks like a service") == (purpose is Purpose.PROBE)
