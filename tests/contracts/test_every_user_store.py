"""What every store of accounts must do, whatever database is behind it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sql_stores import STORES, open_sql

from geohound.model.account import (
    AuditEntry,
    Credential,
    CredentialKind,
    Role,
    TokenScope,
    UserAccount,
)
from geohound.net.clock import SystemClock
from geohound.stores.memory.users import MemoryUsers
from geohound.stores.sql.users import SqlUsers

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADA = UserAccount("ada", Role.ADMINISTRATOR, NOON)
BOB = UserAccount("bob", Role.USER, NOON, subject="https://id.example/#42")


def credential(
    digest: str, name: str = "ada", created_at: datetime = NOON, hours: int = 1
) -> Credential:
    return Credential(
        digest,
        name,
        CredentialKind.SESSION,
        created_at,
        created_at + timedelta(hours=hours),
    )


@pytest.fixture(params=STORES)
def users(request, tmp_path):
    if request.param == "memory":
        yield MemoryUsers(max_audit=3)
        return
    store = open_sql(request.param, tmp_path, SystemClock())
    yield SqlUsers(store.database, max_audit=3)
    store.close()


def test_accounts_come_back_in_the_order_in_which_they_were_added(users) -> None:
    assert users.list() == []
    assert users.add(BOB)
    assert users.add(ADA, "hash")
    assert users.list() == [BOB, ADA]
    assert (users.get("ada"), users.get("eve")) == (ADA, None)
    assert (
        users.password_hash("ada"),
        users.password_hash("bob"),
        users.password_hash("eve"),
    ) == ("hash", "", "")


def test_a_name_or_a_subject_is_taken_once(users) -> None:
    assert users.add(BOB)
    assert not users.add(UserAccount("bob", Role.ADMINISTRATOR, NOON), "other")
    assert not users.add(UserAccount("robert", Role.USER, NOON, subject=BOB.subject))
    assert users.list() == [BOB]
    assert users.of_subject(BOB.subject) == BOB
    assert users.add(ADA)
    assert users.of_subject("") is None


def test_role_and_password_change(users) -> None:
    users.add(ADA, "old")
    assert users.set_role("ada", Role.GUEST)
    assert users.set_password("ada", "new")
    assert (users.get("ada").role, users.password_hash("ada")) == (Role.GUEST, "new")
    assert not users.set_role("eve", Role.USER)
    assert not users.set_password("eve", "x")


def test_a_removed_account_takes_its_credentials_with_it(users) -> None:
    users.add(ADA)
    users.keep(credential("d1"))
    assert users.remove("ada")
    assert not users.remove("ada")
    assert (users.get("ada"), users.credential("d1"), users.credentials("ada")) == (
        None,
        None,
        [],
    )


def test_the_name_of_a_removed_account_is_never_given_again(users) -> None:
    """Tasks and judgements say by it whose they are."""
    users.add(BOB, "hash")
    assert users.remove("bob")
    assert not users.add(UserAccount("bob", Role.USER, NOON))
    users.keep(credential("d1", "bob"))
    assert not users.set_role("bob", Role.ADMINISTRATOR)
    assert not users.set_password("bob", "x")
    assert (users.list(), users.get("bob"), users.credential("d1")) == ([], None, None)
    assert (users.of_subject(BOB.subject), users.password_hash("bob")) == (None, "")
    again = UserAccount("bob-2", Role.USER, NOON, subject=BOB.subject)
    assert users.add(again), "the same person may come again, under another name"
    assert users.of_subject(BOB.subject) == again


def test_credentials_come_back_as_they_were_kept(users) -> None:
    users.add(ADA)
    scopes = frozenset({TokenScope.READ, TokenScope.TASKS})
    token = Credential(
        "d1",
        "ada",
        CredentialKind.TOKEN,
        NOON,
        NOON + timedelta(days=9),
        "laptop",
        scopes,
    )
    users.keep(token)
    users.keep(credential("d2"))
    assert users.credential("d1") == token
    assert users.credentials("ada") == [token, credential("d2")]
    users.forget(["d1", "unknown"])
    assert users.credentials("ada") == [credential("d2")]


def test_what_has_expired_goes_when_another_is_kept(users) -> None:
    users.add(ADA)
    users.keep(credential("old", hours=1))
    users.keep(credential("new", created_at=NOON + timedelta(hours=1)))
    assert [c.digest for c in users.credentials("ada")] == ["new"]


def test_nothing_is_kept_for_an_account_that_there_is_not(users) -> None:
    users.keep(credential("d1", name="eve"))
    assert users.credential("d1") is None


def test_the_audit_log_is_read_latest_first_and_is_bounded(users) -> None:
    entries = [
        AuditEntry(NOON, "ada", f"deed {n}", "bob", "192.0.2.1") for n in range(5)
    ]
    for entry in entries:
        users.note(entry)
    assert users.audit() == [entries[4], entries[3], entries[2]]
    assert users.audit(limit=1) == [entries[4]]


def test_sample_tasks_are_marked_and_unmarked(users) -> None:
    users.mark_sample(7, True)
    users.mark_sample(7, True)
    users.mark_sample(9, True)
    users.mark_sample(9, False)
    users.mark_sample(11, False)
    assert users.samples() == {7}


def test_text_that_utf8_cannot_carry_does_no_harm(users) -> None:
    users.note(AuditEntry(NOON, "", "log-in failed", "\ud800\x00", ""))
    assert users.get("\ud800") is None
    assert users.credential("\ud800") is None
