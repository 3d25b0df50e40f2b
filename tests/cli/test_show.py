"""`geohound show` on a service with known projections and response times (Li, Yang & Yang 2010, section 3)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from geohound.cli import program
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROADS = Layer("roads", "Roads", crs=("EPSG:4326", "EPSG:3857"))
RIVERS = Layer("rivers", "Rivers", crs=("EPSG:4326", "EPSG:2056"))
SERVICE = Service(
    "wms",
    "http://a.test/wms",
    title="Swiss maps",
    crs=("EPSG:4326",),
    layers=(ROADS, RIVERS),
)


@pytest.fixture
def catalogue(tmp_path: Path) -> str:
    """Three looks, of 100, 200 and 900 ms: the median is 200 ms."""
    store = open_store(tmp_path / "c.db", SystemClock())
    seen = Sighting(SERVICE.id, SERVICE.endpoint, "", Via.SEED, "", NOON, 0)
    for nth, elapsed_s in enumerate((0.1, 0.2, 0.9)):
        check = Check(
            SERVICE.id, NOON + timedelta(hours=nth), True, elapsed_s=elapsed_s
        )
        store.catalogue.record_now([Observation(SERVICE, seen, check)])
    store.close()
    return str(tmp_path / "c.db")


def test_projections_and_latency_are_shown(catalogue: str) -> None:
    """Section 3: layer numbers, bounding box, supported mapping projections, availability and latency are stored."""
    said = (
        CliRunner()
        .invoke(program(), ["show", SERVICE.endpoint, "--catalogue", catalogue])
        .stdout
    )
    facts = {
        line.split()[0]: " ".join(line.split()[1:])
        for line in said.splitlines()
        if len(line.split()) > 1
    }
    assert facts["projections"] == "EPSG:4326, EPSG:3857, EPSG:2056"
    assert facts["latency"].startswith("median 200 ms")


def test_programs_get_them_too(catalogue: str) -> None:
    words = ["show", SERVICE.endpoint, "--catalogue", catalogue, "--json"]
    record = json.loads(CliRunner().invoke(program(), words).stdout)
    assert record["health"]["latency_ms"]["p50"] == 200
    assert record["layers"][1]["crs"] == ["EPSG:4326", "EPSG:2056"]


def test_programs_get_all_that_identify_prints(catalogue: str) -> None:
    words = ["show", SERVICE.endpoint, "--catalogue", catalogue, "--json"]
    record = json.loads(CliRunner().invoke(program(), words).stdout)
    assert record["input"] == SERVICE.endpoint
    assert record["refusal"] is None
    assert record["elapsed_ms"] > 0
