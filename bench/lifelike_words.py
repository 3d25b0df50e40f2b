"""A vocabulary as large as a real catalogue's: made by rule from syllables, and used as words are (Zipf's law)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from geoweb.chance import Dice, mix, text_number

WORDS_EACH = 8_000  # ranks of one language; with endings some more words


class Sounds(NamedTuple):
    """What words of a language are put together from."""

    onsets: str
    vowels: str
    codas: str
    endings: str  # of the base form
    inflections: str  # that are added to it
    is_spaced: bool = True


LATIN = "b br c ch cl d dr f fl g gr h k l m n p pl pr r s sc sp st t tr v w"
POLISH = "b br cz d dz g gr k kr l ł m n p prz r rz s sz t w z ż"
RUSSIAN = "б бр в г гр д з к кр л м н п пр р с ст т тр ч ш"
SOUNDS = {
    "en": Sounds(LATIN + " th wh sh", "a e i o u ea oo ai", "n r st ll ck m nd", "er ing ton land ness ry al", "s"),
    "de": Sounds(LATIN + " sch pf zw kn", "a e i o u ei au ie ü ö", "n r rt ch st ng", "ung heit er en bach", "en s"),
    "fr": Sounds(LATIN + " gn qu", "a e i o u ou ai eu é", "n r s l", "tion eau ment ière age", "s"),
    "es": Sounds(LATIN + " ll qu", "a e i o u ie ue á", "n r s l", "ción dad ero illa ado", "s es"),
    "pt": Sounds(LATIN + " lh nh qu", "a e i o u ei ão", "n r s l", "ção dade eiro inha ado", "s"),
    "nl": Sounds(LATIN + " sch vr zw", "a e i o u aa oe ij ui", "n r rt cht ng", "ing heid dijk er veen", "en"),
    "it": Sounds(LATIN + " gl gn qu", "a e i o u ia uo", "n r l", "zione ità ello ina ato", "i"),
    "pl": Sounds(POLISH, "a e i o u ą ę y", "n r ść k", "ość anie owo ski", "ów y"),
    "ru": Sounds(RUSSIAN, "а е и о у ы я", "н р ст к", "ость ание ский ово", "ы ов"),
    "zh": Sounds("", "", "", "", "", is_spaced=False),
    "ja": Sounds("", "", "", "", "", is_spaced=False),
}  # fmt: skip
FIRST_LETTER = {"zh": 0x4E00, "ja": 0x30A1}
LETTERS = {"zh": 3_000, "ja": 80}


def zipf(dice: Dice, count: int = WORDS_EACH) -> int:
    """A rank below `count`: each as often as 1 / (rank + 1)."""
    return int((count + 1) ** dice.unit()) - 1


@lru_cache(maxsize=400_000)
def word(language: str, rank: int) -> str:
    """The word of this rank: frequent ones are short."""
    sounds = SOUNDS.get(language, SOUNDS["en"])
    dice = Dice(mix(text_number(language), rank, 31))
    syllables = 1 + (rank > 60) + (rank > 3_000) + dice.below(2)
    if not sounds.is_spaced:
        first, letters = FIRST_LETTER[language], LETTERS[language]
        return "".join(
            chr(first + int(letters * dice.unit() ** 2)) for _ in range(syllables + 1)
        )
    onsets = sounds.onsets.split()
    vowels = sounds.vowels.split()
    codas = sounds.codas.split()
    parts = [
        dice.pick(onsets)
        + dice.pick(vowels)
        + (dice.pick(codas) if dice.unit() < 0.4 else "")
        for _ in range(syllables)
    ]
    return "".join(parts) + (dice.pick(sounds.endings.split()) if rank > 20 else "")


def draw(language: str, dice: Dice) -> str:
    """A word of a text, as often as it is used; every fifth is inflected."""
    drawn = word(language, zipf(dice))
    endings = SOUNDS.get(language, SOUNDS["en"]).inflections.split()
    return drawn + dice.pick(endings) if endings and dice.unit() < 0.2 else drawn


def text(language: str, count: int, dice: Dice) -> str:
    """So many words."""
    return " ".join(draw(language, dice) for _ in range(count))
