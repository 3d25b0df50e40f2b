"""How many misspelt words are mended, and how fast: words of a generated catalogue, misspelt by rule.

Words that several entries hold get a slip (a letter too many, too few, wrong, or two in the wrong order) at a random
place, words of nine letters and more a second one every fourth time; what is a word itself is left out.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

import catalogue_maker

from geohound.model.catalogue import Observation
from geohound.model.search.query import Query
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store
from geohound.text import fold, is_unspaced, tokenize

RESULTS = Path(__file__).parent / "results" / "spelling.json"


def slip(word: str, chance: random.Random) -> str:
    at = chance.randrange(len(word))
    letter = chance.choice(sorted((set(word) | set("aeinrst")) - {word[at]}))
    match chance.randrange(4):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[:at] + letter + word[at:]
        case 2:
            return word[:at] + letter + word[at + 1 :]
    at = min(at, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def misspelt(
    counts: dict[str, int], count: int, chance: random.Random
) -> list[tuple[str, str]]:
    usual = sorted(word for word, n in counts.items() if n > 2 and len(word) > 4)
    usual = [word for word in usual if word.isalpha() and not is_unspaced(word)]
    made: list[tuple[str, str]] = []
    while len(made) < count:
        word = chance.choice(usual)
        typed = slip(word, chance)
        if len(word) > 8 and chance.random() < 0.25:
            typed = slip(typed, chance)
        if fold(typed) not in counts and len(typed) > 3:
            made.append((typed, word))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", type=int, default=2_000)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--write", action="store_true", help="keep the result")
    args = parser.parse_args()
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "c.db", SystemClock())
        met = list(catalogue_maker.met(0, args.services))
        store.catalogue.record_now(
            [Observation(service, sighting) for service, sighting in met]
        )
        for service, _ in met:
            texts = [service.title, *(layer.title for layer in service.layers)]
            for word in {word for text in texts for word in tokenize(text)}:
                counts[word] = counts.get(word, 0) + 1
        index = CatalogueIndex(store.catalogue, store.segments)
        index.search(Query("warm"))
        right, times = 0, []
        for typed, word in misspelt(counts, args.words, random.Random(args.seed)):
            began = time.process_time()
            suggestion = index.search(Query(typed)).suggestion
            times.append((time.process_time() - began) * 1000)
            right += suggestion == word
        store.close()
    times.sort()
    told = {
        "services": args.services,
        "words": args.words,
        "known_words": len(counts),
        "right": right,
        "cpu_ms_median": round(statistics.median(times), 2),
        "cpu_ms_p95": round(times[int(len(times) * 0.95)], 2),
    }
    print(json.dumps(told))
    if args.write:
        RESULTS.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
