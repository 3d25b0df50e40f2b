"""Hosts that fail, or a network that is lost?"""

from __future__ import annotations

from datetime import UTC, datetime

from geohound.crawl.outage import MANY_HOSTS, Doubt
from geohound.crawl.report import Report
from geohound.model.visit import Candidate, Failure, FailureReason

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def failed(url: str, reason: FailureReason = FailureReason.DNS) -> tuple[Candidate, Report]:
    return Candidate(url), Report(failure=Failure(url, reason, "", NOW))


def test_without_a_host_that_ever_answered_there_is_no_doubt() -> None:
    assert not Doubt().arises(*failed("http://a.test/"))


def test_failures_that_a_lost_network_explains_are_held_back() -> None:
    doubt = Doubt("http://w.test/")
    assert doubt.arises(*failed("http://a.test/"))
    assert not doubt.arises(*failed("http://b.test/", FailureReason.ROBOTS))
    assert [candidate.url for candidate, _ in doubt.release()] == ["http://a.test/"]
    assert not doubt


def test_many_pages_of_one_dead_host_are_no_lost_network() -> None:
    doubt = Doubt("http://w.test/")
    for page in range(50):
        doubt.arises(*failed(f"http://a.test/{page}"))
    assert not doubt.is_grave
    for host in range(MANY_HOSTS):
        doubt.arises(*failed(f"http://h{host}.test/"))
    assert doubt.is_grave


def test_whoever_answered_last_is_the_witness() -> None:
    doubt = Doubt()
    assert not doubt.arises(Candidate("http://a.test/x"), Report(200))
    assert doubt.witness == "http://a.test/x"


def test_a_host_that_fails_again_while_others_answer_has_failed_by_itself() -> None:
    doubt = Doubt("http://w.test/")
    assert doubt.arises(*failed("http://a.test/"))
    doubt.suspect()
    doubt.release()
    assert not doubt.arises(*failed("http://a.test/"))
    assert not doubt.arises(*failed("http://a.test/other"))
    assert doubt.arises(*failed("http://b.test/"))
    doubt.forgive()  # the network was lost in between
    assert doubt.arises(*failed("http://a.test/"))
