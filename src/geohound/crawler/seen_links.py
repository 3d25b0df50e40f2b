"""Links that this process has reported of late: most links of a page stand on its neighbours too.

A cache, not the truth: what it forgets is reported once more, and the frontier decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from geohound.model.compact_sets import HashSet


class SeenLinks:
    """The links of all pages of a process."""

    def __init__(self, most: int = 2_000_000, most_spelled: int = 60_000) -> None:
        self._most = most
        self._addresses = HashSet()
        self._most_spelled = most_spelled
        self._letters: set[int] = (
            set()
        )  # of late, as pages write them: most repetitions are seen by these alone
        self._letters_before: set[int] = set()

    def page(self) -> PageLinks:
        return PageLinks(self)

    def has_address(self, key: int) -> bool:
        return key in self._addresses

    def has_letters(self, key: int) -> bool:
        return key in self._letters or key in self._letters_before

    def remember(self, addresses: Iterable[int], letters: Iterable[int]) -> None:
        if len(self._addresses) >= self._most:
            self._addresses = HashSet()
        for key in addresses:
            self._addresses.add(key)
        if len(self._letters) >= self._most_spelled:
            self._letters_before, self._letters = self._letters, set()
        self._letters.update(letters)


class PageLinks:
    """The links of one page that were not seen before; they count as seen for other pages once they are kept."""

    def __init__(self, seen: SeenLinks) -> None:
        self._seen = seen
        self._addresses: set[int] = set()
        self._letters: set[int] = set()

    def add(self, address: str, depth: int) -> bool:
        """True if it was not seen for this depth; found nearer to a seed, an address may come in that was too deep."""
        key = hash((address, depth))
        if key in self._addresses or self._seen.has_address(key):
            return False
        self._addresses.add(key)
        return True

    def spelled(self, depth: int) -> Callable[[str, str], bool] | None:
        """Asks whether a link was seen for this depth, by the place it is relative to and its letters."""

        def is_seen(place: str, address: str) -> bool:
            key = hash((place, address, depth))
            if key in self._letters or self._seen.has_letters(key):
                return True
            self._letters.add(key)
            return False

        return is_seen

    def keep(self) -> None:
        """Other pages need not report these links any more."""
        self._seen.remember(self._addresses, self._letters)


class EachOnce(PageLinks):
    """Each address once per page, for orders that count links."""

    def __init__(self) -> None:
        super().__init__(SeenLinks())
        self._urls: set[str] = set()

    def spelled(self, depth: int) -> None:  # noqa: ARG002
        return None

    def add(self, address: str, depth: int) -> bool:  # noqa: ARG002
        is_new = address not in self._urls
        self._urls.add(address)
        return is_new

    def keep(self) -> None:
        """Every page reports all its links."""
