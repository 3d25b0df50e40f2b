"""A data centre without a protocol, described in a TOML recipe: its pages, and where addresses stand in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document, paths, refusals
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.toml_file import other_places, read_toml, unknown_entries
from geohound.model.user_error import UserError
from geohound.model.visit import Failure

from . import _asking, _part
from ._moved import with_moved
from ._protocols import protocol_of
from ._records import address, hrefs, is_address, is_before

MAX_RECORDS = 10_000  # of one page
_TEXTS = (
    "id",
    "title",
    "url",
    "records",
    "name",
    "protocol",
    "changed",
    "total",
    "next",
)
_LISTS = ("address", "follow", "take")
_KNOWN = frozenset({*_TEXTS, *_LISTS, "size"})
_PLACES = frozenset({"page", "offset", "start", "size"})


class RecipeError(UserError):
    """A description that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class HarvestRecipe:
    """What a file says of a data centre."""

    id: str
    title: str
    url: str = ""  # of a page, with {page}, {offset}, {start} or {size}; empty: the address that is harvested
    size: int = 100
    records: str = ""  # path to the records
    address: tuple[str, ...] = ()  # paths within a record
    name: str = ""
    protocol: str = ""
    changed: str = ""
    total: str = ""
    next: str = ""  # path to the address of the next page
    follow: tuple[str, ...] = ()  # links with these patterns are pages to be read
    take: tuple[str, ...] = ()  # links with these patterns are services

    @property
    def first(self) -> str:
        """The address of the first page."""
        return self.at(0, 1)

    def at(self, offset: int, page: int) -> str:
        return self.url.format(
            page=page, offset=offset, start=offset + 1, size=self.size
        )

    @property
    def counts(self) -> bool:
        """Does the address of a page say which one is wanted?"""
        return any(f"{{{name}}}" in self.url for name in ("page", "offset", "start"))


def read_recipe(path: Path) -> HarvestRecipe:
    """The data centre that a file describes."""
    said = read_toml(path, "recipe", RecipeError)
    trouble = _trouble(said)
    if trouble:
        raise RecipeError(f"The recipe {path} {trouble}.")
    lists = {name: _as_tuple(said[name]) for name in _LISTS if name in said}
    texts = {name: said[name] for name in _TEXTS if name in said}
    return HarvestRecipe(
        **{"title": said["id"], "size": said.get("size", 100), **texts, **lists}
    )


def _as_tuple(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _trouble(said: dict[str, Any]) -> str:
    unknown = unknown_entries(said, _KNOWN)
    if unknown:
        return unknown
    wrong = _of_wrong_type(said)
    if wrong:
        return f"has a value of the wrong type: {', '.join(wrong)}"
    if not said.get("id"):
        return "lacks id"
    if not said.get("address") and not said.get("take"):
        return "lacks address (paths in records) or take (patterns of links)"
    return _trouble_in_url(said.get("url", ""))


def _of_wrong_type(said: dict[str, Any]) -> list[str]:
    """The names of the entries whose value is none of what they may be."""
    texts = [name for name in _TEXTS if not isinstance(said.get(name, ""), str)]
    lists = [name for name in _LISTS if not _is_texts(said.get(name, ""))]
    size = said.get("size", 1)
    is_size = isinstance(size, int) and 1 <= size <= MAX_RECORDS
    return [*texts, *lists, *([] if is_size else ["size"])]


def _is_texts(value: object) -> bool:
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(each, str) for each in value)
    )


def _trouble_in_url(url: str) -> str:
    trouble = other_places(url, _PLACES)
    if trouble:
        return trouble
    return (
        ""
        if not url or url.startswith(("http://", "https://"))
        else "needs a url that begins with https://"
    )


class _Read(NamedTuple):
    """What stands in one page."""

    ids: Sequence[str]
    listed: Sequence[Listed]
    sources: Sequence[str] = ()
    total: int = 0
    following: str = ""


class _Place(NamedTuple):
    """Where a harvest stands."""

    offset: int = 0
    number: int = 1
    url: str = ""  # of the page, where the page before it named one
    since: str = ""


def described(recipe: HarvestRecipe) -> _part.Part:
    """The harvester of a data centre."""

    async def page(
        source: str, cursor: bytes, fetcher: Fetcher
    ) -> HarvestPage | Failure:
        said = _asking.unpack(cursor)
        place = _Place(
            _asking.number(said.get("offset")),
            _asking.number(said.get("page"), 1),
            _own_page(source, said.get("url")),
            str(said.get("since", "")),
        )
        return await _page(recipe, source, place, fetcher)

    first = urls.canonical(recipe.first) if recipe.url else None
    address = re.compile(rf"^{re.escape(first)}$") if first else None
    start = _part.from_date if recipe.changed else _part.from_all
    return _part.Part(recipe.id, recipe.title, with_moved(page), start, address=address)


