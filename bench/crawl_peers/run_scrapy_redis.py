"""One process of a scrapy-redis crawl: queue, known URLs and items are in Redis, shared by all of its processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy_redis.spiders import RedisSpider

REDIS, PROXY, DELAY_S = sys.argv[1], sys.argv[2], float(sys.argv[3])
os.environ["http_proxy"] = PROXY  # for robots.txt too
os.environ.pop("no_proxy", None)


class Geoweb(RedisSpider):
    """Follow every link to the simulated web, which answers for all hosts where a proxy would."""

    name = "geoweb"
    redis_key = "geoweb:start_urls"
    links = LinkExtractor()

    def parse(self, response: Any) -> Iterator[Any]:
        if not isinstance(response, HtmlResponse):
            return
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.links.extract_links(response):
            if (urlsplit(link.url).hostname or "").endswith(".test"):
                yield scrapy.Request(link.url)


process = CrawlerProcess(
    {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
        "ITEM_PIPELINES": {"scrapy_redis.pipelines.RedisPipeline": 300},
        "REDIS_URL": REDIS,
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": DELAY_S,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "DOWNLOAD_TIMEOUT": 15,
        "ROBOTSTXT_OBEY": True,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
    }
)
process.crawl(Geoweb)
process.start()
