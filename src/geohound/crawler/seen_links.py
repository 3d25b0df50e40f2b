"""Links that this process has reported of late: most links of a page stand on its neighbours too.

A cache, not the truth: what it forgets is reported once more, and the frontier decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from geohound.frontier.seen_set import UNKNOWN, SeenUrls, waiting_at

_NEVER = 1 << 30  # deeper than any page


class SeenLinks:
    """The links of all pages of a process, and how near to a seed they were found.

    Found nearer, an address may come in that was too deep; found as far or farther, it is nothing new. Where only so
    many pages of each depth are read, `by_depth`, it is something new at every depth.
    """

    def __init__(
        self,
        most: int = 2_000_000,
        most_spelled: int = 60_000,
        *,
        by_depth: bool = False,
    ) -> None:
        self._most = most
        self._addresses, self._known = SeenUrls(), 0
        self._most_spelled = most_spelled
        # Of late, as pages write them: most repetitions are seen by these alone.
        self._letters: dict[int, int] = {}
        self._letters_before: dict[int, int] = {}
        self.by_depth = by_depth

    def page(self) -> PageLinks:
        return PageLinks(self)

    def has_address(self, key: int, depth: int) -> bool:
        return UNKNOWN != self._addresses.get(key) <= waiting_at(depth)

    @property
    def letters(self) -> tuple[Mapping[int, int], Mapping[int, int]]:
        """The depths of those that were seen last, and of those before."""
        return self._letters, self._letters_before

    def remember(
        self, addresses: Mapping[int, int], letters: Mapping[int, int]
    ) -> None:
        """Hashes, and the depths at which they were found."""
        if self._known >= self._most:
            self._addresses, self._known = SeenUrls(), 0
        for key, depth in addresses.items():
            if self._addresses.add(key, waiting_at(depth)):
                self._known += 1
            else:
                self._addresses.put(key, waiting_at(depth))
        if len(self._letters) >= self._most_spelled:
            self._letters_before, self._letters = self._letters, {}
        self._letters.update(letters)


class PageLinks:
    """The links of one page that were not seen before; they count as seen for other pages once they are kept."""

    def __init__(self, seen: SeenLinks) -> None:
        self._seen = seen
        self._addresses: dict[int, int] = {}
        self._letters: dict[int, int] = {}

    def add(self, address: str, depth: int, apart: int = 0) -> bool:
        """True if it was not seen so near to a seed; what is kept `apart` under another number is another link."""
        key = hash((address, apart, depth if self._seen.by_depth else 0))
        if key in self._addresses or self._seen.has_address(key, depth):
            return False
        self._addresses[key] = depth
        return True

    def spelled(self, depth: int) -> Callable[[str, str], bool] | None:
        """Asks whether a link was seen so near, by the place it is relative to and its letters."""
        own, (latest, before) = self._letters, self._seen.letters
        level = depth if self._seen.by_depth else 0

        def is_seen(place: str, address: str) -> bool:
            key = hash((place, address, level))
            nearest = latest.get(key)
            if nearest is None:
                nearest = before.get(key, _NEVER)
            if nearest <= depth or key in own:
                return True
            own[key] = depth
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

    def add(self, address: str, depth: int, apart: int = 0) -> bool:  # noqa: ARG002
        is_new = address not in self._urls
        self._urls.add(address)
        return is_new

    def keep(self) -> None:
        """Every page reports all its links."""
