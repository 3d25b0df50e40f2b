"""Stop words and stemmers of each language, from a data file, and a guess at the language of a text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock

from Stemmer import Stemmer

from .tokenizer import fold, is_unspaced

DEFAULT = "en"
# a stemmer has one buffer and is not safe to share between threads
_STEMMER_LOCK = Lock()
_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), "ja"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_CODES = {"ger": "de", "deu": "de", "eng": "en", "fre": "fr", "fra": "fr", "spa": "es", "por": "pt", "dut": "nl",
          "nld": "nl", "ita": "it", "pol": "pl", "rus": "ru", "swe": "sv", "dan": "da", "nor": "da", "nob": "da",
          "no": "da", "nb": "da", "cze": "cs", "ces": "cs", "slo": "cs", "sk": "cs", "chi": "zh", "zho": "zh",
          "jpn": "ja"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Language:
    code: str
    stop: frozenset[str]
    weak: frozenset[str]
    snowball: Stemmer | None  # None where words have no suffixes to strip
    # endings that Snowball does not conflate, replaced before it runs
    plurals: Mapping[str, str]

    def stem(self, word: str) -> str:
        """The stem of a folded word."""
        if self.snowball is None:
            return word
        for ending, replacement in self.plurals.items():
            if word.endswith(ending):
                word = word.removesuffix(ending) + replacement
        with _STEMMER_LOCK:
            stemmed: str = self.snowball.stemWord(word)
        return stemmed


@cache
def languages() -> Mapping[str, Language]:
    text = Path(__file__).with_name("languages.toml").read_text("utf-8")
    return {code: _language(code, facts) for code, facts in tomllib.loads(text).items()}


def _language(code: str, facts: Mapping[str, object]) -> Language:
    def words(name: str) -> frozenset[str]:
        return frozenset(fold(word) for word in facts[name])  # type: ignore[attr-defined]

    algorithm: str = facts.get("snowball", "")  # type: ignore[assignment]
    plurals: Mapping[str, str] = facts.get("plurals", {})  # type: ignore[assignment]
    # without its own cache: `stem` has one
    snowball = Stemmer(algorithm, 0) if algorithm else None
    return Language(code, words("stop"), words("weak"), snowball, plurals)


@cache
def stop_words() -> frozenset[str]:
    """Those of all languages together: texts seldom declare their language, and mix several."""
    return frozenset().union(*(language.stop for language in languages().values()))


@cache
def weak_words() -> frozenset[str]:
    return frozenset().union(*(language.weak for language in languages().values()))


@lru_cache(maxsize=200_000)
def stem(word: str, code: str) -> str:
    """The stem of a folded word in a language; numbers, codes and unspaced runs stay as they are."""
    if len(word) < 3 or not word.isalpha() or is_unspaced(word):
        return word
    return languages()[code].stem(word)


@lru_cache(maxsize=20_000)
def stems(word: str) -> frozenset[str]:
    """The stems of a word in all languages."""
    return frozenset(stem(word, code) for code in languages())


@lru_cache(maxsize=1_000)
def language_code(declared: str) -> str:
    """The two-letter code of a supported language, from what a document declares; else empty."""
    code = re.split("[^a-z]", declared.strip().lower(), maxsplit=1)[0]
    code = _CODES.get(code, code)
    return code if code in languages() else ""


def guess_language(words: Iterable[str], declared: str = "") -> str:
    """The language of a text by its stop words, else the declared one, else English."""
    counts: dict[str, int] = {}
    languages_of_word = _languages_of_word()
    for word in words:
        if not word.isascii():
            code, votes = _script(word)
            if votes:
                counts[code] = counts.get(code, 0) + votes
        for code in languages_of_word.get(word, ()):
            counts[code] = counts.get(code, 0) + 1
    declared_code = language_code(declared)
    if declared_code:
        counts[declared_code] = counts.get(declared_code, 0) + 2
    return max(counts, key=counts.__getitem__, default=DEFAULT)


@lru_cache(maxsize=5_000)
def _script(word: str) -> tuple[str, int]:
    """The language that the script of a word suggests, and how many votes that is."""
    for pattern, code in _SCRIPTS:
        if pattern.search(word):
            return code, 3
    return "ru", 1 if _CYRILLIC.search(word) else 0


@cache
def _languages_of_word() -> Mapping[str, tuple[str, ...]]:
    """The languages in which a word is a stop word or a weak word, where these are few."""
    found: dict[str, list[str]] = {}
    for code, language in languages().items():
        for word in language.stop | language.weak:
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items() if len(codes) < 4}
