"""Wiring of plug-ins: the registries, and the order, topics and classifier that the settings name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from geohound.plugins import discover
from geohound.settings import Settings, SettingsError

if TYPE_CHECKING:
    from geohound.contracts import (
        Exporter,
        Harvester,
        Kind,
        Order,
        Searcher,
        SnippetWriter,
    )
    from geohound.harvesters._described import HarvestRecipe
    from geohound.model.topic import Topic
    from geohound.topics import Classifier, ContainsClassifier
    from geohound.urls.address_book import AddressBook


def kinds() -> Mapping[str, Kind]:
    return discover("kinds")


@cache
def address_book() -> AddressBook:
    """The URL patterns of all kinds, compiled once for each process."""
    from geohound.urls.address_book import AddressBook

    return AddressBook({kind.id: kind.addresses for kind in kinds().values()})


def snippets() -> Mapping[str, SnippetWriter]:
    return discover("snippets")


def exporters() -> Mapping[str, Exporter]:
    return discover("exporters")


def harvesters(files: Sequence[str] = ()) -> Mapping[str, Harvester]:
    """Our catalogue protocols, those of plug-ins, and the data centres that the user's own recipes describe."""
    from geohound.harvesters._described import described, read_recipe

    own = [described(read_recipe(Path(name).expanduser())) for name in files]
    return {**discover("harvesters"), **{harvester.id: harvester for harvester in own}}


def harvest_recipe(path: Path) -> HarvestRecipe:
    """The data centre that a TOML file describes."""
    from geohound.harvesters._described import read_recipe

    return read_recipe(path.expanduser())


def seeds_of_list(
    text: str, learned: Mapping[str, tuple[int, int]] | None = None
) -> list[str] | None:
    """The addresses of a registry, of JSON or of CSV, best expected yield first; None where it is plain text.

    `learned` has the services and the sources of each protocol so far.
    """
    from geohound.harvesters._seed_lists import ranked, read_typed

    found = read_typed(text)
    return None if found is None else [seed.url for seed in ranked(found, learned)]


def orders() -> Mapping[str, Order]:
    return discover("orders")


def searchers(files: Sequence[str] = ()) -> Mapping[str, Searcher]:
    """Our search providers, those of plug-ins, and those that the user's own files describe."""
    from geohound.searchers._described import read_searcher

    own = [read_searcher(Path(name).expanduser()) for name in files]
    return {**discover("searchers"), **{searcher.id: searcher for searcher in own}}


def topics(files: Sequence[str] = ()) -> Mapping[str, Topic]:
    """Our topics, those of plug-ins, and the user's own files."""
    from geohound.topics.files import TopicError, read_topic

    try:
        own = [read_topic(Path(name).expanduser()) for name in files]
    except TopicError as error:
        raise SettingsError(str(error)) from None
    return {**discover("topics"), **{topic.id: topic for topic in own}}


def crawl_order(settings: Settings) -> Order:
    """The order that the settings name, with what they ask of it."""
    from geohound.model.crawl.order_options import GroupRules, OrderOptions

    topic = _relevance_topic(settings)
    groups = GroupRules(
        settings.oss_min_group_seeds, settings.oss_max_groups, settings.oss_min_depth, settings.oss_usual_depth,
        settings.oss_max_depth, settings.oss_lists_to_go_on, settings.oss_lists_to_go_deeper,
    )  # fmt: skip
    options = OrderOptions(
        topic, settings.relevance_threshold, groups, settings.polarhub_cut_after
    )
    return orders()[settings.order].configured(options)


def _relevance_topic(settings: Settings) -> Topic | None:
    wanted = settings.relevance_topic
    if not wanted:
        return None
    known = topics(settings.topic_files)
    if wanted not in known:
        raise SettingsError(
            f"The setting relevance_topic is {wanted!r}; known topics: {', '.join(sorted(known))}."
        )
    return known[wanted]


@cache
def classifier(
    topic_files: tuple[str, ...], match: str = "words"
) -> Classifier | ContainsClassifier:
    """Classifies services by all topics; each set of files is read once."""
    from geohound.topics import CLASSIFIERS

    if match not in CLASSIFIERS:
        raise SettingsError(
            f"The setting topic_match must be {' or '.join(CLASSIFIERS)}, not {match!r}."
        )
    return CLASSIFIERS[match](topics(topic_files).values())
