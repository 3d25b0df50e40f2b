"""How many hosts of one domain a crawl has met: names without end under one domain are a trap."""

from __future__ import annotations

from collections import Counter

from geohound import urls

from .host_queue import HostQueue
from .pending import host_of, reaches


class DomainCounts:
    """Counts hosts by their registered domain: those that its own pages name apart from those that others name.

    Where every name of a domain exists, strangers could otherwise close it with links to names that they make up.
    """

    def __init__(self, max_hosts: int | None) -> None:
        self._max_hosts = max_hosts
        self._hosts: Counter[str] = Counter()
        # hosts that were counted as named by their own domain
        self._own: set[str] = set()

    def open(self, url: str, found_on: str = "", *, always: bool = False) -> bool:
        """Take in the host of this URL, which is new; False if its domain has enough of them."""
        domain = urls.site(url)
        is_own = bool(found_on) and urls.site(found_on) == domain
        purse = _purse(domain, is_own=is_own)
        if not always and reaches(self._hosts[purse], self._max_hosts):
            return False
        self._hosts[purse] += 1
        if is_own:
            self._own.add(host_of(url))
        return True

    def note(self, host: HostQueue, url: str, *, is_there: bool) -> None:
        """A name that is not there is no host of its domain: whoever only names it has not spent the budget."""
        if host.is_counted is not is_there:
            host.is_counted = is_there
            self._hosts[_purse(urls.site(url), is_own=host.name in self._own)] += (
                1 if is_there else -1
            )


def _purse(domain: str, *, is_own: bool) -> str:
    return f"own {domain}" if is_own else domain
