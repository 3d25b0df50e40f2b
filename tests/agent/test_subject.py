"""What a hunt is about: services are compared with its words as search compares them."""

from __future__ import annotations

import pytest

from geohound.agent.queries import MANDATORY, planned_queries, with_other_names
from geohound.agent.subject import Subject
from geohound.model.service import Layer, Service


def service(**said) -> Service:
    return Service("wms", "http://a.test/wms", **said)


@pytest.mark.parametrize(
    "found",
    [
        service(title="Land cover of Norway"),
        service(keywords=("soil", "LAND-COVER")),
        service(
            title="Maps",
            layers=(Layer("1", title="Roads"), Layer("2", title="Land covers 2020")),
        ),
        service(layers=(Layer("LandCover2010"),)),
        service(title="Bodenbedeckung der Schweiz"),
        service(title="Occupation du sol"),
    ],
    ids=["title", "keyword", "a plural in a layer", "a name", "German", "French"],
)
def test_a_service_is_about_the_words_in_any_form_and_language(found: Service) -> None:
    assert Subject("land cover").is_about(found)


@pytest.mark.parametrize(
    "found",
    [
        service(title="Roads"),
        service(title="Land register", layers=(Layer("1", title="Cloud cover"),)),
        service(title="Maps", abstract="Not about land cover"),
        service(),
    ],
    ids=[
        "other",
        "one word here and one there",
        "only in the abstract",
        "nothing said",
    ],
)
def test_other_services_are_not(found: Service) -> None:
    assert not Subject("land cover").is_about(found)


def test_without_words_every_service_counts() -> None:
    assert Subject("").is_about(service(title="Roads"))
    assert Subject("the of").is_about(service(title="Roads")), "stop words say nothing"


def test_a_query_stays_on_the_subject_by_any_name_of_it() -> None:
    subject = Subject("land cover")
    assert subject.is_asked_in(("land", "cover", "geoserver"))
    assert subject.is_asked_in(("occupation", "sol"))
    assert not subject.is_asked_in(("services",))
    assert not subject.is_asked_in(("land", "geoserver"))


def test_other_names_are_planned_after_the_words_themselves() -> None:
    """Each language has its turn: mandatory words only narrow what the words bring."""
    planned = with_other_names(planned_queries("land cover"), "land cover")
    assert planned[:3] == ["land cover", "land cover WMS", "land cover getcapabilities"]
    others = {"Landbedeckung", "occupation du sol", "cobertura del suelo"}
    assert others <= set(planned[3:9]), (
        "as people write them: providers compare letters"
    )
    assert "земной покров" in planned
    for each in planned:
        assert Subject("land cover").is_asked_in(each.lower().split()), each
    assert {f"land cover {word}" for word in MANDATORY} <= set(planned)


def test_words_that_name_several_things_have_no_other_name() -> None:
    assert Subject("land cover norway").other_names == []
    assert Subject("xyzzy").other_names == []


def test_very_many_layers_are_not_all_read() -> None:
    layers = tuple(Layer(str(n), title="Roads") for n in range(100_000))
    assert not Subject("land cover").is_about(
        service(layers=(*layers, Layer("last", title="Land cover")))
    )
