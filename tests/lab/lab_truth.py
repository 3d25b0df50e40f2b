"""What a test knows of a service from the configuration and data that it serves, and how an answer is held to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from lab_world import BASIN_BOX, DEPTH_BOX, HARBOUR_BOX, Box

from geohound.model.service import Extent, Service, Verdict

# All servers start while the first test waits: on a busy machine that takes a minute.
MARKS = [pytest.mark.slow, pytest.mark.xdist_group("lab"), pytest.mark.timeout(300)]
FEATURES: Mapping[str, Box] = {"basins": BASIN_BOX, "harbours": HARBOUR_BOX}
MAPS: Mapping[str, Box] = {"depth": DEPTH_BOX, **FEATURES}
DEPTH: Mapping[str, Box] = {"depth": DEPTH_BOX}
FEATURES_BOX: Box = (14.0, 54.4, 24.6, 60.43)


@dataclass(frozen=True)
class Truth:
    """A service as configured: `layers` by name with the box that the document gives, None where it gives none."""

    kind: str
    version: str
    title: str
    layers: Mapping[str, Box | None] = field(default_factory=dict)
    box: Box | None = None


def pick(verdict: Verdict, kind: str) -> Service:
    """The service of that kind, which must be there exactly once."""
    found = [service for service in verdict.services if service.kind == kind]
    assert len(found) == 1, f"{[s.kind for s in verdict.services]}, {verdict.refusal}"
    return found[0]


def check(verdict: Verdict, truth: Truth) -> Service:
    """The service that the truth speaks of, with all that it says."""
    service = pick(verdict, truth.kind)
    assert (service.version, service.title) == (truth.version, truth.title)
    assert sorted(layer.name for layer in service.layers) == sorted(truth.layers)
    for layer in service.layers:
        assert_box(layer.extent, truth.layers[layer.name])
    assert_box(service.extent, truth.box)
    assert not service.layers_truncated
    assert service.repairs == ()
    return service


def assert_box(extent: Extent | None, expected: Box | None) -> None:
    if expected is None:
        assert extent is None
        return
    assert extent is not None
    assert extent.faults == ()
    assert extent.box is not None
    assert extent.box.as_tuple() == pytest.approx(expected, abs=0.001)
