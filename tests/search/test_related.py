"""Related words (Li, Yang & Yang 2010, section 7: a knowledge base built from what capabilities say)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from geohound import Catalogue
from geohound.cli import program
from geohound.model.catalogue import Observation
from geohound.model.search.query import Query
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def floods(store):
    """Eight services with maps; three about floods, which all know rivers, two of them hydrology and one a dam."""

    def put(name, title, keywords=(), layers=()):
        service = Service(
            "wms",
            f"http://{name}.test/ows",
            title=title,
            keywords=keywords,
            layers=layers,
        )
        sighting = Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
        store.catalogue.record_now([Observation(service, sighting)])

    put("one", "Flood map", ("river", "hydrology"))
    put(
        "two",
        "Flood zones map",
        ("hydrology", "dam"),
        (Layer("r", "Flood of a river"),),
    )
    put("three", "Map of floods", ("river",))
    for n, topic in enumerate(("Roads", "Schools", "Soil", "Forest", "Noise")):
        put(f"other{n}", f"{topic} map")
    return store


def test_words_that_occur_together_are_related_the_closest_first(floods):
    """By hand, p · ln(p / b): river 1 · ln(1 / (3/8)) = 0.98, hydrology 2/3 · ln((2/3) / (2/8)) = 0.65; map is in all
    services of the catalogue, so that it says nothing, and the dam stands in one service alone."""
    assert floods.search(Query("flood", related=True)).related == ("river", "hydrology")


def test_related_words_are_shown_as_they_are_written_and_say_something(store):
    """ "й" without its breve is no letter of that word; "data" and "service" are in every catalogue."""
    titles = ("Реки: бассейны, данные", "Реки и Бассейны, сервис", "Дороги", "Почвы")
    for n, title in enumerate(titles):
        service = Service("wms", f"http://n{n}.test/ows", title=title)
        sighting = Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
        store.catalogue.record_now([Observation(service, sighting)])
    assert store.search(Query("реки", related=True)).related == ("бассейны",)


def test_nobody_pays_for_related_words_who_does_not_ask(floods):
    assert floods.search(Query("flood")).related == ()


@pytest.mark.parametrize("text", ["", "soil", "nonsense", "map"])
def test_where_nothing_can_be_learned_nothing_is_related(floods, text):
    """No words; one service; none; all of them."""
    assert floods.search(Query(text, related=True)).related == ()


def test_people_and_programs_get_them_on_the_command_line_and_in_python(
    floods, tmp_path: Path
):
    floods.close()
    words = ["search", "flood", "--catalogue", str(tmp_path / "catalogue.db")]
    said = CliRunner().invoke(program(), words).stdout
    assert "Related: river, hydrology" in said
    summary = json.loads(
        CliRunner().invoke(program(), [*words, "--json"]).stdout.splitlines()[-1]
    )["summary"]
    assert summary["related"] == ["river", "hydrology"]
    with Catalogue(tmp_path / "catalogue.db") as catalogue:
        assert catalogue.search("flood").related == ("river", "hydrology")
