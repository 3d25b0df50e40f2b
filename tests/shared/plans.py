"""What a crawl of the tests is asked for."""

from __future__ import annotations

from typing import Any

from geohound.crawler.crawl_plan import Plan


def any_plan(**changes: Any) -> Plan:
    """A crawl without limits but these."""
    usual = {
        "max_pages": 100_000, "max_time_s": 0.0, "fetchers": 0, "testers": 0, "max_page_bytes": 5_000_000,
        "max_service_bytes": 80_000_000,
    }  # fmt: skip
    return Plan(**{**usual, **changes})
