"""The drawer of crawl orders: which link next."""
