"""What a person can set right: the call, a setting, the catalogue."""

from __future__ import annotations


class UserError(Exception):
    """Something that a person can set right; the message says what to do."""

    exit_code = 2  # of a command: the call, a setting or the catalogue is wrong


class MissingError(UserError):
    """The call is right, but what it names is not in the catalogue."""

    exit_code = 1
