"""The words that tell of services, in many languages."""

from __future__ import annotations

import pytest

from geohound.orders._vocabulary import WordGroup, read_lists, tokens, topic_vocabulary


@pytest.mark.parametrize(
    "text",
    [
        "Web Map Service", "Kartendienste der Stadt", "servicio de mapas", "Servicio WMS", "地图服务",
        "services de visualisation", "usługi przeglądania", "картографический сервис", "地図サービス",
        "karttjänst", "serviços de mapas", "GetCapabilities",
        "Wasserkartendienste", "servizi-wms", "servicos de mapas",
    ],
)  # fmt: skip
def test_map_services_are_recognised_in_many_languages(text: str) -> None:
    assert WordGroup.SERVICE in topic_vocabulary().groups(tokens(text))


@pytest.mark.parametrize(
    "text",
    ["apple pie with cream", "Apfelkuchen mit Sahne", "苹果派", "receta de pan", ""],
)
def test_a_kitchen_is_no_service(text: str) -> None:
    assert WordGroup.SERVICE not in topic_vocabulary().groups(tokens(text))
    assert WordGroup.PORTAL not in topic_vocabulary().groups(tokens(text))


def test_every_list_has_every_group_and_no_word_twice_in_it() -> None:
    lists = read_lists()
    assert {"any", "en", "de", "fr", "es", "zh", "ru"} <= set(lists)
    for language, words in lists.items():
        assert set(words) == {g.name.lower() for g in WordGroup}, language
        for group, entries in words.items():
            assert entries, (language, group)
            assert len(entries) == len(set(entries)), (language, group)
            assert all(e == e.lower().strip() for e in entries), (language, group)
