"""Viewers known by their fingerprint: where their configuration stands, and where in it the services are named.

One TOML file per viewer; docs/decisions/0012 tells the format. Nothing is fetched here: `recognise` says which files
are wanted, `read` says what a file holds and which further files it names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from geohound import urls
from geohound.jsflow import Endpoint
from geohound.urls.clue import looks_like_service

from . import kinds, paths

MAX_PAGE = 400_000  # characters of a page or script in which patterns are looked for
MAX_SERVICES = 5_000  # of one file
MAX_WANTED = 30  # files of one page or named in one file
_BLANK = re.compile(r"\{([?#]?[\w-]+)\}")
_BASE = re.compile(r"<base\s[^>]{0,200}?href\s*=\s*[\"']?([^\"'\s>]{1,300})", re.IGNORECASE)
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
class Wanted:
    """A file that a viewer would load now; of several for one `place`, the first that is there."""

    recipe: Recipe
    file: File
    url: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one file holds."""

    endpoints: tuple[Endpoint, ...] = ()
    wanted: tuple[Wanted, ...] = ()


@cache
def recipes() -> tuple[Recipe, ...]:
    """All viewers, in the order of their names."""
    folder = resources.files(__package__)
    names = sorted(
        entry.name for entry in folder.iterdir() if entry.name.endswith(".toml") and not entry.name.startswith("_")
    )
    return tuple(_recipe(n.removesuffix(".toml"), folder.joinpath(n).read_text("utf-8")) for n in names)


def recognise(html: str, page_url: str) -> list[Wanted]:
    """The configuration files of the viewers that this page is; a file at the page's own address is the page itself."""
    head = html[:MAX_PAGE]
    named = _BASE.search(head)
    base = (urls.canonical(named[1], page_url) if named else None) or page_url
    found: list[Wanted] = []
    lowered = f"{head}\n{page_url}".lower()
    for recipe in recipes():
        if not any(_may_match(p, lowered) and (p.search(head) or p.search(page_url)) for p in recipe.page):
            continue
        blanks = {f"?{name.lower()}": value for name, value in urls.params(page_url) if value}
        for pattern in (*recipe.page, *recipe.blank):
            match = pattern.search(page_url) or pattern.search(head)
            said = match.groupdict() if match else {}
            blanks |= {name: unescape(value) for name, value in said.items() if value}
        for number, file in enumerate(recipe.files):
            filled = [fill(path, blanks) for path in file.path]
            full = [urls.canonical(path, base if path else page_url) for path in filled if path is not None]
            addresses = [address for address in full if address]
            found += [Wanted(recipe, file, address, f"{number}") for address in dict.fromkeys(addresses)]
    return found[:MAX_WANTED]


def _may_match(pattern: re.Pattern[str], lowered: str) -> bool:
    """A look at the speed of memory: most pages do without a search then."""
    return any(needle in lowered for needle in _needles(pattern))


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
            choices.append(tuple(needle for branch in value[1] for needle in _choose(branch)))
        if op is not _constants.AT:
            runs.append("")
    return max(choices + [(run,) for run in runs], key=lambda needles: min(map(len, needles)))


def of_document(text: str, url: str) -> list[Wanted]:
    """The recipes for a file that was found in another way, known by its own beginning."""
    head = text[:MAX_PAGE]
    known = [r for r in recipes() if any(pattern.search(head) for pattern in r.document)]
    return [Wanted(recipe, file, url) for recipe in known for file in recipe.files if not file.is_script]


def read(wanted: Wanted, text: str) -> Reading:
    """The services that a file names, and the further files."""
    document = paths.parse(text) if any(not find.pattern for find in wanted.file.find) else None
    endpoints: dict[tuple[str, str | None], Endpoint] = {}
    further: list[Wanted] = []
    for number, find in enumerate(wanted.file.find):
        for item, address, kind, evidence in islice(_found(find, document, text), MAX_SERVICES):
            full = urls.canonical(address, wanted.url)
            if full is None:
                continue
            if find.file:
                file = next(f for f in wanted.recipe.files if f.name == find.file)
                further.append(Wanted(wanted.recipe, file, full, f"{wanted.url} {number} {item}"))
            elif endpoint := _endpoint(full, kind, find, wanted, evidence):
                endpoints.setdefault((endpoint.endpoint, endpoint.kind), endpoint)
    return Reading(tuple(endpoints.values()), tuple(further[:MAX_WANTED]))


