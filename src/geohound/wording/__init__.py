"""Words as people write and type them: folding, stems, stop words, synonyms, spelling; pure, from data files."""

from .concepts import Phrase, phrases_like
from .languages import guess, known_code, stem, stems, stop_words, weak_words
from .spelling import closest
from .typed import Term, Terms, parse_terms
from .words import fold, is_unspaced, pairs, pieces, split, split_name

__all__ = [
    "Phrase", "Term", "Terms", "closest", "fold", "guess", "is_unspaced", "known_code", "pairs", "parse_terms",
    "phrases_like", "pieces", "split", "split_name", "stem", "stems", "stop_words", "weak_words",
]  # fmt: skip
