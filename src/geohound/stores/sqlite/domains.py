"""How many hosts of one domain a crawl has met: names without end under one domain are a trap."""

from __future__ import annotations

from collections import Counter

from geohound.model import url as urls

from .rows import reaches
from .schedule import Host


class Domains:
    """Counts hosts by their registered domain."""

    def __init__(self, max_hosts: int | None) -> None:
        self._max_hosts = max_hosts
        self._hosts: Counter[str] = Counter()

    def open(self, url: str, *, always: bool = False) -> bool:
        """Take in the host of this URL, which is new; False if its domain has enough of them."""
        domain = urls.site(url)
        if not always and reaches(self._hosts[domain], self._max_hosts):
            return False
        self._hosts[domain] += 1
        return True

    def note(self, host: Host, url: str, *, is_there: bool) -> None:
        """A name that is not there is no host of its domain: whoever only names it has not spent the budget."""
        if host.is_counted is not is_there:
            host.is_counted = is_there
            self._hosts[urls.site(url)] += 1 if is_there else -1