def _found(find: Find, document: Any, text: str) -> Iterator[tuple[int, str, str, str]]:
    """Number of the item, address, what the file calls its type, and the place where it stands."""
    if find.pattern:
        for number, match in enumerate(find.pattern.finditer(text[:MAX_PAGE])):
            blanks = {name: unescape(value) for name, value in match.groupdict().items() if value}
            for template in find.url:
                if (address := fill(template, blanks)) is not None:
                    yield number, address, blanks.get("kind", ""), match[0][:80]
        return
    for number, item in enumerate(paths.select(document, find.at)):
        said = next((w for v in paths.select(item, find.kind) if (w := paths.words(v))), "") if find.kind else ""
        holder = _joined(find, document, item)
        for name in find.url:
            for address in _addresses(name, holder):
                if address and (find.when is None or find.when.search(paths.words(item))):
                    yield number, address, said, f"{find.at}.{name}".strip(".")


def _addresses(name: str, holder: Any) -> Iterator[str]:
    """What stands at a path, or a template filled with the members of an object; `#self` is a value itself."""
    if "{" in name:
        members = holder.items() if isinstance(holder, dict) else [("#self", holder)]
        blanks = {key: said.rstrip("/") for key, value in members if (said := paths.words(value))}
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
    return next((table[key] for table in tables if isinstance(table, dict) and key in table), None)


def _endpoint(full: str, said: str, find: Find, wanted: Wanted, evidence: str) -> Endpoint | None:
    kind = find.given or (kinds.of(said, find.kinds) if said else find.default or None)
    if kind == kinds.NONE:
        return None
    if kind is None:
        if not looks_like_service(full):
            return None
        kind = kinds.by_address(full)
    inner = urls.embedded(full)
    if inner and looks_like_service(inner[0]):
        full = inner[0]  # behind a proxy
    call = f"{wanted.recipe.id}: {evidence}"
    return Endpoint(full, urls.endpoint(full), kind, "recipe", wanted.url, 0, call, 0.95 if kind else 0.7)


def fill(template: str, blanks: Mapping[str, str]) -> str | None:
    """The template with its blanks filled; None where one stays empty."""
    if any(name not in blanks for name in _BLANK.findall(template)):
        return None
    return _BLANK.sub(lambda blank: blanks[blank[1]], template)


def unescape(text: str) -> str:
    """A string of a script as it is meant."""
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)), text.replace("\\/", "/").replace("&amp;", "&"))


def _recipe(name: str, source: str) -> Recipe:
    told = tomllib.loads(source)
    return Recipe(
        name,
        told["title"],
        tuple(re.compile(p, re.IGNORECASE) for p in told.get("page", ())),
        tuple(re.compile(p) for p in told.get("blank", ())),
        tuple(re.compile(p) for p in told.get("document", ())),
        tuple(_file(f) for f in told["file"]),
    )


def _file(told: Mapping[str, Any]) -> File:
    find = tuple(_find(f) for f in told.get("find", ()))
    return File(told.get("name", ""), tuple(told.get("path", ())), find, told.get("script", False))


def _find(told: Mapping[str, Any]) -> Find:
    url = told.get("url", "url")
    return Find(
        at=told.get("at", ""),
        pattern=re.compile(told["pattern"]) if "pattern" in told else None,
        url=(url,) if isinstance(url, str) else tuple(url),
        kind=told.get("kind", ""),
        given=told.get("is", ""),
        kinds=told.get("kinds"),
        key=told.get("key", ""),
        table=told.get("table", ""),
        file=told.get("file", ""),
        default=told.get("default", ""),
        when=re.compile(told["when"]) if "when" in told else None,
    )
