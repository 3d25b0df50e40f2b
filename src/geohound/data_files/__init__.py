"""Formats of geographic data files: recognised by name, confirmed by type and first bytes; nothing is downloaded."""

from .formats import FORMATS, DataFormat, format_named
from .recognition import START_BYTES, recognise

__all__ = ["FORMATS", "START_BYTES", "DataFormat", "format_named", "recognise"]
