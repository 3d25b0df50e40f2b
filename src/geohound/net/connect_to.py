"""Where the connections of chosen host names really go (`--connect-to`), for tests, demos and intranets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Route:
    """Hosts that match the pattern are reached at this host and port."""

    pattern: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Route:
        """Read `PATTERN=HOST:PORT`; IPv6 hosts stand in brackets. ValueError if malformed."""
        pattern, equals, place = text.strip().partition("=")
        host, colon, port = place.rpartition(":")
        if not (
            pattern
            and equals
            and host
            and colon
            and port.isdecimal()
            and 0 < int(port) < 65536
        ):
            raise ValueError(f"expected PATTERN=HOST:PORT, found {text!r}")
        return cls(pattern.lower(), host, int(port))


def parse_routes(texts: Iterable[str]) -> tuple[Route, ...]:
    return tuple(Route.parse(text) for text in texts)


def route_for(hostname: str, routes: tuple[Route, ...]) -> Route | None:
    """The first route whose pattern matches the host name."""
    return next(
        (route for route in routes if fnmatchcase(hostname, route.pattern)), None
    )
