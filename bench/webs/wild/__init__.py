"""The wild web: a second family of simulated webs, made unlike the geoweb on purpose, with known truth."""

from .web import WildWeb

__all__ = ["WildWeb"]
