"""Viewers known by their fingerprint: where their configuration stands, and where in it the services are named.

One TOML file per viewer; docs/decisions/0012 has the format. Nothing is fetched here: `recognise` says which files
are wanted, `read` says what a file holds and which further files it names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import islice
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from geohound import urls
from geohound.document import paths
from geohound.jsflow import Endpoint
from geohound.text.pattern_scan import WordScan
from geohound.urls.address_book import AddressBook

MAX_PAGE = 400_000  # characters of a page or script in which patterns are looked for
MAX_SERVICES = 5_000  # of one file
MAX_WANTED = 30  # files of one page or named in one file
_BLANK = re.compile(r"\{([?#]?[\w-]+)\}")
_BASE = re.compile(
    r"<base\s[^>]{0,200}?href\s*=\s*[\"']?([^\"'\s>]{1,300})", re.IGNORECASE
)
NO_SERVICE = ""  # the kind of what viewers show and no service gives
_TILES = re.compile(r"(?:\{|%7B)-?[zxy](?:\}|%7D)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class Find:
    """Where in a file a service, or with `file` a further file, is named."""

    at: str = ""
    pattern: re.Pattern[str] | None = None
    url: tuple[str, ...] = ("url",)
    kind: str = ""
    given: str = ""
    kinds: Mapping[str, str] | None = None
    key: str = ""
    table: str = ""
    file: str = ""
    default: str = ""
    when: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class File:
    """One configuration file of a viewer: its places relative to the page, and what to find in it."""

    name: str
    path: tuple[str, ...]
    find: tuple[Find, ...]
    is_script: bool = False  # its values have to be computed: static analysis reads it


@dataclass(frozen=True, slots=True)
class Recipe:
    """A viewer."""

    id: str
    title: str
    page: tuple[re.Pattern[str], ...]
    blank: tuple[re.Pattern[str], ...]
    document: tuple[re.Pattern[str], ...]
    files: tuple[File, ...]


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file that a viewer would load now; of several for one `place`, the first that is there."""

    recipe: Recipe
    file: File
    url: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class FileReading:
    """What one file holds."""

    endpoints: tuple[Endpoint, ...] = ()
    wanted: tuple[WantedFile, ...] = ()


@cache
def recipes() -> tuple[Recipe, ...]:
    """All viewers, in the order of their names."""
    folder = resources.files(__package__)
    names = sorted(
        entry.name
        for entry in folder.iterdir()
        if entry.name.endswith(".toml") and not entry.name.startswith("_")
    )
    return tuple(
        _recipe(n.removesuffix(".toml"), folder.joinpath(n).read_text("utf-8"))
        for n in names
    )


def recognise(html: str, page_url: str) -> list[WantedFile]:
    """The configuration files of the viewers that this page is; a file at the page's own address is the page itself."""
    head = html[:MAX_PAGE]
    named = _BASE.search(head)
    base = (urls.canonical(named[1], page_url) if named else None) or page_url
    words = _page_words().found(f"{head}\n{page_url}".encode("utf-8", "replace"))
    known = (
        recipe for recipe in recipes() if _is_viewer(recipe, head, page_url, words)
    )
    found = (
        wanted for recipe in known for wanted in _wanted(recipe, head, page_url, base)
    )
    return list(islice(found, MAX_WANTED))


def _is_viewer(recipe: Recipe, head: str, page_url: str, words: frozenset[str]) -> bool:
    likely = (
        pattern for pattern in recipe.page if not words.isdisjoint(_needles(pattern))
    )
    return any(pattern.search(head) or pattern.search(page_url) for pattern in likely)


def _wanted(
    recipe: Recipe, head: str, page_url: str, base: str
) -> Iterator[WantedFile]:
    """The files of a viewer, each place once."""
    blanks = _blanks(recipe, head, page_url)
    for number, file in enumerate(recipe.files):
        filled = [fill(path, blanks) for path in file.path]
        full = [
            urls.canonical(path, base if path else page_url)
            for path in filled
            if path is not None
        ]
        yield from (
            WantedFile(recipe, file, address, f"{number}")
            for address in dict.fromkeys(filter(None, full))
        )


