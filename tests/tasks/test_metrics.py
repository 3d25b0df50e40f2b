"""A crawl's numbers as Prometheus reads them: parsed back by a reader written from the description of the format."""

from __future__ import annotations

import re

from geohound.tasks.metrics import page
from geohound.tasks.progress import BOUNDS_S, Progress

LINE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)( -?\d+)?")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


def unescape(written):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], written)


def read(text):
    """Format 0.0.4: lines end in a line feed; HELP and TYPE of a name come once, just before all its samples."""
    assert text.endswith("\n")
    families, samples, current = {}, {}, None
    for line in text.split("\n")[:-1]:
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
        base = (
            re.sub(r"_(?:bucket|sum|count)$", "", name)
            if families[current][1] == "histogram"
            else name
        )
        assert base == current
        inside = (match[2] or "{}")[1:-1]
        labels = {m[1]: unescape(m[2]) for m in LABEL.finditer(inside)}
        assert ",".join(m[0] for m in LABEL.finditer(inside)) == inside
        key = (name, tuple(sorted(labels.items())))
        assert key not in samples
        samples[key] = float(match[3].replace("Inf", "inf"))
    return families, samples


SUMMARY = {
    "drops": {"robots.txt": 4, "too deep": 1},
    "queue": 12,
    "in_flight": 3,
    "cut_off": True,
}


def test_every_number_of_a_crawl_is_told_under_its_name():
    counted = Progress(pages=7, bytes=900, layers=5)
    counted.kinds.update(wms=2, wfs=1)
    counted.tests.update(script=6)
    counted.outcomes.update({"2xx": 9, "name not found": 1})
    counted.hosts.update({"a.test", "b.test"})
    families, samples = read(page(counted, SUMMARY).decode())
    assert {name: kind for name, (_, kind) in families.items()} == {
        "geohound_pages_total": "counter", "geohound_tested_total": "counter", "geohound_bytes_total": "counter",
        "geohound_layers_total": "counter", "geohound_services_total": "counter", "geohound_drops_total": "counter",
        "geohound_requests_total": "counter", "geohound_request_seconds": "histogram", "geohound_hosts": "gauge",
        "geohound_queue": "gauge", "geohound_in_flight": "gauge", "geohound_network_lost": "gauge",
    }  # fmt: skip
    assert families["geohound_pages_total"][0] == "Pages fetched."
    plain = {name: value for (name, labels), value in samples.items() if not labels}
    assert plain == {
        "geohound_pages_total": 7, "geohound_bytes_total": 900, "geohound_layers_total": 5, "geohound_hosts": 2,
        "geohound_queue": 12, "geohound_in_flight": 3, "geohound_network_lost": 1,
        "geohound_request_seconds_sum": 0, "geohound_request_seconds_count": 0,
    }  # fmt: skip
    assert samples["geohound_services_total", (("kind", "wms"),)] == 2
    assert samples["geohound_tested_total", (("way", "script"),)] == 6
    assert samples["geohound_drops_total", (("reason", "robots.txt"),)] == 4
    assert samples["geohound_requests_total", (("outcome", "name not found"),)] == 1


def test_the_buckets_of_a_histogram_add_up():
    counted = Progress(by_seconds=[2, 3, 4, 0, 0, 0, 0, 0, 0, 1], request_s=512.5)
    _, samples = read(page(counted, SUMMARY).decode())
    assert len(BOUNDS_S) == 9
    buckets = {
        labels[0][1]: n
        for (name, labels), n in samples.items()
        if name == "geohound_request_seconds_bucket"
    }
    assert buckets == {
        "0.01": 2, "0.03": 5, "0.1": 9, "0.3": 9, "1": 9, "3": 9, "10": 9, "30": 9, "100": 9, "+Inf": 10,
    }  # fmt: skip
    assert samples["geohound_request_seconds_count", ()] == 10
    assert samples["geohound_request_seconds_sum", ()] == 512.5


def test_a_hostile_label_cannot_leave_its_line():
    counted = Progress()
    counted.kinds['"} 1\nowned_total 7\\'] = 1
    _, samples = read(page(counted, SUMMARY).decode())
    assert samples["geohound_services_total", (("kind", '"} 1\nowned_total 7\\'),)] == 1
    assert not any(name.startswith("owned") for name, _ in samples)
