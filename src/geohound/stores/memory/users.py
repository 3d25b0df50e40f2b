"""Accounts of the portal, in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from geohound.model.account import (
    MAX_AUDIT_ENTRIES,
    AuditEntry,
    Credential,
    Role,
    UserAccount,
)
from geohound.model.crawl.task import TaskId


class MemoryUsers:
    def __init__(self, max_audit: int = MAX_AUDIT_ENTRIES) -> None:
        self._accounts: dict[str, UserAccount] = {}
        self._hashes: dict[str, str] = {}
        self._removed: set[str] = set()
        self._credentials: dict[str, Credential] = {}
        self._audit: deque[AuditEntry] = deque(maxlen=max_audit)
        self._samples: set[TaskId] = set()

    def add(self, account: UserAccount, password_hash: str = "") -> bool:
        is_taken = (
            bool(account.subject) and self.of_subject(account.subject) is not None
        )
        if account.name in {*self._accounts, *self._removed} or is_taken:
            return False
        self._accounts[account.name] = account
        self._hashes[account.name] = password_hash
        return True

    def get(self, name: str) -> UserAccount | None:
        return self._accounts.get(name)

    def of_subject(self, subject: str) -> UserAccount | None:
        return next(
            (a for a in self._accounts.values() if subject and a.subject == subject),
            None,
        )

    def list(self) -> Sequence[UserAccount]:
        return list(self._accounts.values())

    def password_hash(self, name: str) -> str:
        return self._hashes.get(name, "")

    def set_role(self, name: str, role: Role) -> bool:
        if name not in self._accounts:
            return False
        self._accounts[name] = replace(self._accounts[name], role=role)
        return True

    def set_password(self, name: str, password_hash: str) -> bool:
        if name not in self._accounts:
            return False
        self._hashes[name] = password_hash
        return True

    def remove(self, name: str) -> bool:
        if self._accounts.pop(name, None) is None:
            return False
        self._hashes.pop(name, None)
        self._removed.add(name)
        self.forget([credential.digest for credential in self.credentials(name)])
        return True

    def keep(self, credential: Credential) -> None:
        old = [
            c.digest
            for c in self._credentials.values()
            if c.expires_at <= credential.created_at
        ]
        self.forget(old)
        if credential.account in self._accounts:
            self._credentials[credential.digest] = credential

    def credential(self, digest: str) -> Credential | None:
        return self._credentials.get(digest)

    def credentials(self, name: str) -> Sequence[Credential]:
        return [c for c in self._credentials.values() if c.account == name]

    def forget(self, digests: Sequence[str]) -> None:
        for digest in digests:
            self._credentials.pop(digest, None)

    def note(self, entry: AuditEntry) -> None:
        self._audit.append(entry)

    def audit(self, limit: int = 100) -> Sequence[AuditEntry]:
        return list(reversed(self._audit))[:limit]

    def samples(self) -> frozenset[TaskId]:
        return frozenset(self._samples)

    def mark_sample(self, task: TaskId, is_sample: bool) -> None:
        if is_sample:
            self._samples.add(task)
        else:
            self._samples.discard(task)
