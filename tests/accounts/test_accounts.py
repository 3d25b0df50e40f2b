"""The rules of accounts: who is administrator, what a password must be, how long a session or token stands for one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from argon2 import PasswordHasher

from geohound.accounts import AccountError, Accounts, TooManyTriesError
from geohound.accounts.accounts import digest_of
from geohound.accounts.log_in_limits import (
    MOST_OF_ADDRESS,
    MOST_OF_BOTH,
    MOST_OF_NAME,
    WINDOW_S,
    LogInLimits,
)
from geohound.accounts.passwords import Passwords
from geohound.model.account import CredentialKind, Role, TokenScope, clean_name
from geohound.stores.memory.users import MemoryUsers

SECRET = "correct horse battery"
OTHER = "another good password"
HOME = "192.0.2.1"


class HandClock:
    passed_s = 0.0

    def now(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.passed_s)

    def monotonic(self):
        return self.passed_s


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def users() -> MemoryUsers:
    return MemoryUsers()


@pytest.fixture
def accounts(users, clock) -> Accounts:
    return Accounts(
        users,
        clock,
        Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)),
    )


def test_the_first_account_is_administrator_and_the_next_is_user(accounts) -> None:
    assert accounts.add("Ada", SECRET).role is Role.ADMINISTRATOR
    assert accounts.add("bob", SECRET).role is Role.USER
    assert accounts.add("guest1", SECRET, Role.GUEST).role is Role.GUEST
    assert [a.name for a in accounts.list()] == ["ada", "bob", "guest1"]


def test_the_first_account_cannot_be_anything_else(accounts) -> None:
    with pytest.raises(AccountError, match="has to be an administrator"):
        accounts.add("ada", SECRET, Role.USER)


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "-a", "a/b", "ä", "x" * 65, "a\nb", "<script>"]
)
def test_a_name_has_few_letters_to_choose_from(accounts, name) -> None:
    assert clean_name(name) == ""
    with pytest.raises(AccountError, match="cannot be a name"):
        accounts.add(name, SECRET)


@pytest.mark.parametrize(
    "password",
    ["", "short", "aaaaaaaaaaaa", "administrator", "adaadaadaada", "x" * 501],
)
def test_an_easy_or_endless_password_is_refused(accounts, password) -> None:
    with pytest.raises(AccountError):
        accounts.add("ada", password)
    assert accounts.list() == []


def test_a_name_is_taken_once_whatever_its_case(accounts) -> None:
    accounts.add("ada", SECRET)
    with pytest.raises(AccountError, match="already"):
        accounts.add("ADA", OTHER)


def test_the_only_administrator_stays(accounts) -> None:
    accounts.add("ada", SECRET)
    accounts.add("bob", SECRET)
    for change in (
        lambda: accounts.remove("ada"),
        lambda: accounts.set_role("ada", Role.USER),
    ):
        with pytest.raises(AccountError, match="only administrator"):
            change()
    accounts.set_role("bob", Role.ADMINISTRATOR)
    accounts.remove("ada")
    assert [a.name for a in accounts.list()] == ["bob"]


def test_passwords_and_secrets_are_nowhere_kept(accounts, users) -> None:
    accounts.add("ada", SECRET)
    session = accounts.log_in("ada", SECRET, HOME)
    token = accounts.make_token("ada", "laptop", frozenset({TokenScope.READ}), HOME, 30)
    kept = repr(vars(users))
    assert users.password_hash("ada").startswith("$argon2id$")
    for secret in (SECRET, session, token):
        assert secret not in kept


def test_a_session_stands_for_its_account_until_it_ends(accounts, clock) -> None:
    accounts.add("ada", SECRET)
    session = accounts.log_in("ADA", SECRET, HOME)
    found = accounts.identify(session, CredentialKind.SESSION)
    assert found is not None
    assert found.account.name == "ada"
    assert accounts.identify(session, CredentialKind.TOKEN) is None, (
        "a cookie is no token"
    )
    assert accounts.identify(session + "x", CredentialKind.SESSION) is None
    assert accounts.identify(digest_of(session), CredentialKind.SESSION) is None, (
        "a stolen digest is worth nothing"
    )
    clock.passed_s = 7 * 24 * 3600
    assert accounts.identify(session, CredentialKind.SESSION) is None


def test_logging_out_ends_one_session_and_a_new_password_ends_all(accounts) -> None:
    accounts.add("ada", SECRET)
    first = accounts.log_in("ada", SECRET, HOME)
    second = accounts.log_in("ada", SECRET, HOME)
    found = accounts.identify(first, CredentialKind.SESSION)
    accounts.log_out(found, HOME)
    assert accounts.identify(first, CredentialKind.SESSION) is None
    assert accounts.identify(second, CredentialKind.SESSION) is not None
    accounts.set_password("ada", OTHER)
    assert accounts.identify(second, CredentialKind.SESSION) is None
    with pytest.raises(AccountError, match="Wrong name or password"):
        accounts.log_in("ada", SECRET, HOME)
    assert accounts.log_in("ada", OTHER, HOME)


def test_a_role_counts_from_the_next_request_on(accounts) -> None:
    accounts.add("ada", SECRET)
    accounts.add("bob", SECRET)
    session = accounts.log_in("bob", SECRET, HOME)
    accounts.set_role("bob", Role.GUEST)
    assert accounts.identify(session, CredentialKind.SESSION).account.role is Role.GUEST
    accounts.remove("bob")
    assert accounts.identify(session, CredentialKind.SESSION) is None


@pytest.mark.parametrize("name", ["nobody", "", "a b", "\ud800"])
def test_a_wrong_name_and_a_wrong_password_give_the_same_answer(accounts, name) -> None:
    accounts.add("ada", SECRET)
    said = []
    for who, password in ((name, SECRET), ("ada", "wrong password!")):
        with pytest.raises(AccountError) as refused:
            accounts.log_in(who, password, HOME)
        said.append(str(refused.value))
    assert said == ["Wrong name or password."] * 2


def test_an_account_of_an_openid_provider_has_no_password_to_guess(accounts) -> None:
    accounts.log_in_subject("https://id.example/#1", "Carla", Role.GUEST, HOME)
    with pytest.raises(AccountError, match="Wrong name"):
        accounts.log_in("carla", "", HOME)


def test_a_provider_cannot_take_over_an_account_by_its_name(accounts) -> None:
    accounts.add("ada", SECRET)
    session = accounts.log_in_subject("https://id.example/#1", "ada", Role.GUEST, HOME)
    found = accounts.identify(session, CredentialKind.SESSION)
    assert found.account.name.startswith("ada-")
    assert found.account.role is Role.GUEST
    again = accounts.log_in_subject("https://id.example/#1", "other", Role.USER, HOME)
    assert accounts.identify(again, CredentialKind.SESSION).account == found.account


def test_nobody_gets_the_name_of_a_removed_account_by_a_provider_or_otherwise(
    accounts,
) -> None:
    accounts.add("root", SECRET)
    accounts.add("ada", SECRET)
    accounts.remove("ada")
    with pytest.raises(AccountError, match="once"):
        accounts.add("ada", SECRET)
    session = accounts.log_in_subject("https://id.example/#2", "ada", Role.GUEST, HOME)
    found = accounts.identify(session, CredentialKind.SESSION)
    assert found.account.name.startswith("ada-")


def test_a_token_has_scopes_and_an_end_and_can_be_revoked(accounts, clock) -> None:
    accounts.add("ada", SECRET)
    secret = accounts.make_token(
        "ada", " my \n laptop ", frozenset({TokenScope.READ}), HOME, 30
    )
    (token,) = accounts.tokens("ada")
    assert (token.label, token.scopes) == ("my laptop", {TokenScope.READ})
    assert accounts.identify(secret, CredentialKind.TOKEN).credential == token
    assert accounts.identify(secret, CredentialKind.SESSION) is None, (
        "a token is no cookie"
    )
    clock.passed_s = 30 * 24 * 3600
    assert accounts.identify(secret, CredentialKind.TOKEN) is None
    clock.passed_s = 0
    accounts.add("bob", SECRET)
    with pytest.raises(AccountError, match="no such token"):
        accounts.revoke_token("bob", token.digest, HOME)
    accounts.revoke_token("ada", token.digest, HOME)
    assert accounts.identify(secret, CredentialKind.TOKEN) is None


@pytest.mark.parametrize("days", [0, 366, -1])
def test_a_token_without_scope_or_with_no_end_is_refused(accounts, days) -> None:
    accounts.add("ada", SECRET)
    with pytest.raises(AccountError):
        accounts.make_token("ada", "x", frozenset({TokenScope.READ}), HOME, days)
    with pytest.raises(AccountError):
        accounts.make_token("ada", "x", frozenset(), HOME, 30)


def test_what_was_done_stands_in_the_audit_log(accounts) -> None:
    accounts.add("ada", SECRET)
    accounts.log_in("ada", SECRET, HOME)
    with pytest.raises(AccountError):
        accounts.log_in("ada", "wrong password!", "198.51.100.7")
    latest = [(e.who, e.what, e.about, e.address) for e in accounts.audit()]
    assert latest == [
        ("", "log-in failed", "ada", "198.51.100.7"),
        ("ada", "log-in", "", HOME),
        ("", "account added", "ada as administrator", ""),
    ]


def test_after_some_failures_one_has_to_wait_even_with_the_right_password(
    accounts, clock
) -> None:
    accounts.add("ada", SECRET)
    for _ in range(MOST_OF_BOTH):
        with pytest.raises(AccountError):
            accounts.log_in("ada", "wrong password!", HOME)
    with pytest.raises(TooManyTriesError) as refused:
        accounts.log_in("ada", SECRET, HOME)
    assert refused.value.wait_s == WINDOW_S
    assert accounts.log_in("ada", SECRET, "198.51.100.7"), (
        "others are not locked out with the attacker"
    )
    clock.passed_s = WINDOW_S
    assert accounts.log_in("ada", SECRET, HOME)


def test_many_names_from_one_address_and_many_addresses_for_one_name_are_limited_too(
    clock,
) -> None:
    limits = LogInLimits(clock.monotonic)
    for n in range(MOST_OF_ADDRESS):
        limits.begin(f"name{n}", HOME)
    with pytest.raises(TooManyTriesError):
        limits.begin("fresh", HOME)
    limits = LogInLimits(clock.monotonic)
    for n in range(MOST_OF_NAME):
        limits.begin("ada", f"10.0.0.{n}")
    with pytest.raises(TooManyTriesError):
        limits.begin("ada", "10.0.1.1")


def fails_at(limits: LogInLimits, name: str, addresses) -> int:
    """How many tries were counted before one was refused."""
    for n, address in enumerate(addresses):
        try:
            limits.begin(name, address)
        except TooManyTriesError:
            return n
    return len(addresses)


def test_a_network_of_ipv6_addresses_counts_as_one(clock) -> None:
    limits = LogInLimits(clock.monotonic)
    own = [f"2001:db8:1:2::{n:x}" for n in range(1, 40)]
    assert fails_at(limits, "ada", own) == MOST_OF_BOTH
    assert fails_at(limits, "ada", ["2001:db8:1:3::1"]) == 1, "another network"


def test_tries_from_everywhere_do_not_lock_out_who_logs_in_from_where_she_did_before(
    clock,
) -> None:
    limits = LogInLimits(clock.monotonic)
    limits.begin("ada", HOME)
    limits.succeed("ada", HOME)
    others = [f"10.0.{n}.1" for n in range(100)]
    assert fails_at(limits, "ada", others) == MOST_OF_NAME
    assert fails_at(limits, "ada", [HOME] * 10) == MOST_OF_BOTH, "her own allowance"


def test_from_where_one_has_logged_in_is_known_after_a_restart(clock) -> None:
    users, passwords = MemoryUsers(), Passwords(PasswordHasher(1, 8, 1))
    before = Accounts(users, clock, passwords)
    before.add("ada", SECRET)
    before.log_in("ada", SECRET, HOME)
    accounts = Accounts(users, clock, passwords)
    for n in range(MOST_OF_NAME):
        with pytest.raises(AccountError):
            accounts.log_in("ada", "wrong password!", f"10.0.{n}.1")
    with pytest.raises(TooManyTriesError):
        accounts.log_in("ada", SECRET, "10.1.1.1")
    assert accounts.log_in("ada", SECRET, HOME)


def test_tries_on_other_names_do_not_reset_the_count_of_one(clock) -> None:
    limits = LogInLimits(clock.monotonic)
    for n in range(MOST_OF_NAME):
        limits.begin("root", f"10.0.{n}.1")
    for n in range(6_000):
        limits.begin(f"name{n}", f"10.{1 + n // 250}.{n % 250}.1")
    with pytest.raises(TooManyTriesError):
        limits.begin("root", "10.200.1.1")
    limits.begin("ada", "10.200.1.2")
    clock.passed_s = WINDOW_S
    limits.begin("root", "10.200.1.1")


def test_a_log_in_that_succeeds_counts_for_nothing(clock) -> None:
    limits = LogInLimits(clock.monotonic)
    for _ in range(10 * MOST_OF_NAME):
        limits.begin("ada", HOME)
        limits.succeed("ada", HOME)
