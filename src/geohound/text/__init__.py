"""Text analysis: tokens, folding, stems, stop words, synonyms, spelling; pure functions over data files."""

from geohound.text.tokenizer import QueryTerm, QueryTerms, parse_query_terms

from .concepts import Phrase, find_synonyms
from .languages import (
    guess_language,
    language_code,
    stem,
    stems,
    stop_words,
    weak_words,
)
from .spelling import Vocabulary, closest_word
from .tokenizer import bigrams, fold, index_tokens, is_unspaced, tokenize, tokenize_name

__all__ = [
    "Phrase", "QueryTerm", "QueryTerms", "Vocabulary", "bigrams", "closest_word", "find_synonyms", "fold",
    "guess_language", "index_tokens", "is_unspaced", "language_code", "parse_query_terms", "stem", "stems",
    "stop_words", "tokenize", "tokenize_name", "weak_words",
]  # fmt: skip
