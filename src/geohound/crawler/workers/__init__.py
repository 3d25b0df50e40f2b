"""Worker processes: the pool in the crawl, the loop in the worker, and the line between them."""
