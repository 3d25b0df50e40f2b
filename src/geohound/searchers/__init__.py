"""The drawer of web-search providers."""
