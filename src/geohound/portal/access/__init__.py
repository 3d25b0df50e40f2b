"""Who asks, and what they may do: one table of routes and rights, and one guard before every route."""

from .guard import guarded
from .rights import ACCESS, Right, may_see, may_use
from .visitor import Visitor, visitor_of

__all__ = ["ACCESS", "Right", "Visitor", "guarded", "may_see", "may_use", "visitor_of"]
