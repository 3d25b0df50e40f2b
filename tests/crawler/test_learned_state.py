"""What an order learned in an earlier version of this program."""

from __future__ import annotations

from geohound.model.visit import Candidate, Outcome, Via
from geohound.orders.adaptive import Adaptive
from geohound.tasks.order_state import learned_order


def test_a_crawl_whose_stored_learning_is_of_another_version_goes_on_and_learns_anew() -> (
    None
):
    assert isinstance(learned_order(Adaptive(), b"of another version"), Adaptive)


def test_a_resumed_crawl_goes_on_with_what_it_learned() -> None:
    order = Adaptive()
    order.learn(
        Outcome(
            Candidate("http://a.test/x", Via.LINK, "http://a.test/", "x", 0.0, 1),
            status=200,
        )
    )
    resumed = learned_order(Adaptive(), order.state())
    assert isinstance(resumed, Adaptive)
    assert not resumed._hosts.is_unknown("a.test")
