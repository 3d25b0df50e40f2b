"""What a store keeps for the accounts of the portal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from geohound.model.account import AuditEntry, Credential, Role, UserAccount
    from geohound.model.work.task import TaskId


class UserStore(Protocol):
    """Accounts of the portal, what stands for them, what they did, and which tasks everybody may see.

    Names are compared as they are: who calls has put them into lower case.
    """

    def add(self, account: UserAccount, password_hash: str = "") -> bool:
        """A new account; False, and nothing is written, where its name or its subject is taken."""

    def get(self, name: str) -> UserAccount | None: ...

    def of_subject(self, subject: str) -> UserAccount | None:
        """Whoever an OpenID provider knows by this subject."""

    def list(self) -> Sequence[UserAccount]:
        """All accounts, in the order in which they were added."""

    def password_hash(self, name: str) -> str:
        """Empty where there is none."""

    def set_role(self, name: str, role: Role) -> bool:
        """False where there is no such account."""

    def set_password(self, name: str, password_hash: str) -> bool:
        """False where there is no such account."""

    def remove(self, name: str) -> bool:
        """Forget an account with its credentials and saved searches; False where there is no such account."""

    def keep(self, credential: Credential) -> None:
        """Keep what stands for an account that there is; those that have expired by its creation go."""

    def credential(self, digest: str) -> Credential | None:
        """Whatever its age: who calls compares the time."""

    def credentials(self, name: str) -> Sequence[Credential]:
        """Those of one account, in the order in which they were made."""

    def forget(self, digests: Sequence[str]) -> None: ...

    def note(self, entry: AuditEntry) -> None:
        """Add to the log; beyond MAX_AUDIT_ENTRIES the oldest go."""

    def audit(self, limit: int = 100) -> Sequence[AuditEntry]:
        """The latest first."""

    def samples(self) -> AbstractSet[TaskId]:
        """The tasks that guests may see."""

    def mark_sample(self, task: TaskId, is_sample: bool) -> None: ...
