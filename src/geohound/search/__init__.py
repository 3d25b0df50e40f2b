"""The search engine: it follows a catalogue, keeps an index of it, and finds services and layers."""

from .index import SearchIndex

__all__ = ["SearchIndex"]
