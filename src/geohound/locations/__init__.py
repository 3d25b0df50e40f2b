"""Where hosts stand: by the operator's own list, else by a database of IP addresses. What neither has is unknown."""

from .locator import Locator, open_locator

__all__ = ["Locator", "open_locator"]
