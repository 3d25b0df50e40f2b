"""The URLs still to visit: admission, seen set, host queues, stages."""

from .frontier import Frontier
from .limits import FrontierLimits

__all__ = ["Frontier", "FrontierLimits"]
