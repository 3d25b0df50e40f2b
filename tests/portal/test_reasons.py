"""Why a service was found is said in the language of the page; what cannot be translated stays as it is."""

from __future__ import annotations

import pytest

from geohound.portal.languages import language
from geohound.portal.reasons import reason


@pytest.mark.parametrize(
    ("why", "shown"),
    [
        ("title matches 'rivers'", "Titel enthält „rivers“"),
        ("keywords match 'rivers lakes'", "Schlagwörter enthalten „rivers lakes“"),
        (
            "layer title says 'Fluss' for 'river'",
            "Titel der Ebene nennt „Fluss“ für „river“",
        ),
        (
            "abstract matches 'a'; box fits by 12.5 %",
            "Beschreibung enthält „a“; Rechteck passt zu 12.5 %",
        ),
        ("kind is wms; state is alive", ""),
        ("kind is wms; inside the box asked for", "im gesuchten Rechteck"),
        ("something that nobody thought of", "something that nobody thought of"),
        ("title matches '{n} {words}'", "Titel enthält „{n} {words}“"),
    ],
)
def test_reasons_in_german(why: str, shown: str) -> None:
    assert reason(why, language("de").text) == shown


def test_in_english_they_stay_as_the_search_words_them() -> None:
    why = (
        "title matches 'rivers'; layer name says 'fluss' for 'river'; box fits by 3.0 %"
    )
    assert reason(why, language("en").text) == why
