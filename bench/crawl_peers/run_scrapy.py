"""Scrapy as its documentation tunes it for broad crawls; items go to a file of JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

SEEDS = Path(sys.argv[1]).read_text().split()
OUT = Path(sys.argv[2])
CONCURRENCY = int(sys.argv[3])


class Docs(scrapy.Spider):
    """Follow every link inside the site."""

    name = "docs"
    allowed_domains = sorted({urlsplit(url).hostname for url in SEEDS})
    start_urls = SEEDS
    links = LinkExtractor()

    def parse(self, response: Any) -> Iterator[Any]:
        if not hasattr(response, "css"):
            return
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)


process = CrawlerProcess(
    {
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "DOWNLOAD_TIMEOUT": 15,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "FEEDS": {str(OUT / "items.jsonl"): {"format": "jsonlines"}},
    }
)
process.crawl(Docs)
process.start()
