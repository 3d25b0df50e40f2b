"""Hosts that fail, or a network that is lost?"""

from __future__ import annotations

from datetime import UTC, datetime

from geohound.crawler.connectivity import MANY_HOSTS, ConnectivityMonitor, is_answer
from geohound.model.failure import FailureReason
from geohound.model.job import PageRead, Report
from geohound.model.visit import Candidate, Failure

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def failed(url: str, reason: FailureReason = FailureReason.DNS) -> tuple[Candidate, Report]:
    return Candidate(url), Report(Failure(url, reason, "", NOW))


def test_where_nobody_has_answered_yet_the_network_may_be_away() -> None:
    doubt = ConnectivityMonitor()
    assert doubt.arises(*failed("http://a.test/"))
    assert doubt.reasons() == "name not found"
    assert not doubt.has_heard


def test_whoever_is_turned_away_by_a_host_has_a_network() -> None:
    doubt = ConnectivityMonitor()
    assert not doubt.arises(*failed("http://a.test/", FailureReason.ROBOTS))
    assert doubt.has_heard
    assert not doubt.arises(*failed("http://b.test/"))


def test_failures_that_a_lost_network_explains_are_held_back() -> None:
    doubt = ConnectivityMonitor("http://w.test/")
    assert doubt.arises(*failed("http://a.test/"))
    assert not doubt.arises(*failed("http://b.test/", FailureReason.ROBOTS))
    assert [candidate.url for candidate, _ in doubt.settle(1.0)] == ["http://a.test/"]
    assert not doubt


def test_many_pages_of_one_dead_host_are_no_lost_network() -> None:
    doubt = ConnectivityMonitor("http://w.test/")
    for page in range(50):
        doubt.arises(*failed(f"http://a.test/{page}"))
    assert not doubt.is_grave
    for host in range(MANY_HOSTS):
        doubt.arises(*failed(f"http://h{host}.test/"))
    assert doubt.is_grave


def test_whoever_answered_last_is_the_witness() -> None:
    doubt = ConnectivityMonitor()
    assert not doubt.arises(Candidate("http://a.test/x"), Report(PageRead(), 200))
    assert doubt.witness == "http://a.test"


def test_a_host_that_fails_again_while_others_answer_has_failed_by_itself() -> None:
    doubt = ConnectivityMonitor("http://w.test/")
    assert doubt.arises(*failed("http://a.test/"))
    doubt.settle(1.0)
    assert not doubt.arises(*failed("http://a.test/"))
    assert not doubt.arises(*failed("http://a.test/other"))
    assert doubt.arises(*failed("http://b.test/"))
    doubt.give_up()  # the network was lost in between
    assert doubt.arises(*failed("http://a.test/"))


def test_an_answer_of_any_sort_shows_that_the_network_is_there() -> None:
    def of(reason: FailureReason, status: int = 0) -> Report:
        return Report(Failure("http://a.test/", reason, "", NOW), status)

    assert is_answer(Report(PageRead(), 200))
    assert is_answer(of(FailureReason.UNAVAILABLE, 503))
    assert is_answer(of(FailureReason.RATE_LIMITED, 429))
    assert not is_answer(of(FailureReason.RESET))
    assert not is_answer(of(FailureReason.RATE_LIMITED))  # our own pace: nobody was asked
    assert not is_answer(of(FailureReason.CONNECT_TIMEOUT))


def test_a_silent_witness_makes_room_for_another() -> None:
    doubt = ConnectivityMonitor()
    for host in "abc":
        doubt.arises(Candidate(f"http://{host}.test/x"), Report(PageRead(), 200))
    asked = []
    for _ in range(4):
        asked.append(doubt.witness)
        doubt.ask_another()
    assert asked == ["http://c.test", "http://b.test", "http://a.test", "http://c.test"]


def test_a_host_that_answers_again_gets_its_second_look_back() -> None:
    doubt = ConnectivityMonitor("http://w.test/")
    doubt.arises(*failed("http://a.test/"))
    doubt.settle(1.0)
    assert not doubt.arises(Candidate("http://a.test/"), Report(PageRead(), 200))
    assert doubt.arises(*failed("http://a.test/"))


def test_an_answer_to_an_earlier_question_says_nothing_of_a_later_failure() -> None:
    doubt = ConnectivityMonitor("http://w.test/")
    doubt.arises(*failed("http://a.test/"), now=5.0)
    doubt.arises(*failed("http://b.test/"), now=7.0)
    assert [candidate.url for candidate, _ in doubt.settle(since=4.0)] == []  # asked before, told after
    assert [candidate.url for candidate, _ in doubt.settle(since=6.0)] == ["http://a.test/"]
    assert doubt
    assert doubt.arises(*failed("http://b.test/x"), now=8.0)  # nobody has spoken against its host
    assert not doubt.arises(*failed("http://a.test/x"), now=8.0)
