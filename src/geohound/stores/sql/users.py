"""Accounts of the portal, their sessions and tokens, and the log of what they did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from geohound.model.account import (
    MAX_AUDIT_ENTRIES,
    AuditEntry,
    Credential,
    CredentialKind,
    Role,
    TokenScope,
    UserAccount,
)
from geohound.model.crawl.task import TaskId

from .database import Database
from .services.codec import clean

# of an account that was removed: its name is never given again, as tasks and judgements say whose they are by it
REMOVED = "removed"
_ACCOUNT = "SELECT name, role, created_at, subject FROM account WHERE role <> 'removed'"
_CREDENTIAL = "SELECT digest, account, kind, created_at, expires_at, label, scopes FROM credential"


class SqlUsers:
    """Those of one catalogue."""

    def __init__(self, database: Database, max_audit: int = MAX_AUDIT_ENTRIES) -> None:
        self._database = database
        self._max_audit = max_audit

    def add(self, account: UserAccount, password_hash: str = "") -> bool:
        row = (
            account.name,
            account.role,
            account.created_at.timestamp(),
            clean(account.subject),
            password_hash,
        )
        sql = "INSERT INTO account (name, role, created_at, subject, password_hash) VALUES (?, ?, ?, ?, ?)"
        try:
            with self._database.write() as connection:
                connection.execute(sql, row)
        except Exception as error:
            if self._database.is_duplicate(error):
                return False
            raise
        return True

    def get(self, name: str) -> UserAccount | None:
        return self._one(f"{_ACCOUNT} AND name = ?", clean(name))

    def of_subject(self, subject: str) -> UserAccount | None:
        return self._one(
            f"{_ACCOUNT} AND subject = ? AND subject <> ''", clean(subject)
        )

    def list(self) -> Sequence[UserAccount]:
        return [
            _account(row)
            for row in self._database.read().execute(f"{_ACCOUNT} ORDER BY num")
        ]

    def password_hash(self, name: str) -> str:
        sql = "SELECT password_hash FROM account WHERE name = ?"
        row = self._database.read().execute(sql, (clean(name),)).fetchone()
        return str(row[0]) if row else ""

    def set_role(self, name: str, role: Role) -> bool:
        return self._changes(
            "UPDATE account SET role = ? WHERE name = ? AND role <> ?",
            role,
            clean(name),
            REMOVED,
        )

    def set_password(self, name: str, password_hash: str) -> bool:
        return self._changes(
            "UPDATE account SET password_hash = ? WHERE name = ? AND role <> ?",
            password_hash,
            clean(name),
            REMOVED,
        )

    def remove(self, name: str) -> bool:
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM credential WHERE account = ?", (clean(name),)
            )
            connection.execute(
                "DELETE FROM saved_search WHERE owner = ?", (clean(name),)
            )
            removed = connection.execute(
                "UPDATE account SET role = ?, subject = '', password_hash = '' "
                "WHERE name = ? AND role <> ?",
                (REMOVED, clean(name), REMOVED),
            )
            return removed.rowcount > 0

    def keep(self, credential: Credential) -> None:
        c = credential
        created_at = c.created_at.timestamp()
        scopes = " ".join(sorted(c.scopes))
        row = (
            c.digest,
            c.account,
            c.kind,
            created_at,
            c.expires_at.timestamp(),
            clean(c.label),
            scopes,
            c.account,
            REMOVED,
        )
        with self._database.write() as connection:
            connection.execute(
                "DELETE FROM credential WHERE expires_at <= ?", (created_at,)
            )
            connection.execute(
                "INSERT INTO credential (digest, account, kind, created_at, expires_at, label, scopes) "
                "SELECT ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM account WHERE name = ? AND role <> ?)",
                row,
            )

    def credential(self, digest: str) -> Credential | None:
        row = (
            self._database.read()
            .execute(f"{_CREDENTIAL} WHERE digest = ?", (clean(digest),))
            .fetchone()
        )
        return _credential(row) if row else None

    def credentials(self, name: str) -> Sequence[Credential]:
        rows = self._database.read().execute(
            f"{_CREDENTIAL} WHERE account = ? ORDER BY num", (clean(name),)
        )
        return [_credential(row) for row in rows]

    def forget(self, digests: Sequence[str]) -> None:
        with self._database.write() as connection:
            connection.executemany(
                "DELETE FROM credential WHERE digest = ?",
                [(digest,) for digest in digests],
            )

    def note(self, entry: AuditEntry) -> None:
        texts = [
            clean(text) for text in (entry.who, entry.what, entry.about, entry.address)
        ]
        with self._database.write() as connection:
            (num,) = connection.execute(
                "INSERT INTO audit (at, who, what, about, address) VALUES (?, ?, ?, ?, ?) RETURNING num",
                (entry.at.timestamp(), *texts),
            ).fetchone()
            connection.execute(
                "DELETE FROM audit WHERE num <= ?", (num - self._max_audit,)
            )

    def audit(self, limit: int = 100) -> Sequence[AuditEntry]:
        sql = (
            "SELECT at, who, what, about, address FROM audit ORDER BY num DESC LIMIT ?"
        )
        rows = self._database.read().execute(sql, (limit,))
        return [AuditEntry(_time(at), *texts) for at, *texts in rows]

    def samples(self) -> frozenset[TaskId]:
        return frozenset(
            task
            for (task,) in self._database.read().execute("SELECT task FROM sample_task")
        )

    def mark_sample(self, task: TaskId, is_sample: bool) -> None:
        adding = "INSERT INTO sample_task VALUES (?) ON CONFLICT DO NOTHING"
        removing = "DELETE FROM sample_task WHERE task = ?"
        with self._database.write() as connection:
            connection.execute(adding if is_sample else removing, (task,))

    def _one(self, sql: str, value: str) -> UserAccount | None:
        row = self._database.read().execute(sql, (value,)).fetchone()
        return _account(row) if row else None

    def _changes(self, sql: str, *values: str) -> bool:
        with self._database.write() as connection:
            return connection.execute(sql, values).rowcount > 0


def _account(row: tuple[Any, ...]) -> UserAccount:
    name, role, created_at, subject = row
    return UserAccount(name, Role(role), _time(created_at), subject)


def _credential(row: tuple[Any, ...]) -> Credential:
    digest, account, kind, created_at, expires_at, label, scopes = row
    given = frozenset(map(TokenScope, scopes.split()))
    return Credential(
        digest,
        account,
        CredentialKind(kind),
        _time(created_at),
        _time(expires_at),
        label,
        given,
    )


def _time(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)
