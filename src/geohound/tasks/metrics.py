"""A crawl's numbers as Prometheus reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from .progress import BOUNDS_S, Progress

if TYPE_CHECKING:
    from prometheus_client.core import Metric


def page(counted: Progress, summary: Mapping[str, Any]) -> bytes:
    """Text in the exposition format 0.0.4; `summary` is that of the running crawl."""
    from prometheus_client import generate_latest  # noqa: PLC0415 - few crawls are scraped, and it loads an HTTP server

    return generate_latest(_Collector(counted, summary))


class _Collector:
    """The numbers of one moment."""

    def __init__(self, counted: Progress, summary: Mapping[str, Any]) -> None:
        self._counted = counted
        self._summary = summary

    def collect(self) -> Iterator[Metric]:
        counted, summary = self._counted, self._summary
        yield _counter("geohound_pages", "Pages fetched.", counted.pages)
        yield _counters(
            "geohound_tested",
            "Candidates tested, by the way they were found.",
            "way",
            counted.tests,
        )
        yield _counter("geohound_bytes", "Bytes of bodies, unpacked.", counted.bytes)
        yield _counter(
            "geohound_layers", "Layers of the services found.", counted.layers
        )
        yield _counters(
            "geohound_services", "Services found, by kind.", "kind", counted.kinds
        )
        yield _counters(
            "geohound_drops",
            "URLs refused or dropped, by reason.",
            "reason",
            summary["drops"],
        )
        yield _counters(
            "geohound_requests",
            "Requests on the wire, by outcome.",
            "outcome",
            counted.outcomes,
        )
        yield _seconds("geohound_request_seconds", "Time of requests.", counted)
        yield _gauge("geohound_hosts", "Hosts that have answered.", len(counted.hosts))
        yield _gauge("geohound_queue", "URLs that wait.", summary["queue"])
        yield _gauge(
            "geohound_in_flight", "URLs being visited or tested.", summary["in_flight"]
        )
        yield _gauge(
            "geohound_network_lost", "1 while no host answers.", int(summary["cut_off"])
        )


def _counter(name: str, text: str, value: float) -> Metric:
    from prometheus_client.core import CounterMetricFamily  # noqa: PLC0415

    return CounterMetricFamily(name, text, value)


def _counters(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    from prometheus_client.core import CounterMetricFamily  # noqa: PLC0415

    family = CounterMetricFamily(name, text, labels=(label,))
    for key, value in sorted(values.items()):
        family.add_metric((key,), value)
    return family


def _gauge(name: str, text: str, value: float) -> Metric:
    from prometheus_client.core import GaugeMetricFamily  # noqa: PLC0415

    return GaugeMetricFamily(name, text, value)


def _seconds(name: str, text: str, counted: Progress) -> Metric:
    """A histogram: how many requests took no longer than each bound."""
    from prometheus_client.core import HistogramMetricFamily  # noqa: PLC0415

    bounds = [*(f"{bound:g}" for bound in BOUNDS_S), "+Inf"]
    buckets = list(zip(bounds, accumulate(counted.by_seconds), strict=True))
    return HistogramMetricFamily(name, text, buckets, counted.request_s)
