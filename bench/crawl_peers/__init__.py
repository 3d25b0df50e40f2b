"""What the crawl benchmarks share: the pages, the server, the measuring, and the crawlers to compare with."""
