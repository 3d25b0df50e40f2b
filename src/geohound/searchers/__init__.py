"""The registry of web-search providers: each yields addresses of pages, never services."""
