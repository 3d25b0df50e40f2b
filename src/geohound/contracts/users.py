"""What a store keeps for the accounts of the portal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from geohound.model.account import AuditEntry, Credential, Role, UserAccount
    from geohound.model.crawl.task import TaskId


class UserStore(Protocol):
    """Accounts of the portal, their credentials, the audit log, and which tasks everybody may see.

    Names are compared exactly: callers convert them to lower case.
    """

    def add(self, account: UserAccount, password_hash: str = "") -> bool:
        """Add an account; False, and nothing is written, if its subject is taken, or its name was ever given."""

    def get(self, name: str) -> UserAccount | None: ...

    def of_subject(self, subject: str) -> UserAccount | None:
        """The account that an OpenID provider knows by this subject."""

    def list(self) -> Sequence[UserAccount]:
        """All accounts, in the order in which they were added."""

    def password_hash(self, name: str) -> str:
        """The hash of the password; empty if there is none."""

    def set_role(self, name: str, role: Role) -> bool:
        """False where there is no such account."""

    def set_password(self, name: str, password_hash: str) -> bool:
        """False where there is no such account."""

    def remove(self, name: str) -> bool:
        """Forget all of an account and its saved searches but its name; False where there is no such account."""

    def keep(self, credential: Credential) -> None:
        """Store a credential of an existing account; credentials that have expired are deleted."""

    def credential(self, digest: str) -> Credential | None:
        """A credential by its digest, expired or not: callers compare the time."""

    def credentials(self, name: str) -> Sequence[Credential]:
        """The credentials of one account, oldest first."""

    def forget(self, digests: Sequence[str]) -> None: ...

    def note(self, entry: AuditEntry) -> None:
        """Add an entry to the audit log; beyond MAX_AUDIT_ENTRIES the oldest are deleted."""

    def audit(self, limit: int = 100) -> Sequence[AuditEntry]:
        """The entries of the audit log, the latest first."""

    def samples(self) -> AbstractSet[TaskId]:
        """The tasks that guests may see."""

    def mark_sample(self, task: TaskId, is_sample: bool) -> None: ...
