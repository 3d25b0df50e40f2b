"""Where addresses of services arrive: calls of map libraries, requests, objects of a known shape, configuration."""
