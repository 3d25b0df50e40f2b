"""Hosts that fail, or a network that is lost?"""

from __future__ import annotations

from datetime import UTC, datetime

from geohound.crawler.connectivity import MANY_HOSTS, ConnectivityMonitor, is_answer
from geohound.model.crawl.job import PageRead, Report
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Failure

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def failed(
    url: str, reason: FailureReason = FailureReason.DNS
) -> tuple[Candidate, Report]:
    return Candidate(url), Report(Failure(url, reason, "", NOW))


def test_where_nobody_has_answered_yet_the_network_may_be_away() -> None:
    monitor = ConnectivityMonitor()
    assert monitor.hold_back(*failed("http://a.test/"))
    assert monitor.reasons() == "name not found"
    assert not monitor.has_any_answer


def test_whoever_is_turned_away_by_a_host_has_a_network() -> None:
    monitor = ConnectivityMonitor()
    assert not monitor.hold_back(*failed("http://a.test/", FailureReason.ROBOTS))
    assert monitor.has_any_answer
    assert not monitor.hold_back(*failed("http://b.test/"))


def test_failures_that_a_lost_network_explains_are_held_back() -> None:
    monitor = ConnectivityMonitor("http://w.test/")
    assert monitor.hold_back(*failed("http://a.test/"))
    assert not monitor.hold_back(*failed("http://b.test/", FailureReason.ROBOTS))
    assert [candidate.url for candidate, _ in monitor.release(1.0)] == [
        "http://a.test/"
    ]
    assert not monitor


def test_many_pages_of_one_dead_host_are_no_lost_network() -> None:
    monitor = ConnectivityMonitor("http://w.test/")
    for page in range(50):
        monitor.hold_back(*failed(f"http://a.test/{page}"))
    assert not monitor.suspects_lost_network
    for host in range(MANY_HOSTS):
        monitor.hold_back(*failed(f"http://h{host}.test/"))
    assert monitor.suspects_lost_network


def test_whoever_answered_last_is_the_witness() -> None:
    monitor = ConnectivityMonitor()
    assert not monitor.hold_back(Candidate("http://a.test/x"), Report(PageRead(), 200))
    assert monitor.reference == "http://a.test"


def test_a_file_of_this_machine_says_nothing_about_the_network() -> None:
    monitor = ConnectivityMonitor("file:///srv/crawl.warc.gz")
    assert not monitor.hold_back(
        Candidate("file:///srv/list.csv"), Report(PageRead(), 200)
    )
    assert monitor.reference == ""


def test_a_host_that_fails_again_while_others_answer_has_failed_by_itself() -> None:
    monitor = ConnectivityMonitor("http://w.test/")
    assert monitor.hold_back(*failed("http://a.test/"))
    monitor.release(1.0)
    assert not monitor.hold_back(*failed("http://a.test/"))
    assert not monitor.hold_back(*failed("http://a.test/other"))
    assert monitor.hold_back(*failed("http://b.test/"))
    monitor.give_up()  # the network was lost in between
    assert monitor.hold_back(*failed("http://a.test/"))


def test_an_answer_of_any_sort_shows_that_the_network_is_there() -> None:
    def of(reason: FailureReason, status: int = 0) -> Report:
        return Report(Failure("http://a.test/", reason, "", NOW), status)

    assert is_answer(Report(PageRead(), 200))
    assert is_answer(of(FailureReason.UNAVAILABLE, 503))
    assert is_answer(of(FailureReason.RATE_LIMITED, 429))
    assert not is_answer(of(FailureReason.RESET))
    assert not is_answer(
        of(FailureReason.RATE_LIMITED)
    )  # our own pace: nobody was asked
    assert not is_answer(of(FailureReason.CONNECT_TIMEOUT))


def test_a_silent_witness_makes_room_for_another() -> None:
    monitor = ConnectivityMonitor()
    for host in "abc":
        monitor.hold_back(Candidate(f"http://{host}.test/x"), Report(PageRead(), 200))
    asked = []
    for _ in range(4):
        asked.append(monitor.reference)
        monitor.ask_another()
    assert asked == ["http://c.test", "http://b.test", "http://a.test", "http://c.test"]


def test_a_host_that_answers_again_gets_its_second_look_back() -> None:
    monitor = ConnectivityMonitor("http://w.test/")
    monitor.hold_back(*failed("http://a.test/"))
    monitor.release(1.0)
    assert not monitor.hold_back(Candidate("http://a.test/"), Report(PageRead(), 200))
    assert monitor.hold_back(*failed("http://a.test/"))


def test_an_answer_to_an_earlier_question_says_nothing_of_a_later_failure() -> None:
    monitor = ConnectivityMonitor("http://w.test/")
    monitor.hold_back(*failed("http://a.test/"), now=5.0)
    monitor.hold_back(*failed("http://b.test/"), now=7.0)
    assert [
        candidate.url for candidate, _ in monitor.release(since=4.0)
    ] == []  # asked before, told after
    assert [candidate.url for candidate, _ in monitor.release(since=6.0)] == [
        "http://a.test/"
    ]
    assert monitor
    assert monitor.hold_back(
        *failed("http://b.test/x"), now=8.0
    )  # nobody has spoken against its host
    assert not monitor.hold_back(*failed("http://a.test/x"), now=8.0)
