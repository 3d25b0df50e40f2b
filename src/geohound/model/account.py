"""Who uses a portal: accounts with their roles, what proves who somebody is, and the log of what they did."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_NAME_CHARS = 64
MAX_AUDIT_ENTRIES = 100_000  # that a store keeps
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]*")


class Role(StrEnum):
    """What somebody may do (PolarHub, section 5)."""

    GUEST = "guest"  # search, and the tasks that an administrator marked as samples; no bulk download
    USER = "user"  # also downloads, and tasks of one's own
    ADMINISTRATOR = "administrator"  # everything, and the roles of others


class TokenScope(StrEnum):
    """What an API token may be used for; never more than its owner may do."""

    READ = "read"  # search, and the tasks that its owner sees
    DOWNLOAD = "download"  # also bulk downloads
    TASKS = "tasks"  # start, pause, resume, stop and delete tasks
    ADMIN = "admin"  # what administrators alone may do


class CredentialKind(StrEnum):
    """How somebody proves who he is, once he has logged in."""

    SESSION = "session"  # a cookie of a browser
    TOKEN = "token"  # noqa: S105 - a kind of credential: for programs


@dataclass(frozen=True, slots=True)
class UserAccount:
    """Somebody with a name."""

    name: str  # lower case
    role: Role
    created_at: datetime
    subject: str = ""  # issuer and subject at an OpenID provider; empty where the account has a password


@dataclass(frozen=True, slots=True)
class Credential:
    """A secret that stands for an account; the secret itself is nowhere kept, only its digest."""

    digest: str
    account: str
    kind: CredentialKind
    created_at: datetime
    expires_at: datetime
    label: str = ""
    # of tokens; a session may do all that its account may
    scopes: frozenset[TokenScope] = frozenset()


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what, when and from where."""

    at: datetime
    who: str  # name of an account; empty for nobody, or the operator of the machine
    what: str  # "log-in", "role" …
    about: str = ""  # whom or what it was done to
    address: str = ""  # of the client; empty at the command line


def clean_name(text: str) -> str:
    """The name as it is stored; empty where it cannot be one."""
    name = text.strip().lower()
    return name if len(name) <= MAX_NAME_CHARS and _NAME.fullmatch(name) else ""
