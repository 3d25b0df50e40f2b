"""A small, lifelike web on loopback with known truth: for the demo, tests and benchmarks."""

from geoweb.protocol import Reply, Request, ServiceSpec
from geoweb.respond import Moods, respond
from geoweb.server import running, serve
from geoweb.trouble import Shares, Trouble
from geoweb.truth import Depths, ground_truth, iterate_services, revealing_pages
from geoweb.world import World

__all__ = [
    "Depths",
    "Moods",
    "Reply",
    "Request",
    "ServiceSpec",
    "Shares",
    "Trouble",
    "World",
    "ground_truth",
    "iterate_services",
    "respond",
    "revealing_pages",
    "running",
    "serve",
]
