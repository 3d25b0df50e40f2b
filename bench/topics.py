"""Words against a learned classifier: which INSPIRE theme is a service about? And what a look at a layer costs.

Both are asked about services of the geoweb that the learner has not seen (other seeds; then another language), and
about titles written by hand. Run: python bench/topics.py
"""

from __future__ import annotations

import json
import random
import time
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from geohound.model.service import Layer, Service
from geohound.topics import TOPICS, Classifier
from geoweb.protocol import ServiceSpec
from geoweb.services._content import content_of

THEMES = {
    "land cover": "lc", "rivers": "hy", "cadastre": "cp", "roads": "tn", "elevation": "el", "geology": "ge",
    "soil": "so", "weather": "mf", "population": "pd", "protected areas": "ps", "flood risk": "nz", "air quality": "ac",
    "orthophoto": "oi", "addresses": "ad", "noise": "hh", "energy": "er", "transport": "tn",
}  # fmt: skip
# those that both the geoweb and the topic's file speak
LANGUAGES = "en", "de", "fr", "es", "pt", "nl"
BY_HAND = [
    ("CORINE 2018 status layer", "lc"), ("Bodenbedeckung Schweiz", "lc"), ("Occupation des sols, Bretagne", "lc"),
    ("Watercourses and lakes 1:50 000", "hy"), ("Einzugsgebiete der Donau", "hy"), ("Ríos y embalses", "hy"),
    ("Cadastral parcels of Estonia", "cp"), ("Liegenschaftskataster Hessen", "cp"), ("Catastro de rústica", "cp"),
    ("National road network", "tn"), ("Straßennetz und Haltestellen", "tn"), ("Réseau ferré national", "tn"),
    ("LiDAR terrain model 1 m", "el"), ("Höhenlinien Bayern", "el"), ("Courbes de niveau", "el"),
    ("Bedrock and boreholes", "ge"), ("Geologische Karte 1:25.000", "ge"), ("Mapa geológico de España", "ge"),
    ("Soil map of the Netherlands", "so"), ("Bodenkarte von Niedersachsen", "so"), ("Carte pédologique", "so"),
    ("Radar precipitation, last hour", "mf"), ("Wetterstationen", "mf"), ("Températures moyennes", "mf"),
    ("Census 2021 population grid", "pd"), ("Bevölkerungsdichte", "pd"), ("Densité de la population", "pd"),
    ("Natura 2000 sites", "ps"), ("Naturschutzgebiete", "ps"), ("Espacios naturales protegidos", "ps"),
    ("Flood hazard areas, 100 years", "nz"), ("Hochwassergefahrenkarte", "nz"), ("Zones inondables", "nz"),
    ("Hourly NO2 and ozone", "ac"), ("Luftqualität Messwerte", "ac"), ("Qualité de l'air", "ac"),
    ("Orthophotos 20 cm", "oi"), ("Luftbilder 2023", "oi"), ("Ortofoto regional", "oi"),
    ("Address points", "ad"), ("Hauskoordinaten", "ad"), ("Base adresse nationale", "ad"),
    ("Noise map, day and night", "hh"), ("Lärmkartierung", "hh"), ("Krankenhäuser", "hh"),
    ("Wind farms", "er"), ("Solarkataster", "er"), ("Parcs éoliens", "er"),
    ("Boundaries of municipalities", "au"), ("Verwaltungsgrenzen", "au"), ("Limites administratives", "au"),
    ("Buildings in 3D", "bu"), ("Gebäudeumrisse", "bu"), ("Bâtiments", "bu"),
    ("Species of birds", "sd"), ("Mineral deposits and quarries", "mr"), ("Zones humides et habitats", "hb"),
]  # fmt: skip


