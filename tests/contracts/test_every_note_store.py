"""What every store of saved searches and judgements must do, whatever database is behind it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sql_stores import STORES, open_sql

from geohound.model.account import Role, UserAccount
from geohound.model.notes import Judgement, SavedSearch, verdict
from geohound.net.clock import SystemClock

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RIVERS = SavedSearch("ada", "Rivers", "q=rivers", NOON, NOON)
REAL = Judgement("landcover", "forest", "0" * 16, True, "ada", NOON)


@pytest.fixture(params=[name for name in STORES if name != "memory"])
def store(request, tmp_path):
    opened = open_sql(request.param, tmp_path, SystemClock())
    yield opened
    opened.close()


def test_searches_are_those_of_their_owner_the_latest_first(store) -> None:
    notes = store.notes
    first = notes.keep_search(RIVERS)
    lakes = replace(RIVERS, title="Lakes", parameters="q=lakes")
    second = notes.keep_search(lakes)
    notes.keep_search(replace(RIVERS, owner=""))
    assert [(s.num, s.title) for s in notes.searches("ada")] == [
        (second, "Lakes"),
        (first, "Rivers"),
    ]
    assert [s.parameters for s in notes.searches("")] == ["q=rivers"]
    assert notes.searches("eve") == []


def test_the_same_search_again_is_renamed(store) -> None:
    num = store.notes.keep_search(RIVERS)
    assert store.notes.keep_search(replace(RIVERS, title="My rivers")) == num
    (kept,) = store.notes.searches("ada")
    assert kept == replace(RIVERS, title="My rivers", num=num)


def test_only_its_owner_opens_or_forgets_a_search(store) -> None:
    notes, later = store.notes, NOON + timedelta(days=1)
    num = notes.keep_search(RIVERS)
    assert notes.open_search("eve", num, later) is None
    assert notes.forget_search("eve", num) is False
    assert notes.open_search("ada", num, later) == replace(RIVERS, num=num)
    assert notes.searches("ada")[0].opened_at == later
    assert notes.forget_search("ada", num) is True
    assert notes.searches("ada") == []


def test_with_an_account_its_searches_go(store) -> None:
    """Whoever gets the name next must not find them."""
    store.users.add(UserAccount("ada", Role.USER, NOON))
    store.notes.keep_search(RIVERS)
    store.notes.keep_search(replace(RIVERS, owner="bob"))
    store.users.remove("ada")
    assert store.notes.searches("ada") == []
    assert len(store.notes.searches("bob")) == 1


def test_the_last_judgement_of_a_service_in_a_class_counts(store) -> None:
    notes = store.notes
    notes.judge([REAL, replace(REAL, class_id="water")])
    notes.judge([replace(REAL, is_real=False, judge="bob")])
    assert list(notes.judgements()) == [
        replace(REAL, is_real=False, judge="bob"),
        replace(REAL, class_id="water"),
    ]
    notes.unjudge("landcover", "forest", ["0" * 16, "1" * 16])
    assert list(notes.judgements()) == [replace(REAL, class_id="water")]


def test_a_verdict_without_a_class_is_about_any() -> None:
    verdicts = {("landcover", "forest", "a"): True, ("", "", "a"): False}
    assert verdict(verdicts, "landcover", "forest", "a") is True
    assert verdict(verdicts, "landcover", "water", "a") is False
    assert verdict(verdicts, "landcover", "water", "b") is None
