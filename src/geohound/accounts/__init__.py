"""Accounts of a portal: the rules of roles, passwords, sessions and tokens, over a store."""

from .accounts import AccountError, Accounts, Identity, NoSuchAccountError
from .log_in_limits import LogInLimits, TooManyTriesError

__all__ = [
    "AccountError",
    "Accounts",
    "Identity",
    "LogInLimits",
    "NoSuchAccountError",
    "TooManyTriesError",
]