def services(
    seeds: Iterable[int], languages: Sequence[str]
) -> list[tuple[Service, str]]:
    found = []
    for seed in seeds:
        for topic, theme in THEMES.items():
            for language in languages:
                spec = ServiceSpec(
                    "wms",
                    "1.3.0",
                    seed,
                    f"http://h{seed}.test/wms",
                    language,
                    topic,
                    layers=5,
                )
                said = content_of(spec)
                layers = tuple(
                    Layer(o.slug, o.title, o.abstract, o.keywords)
                    for o in said.offerings
                )
                service = Service("wms", spec.endpoint, title=said.title, abstract=said.abstract,
                                  keywords=said.keywords, layers=layers)  # fmt: skip
                found.append((service, theme))
    return found


def text_of(service: Service) -> str:
    parts = [service.title, service.abstract, *service.keywords]
    parts += [
        t
        for la in service.layers
        for t in (la.name, la.title, la.abstract, *la.keywords)
    ]
    return " ".join(parts).lower().replace("_", " ")


class Learned:
    """Naive Bayes over words and runs of four letters, hashed: small, fast to train, good at short texts."""

    SIZE = 1 << 16

    def __init__(self, examples: Sequence[tuple[Service, str]]) -> None:
        self.labels = sorted({label for _, label in examples})
        counts = np.ones((len(self.labels), self.SIZE)) * 0.1
        for service, label in examples:
            np.add.at(
                counts[self.labels.index(label)], self.features(text_of(service)), 1.0
            )
        self.weights = np.log(counts / counts.sum(axis=1, keepdims=True))

    def features(self, text: str) -> np.ndarray:
        words = text.split()
        runs = [
            f" {word} "[at : at + 4]
            for word in words
            for at in range(max(1, len(word) - 1))
        ]
        return np.array(
            [zlib.crc32(run.encode()) % self.SIZE for run in (*words, *runs)],
            dtype=np.int64,
        )

    def __call__(self, service: Service) -> list[str]:
        return [
            self.labels[
                int(
                    self.weights[:, self.features(text_of(service))]
                    .sum(axis=1)
                    .argmax()
                )
            ]
        ]


def score(classify, examples: Sequence[tuple[Service, str]]) -> dict[str, float]:
    """How often the right theme is named, and what share of the named themes is right."""
    right = named = 0
    for service, theme in examples:
        found = classify(service)
        right += theme in found
        named += len(found)
    return {
        "recall": round(right / len(examples), 3),
        "precision": round(right / max(1, named), 3),
    }


def cost_us(classify, examples: Sequence[tuple[Service, str]]) -> float:
    """Processor time for one layer."""
    started = time.process_time()
    for service, _ in examples:
        classify(service)
    return round(
        (time.process_time() - started) / sum(len(s.layers) for s, _ in examples) * 1e6,
        1,
    )


def main() -> None:
    words = Classifier(TOPICS)

    def by_words(service: Service) -> list[str]:
        return [each for topic, each in words.classify(service) if topic == "inspire"]

    random.seed(1)
    by_hand = [
        (Service("wms", "http://x.test/", title=title), theme)
        for title, theme in BY_HAND
    ]
    seen = services(range(20), LANGUAGES)
    unseen = services(range(1000, 1010), LANGUAGES)
    told: dict[str, object] = {
        "examples": {"train": len(seen), "test": len(unseen), "by_hand": len(by_hand)}
    }
    learned = Learned(seen)
    told["other seeds"] = {
        "words": score(by_words, unseen),
        "learned": score(learned, unseen),
    }
    told["titles by hand"] = {
        "words": score(by_words, by_hand),
        "learned": score(learned, by_hand),
    }
    languages = {}
    for language in LANGUAGES:
        rest = Learned(services(range(20), [x for x in LANGUAGES if x != language]))
        test = services(range(1000, 1010), [language])
        languages[language] = {
            "words": score(by_words, test),
            "learned": score(rest, test),
        }
    told["a language never seen"] = languages
    told["µs of processor a layer"] = {
        "words": cost_us(words.classify, unseen),
        "learned": cost_us(learned, unseen),
    }
    print(json.dumps(told, indent=1, ensure_ascii=False))
    path = Path(__file__).parent / "results" / "topics.json"
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
