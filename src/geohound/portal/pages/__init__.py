"""The pages for people, one module each; `rendering` turns a template into a response."""

from .rendering import render, trouble_page

__all__ = ["render", "trouble_page"]
