"""Who somebody is and what may be done to accounts; every change is noted in the audit log."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from geohound.contracts import Clock, UserStore
from geohound.model.account import (
    AuditEntry,
    Credential,
    CredentialKind,
    Role,
    TokenScope,
    UserAccount,
    clean_name,
)
from geohound.model.user_error import MissingError, UserError

from .log_in_limits import LogInLimits, TooManyTriesError
from .passwords import Passwords, objection

SESSION_HOURS = 7 * 24
TOKEN_DAYS = 365
TOKEN_PREFIX = "ghp_"  # noqa: S105 - by which scanners for leaked secrets know it
MAX_TOKENS = 50  # of one account
MAX_SESSIONS = 20
MAX_LABEL_CHARS = 100
MAX_KNOWN = 1_000  # entries of the audit log that say from where people have logged in
_LOG_IN = "log-in"


class AccountError(UserError):
    """What was asked of an account cannot be done; the message is for people."""


class NoSuchAccountError(AccountError, MissingError):
    """There is no account of this name."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whoever a credential stands for."""

    account: UserAccount
    credential: Credential


class Accounts:
    """The accounts of one catalogue; may be used from any thread."""

    def __init__(
        self, users: UserStore, clock: Clock, passwords: Passwords | None = None
    ) -> None:
        self._users = users
        self._clock = clock
        self._passwords = passwords or Passwords()
        self._limits = LogInLimits(clock.monotonic)
        for entry in reversed(users.audit(MAX_KNOWN)):
            if entry.what == _LOG_IN:
                self._limits.know(entry.who, entry.address)

    @property
    def any(self) -> bool:
        """Is there an account at all?"""
        return bool(self._users.list())

    def list(self) -> Sequence[UserAccount]:
        return self._users.list()

    def add(
        self,
        name: str,
        password: str,
        role: Role | None = None,
        *,
        by: str = "",
        address: str = "",
    ) -> UserAccount:
        """A new account; the first one is an administrator, others are users unless another role is named."""
        stored = _checked_name(name)
        trouble = objection(password, stored)
        if trouble:
            raise AccountError(trouble)
        first = Role.ADMINISTRATOR if not self.any else Role.USER
        if role is not None and not self.any and role is not Role.ADMINISTRATOR:
            raise AccountError(
                "The first account has to be an administrator; leave out the role."
            )
        account = UserAccount(stored, role or first, self._clock.now())
        if not self._users.add(account, self._passwords.hash(password)):
            raise AccountError(
                f"There is an account {stored} already, or there was one: a name is given once."
            )
        self.note(by, "account added", f"{stored} as {account.role}", address)
        return account

    def set_role(
        self, name: str, role: Role, *, by: str = "", address: str = ""
    ) -> None:
        found = self.find(name)
        if found.role is Role.ADMINISTRATOR and role is not Role.ADMINISTRATOR:
            self._check_another_administrator(found.name)
        self._users.set_role(found.name, role)
        self.note(by, "role changed", f"{found.name}: {found.role} to {role}", address)

    def remove(self, name: str, *, by: str = "", address: str = "") -> None:
        """Its tasks stay, and are then those of administrators alone: nobody gets its name again."""
        found = self.find(name)
        if found.role is Role.ADMINISTRATOR:
            self._check_another_administrator(found.name)
        self._users.remove(found.name)
        self.note(by, "account removed", found.name, address)

    def find(self, name: str) -> UserAccount:
        found = self._users.get(clean_name(name))
        if found is None:
            raise NoSuchAccountError(f"There is no account {name!r}.")
        return found

    def set_password(
        self, name: str, password: str, *, by: str = "", address: str = ""
    ) -> None:
        """All sessions of the account end: whoever knew the old password is out."""
        found = self.find(name)
        trouble = objection(password, found.name)
        if trouble:
            raise AccountError(trouble)
        self._users.set_password(found.name, self._passwords.hash(password))
        self._end_sessions(found.name)
        self.note(by, "password changed", found.name, address)

    def log_in(self, name: str, password: str, address: str) -> str:
        """The secret of a new session; AccountError or TooManyTriesError where there is none."""
        stored = clean_name(name)
        try:
            self._limits.begin(stored, address)
        except TooManyTriesError:
            self.note("", "log-in refused", f"{stored}: too many tries", address)
            raise
        known = self._users.password_hash(stored) if stored else ""
        if not self._passwords.is_right(known, password):
            self.note("", "log-in failed", stored, address)
            raise AccountError("Wrong name or password.")
        self._limits.succeed(stored, address)
        if self._passwords.is_outdated(known):
            self._users.set_password(stored, self._passwords.hash(password))
        return self._begin_session(stored, address)

    def is_password(self, name: str, password: str, address: str) -> bool:
        """For who changes it: the old one has to be known, and is guessed as seldom as at a log-in."""
        self._limits.begin(name, address)
        is_right = self._passwords.is_right(self._users.password_hash(name), password)
        if is_right:
            self._limits.succeed(name, address)
        return is_right

    def log_in_subject(
        self, subject: str, suggested: str, role: Role, address: str
    ) -> str:
        """The same for whom an OpenID provider vouches; one who comes first gets an account with this role."""
        found = self._users.of_subject(subject)
        if found is None:
            found = self._add_subject(subject, suggested, role, address)
        return self._begin_session(found.name, address)

    def _add_subject(
        self, subject: str, suggested: str, role: Role, address: str
    ) -> UserAccount:
        """An account of the same name is not this one: whoever has it did not ask for that."""
        base = clean_name(suggested) or "visitor"
        for name in (base, *(f"{base[:50]}-{secrets.token_hex(3)}" for _ in range(5))):
            account = UserAccount(name, role, self._clock.now(), subject)
            if self._users.add(account):
                self.note("", "account added", f"{name} as {role}, by OpenID", address)
                return account
        raise AccountError("No account could be made; ask an administrator.")

    def _begin_session(self, name: str, address: str) -> str:
        sessions = [
            c for c in self._users.credentials(name) if c.kind is CredentialKind.SESSION
        ]
        self._users.forget([c.digest for c in sessions[: -(MAX_SESSIONS - 1)]])
        secret = secrets.token_urlsafe(32)
        lasts = timedelta(hours=SESSION_HOURS)
        self._users.keep(self._credential(secret, name, CredentialKind.SESSION, lasts))
        self.note(name, _LOG_IN, "", address)
        return secret

    def log_out(self, identity: Identity, address: str) -> None:
        self._users.forget([identity.credential.digest])
        self.note(identity.account.name, "log-out", "", address)

    def identify(self, secret: str, kind: CredentialKind) -> Identity | None:
        """Whoever this secret stands for now."""
        credential = self._users.credential(digest_of(secret)) if secret else None
        if (
            credential is None
            or credential.kind is not kind
            or credential.expires_at <= self._clock.now()
        ):
            return None
        account = self._users.get(credential.account)
        return Identity(account, credential) if account else None

    def make_token(
        self,
        name: str,
        label: str,
        scopes: frozenset[TokenScope],
        address: str,
        days: int,
    ) -> str:
        """The secret of a new token; nobody can show it again."""
        if len(self.tokens(name)) >= MAX_TOKENS:
            raise AccountError(
                f"An account may have {MAX_TOKENS} tokens; revoke one first."
            )
        if not scopes:
            raise AccountError("Choose at least one scope for the token.")
        if not 1 <= days <= TOKEN_DAYS:
            raise AccountError(f"A token lasts from 1 to {TOKEN_DAYS} days.")
        secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
        named = " ".join(label.split())[:MAX_LABEL_CHARS] or "token"
        self._users.keep(
            self._credential(
                secret, name, CredentialKind.TOKEN, timedelta(days=days), named, scopes
            )
        )
        self.note(name, "token made", f"{named}: {', '.join(sorted(scopes))}", address)
        return secret

    def tokens(self, name: str) -> Sequence[Credential]:
        now = self._clock.now()
        mine = self._users.credentials(name)
        return [
            c for c in mine if c.kind is CredentialKind.TOKEN and c.expires_at > now
        ]

    def revoke_token(self, name: str, digest: str, address: str) -> None:
        """Only one's own."""
        token = next(
            (t for t in self.tokens(name) if secrets.compare_digest(t.digest, digest)),
            None,
        )
        if token is None:
            raise AccountError("There is no such token.")
        self._users.forget([token.digest])
        self.note(name, "token revoked", token.label, address)

    def note(self, who: str, what: str, about: str = "", address: str = "") -> None:
        self._users.note(AuditEntry(self._clock.now(), who, what, about, address))

    def audit(self, limit: int = 100) -> Sequence[AuditEntry]:
        return self._users.audit(limit)

    @property
    def samples(self) -> frozenset[int]:
        return frozenset(self._users.samples())

    def mark_sample(
        self, task: int, is_sample: bool, *, by: str, address: str = ""
    ) -> None:
        self._users.mark_sample(task, is_sample)
        self.note(
            by,
            "sample marked" if is_sample else "sample unmarked",
            f"task {task}",
            address,
        )

    def _credential(
        self, secret: str, name: str, kind: CredentialKind, lasts: timedelta, label: str = "",
        scopes: frozenset[TokenScope] = frozenset(),
    ) -> Credential:  # fmt: skip
        now: datetime = self._clock.now()
        return Credential(
            digest_of(secret), name, kind, now, now + lasts, label, scopes
        )

    def _end_sessions(self, name: str) -> None:
        sessions = [
            c for c in self._users.credentials(name) if c.kind is CredentialKind.SESSION
        ]
        self._users.forget([c.digest for c in sessions])

    def _check_another_administrator(self, name: str) -> None:
        others = [
            a
            for a in self._users.list()
            if a.role is Role.ADMINISTRATOR and a.name != name
        ]
        if not others:
            raise AccountError(
                f"{name} is the only administrator; make another one first."
            )


def digest_of(secret: str) -> str:
    """Secrets are random and long: a plain hash is enough, and comparing digests gives nothing away."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _checked_name(text: str) -> str:
    name = clean_name(text)
    if not name:
        raise AccountError(
            f"{text[:80]!r} cannot be a name: use letters a to z, digits, and . _ @ + - (at most 64, not at first)."
        )
    return name
