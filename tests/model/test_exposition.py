"""Metrics as Prometheus reads them: parsed back by a reader written from the description of the text format."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.model.exposition import Metric, MetricType, Sample, exposition, histogram
from geohound.net.metrics import Metrics

LINE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)( -?\d+)?")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


def unescape(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)


def read(page):
    """Format 0.0.4: lines end in a line feed; HELP and TYPE of a name come once, just before all its samples."""
    assert page == "" or page.endswith("\n")
    families, samples, current = {}, {}, None
    for line in page.split("\n")[:-1]:
        if line.startswith("# "):
            _, word, name, rest = line.split(" ", 3)
            if word == "HELP":
                assert name not in families
                families[name] = [unescape(rest), None]
                current = name
            else:
                assert word == "TYPE"
                assert name == current
                assert rest in ("counter", "gauge", "histogram", "summary", "untyped")
                families[name][1] = rest
            continue
        match = LINE.fullmatch(line)
        assert match, line
        name = match[1]
        base = re.sub(r"_(?:bucket|sum|count)$", "", name) if families[current][1] == "histogram" else name
        assert base == current
        inside = (match[2] or "{}")[1:-1]
        labels = {m[1]: unescape(m[2]) for m in LABEL.finditer(inside)}
        assert ",".join(m[0] for m in LABEL.finditer(inside)) == inside
        key = (name, tuple(sorted(labels.items())))
        assert key not in samples
        samples[key] = float(match[3].replace("Inf", "inf"))
    return families, samples


def test_nothing_is_an_empty_page():
    assert exposition([]) == ""


def test_a_counter_a_gauge_and_labels():
    by_kind = (Sample(3, {"kind": "a"}), Sample(0.5, {"kind": "b", "x": "y"}))
    page = exposition([Metric.counter("a_total", "How many.", 7), Metric("b", MetricType.GAUGE, "What.", by_kind)])
    families, samples = read(page)
    assert families == {"a_total": ["How many.", "counter"], "b": ["What.", "gauge"]}
    assert samples == {
        ("a_total", ()): 7.0,
        ("b", (("kind", "a"),)): 3.0,
        ("b", (("kind", "b"), ("x", "y"))): 0.5,
    }


@given(st.text(max_size=30), st.text(max_size=30))
def test_every_text_comes_back_as_it_was(text, label):
    families, samples = read(exposition([Metric("m", MetricType.GAUGE, text, (Sample(1, {"l": label}),))]))
    assert families["m"][0] == text
    assert samples == {("m", (("l", label),)): 1.0}


@given(st.one_of(st.floats(), st.integers(-(10**20), 10**20)))
def test_every_number_comes_back_as_it_was(value):
    _, samples = read(exposition([Metric.gauge("m", "", value)]))
    (back,) = samples.values()
    assert back == float(value) or (math.isnan(back) and math.isnan(value))


def test_the_buckets_of_a_histogram_add_up():
    _, samples = read(exposition([histogram("h", "Time.", (0.1, 1.0), (2, 3, 4), 12.5)]))
    assert samples == {
        ("h_bucket", (("le", "0.1"),)): 2,
        ("h_bucket", (("le", "1"),)): 5,
        ("h_bucket", (("le", "+Inf"),)): 9,
        ("h_sum", ()): 12.5,
        ("h_count", ()): 9,
    }


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a b", "ä"])
def test_a_name_that_prometheus_refuses_is_refused_here(name):
    with pytest.raises(ValueError):
        exposition([Metric.counter(name, "", 1)])
    with pytest.raises(ValueError):
        exposition([Metric("m", MetricType.GAUGE, "", (Sample(1, {name: "x"}),))])


def test_a_name_given_twice_and_a_reserved_label_are_refused():
    with pytest.raises(ValueError):
        exposition([Metric.counter("a", "", 1), Metric.counter("a", "", 1)])
    with pytest.raises(ValueError):
        exposition([Metric("m", MetricType.GAUGE, "", (Sample(1, {"__name__": "x"}),))])


def test_what_the_fetcher_counts_can_be_scraped():
    counted = Metrics(connections=2)
    for elapsed_s in (0.005, 0.2, 500.0):
        counted.record_request(100, elapsed_s)
    families, samples = read(exposition(counted.metrics()))
    assert families["geohound_request_seconds"][1] == "histogram"
    assert samples["geohound_wire_bytes_total", ()] == 300
    assert samples["geohound_request_seconds_bucket", (("le", "0.01"),)] == 1
    assert samples["geohound_request_seconds_bucket", (("le", "0.3"),)] == 2
    assert samples["geohound_request_seconds_bucket", (("le", "100"),)] == 2
    assert samples["geohound_request_seconds_count", ()] == 3
    assert samples["geohound_request_seconds_sum", ()] == 500.205
