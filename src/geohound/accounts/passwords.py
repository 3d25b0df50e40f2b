"""Passwords: how long they must be, and their hashes by argon2id."""

from __future__ import annotations

import threading
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_CHARS = 10
MAX_CHARS = 500
HASHES_AT_ONCE = 2  # each takes 64 MiB for a tenth of a second
_COMMON = frozenset(
    {"password", "geohound", "qwertyuiop", "administrator", "1234567890", "0123456789"}
)


class Passwords:
    """Hashes and compares; at most a few at once, so that a flood of log-ins takes no memory."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        # the parameters that RFC 9106 recommends where memory is scarce
        self._hasher = hasher or PasswordHasher()
        self._turns = threading.BoundedSemaphore(HASHES_AT_ONCE)
        self._nobody = ""

    def hash(self, password: str) -> str:
        with self._turns:
            return self._hasher.hash(_same(password))

    def is_right(self, password_hash: str, password: str) -> bool:
        """An account that does not exist, or has no password, takes as long as one that has."""
        known = password_hash or self._hash_of_nobody()
        with self._turns:
            try:
                is_same = self._hasher.verify(known, _same(password))
            except (VerificationError, InvalidHashError):
                return False
        return is_same and bool(password_hash)

    def is_outdated(self, password_hash: str) -> bool:
        """Was it made with weaker parameters than those of today?"""
        return self._hasher.check_needs_rehash(password_hash)

    def _hash_of_nobody(self) -> str:
        if not self._nobody:
            self._nobody = self.hash("a password that nobody has")
        return self._nobody


def objection(password: str, name: str) -> str:
    """Why this cannot be the password of an account, in a sentence; empty where it can."""
    if len(password) < MIN_CHARS:
        return f"A password needs at least {MIN_CHARS} characters."
    if len(password) > MAX_CHARS:
        return f"A password may have at most {MAX_CHARS} characters."
    folded = password.casefold()
    if (
        folded in _COMMON
        or len(set(folded)) < 4
        or (name and folded.replace(name, "") == "")
    ):
        return "This password is easy to guess; choose another."
    return ""


def _same(password: str) -> str:
    """Keyboards differ in how they compose letters; the password is the same."""
    return unicodedata.normalize("NFKC", password)[: MAX_CHARS * 4]
