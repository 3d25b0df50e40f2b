"""What a person can set right: the call, a setting, the catalogue."""

from __future__ import annotations


class UserError(Exception):
    """Something that a person can set right; the message says what to do."""
