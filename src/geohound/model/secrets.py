"""Keys that go with a request and are seen nowhere else: no log, record, error or stored value holds them."""

from __future__ import annotations

from dataclasses import dataclass

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
