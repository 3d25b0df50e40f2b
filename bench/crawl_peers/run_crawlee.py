"""crawlee for Python: parsel or selectolax reads the pages; stored in files (its default) or in memory."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from crawlee import ConcurrencySettings, service_locator
from crawlee.configuration import Configuration
from crawlee.crawlers import AbstractHttpCrawler, AbstractHttpParser, ParselCrawler
from crawlee.storage_clients import MemoryStorageClient
from selectolax.lexbor import LexborHTMLParser

SEEDS = Path(sys.argv[1]).read_text().split()
OUT = sys.argv[2]
CONCURRENCY = int(sys.argv[3])
READER, STORE = sys.argv[4], sys.argv[5]


class SelectolaxParser(AbstractHttpParser[Any, Any]):
    """As crawlee's documentation shows it."""

    async def parse(self, response: Any) -> Any:
        body = await response.read()
        return await asyncio.to_thread(LexborHTMLParser, body)

    async def parse_text(self, text: str) -> Any:
        return LexborHTMLParser(text)

    async def select(self, parsed_content: Any, selector: str) -> Sequence[Any]:
        return tuple(parsed_content.css(selector))

    def is_matching_selector(self, parsed_content: Any, selector: str) -> bool:
        return parsed_content.css_first(selector) is not None

    def find_links(
        self, parsed_content: Any, selector: str, attribute: str
    ) -> Iterable[str]:
        return [
            node.attributes.get(attribute) or ""
            for node in parsed_content.css(selector)
        ]


async def main() -> None:
    service_locator.set_configuration(Configuration(storage_dir=OUT, log_level="ERROR"))
    if STORE == "memory":
        service_locator.set_storage_client(MemoryStorageClient())
    options: dict[str, Any] = {
        "concurrency_settings": ConcurrencySettings(
            min_concurrency=CONCURRENCY,
            max_concurrency=CONCURRENCY,
            desired_concurrency=CONCURRENCY,
        ),
        "respect_robots_txt_file": True,
        "max_request_retries": 0,
        "request_handler_timeout": timedelta(seconds=60),
        "configure_logging": False,
    }
    if READER == "parsel":
        crawler: Any = ParselCrawler(**options)
    else:
        crawler = AbstractHttpCrawler.create_parsed_http_crawler_class(
            static_parser=SelectolaxParser()
        )(**options)
    inside = re.compile(r"http://127\.")

    @crawler.router.default_handler
    async def visit(context: Any) -> None:
        if READER == "parsel":
            title = context.selector.css("title::text").get()
        else:
            node = context.parsed_content.css_first("title")
            title = node.text() if node else None
        await context.push_data({"url": context.request.url, "title": title})
        await context.enqueue_links(strategy="all", include=[inside])

    await crawler.run(SEEDS)


asyncio.run(main())
