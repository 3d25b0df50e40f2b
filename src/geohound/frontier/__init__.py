"""The URLs still to visit: admission, seen set, host queues, stages."""

from .bounds import Bounds
from .frontier import SqliteFrontier
from .opening import open_frontier

__all__ = ["Bounds", "SqliteFrontier", "open_frontier"]
