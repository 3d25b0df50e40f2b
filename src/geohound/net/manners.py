"""Who we are and how we behave towards servers."""

from __future__ import annotations

from dataclasses import dataclass, field

from .pace import PaceRules
from .routes import Route

USER_AGENT = "Geohound/0.1 (+https://geohound.example/about-the-crawler)"
NO_PAUSES = PaceRules(min_delay_s=0.0, elapsed_factor=0.0, max_crawl_delay_s=0.0, max_retry_after_s=0.0)


@dataclass(frozen=True, slots=True)
class Manners:
    """Who we are and how we behave."""

    user_agent: str = USER_AGENT
    obey_robots: bool = True
    verify_tls: bool = True  # refuse what is broken; else read it, and say in the Response what was wrong
    ca_file: str = ""  # instead of the machine's own list of authorities
    connections_per_host: int = 1
    routes: tuple[Route, ...] = field(default=())
    pace: PaceRules = NO_PAUSES
    patience_s: float = 60.0  # a host that is due later than this is not waited for: come back then
    requests_per_address: int = 4  # at once, over all hosts that live there
    processes: int = 1  # that share the work, each with a fetcher like this one: they share what an address may bear
