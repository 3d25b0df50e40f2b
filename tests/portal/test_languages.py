"""Every text of the pages for searching and of their scripts is there in every language, with the same blanks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from geohound.model.account import Role
from geohound.portal import reasons
from geohound.portal.app import SENTENCES
from geohound.portal.languages import ENGLISH, NAMES, language
from geohound.portal.pages.accounts import SCOPE_TEXTS
from geohound.portal.pages.rendering import SECTIONS
from geohound.portal.pages.search import DOWNLOAD_GROUPS, FACET_TITLES
from geohound.portal.pages.service import VIA_WORDS

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "src" / "geohound" / "portal" / "templates"
TRANSLATED = (
    "layout.html", "search.html", "map.html", "_parts.html", "service.html", "api.html", "log_in.html", "account.html",
    "users.html", "trouble.html", "_account.html",
)  # fmt: skip
# Texts that pages get from the code: role names, scopes, groups, reasons, sentences.
FROM_CODE = {
    *(str(role) for role in Role),
    *SCOPE_TEXTS.values(),
    *FACET_TITLES.values(),
    *DOWNLOAD_GROUPS,
    *reasons.TEXTS,
    *reasons.FIELDS,
    *SENTENCES.values(),
    *VIA_WORDS.values(),
    *(section.title for section in SECTIONS),
}
SCRIPTS = (
    "map", "layers", "drawn", "clusters", "complete", "info", "rectangle", "swipe", "copy", "try", "address-test",
    "base", "check", "previews", "proxy", "viewing",
)  # fmt: skip
OTHERS = [each for each in NAMES if each != ENGLISH]


def texts_of_pages() -> set[str]:
    found: set[str] = set()
    for name in TRANSLATED:
        source = (TEMPLATES / name).read_text("utf-8")
        found |= set(re.findall(r'(?<!\w)_\("([^"]+)"', source))
        for pair in re.findall(r'plural\("([^"]+)", "([^"]+)"', source):
            found |= set(pair)
    return found


def texts_of_scripts() -> set[str]:
    sources = [(ROOT / "frontend" / "src" / f"{name}.ts").read_text("utf-8") for name in SCRIPTS]
    return {text for source in sources for text in re.findall(r'\bt\(\s*"([^"]+)"', source)}


def blanks(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w+\}", text))


@pytest.mark.parametrize("id_", OTHERS)
def test_no_text_is_missing_or_has_lost_a_blank(id_: str):
    spoken = language(id_)
    assert (texts_of_pages() | FROM_CODE) - set(spoken.texts) == set()
    assert texts_of_scripts() - set(spoken.script) == set()
    for english, other in [*spoken.texts.items(), *spoken.script.items()]:
        assert blanks(english) == blanks(other), english
        assert other.strip()


def test_the_front_page_is_in_the_visitors_language(client):
    page = client.get("/?lang=de").text
    assert "Finden Sie eine Kartenebene, die funktioniert" in page
    assert "Find a map layer that works" not in page
    client.cookies.clear()


def test_a_text_without_translation_is_shown_in_english():
    assert language("fr").text("Not translated: {n}", n=3) == "Not translated: 3"
