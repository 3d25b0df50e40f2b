"""A small, lifelike web on loopback with known truth: for the demo, tests and benchmarks."""

from geohound.geoweb.protocol import Reply, Request, ServiceSpec
from geohound.geoweb.respond import Moods, respond
from geohound.geoweb.server import running, serve
from geohound.geoweb.trouble import Shares, Trouble
from geohound.geoweb.truth import Depths, iterate_services, revealing_pages, tell
from geohound.geoweb.world import World

__all__ = [
    "Depths",
    "Moods",
    "Reply",
    "Request",
    "ServiceSpec",
    "Shares",
    "Trouble",
    "World",
    "iterate_services",
    "respond",
    "revealing_pages",
    "running",
    "serve",
    "tell",
]
