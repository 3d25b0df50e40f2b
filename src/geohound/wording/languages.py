"""What the search knows of languages, from data: words that mean nothing, light stemming, a guess at the language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from .words import fold, is_unspaced

DEFAULT = "en"
_DOUBLED = re.compile(r"([a-z])\1")
_UMLAUTS = re.compile(r"(?<=[^aeioq])([aou])e(?!$)")
_SCRIPTS = ((re.compile("[\u3040-\u30ff]"), "ja"), (re.compile("[\u4e00-\u9fff]"), "zh"))
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_CODES = {"ger": "de", "deu": "de", "eng": "en", "fre": "fr", "fra": "fr", "spa": "es", "por": "pt", "dut": "nl",
          "nld": "nl", "ita": "it", "pol": "pl", "rus": "ru", "swe": "sv", "dan": "da", "nor": "da", "nob": "da",
          "no": "da", "nb": "da", "cze": "cs", "ces": "cs", "slo": "cs", "sk": "cs", "chi": "zh", "zho": "zh",
          "jpn": "ja"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    ending: str
    instead: str
    least: int


@dataclass(frozen=True, slots=True)
class Language:
    code: str
    stop: frozenset[str]
    weak: frozenset[str]
    steps: tuple[Mapping[str, tuple[Rule, ...]], ...]  # of each the rules for words with this last letter, in order
    collapse: bool
    umlaut: bool

    def stem(self, word: str) -> str:
        """A folded word without its ending."""
        for step in self.steps:
            for rule in step.get(word[-1:], ()):
                if word.endswith(rule.ending) and len(word) - len(rule.ending) >= rule.least:
                    word = word[: len(word) - len(rule.ending)] + rule.instead
                    break
        if self.umlaut:
            word = _UMLAUTS.sub(r"\1", word)
        return _DOUBLED.sub(r"\1", word) if self.collapse else word


@cache
def languages() -> Mapping[str, Language]:
    text = files(__package__).joinpath("languages.toml").read_text("utf-8")
    return {code: _language(code, facts) for code, facts in tomllib.loads(text).items()}


def _language(code: str, facts: Mapping[str, object]) -> Language:
    def words(name: str) -> frozenset[str]:
        return frozenset(fold(word) for word in facts[name])  # type: ignore[attr-defined]

    least: int = facts["least"]  # type: ignore[assignment]
    steps = tuple(_by_last_letter([_rule(rule, least) for rule in step]) for step in facts["steps"])  # type: ignore[attr-defined]
    return Language(code, words("stop"), words("weak"), steps, bool(facts.get("collapse")), bool(facts.get("umlaut")))


def _by_last_letter(rules: list[Rule]) -> Mapping[str, tuple[Rule, ...]]:
    letters = dict.fromkeys(rule.ending[-1] for rule in rules)
    return {letter: tuple(rule for rule in rules if rule.ending[-1] == letter) for letter in letters}


def _rule(text: str, least: int) -> Rule:
    ending, _, rest = text.partition(">")
    instead, _, own = rest.partition(":")
    return Rule(fold(ending), fold(instead), int(own) if own else least)


@cache
def stop_words() -> frozenset[str]:
    """Of all languages together: a text seldom says which one it is in, and never keeps to it."""
    return frozenset().union(*(language.stop for language in languages().values()))


@cache
def weak_words() -> frozenset[str]:
    return frozenset().union(*(language.weak for language in languages().values()))


@lru_cache(maxsize=200_000)
def stem(word: str, code: str) -> str:
    """The stem of a folded word in a language; numbers, codes and runs without spaces are their own."""
    if len(word) < 3 or not word.isalpha() or is_unspaced(word):
        return word
    return languages()[code].stem(word)


@lru_cache(maxsize=20_000)
def stems(word: str) -> frozenset[str]:
    """The stems that a word may have been given, whatever the language of the text it stands in."""
    return frozenset(stem(word, code) for code in languages())


@lru_cache(maxsize=1_000)
def known_code(declared: str) -> str:
    """The two letters of a language that we know, from what a document declares; else empty."""
    code = re.split("[^a-z]", declared.strip().lower(), maxsplit=1)[0]
    code = _CODES.get(code, code)
    return code if code in languages() else ""


def guess(words: Iterable[str], declared: str = "") -> str:
    """The language of a text: what its small words say, else what is declared, else English."""
    counts: dict[str, int] = {}
    speakers = _speakers()
    for word in words:
        if not word.isascii():
            code, votes = _script(word)
            if votes:
                counts[code] = counts.get(code, 0) + votes
        for code in speakers.get(word, ()):
            counts[code] = counts.get(code, 0) + 1
    said = known_code(declared)
    if said:
        counts[said] = counts.get(said, 0) + 2
    return max(counts, key=counts.__getitem__, default=DEFAULT)


@lru_cache(maxsize=5_000)
def _script(word: str) -> tuple[str, int]:
    """The language that the letters of a word speak for, and how loudly."""
    for pattern, code in _SCRIPTS:
        if pattern.search(word):
            return code, 3
    return "ru", 1 if _CYRILLIC.search(word) else 0


@cache
def _speakers() -> Mapping[str, tuple[str, ...]]:
    """The languages in which a word is a stop word."""
    found: dict[str, list[str]] = {}
    for code, language in languages().items():
        for word in language.stop | language.weak:
            found.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in found.items() if len(codes) < 4}
