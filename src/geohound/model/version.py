"""The version of Geohound: what the program says of itself, and which readers proved a service."""

__version__ = "0.1.0"
