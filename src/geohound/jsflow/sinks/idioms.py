"""How scripts speak of services, from what every kind declares: calls, shapes of objects, words to look for first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from geohound.jsflow.model import words
from geohound.jsflow.syntax.anchors import Anchor, anchor
from geohound.jsflow.values.domain import HOLE
from geohound.model.addresses import Clarity, ScriptIdioms
from geohound.urls.address_book import AddressBook

# Keys under which the parameters of a request stand, whatever its kind.
_NESTED = (
    "params", "data", "query", "parameters", "body", "options", "requestParams", "baseParams", "defaultParameters",
    "searchParams",
)  # fmt: skip
_TYPE_KEYS = words(
    "type kind servicetype service service_type xtype ptype protocol format provider layertype layer_type "
    "sourcetype class source datatype ogctype typ servertype mode plugin factory"
)
Fields = Mapping[str, str | None]


class IdiomRow(NamedTuple):
    """A call that takes the address of a service."""

    callee: str  # the end of its dotted name
    # the address stands: an argument's number, or number.key of an object; * is any argument
    where: tuple[str, ...]
    says: str  # the kind, or a family of kinds; empty where only the address says it


class Idioms:
    """Compiled once for all pages that are read with one address book."""

    def __init__(self, book: AddressBook) -> None:
        self.book = book
        self.kind_of_name = book.kind_of_name
        scripts = [(kind, addresses.scripts) for kind, addresses in book.kinds.items()]
        families = {idioms.family for _, idioms in scripts if idioms.family}
        self.families = {
            f: frozenset(k for k, idioms in scripts if idioms.family == f)
            for f in families
        }
        self.nested = (
            *_NESTED,
            *(group for _, idioms in scripts for group in idioms.groups),
        )
        self._words = tuple(
            word.encode() for _, idioms in scripts for word in idioms.words
        )
        # The rarer a kind, the more its keys say.
        self._keys = [
            (kind, idioms.keys) for kind, idioms in reversed(scripts) if idioms.keys
        ]
        self._files = [
            (kind, idioms.file_types) for kind, idioms in scripts if idioms.file_types
        ]
        self._layers = [
            (kind, idioms.parameters, idioms.with_layers)
            for kind, idioms in scripts
            if idioms.parameters or idioms.with_layers
        ]
        self.built_in = {
            name: (kind, url)
            for kind, idioms in scripts
            for name, url in idioms.built_in
        }
        rows = [row for kind, idioms in scripts for row in _rows(kind, idioms)]
        asked = _either(
            form
            for _, keys, _ in self._layers
            for key in sorted(keys)
            for form in (key, key.upper())
        )
        self._parameters = re.compile(
            rf"[Pp]arams[\"']?\s*:\s*\{{\s*[\"']?(?:{asked})".encode()
        )
        self._by_last: dict[str, list[IdiomRow]] = {}
        for row in rows:
            self._by_last.setdefault(row.callee.rpartition(".")[2], []).append(row)
        self._learn_places(rows)

    def _learn_places(self, rows: list[IdiomRow]) -> None:
        """The words and patterns that show where in a script the address of a service may stand."""
        book = self.book
        clear = book.names(Clarity.ANYWHERE)
        known = book.names(Clarity.ANYWHERE, Clarity.ALONE)
        families = book.names(Clarity.FAMILY)
        self.call = _call_anchor(rows, known, families)
        self.string = _string_anchor(
            (*known, *families),
            [s for a in book.kinds.values() for s in a.scripts.strings],
        )
        forms = _either(
            form for name in clear for form in (name.upper(), name.capitalize(), name)
        )
        self.tag = re.compile(rf"<(?:[\w.]*(?:{forms})[\w.]*)(?=[\s/>])".encode())
        capitals = _either(name.upper() for name in clear)
        self.row = anchor(
            " ".join(clear),
            rf"[\"'`](?:\w{{1,40}}\.){{1,6}}(?:{capitals})(?:Layer)?[\"'`](?=\s*,)",
            before=40,
        )
        files = (name for _, names in self._files for name in names)
        typed = _either(
            (*files, *(form for name in clear for form in (name.upper(), name)))
        )
        self.typed = anchor("type", rf"[Tt]ype[\"']?\s*:\s*[\"'`](?:{typed})[\"'`]")
        self.attribute = re.compile(
            rf"^(?:data-)?(?:[\w-]*(?:url|uri|service|server|endpoint|{_either(clear)})[\w-]*|src|href)$",
            re.IGNORECASE,
        )
        posted = {
            a.name: a.scripts.posted
            for a in book.kinds.values()
            if a.name and a.scripts.posted
        }
        body = _either(
            rf"<({name}):?\w*[: ]*(?:{'|'.join(elements)})"
            for name, elements in posted.items()
        )
        every = _either(book.names(Clarity.ANYWHERE, Clarity.ALONE, Clarity.PROSE))
        self.posted = re.compile(body, re.IGNORECASE)
        self.service = re.compile(
            rf"service[\"'`]?\s*[:=,]\s*\\?[\"'`]?({every})\b|{body}|(?<=\.format\.)({_either(posted)})\b".encode(),
            re.IGNORECASE,
        )

    def rows(self, paths: Iterable[str]) -> Iterator[tuple[tuple[str, ...], str]]:
        """Where the address stands in a call of one of these names, and what the call says of its kind."""
        for path in paths:
            for row in self._by_last.get(path.rpartition(".")[2], ()):
                if _means(path, row.callee):
                    yield row.where, row.says

    def can_matter(self, data: bytes) -> bool:
        """Does anything in the script speak of a service?"""
        lowered = data.lower()
        if any(word in lowered for word in self._words):
            return True
        return b"params" in lowered and bool(self._parameters.search(data))

    def kind_posted(self, text: str) -> str | None:
        """The kind whose request an XML text is."""
        found = self.posted.search(text)
        return (
            self.book.kind_of_name(found[found.lastindex or 0].lower())
            if found
            else None
        )

    def kind_of_shape(self, fields: Fields, parameters: Fields) -> str | None:
        """The kind that an object with these keys (in lower case, strings with their values) is for."""
        if kind := self._kind_of_type(fields) or self._kind_asked(parameters):
            return kind
        # of another kind of service
        if HOLE not in (parameters.get("service") or HOLE):
            return None
        if (
            kind := self._kind_of_keys(parameters)
            or self._kind_asked(fields)
            or self._kind_of_keys(fields)
        ):
            return kind
        return self._kind_of_file(fields) or (
            None if _speaks_of_other(fields) else self._drawn(fields, parameters)
        )

    def _kind_of_type(self, fields: Fields) -> str | None:
        for key in _TYPE_KEYS & fields.keys():
            value = fields[key]
            if not value or len(value) >= 60 or "/" in value:
                continue
            if kind := self.kind_of_name(value) or self.book.kind_of_label(value):
                return kind
        return None

    def _kind_asked(self, names: Fields) -> str | None:
        asked = names.get("service")
        return self.kind_of_name(asked) if asked else None

    def _kind_of_keys(self, names: Fields) -> str | None:
        return next((kind for kind, keys in self._keys if keys & names.keys()), None)

    def _kind_of_file(self, fields: Fields) -> str | None:
        """A source whose tiles another document describes."""
        if not (fields.get("url") or HOLE).endswith((".json", HOLE)):
            return None
        return next(
            (kind for kind, types in self._files if fields.get("type") in types), None
        )

    def _drawn(self, fields: Fields, parameters: Fields) -> str | None:
        """The kind whose layers an object draws."""
        has_layers = fields.get("layers") is not None
        for kind, asked, beside in self._layers:
            if asked & parameters.keys() or (has_layers and beside & fields.keys()):
                return kind
        return None


@lru_cache(maxsize=4)
def idioms_of(book: AddressBook) -> Idioms:
    return Idioms(book)


def _rows(kind: str, idioms: ScriptIdioms) -> Iterator[IdiomRow]:
    says = idioms.family or ("" if idioms.known_by_address else kind)
    for call in idioms.calls.split():
        callee, _, where = call.partition("|")
        yield IdiomRow(callee, tuple(where.split(",")), says)


def _means(path: str, callee: str) -> bool:
    """The same name, whatever the library itself is called here: L.tileLayer.wms is leaflet_1.tileLayer.wms, too."""
    below = callee.partition(".")[2]
    return (
        path == callee
        or callee.endswith(f".{path}")
        or path.endswith(f".{below if '.' in below else callee}")
    )


def _speaks_of_other(fields: Fields) -> bool:
    """A format or version that no map has."""
    version, form = fields.get("version") or "1", fields.get("format") or "image"
    return not re.match(rf"1|{HOLE}", version) or bool(
        re.match(r"(?:application/)?(?:json|xml|csv|html)\b", form)
    )


def _either(alternatives: Iterable[str]) -> str:
    return "|".join(dict.fromkeys(alternatives)) or r"(?!)"


def _call_anchor(
    rows: list[IdiomRow], names: tuple[str, ...], families: tuple[str, ...]
) -> Anchor:
    """Functions that speak of a service by their name, or that kinds have named."""
    spelled = _either(
        "".join(f"[{c.upper()}{c}]" if c.isalpha() else re.escape(c) for c in name)
        for name in names
    )
    family = _either(
        form for name in families for form in (name.upper(), name.capitalize())
    )
    tabled = _either(
        sorted({_callee_pattern(row.callee) for row in rows}, key=len, reverse=True)
    )
    rare = sorted({_rare_word(row.callee, names) for row in rows})
    return anchor(
        " ".join((*names, *families, "seturl", *rare)),
        rf"(?:{spelled}|{family})[\w$]{{0,60}}(?=\s*\()|(?<![\w$])(?:{tabled})(?=\s*\()|(?<=\.)setUrls?(?=\s*\()",
    )


def _callee_pattern(callee: str) -> str:
    last = callee.rpartition(".")[2]
    tail = callee.rsplit(".", 2)[-2:]
    return re.escape(last) if len(last) > 9 else r"\s*\.\s*".join(map(re.escape, tail))


def _rare_word(callee: str, names: tuple[str, ...]) -> str:
    """The part of a callee's name to look for first."""
    last = callee.rpartition(".")[2]
    before = callee.rpartition(".")[0].rpartition(".")[2]
    is_specific = (
        len(last) > 9 or not before or any(name in last.lower() for name in names)
    )
    return (last if is_specific else before).lower()


def _string_anchor(names: tuple[str, ...], strings: list[tuple[str, str]]) -> Anchor:
    """Strings that may be an address, or the part of one."""
    named = _either(names)
    said = _either(pattern for _, pattern in strings)
    words = dict.fromkeys(
        (
            *names,
            "service=",
            "service%3d",
            "request=",
            '"?"',
            "'?'",
            *(word for word, _ in strings),
        )
    )
    return anchor(
        " ".join(words),
        rf"(?i:/(?:{named})(?![a-z])|(?:{named})(?:server)?(?=[\"'`?]|\.\w{{2,4}}[\"'`?])|(?<![a-z])(?:service|request)=|"
        rf"%2f(?:{named})(?![a-z])|service%3d|(?:{named})[-_][\w-]{{1,40}}[\"'`?]|[\"'`]\?[\"'`]|{said})",
        before=3,
    )
