"""Every text of the pages for searching and of their scripts is there in every language, with the same blanks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from geohound.model.account import Role
from geohound.model.biography import LifeChange
from geohound.model.crawl.event import WAITING_TEXTS
from geohound.model.crawl.task import Ending, TaskKind, TaskState
from geohound.model.failure import FailureReason
from geohound.model.health import HealthState
from geohound.model.service import RefusalReason
from geohound.model.visit import Via
from geohound.portal import reasons
from geohound.portal.app import SENTENCES
from geohound.portal.formatting import SERVICE_DOCUMENT
from geohound.portal.languages import ENGLISH, NAMES, language
from geohound.portal.pages.accounts import SCOPE_TEXTS
from geohound.portal.pages.comparing import NO_ADDRESSES
from geohound.portal.pages.overview import CHANGE_WORDS, FOUND_ON, STATE_WORDS
from geohound.portal.pages.rendering import SECTIONS
from geohound.portal.pages.report_words import COLUMNS, WORDS
from geohound.portal.pages.saved import NO_SEARCH, TOO_MANY
from geohound.portal.pages.search import DOWNLOAD_GROUPS, FACET_TITLES
from geohound.portal.pages.service import VIA_WORDS
from geohound.portal.pages.statistics import PARTS
from geohound.portal.tasks.pages import NOW_TEXTS
from geohound.reports.changes import BACK, CHANGED, GONE, NEW
from geohound.reports.comparison import COMPARED
from geohound.reports.failures import ALIVE, DROPPED, READ
from geohound.tasks.reasons import TEXTS as WHY_TEXTS
from geohound.views.opening import NOTHING_BUT_ITS_DESCRIPTION

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "src" / "geohound" / "portal" / "templates"
# That for site owners is in English alone.
TRANSLATED = sorted(
    each.name for each in TEMPLATES.glob("*.html") if each.name != "crawler.html"
)
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
    *COMPARED,
    *NOW_TEXTS.values(),
    *WHY_TEXTS,
    SERVICE_DOCUMENT,
    NOTHING_BUT_ITS_DESCRIPTION,
    NO_ADDRESSES,
    NO_SEARCH,
    TOO_MANY,
    *(section.title for section in SECTIONS),
}
SCRIPTS = (
    "map", "layers", "drawn", "clusters", "complete", "info", "rectangle", "swipe", "copy", "try", "address-test",
    "base", "check", "previews", "proxy", "viewing", "task", "hosts", "curves",
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
    sources = [
        (ROOT / "frontend" / "src" / f"{name}.ts").read_text("utf-8")
        for name in SCRIPTS
    ]
    return {
        text for source in sources for text in re.findall(r'\bt\(\s*"([^"]+)"', source)
    }


def words_of_the_program() -> set[str]:
    """What templates show by a name that is no text of theirs: states, reasons, reports, changes."""
    enums = (
        FailureReason,
        RefusalReason,
        Ending,
        TaskState,
        TaskKind,
        Via,
        HealthState,
        LifeChange,
    )
    found = {str(value) for enum in enums for value in enum}
    found |= {words for report in WORDS.values() for words in report} | set(
        COLUMNS.values()
    )
    found |= {part.title for part in PARTS} | {section.title for section in SECTIONS}
    found |= {
        *CHANGE_WORDS.values(),
        *STATE_WORDS.values(),
        FOUND_ON,
        *WAITING_TEXTS.values(),
    }
    found |= {
        "Keywords",
        "Seed URLs",
        "Data centre or catalogue",
        "pausing",
        "stopping",
        "killed",
    }
    found |= {
        NEW,
        GONE,
        BACK,
        CHANGED,
        ALIVE,
        READ,
        DROPPED,
        "services",
        "layers",
        "kinds",
        "countries",
        "hosts",
    }
    return found


def blanks(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w+\}", text))


@pytest.mark.parametrize("id_", OTHERS)
def test_no_text_is_missing_or_has_lost_a_blank(id_: str):
    spoken = language(id_)
    assert (texts_of_pages() | FROM_CODE) - set(spoken.texts) == set()
    assert words_of_the_program() - set(spoken.texts) == set()
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


@pytest.mark.parametrize(
    ("address", "german", "english"),
    [
        ("/health?lang=de", "Zurzeit gestört, nach Website", "Failing now"),
        ("/health?lang=de", "nicht gefunden: HTTP 404", "not found: HTTP 404"),
        ("/statistics?lang=de&part=contents", "Dienste je Host", "Services per host"),
        ("/statistics?lang=de&part=life", ">tot</text>", ">dead</text>"),
    ],
)
def test_health_and_statistics_are_in_the_visitors_language(
    client, address: str, german: str, english: str
):
    page = client.get(address).text
    client.cookies.clear()
    assert german in page
    assert english not in page