def _blanks(recipe: Recipe, head: str, page_url: str) -> dict[str, str]:
    """What fills the blanks in the paths of a viewer: parameters of the page, and what its patterns name."""
    blanks = {
        f"?{name.lower()}": value for name, value in urls.params(page_url) if value
    }
    for pattern in (*recipe.page, *recipe.blank):
        match = pattern.search(page_url) or pattern.search(head)
        said = match.groupdict() if match else {}
        blanks |= {name: unescape(value) for name, value in said.items() if value}
    return blanks


@cache
def _page_words() -> WordScan:
    """The words of all viewers: most pages have so few of them that hardly an expression is tried."""
    words = [
        word
        for recipe in recipes()
        for pattern in recipe.page
        for word in _needles(pattern)
    ]
    return WordScan(words, any_case=True)


@cache
def _needles(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Letters in lower case without one of which a pattern cannot match: of several choices the longest."""
    return _choose(_parser.parse(pattern.pattern, pattern.flags))


def _choose(parsed: Iterable[tuple[Any, Any]]) -> tuple[str, ...]:
    runs = [""]
    choices: list[tuple[str, ...]] = []
    for op, value in parsed:
        if op is _constants.LITERAL:
            runs[-1] += chr(value).lower()
            continue
        if op is _constants.SUBPATTERN:
            choices.append(_choose(value[-1]))
        elif op is _constants.BRANCH:
            choices.append(
                tuple(needle for branch in value[1] for needle in _choose(branch))
            )
        if op is not _constants.AT:
            runs.append("")
    return max(
        choices + [(run,) for run in runs], key=lambda needles: min(map(len, needles))
    )


def of_document(text: str, url: str) -> list[WantedFile]:
    """The recipes for a file that was found in another way, known by its own beginning."""
    head = text[:MAX_PAGE]
    known = [
        r for r in recipes() if any(pattern.search(head) for pattern in r.document)
    ]
    return [
        WantedFile(recipe, file, url)
        for recipe in known
        for file in recipe.files
        if not file.is_script
    ]


def read(wanted: WantedFile, text: str, book: AddressBook) -> FileReading:
    """The services that a file names, and the further files."""
    document = (
        paths.parse(text)
        if any(not find.pattern for find in wanted.file.find)
        else None
    )
    endpoints: dict[tuple[str, str | None], Endpoint] = {}
    further: list[WantedFile] = []
    for number, find in enumerate(wanted.file.find):
        for item, address, kind, evidence in islice(
            _found(find, document, text), MAX_SERVICES
        ):
            full = urls.canonical(address, wanted.url)
            if full is None:
                continue
            if find.file:
                file = next(f for f in wanted.recipe.files if f.name == find.file)
                further.append(
                    WantedFile(
                        wanted.recipe, file, full, f"{wanted.url} {number} {item}"
                    )
                )
            elif endpoint := _endpoint(full, kind, find, book):
                call = f"{wanted.recipe.id}: {evidence}"
                endpoint = replace(endpoint, source=wanted.url, call=call)
                endpoints.setdefault((endpoint.endpoint, endpoint.kind), endpoint)
    return FileReading(tuple(endpoints.values()), tuple(further[:MAX_WANTED]))


def _found(find: Find, document: Any, text: str) -> Iterator[tuple[int, str, str, str]]:
    """Number of the item, address, what the file calls its type, and the place where it stands."""
    if find.pattern:
        for number, match in enumerate(find.pattern.finditer(text[:MAX_PAGE])):
            yield from _in_match(find, number, match)
        return
    for number, item in enumerate(paths.select(document, find.at)):
        if find.when is None or find.when.search(paths.words(item)):
            yield from _in_item(find, document, number, item)


def _in_match(
    find: Find, number: int, match: re.Match[str]
) -> Iterator[tuple[int, str, str, str]]:
    blanks = {
        name: unescape(value) for name, value in match.groupdict().items() if value
    }
    filled = (fill(template, blanks) for template in find.url)
    yield from (
        (number, a, blanks.get("kind", ""), match[0][:80])
        for a in filled
        if a is not None
    )


def _in_item(
    find: Find, document: Any, number: int, item: Any
) -> Iterator[tuple[int, str, str, str]]:
    labels = map(paths.words, paths.select(item, find.kind)) if find.kind else ()
    said = next(filter(None, labels), "")
    holder = _joined(find, document, item)
    for name in find.url:
        for address in filter(None, _addresses(name, holder)):
            yield number, address, said, f"{find.at}.{name}".strip(".")


def _addresses(name: str, holder: Any) -> Iterator[str]:
    """What stands at a path, or a template filled with the members of an object; `#self` is a value itself."""
    if "{" in name:
        members = holder.items() if isinstance(holder, dict) else [("#self", holder)]
        blanks = {
            key: said.rstrip("/")
            for key, value in members
            if (said := paths.words(value))
        }
        yield fill(name, blanks) or ""
    elif name == "#self":
        yield paths.words(holder)
    else:
        yield from map(paths.words, paths.select(holder, name))


def _joined(find: Find, document: Any, item: Any) -> Any:
    """The row of another table to which a key of the item points; the item itself where there is no table."""
    if not find.table:
        return item
    key = next((paths.words(v) for v in paths.select(item, find.key)), "")
    tables = list(islice(paths.select(document, find.table), 10))
    return next(
        (table[key] for table in tables if isinstance(table, dict) and key in table),
        None,
    )


def _endpoint(full: str, said: str, find: Find, book: AddressBook) -> Endpoint | None:
    kind = find.given or (
        kind_of_label(said, find.kinds, book) if said else find.default or None
    )
    if kind == NO_SERVICE:
        return None
    if kind is None:
        if not book.looks_like_service(full) or _TILES.search(full):
            return None
        kind = book.kind_of_address(full)
    inner = urls.embedded(full)
    if inner and book.looks_like_service(inner[0]):
        full = inner[0]  # behind a proxy
    return Endpoint(
        full, urls.endpoint(full), kind, "recipe", "", 0, "", 0.85 if kind else 0.6
    )


@cache
def _no_services() -> frozenset[str]:
    """What viewers call layers that no service gives, letters and digits in lower case."""
    text = resources.files(__package__).joinpath("_no_services.txt").read_text("utf-8")
    return frozenset(text.split())


def kind_of_label(
    said: str, own: Mapping[str, str] | None, book: AddressBook
) -> str | None:
    """The kind behind a viewer's word; None where the word says nothing, NO_SERVICE where it is none."""
    if own is not None and said in own:
        return own[said]
    is_none = "".join(c for c in said.lower() if c.isalnum()) in _no_services()
    return NO_SERVICE if is_none else book.kind_of_label(said)


def fill(template: str, blanks: Mapping[str, str]) -> str | None:
    """The template with its blanks filled; None where one stays empty."""
    if any(name not in blanks for name in _BLANK.findall(template)):
        return None
    return _BLANK.sub(lambda blank: blanks[blank[1]], template)


def unescape(text: str) -> str:
    """A string of a script as it is meant."""
    return _ESCAPED.sub(
        lambda m: chr(int(m[1], 16)), text.replace("\\/", "/").replace("&amp;", "&")
    )


def _recipe(name: str, source: str) -> Recipe:
    data = tomllib.loads(source)
    return Recipe(
        name,
        data["title"],
        tuple(re.compile(p, re.IGNORECASE) for p in data.get("page", ())),
        tuple(re.compile(p) for p in data.get("blank", ())),
        tuple(re.compile(p) for p in data.get("document", ())),
        tuple(_file(f) for f in data["file"]),
    )


def _file(data: Mapping[str, Any]) -> File:
    find = tuple(_find(f) for f in data.get("find", ()))
    return File(
        data.get("name", ""),
        tuple(data.get("path", ())),
        find,
        data.get("script", False),
    )


def _find(data: Mapping[str, Any]) -> Find:
    url = data.get("url", "url")
    return Find(
        at=data.get("at", ""),
        pattern=re.compile(data["pattern"]) if "pattern" in data else None,
        url=(url,) if isinstance(url, str) else tuple(url),
        kind=data.get("kind", ""),
        given=data.get("is", ""),
        kinds=data.get("kinds"),
        key=data.get("key", ""),
        table=data.get("table", ""),
        file=data.get("file", ""),
        default=data.get("default", ""),
        when=re.compile(data["when"]) if "when" in data else None,
    )
