"""The URLs still to visit: admission, seen set, host queues, stages."""

from .bounds import Bounds
from .frontier import Frontier

__all__ = ["Bounds", "Frontier"]
