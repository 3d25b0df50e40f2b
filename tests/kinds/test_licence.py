"""Words about use are kept, and a licence is named only where the words are clear."""

from __future__ import annotations

import pytest

from geohound.kinds._licence import name_licence, read_access


@pytest.mark.parametrize(
    ("words", "licence"),
    [
        ("CC BY 4.0", "CC-BY-4.0"),
        ("cc-by-sa 3.0", "CC-BY-SA-3.0"),
        (
            "https://creativecommons.org/licenses/by-nc-nd/4.0/deed.de",
            "CC-BY-NC-ND-4.0",
        ),
        ("Creative Commons Attribution-ShareAlike 2.0", "CC-BY-SA-2.0"),
        ("Creative Commons Attribution Non-Commercial 3.0", "CC-BY-NC-3.0"),
        ("CC0", "CC0-1.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("Open Data Commons Open Database License (ODbL)", "ODbL-1.0"),
        ("Datenlizenz Deutschland – Namensnennung – Version 2.0", "DL-DE-BY-2.0"),
        ("https://www.govdata.de/dl-de/zero-2-0", "DL-DE-ZERO-2.0"),
        ("Licence Ouverte / Open Licence Etalab 2.0", "etalab-2.0"),
        ("Open Government Licence v3.0", "OGL-UK-3.0"),
        ("Open Government Licence - Canada", "OGL-Canada-2.0"),
        ("NLOD 2.0", "NLOD-2.0"),
        ("This data is in the public domain.", "public domain"),
        ("© Somebody. All rights reserved.", "proprietary"),
    ],
)
def test_clear_words_name_a_licence(words: str, licence: str) -> None:
    assert name_licence(words) == licence


@pytest.mark.parametrize(
    "words",
    ["", "none", "NONE", "no conditions apply", "ask the council", "keine", "cc: Bob"],
)
def test_words_that_say_nothing_name_none(words: str) -> None:
    assert name_licence(words) == ""


def test_the_original_words_are_kept_beside_the_name() -> None:
    access = read_access("none", "Use under CC BY 4.0 only")
    assert access.fees == "none"
    assert access.constraints == "Use under CC BY 4.0 only"
    assert (access.licence, access.licence_text) == (
        "CC-BY-4.0",
        "Use under CC BY 4.0 only",
    )
