"""The registry of crawl orders: which link to visit next."""
