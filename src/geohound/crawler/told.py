"""What has been told before: most links of a page stand on its neighbours too, and need no second look.

A filter, not the truth: what it forgets is told again, and the frontier knows better.
"""

from __future__ import annotations

from collections.abc import Callable

from geohound.model.compact import HashSet


class Reported:
    """What a process has told of all its pages."""

    def __init__(self, most: int = 2_000_000, most_spelled: int = 60_000) -> None:
        self._most = most
        self._addresses = HashSet()
        self._most_spelled = most_spelled
        self._letters: set[int] = set()  # of late, as pages write them: most repetitions are seen by these alone
        self._letters_before: set[int] = set()

    def page(self) -> Telling:
        """What one page adds; it can be taken back where nobody wanted to hear of the page."""
        return Telling(self)

    def add_address(self, key: int) -> bool:
        if len(self._addresses) >= self._most:
            self._addresses = HashSet()
        return self._addresses.add(key)

    def add_letters(self, key: int) -> bool:
        if key in self._letters:
            return False
        if len(self._letters) >= self._most_spelled:
            self._letters_before, self._letters = self._letters, set()
        self._letters.add(key)
        return key not in self._letters_before

    def take_back(self, telling: Telling) -> None:
        for key in telling.addresses:
            self._addresses.discard(key)
        for key in telling.letters:
            self._letters.discard(key)
            self._letters_before.discard(key)


class Telling:
    """One page among all that were told."""

    def __init__(self, reported: Reported) -> None:
        self._reported = reported
        self.addresses: list[int] = []
        self.letters: list[int] = []

    def add(self, address: str, depth: int) -> bool:
        """True if it was not told for this depth; found nearer to a seed, an address may come in that was too deep."""
        key = hash((address, depth))
        is_new = self._reported.add_address(key)
        if is_new:
            self.addresses.append(key)
        return is_new

    def spelled(self, depth: int) -> Callable[[str, str], bool] | None:
        """Asks whether a link was told for this depth, by the place it is relative to and its letters."""

        def is_told(place: str, address: str) -> bool:
            key = hash((place, address, depth))
            is_new = self._reported.add_letters(key)
            if is_new:
                self.letters.append(key)
            return not is_new

        return is_told


class OnThisPage(Telling):
    """Each address once per page, for orders that count links."""

    def __init__(self) -> None:
        super().__init__(Reported())
        self._told: set[str] = set()

    def spelled(self, depth: int) -> None:  # noqa: ARG002
        return None

    def add(self, address: str, depth: int) -> bool:  # noqa: ARG002
        is_new = address not in self._told
        self._told.add(address)
        return is_new
