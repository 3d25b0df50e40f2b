"""Who we are and how we behave towards servers."""

from __future__ import annotations

from dataclasses import dataclass, field

from geohound.politeness import PolitenessPolicy

from .routes import Route


@dataclass(frozen=True, slots=True)
class Manners:
    """Who we are and how we behave."""

    user_agent: str
    politeness: PolitenessPolicy
    obey_robots: bool = True
    verify_tls: bool = True  # refuse what is broken; else read it, and say in the Response what was wrong
    ca_file: str = ""  # instead of the machine's own list of authorities
    connections_per_host: int = 1
    routes: tuple[Route, ...] = field(default=())
    patience_s: float = 60.0  # a host that is due later than this is not waited for: come back then
    processes: int = 1  # that share the work, each with a fetcher like this one: they share what an address may bear