def _own_page(source: str, named: object) -> str:
    """A page that a cursor names, if it is of the same host."""
    is_ours = (
        isinstance(named, str)
        and is_address(named)
        and urls.host(named) == urls.host(source)
    )
    return str(named) if is_ours else ""


async def _page(
    recipe: HarvestRecipe, source: str, place: _Place, fetcher: Fetcher
) -> HarvestPage | Failure:
    is_further = _matches(source, recipe.follow)
    is_alone = is_further or not recipe.url
    url = place.url or (source if is_alone else recipe.at(place.offset, place.number))
    answer = await _asking.ask(fetcher, url)
    if isinstance(answer, Failure):
        return answer
    read = _read(recipe, answer, place.since)
    if read is None or not (read.ids or _may_be_empty(place, is_further, answer)):
        return _asking.not_understood(answer, f"a page of {recipe.title}")
    onward = b"" if is_further else _onward(recipe, source, url, place, read)
    mark = fingerprint(f"{source} {recipe.id}", read.ids)
    listed = tuple(dict.fromkeys(read.listed))
    sources = tuple(dict.fromkeys(read.sources))
    return HarvestPage(listed, sources, onward, mark, len(read.ids), total=read.total)


def _may_be_empty(place: _Place, is_further: bool, document: Document) -> bool:
    """The first page of a catalogue has records; a later one, or one that it links to, may have none."""
    is_first = place.number == 1 and not place.url
    if not is_first:
        return True
    return is_further and refusals.judge(document).reason not in refusals.WALLS


def _onward(
    recipe: HarvestRecipe, source: str, url: str, place: _Place, read: _Read
) -> bytes:
    """The cursor of the next page: the one that this page names, or the one that is next by counting."""
    if read.following and read.following != url and _own_page(source, read.following):
        return _asking.pack(
            url=read.following, page=place.number + 1, since=place.since
        )
    after = place.offset + len(read.ids)
    has_more = bool(read.ids) and (after < read.total if read.total else True)
    if not recipe.counts or not has_more:
        return b""
    return _asking.pack(offset=after, page=place.number + 1, since=place.since)


def _read(recipe: HarvestRecipe, document: Document, since: str) -> _Read | None:
    if document.is_html or not recipe.address:
        return _read_links(recipe, document)
    value = paths.parse(document.text)
    if value is None:
        return None
    records = list(paths.select(value, recipe.records))[:MAX_RECORDS]
    changed = [each for each in records if not _is_older(recipe, each, since)]
    listed = [
        found for each in changed for found in _of_record(recipe, each, document.url)
    ]
    total = _asking.number(_first(value, recipe.total))
    following = address(_first(value, recipe.next), document.url)
    return _Read([repr(each)[:500] for each in records], listed, (), total, following)


def _is_older(recipe: HarvestRecipe, record: Any, since: str) -> bool:
    return is_before(_first(record, recipe.changed), since)


def _of_record(recipe: HarvestRecipe, record: Any, url: str) -> list[Listed]:
    name = _first(record, recipe.name)[:200]
    label = protocol_of(_first(record, recipe.protocol))
    values = (
        paths.words(value)
        for path in recipe.address
        for value in paths.select(record, path)
    )
    return [Listed(at, name, label) for value in values if (at := address(value, url))]


def _first(value: Any, path: str) -> str:
    """The first value at a path; empty where the recipe has no path."""
    found = paths.select(value, path) if path else ()
    return next((paths.words(each) for each in found), "")


def _read_links(recipe: HarvestRecipe, document: Document) -> _Read:
    """The links of a page, by what their addresses look like."""
    host = urls.host(document.url)
    clean = (urls.canonical(href, document.url) for href in hrefs(document))
    links = dict.fromkeys(filter(None, clean))
    taken = [at for at in links if _matches(at, recipe.take)]
    here = [at for at in links if at not in taken and urls.host(at) == host]
    further = [at for at in here if _matches(at, recipe.follow)]
    return _Read([*taken, *further], [Listed(at) for at in taken], further)


def _matches(url: str, patterns: Sequence[str]) -> bool:
    low = url.lower()
    return any(fnmatchcase(low, pattern.lower()) for pattern in patterns)
