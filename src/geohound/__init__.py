"""Geohound finds geospatial web services, proves that they are alive, and lets people search and use them."""

__version__ = "0.1.0"
