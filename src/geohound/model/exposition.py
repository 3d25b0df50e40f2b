"""Counters as text that Prometheus reads (exposition format 0.0.4)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"(?!__)[a-zA-Z_][a-zA-Z0-9_]*")


class MetricType(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Sample:
    """One number under its labels; `suffix` makes the _bucket, _sum and _count of a histogram."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """All samples of one name."""

    name: str
    type: MetricType
    help: str
    samples: tuple[Sample, ...]

    @classmethod
    def counter(cls, name: str, help: str, value: float) -> Metric:  # noqa: A002 - the word of the format
        return cls(name, MetricType.COUNTER, help, (Sample(value),))

    @classmethod
    def gauge(cls, name: str, help: str, value: float) -> Metric:  # noqa: A002
        return cls(name, MetricType.GAUGE, help, (Sample(value),))


def histogram(name: str, text: str, bounds: Iterable[float], counts: Iterable[int], total: float) -> Metric:
    """A histogram from how many fell under each bound and not under the one before; the last count is of the rest."""
    samples = []
    so_far = 0
    for bound, count in zip((*bounds, math.inf), counts, strict=True):
        so_far += count
        samples.append(Sample(so_far, {"le": _number(bound)}, "_bucket"))
    return Metric(name, MetricType.HISTOGRAM, text, (*samples, Sample(total, {}, "_sum"), Sample(so_far, {}, "_count")))


def exposition(metrics: Iterable[Metric]) -> str:
    """The page that Prometheus scrapes; ValueError for a name that it would not accept, or one given twice."""
    lines: list[str] = []
    seen: set[str] = set()
    for metric in metrics:
        if not _NAME.fullmatch(metric.name) or metric.name in seen:
            raise ValueError(f"not a name of its own for a metric: {metric.name!r}")
        seen.add(metric.name)
        lines.append(f"# HELP {metric.name} {_escape(metric.help)}")
        lines.append(f"# TYPE {metric.name} {metric.type}")
        lines += [f"{metric.name}{s.suffix}{_labels(s.labels)} {_number(s.value)}" for s in metric.samples]
    return "\n".join(lines) + "\n" if lines else ""


def _labels(labels: Mapping[str, str]) -> str:
    bad = next((name for name in labels if not _LABEL.fullmatch(name)), None)
    if bad is not None:
        raise ValueError(f"not a name for a label: {bad!r}")
    if not labels:
        return ""
    pairs = (f'{name}="{_escape(value).replace(chr(34), chr(92) + chr(34))}"' for name, value in labels.items())
    return "{" + ",".join(pairs) + "}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if math.isnan(value):
        return "NaN"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
