"""Keys that go with a request and are seen nowhere else: no log, record, error or stored value holds them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

HIDDEN = "***"
_MIN_CHARS = 4  # of a key: a shorter text would be found in half of all words


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """Headers and URL parameters of one request. They are sent to the address asked for, not where it redirects to."""

    headers: tuple[tuple[str, str], ...] = ()
    params: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        names = [name for name, _ in (*self.headers, *self.params)]
        return f"Secrets({', '.join(names)})"

    def hide(self, text: str) -> str:
        """The text without the values, should somebody have put them in."""
        for _, value in (*self.headers, *self.params):
            if len(value) >= _MIN_CHARS:
                text = text.replace(value, HIDDEN)
        return text


_KEY_NAME = re.compile(
    r"(?:^|[-_.]|api|access|auth|subscription)(?:key|token|secret|password|passwd|pwd)$",
    re.IGNORECASE,
)


def holds_key(url: str) -> bool:
    """Does an address hold a password, or a parameter that is named as keys are?"""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    names = (name for name, value in parse_qsl(parts.query) if value)
    return "@" in parts.netloc or any(_KEY_NAME.search(name) for name in names)
