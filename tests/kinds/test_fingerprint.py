"""A fingerprint changes with the meaning of a service and with nothing else."""

from __future__ import annotations

from geohound.kinds._boxes import extent
from geohound.kinds._reader import fingerprint
from geohound.model.service import Layer

LAYERS = [Layer("a", "Rivers", extent=extent((5, 47, 15, 55))), Layer("b", "Lakes")]


def test_it_ignores_times_counters_sessions_hosts_and_the_order_of_layers() -> None:
    first = fingerprint(
        "wms",
        "Radar 2024-05-06T12:00:00Z run 1714996800",
        LAYERS,
        "see http://a.test/x?sid=1",
    )
    second = fingerprint(
        "wms",
        "Radar 2025-01-01T00:00:00Z run 1735689600",
        LAYERS[::-1],
        "see http://b.test/",
    )
    assert first == second
    assert len(first) == 16


def test_it_ignores_what_layers_say_of_time_and_address() -> None:
    moved = [
        Layer(
            "a",
            "Rivers",
            extent=LAYERS[0].extent,
            times=("2024-01-01",),
            links=("http://x.test",),
        ),
        LAYERS[1],
    ]
    assert fingerprint("wms", "x", LAYERS) == fingerprint("wms", "x", moved)


def test_it_changes_with_kind_title_and_layers() -> None:
    prints = {
        fingerprint("wms", "Water", LAYERS),
        fingerprint("wfs", "Water", LAYERS),
        fingerprint("wms", "Waters", LAYERS),
        fingerprint("wms", "Water", LAYERS[:1]),
        fingerprint(
            "wms",
            "Water",
            [Layer("a", "Rivers", extent=extent((5, 47, 15, 56))), LAYERS[1]],
        ),
        fingerprint(
            "wms", "Water", [Layer("c", "Rivers", extent=LAYERS[0].extent), LAYERS[1]]
        ),
    }
    assert len(prints) == 6
