"""Who we are and how we behave towards servers."""

from __future__ import annotations

from dataclasses import dataclass, field

from geohound.politeness import PolitenessPolicy

from .connect_to import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPolicy:
    """Who we are and how we behave."""

    user_agent: str
    politeness: PolitenessPolicy
    obey_robots: bool
    verify_tls: bool  # refuse what is broken; else read it, and say in the Response what was wrong
    ca_file: str = ""  # instead of the machine's own list of authorities
    routes: tuple[Route, ...] = field(default=())
    # a host that is due later than this is not waited for: come back then
    patience_s: float = 60.0
