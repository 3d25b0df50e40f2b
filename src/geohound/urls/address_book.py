"""Recognises service URLs and names, by the patterns that all kinds declare, compiled once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from geohound.model.addresses import Addresses, Clarity

from . import ServiceHint, endpoint, with_params

MAX_PATH = 2000
_NEVER = r"(?!)"
# Separators as they occur in the wild: & and ?, and ; where a page left &amp; undecoded.
_REQUEST = re.compile(r"(?:^|[?&;])request=([a-z]+)")
_VERSIONS = ("version=", "wmtver=")
_LAYERS = ("layer=", "layers=")
_CAPABILITIES = frozenset({"getcapabilities", "capabilities"})
_ASKED = re.compile(
    r"(?:^|[?&;\ue000])(?P<name>service|request)=(?:ogc:)?(?P<value>[a-z-]+)"
)
_INNER_URL = re.compile(r"https?(?::|%3a)", re.IGNORECASE)
_UNDECLARED = Addresses()
_PLAIN = re.compile(r"[^a-z0-9]")


class Resource(NamedTuple):
    """What the URL of something below a service, such as a layer, says about the service."""

    url: str  # without the operation that it ends in
    service: str
    kind: str


class AddressBook:
    """Matches against all kinds at once. Called for every link and string, so everything is compiled beforehand."""

    def __init__(self, kinds: Mapping[str, Addresses]) -> None:
        self.kinds = dict(sorted(kinds.items(), key=lambda item: item[1].rank))
        every = self.kinds.values()
        self._paths = _any(
            (_ending(a.ends for a in every), *(path for a in every for path in a.paths))
        )
        self._queries = re.compile(
            rf"[?&](?:{_either(q for a in every for q in a.queries)})", re.IGNORECASE
        )
        self._files = tuple(part for a in every for part in a.files)
        self._servers = _any(server for a in every for server in a.servers)
        self._no_service = _any(pattern for a in every for pattern in a.no_service)
        self._generic_end = re.compile(
            rf"/(?:{_either(e for a in every for e in a.generic_ends)})/?$",
            re.IGNORECASE,
        )
        self._below = tuple(
            (b, re.compile(b.pattern, re.IGNORECASE), k)
            for k, a in _items(self)
            for b in a.below
        )
        self._blank_marks = tuple(
            dict.fromkeys(b.mark for b, _, _ in self._below if b.has_blanks)
        )
        self.documents = {
            k: re.compile(a.document, re.IGNORECASE)
            for k, a in _items(self)
            if a.document
        }
        self.tile_paths = {a.name: k for k, a in _items(self) if a.has_tile_paths}
        self.templates = tuple(k for k, a in _items(self) if a.is_template)
        self.file_kinds = frozenset(k for k, a in _items(self) if a.is_file)
        self._kind_of_label = {label: k for k, a in _items(self) for label in a.labels}
        self.shown = tuple(word for a in every for word in a.shown)
        self._hints = _shortest(
            (*(f"/{a.name}" for a in every if a.name), "service=", *_words(every))
        )
        self._learn_requests()
        self._learn_names()

    def response_limit_s(self, kind: str) -> float:
        """Within which services of this kind should answer; kinds that nobody declares have the usual limit."""
        return self.kinds.get(kind, _UNDECLARED).response_limit_s

    def _learn_requests(self) -> None:
        tables = [(k, a.kvp) for k, a in _items(self)]
        self._kind_of_service = {name: k for k, kvp in tables for name in kvp.services}
        self._kind_of_request = {name: k for k, kvp in tables for name in kvp.requests}
        self._named = self._kind_of_request | self._kind_of_service
        self._asked_as = {k: kvp.asked_as for k, kvp in tables if kvp.asked_as}
        self._with_version = frozenset(
            name for _, kvp in tables for name in kvp.with_version
        )
        self._with_layers = frozenset(
            name for _, kvp in tables for name in kvp.with_layers
        )
        self._alone = frozenset(name for _, kvp in tables for name in kvp.alone)
        services = _either(
            map(re.escape, sorted(self._kind_of_service, key=len, reverse=True))
        )
        requests = sorted(
            {
                *self._kind_of_request,
                *self._with_version,
                *self._with_layers,
                *self._alone,
            },
            key=len,
        )
        self._service = re.compile(rf"service=(?:ogc:)?({services})")
        self._request = re.compile(
            rf"request=({_either(map(re.escape, reversed(requests)))})"
        )
        self._whole_name = re.compile(rf"(?<![a-z])({services})(?![a-z])")
        self._any_name = re.compile(f"({services})")

    def _learn_names(self) -> None:
        self._kind_of_name = {
            a.name: k
            for k, a in _items(self)
            if a.name and a.clarity is not Clarity.FAMILY
        }
        anywhere, alone, prose = (
            self.names(c) for c in (Clarity.ANYWHERE, Clarity.ALONE, Clarity.PROSE)
        )
        whole = _either((*anywhere, *alone))
        every = _either((*anywhere, *alone, *prose))
        self._word = re.compile(
            rf"(?<![a-z])({every})(?![a-z])|({whole})server", re.IGNORECASE
        )
        self._segment = re.compile(rf"({whole})(?:[-_][\w-]{{1,30}})?", re.IGNORECASE)
        self._last = re.compile(rf"/({every})(?:server)?/?(?:$|[?#])", re.IGNORECASE)
        capitals = _either(name.upper() for name in (*anywhere, *alone, *prose))
        capital = _either(name.capitalize() for name in (*anywhere, *alone))
        self._identifier = re.compile(
            rf"(?:^|[^A-Za-z]|(?<=[a-z]))({capitals})(?![A-Z]{{2}})|(?:^|(?<=[a-z]))({capital})(?![a-z])"
            rf"|(?:^|(?<=[^A-Za-z]))({_either(anywhere)}|(?:{_either((*alone, *prose))})(?![a-z]))"
        )

    def names(self, *clarity: Clarity) -> tuple[str, ...]:
        """The names of protocols that are so clear, the longest first."""
        found = (a.name for a in self.kinds.values() if a.name and a.clarity in clarity)
        return tuple(sorted(found, key=len, reverse=True))

    # Addresses.

    def looks_like_service(self, url: str) -> bool:
        """True if a request to this address is worth a tester's time."""
        _, _, rest = url.partition("://")
        path = rest[rest.find("/") :][:MAX_PATH] if "/" in rest else ""
        name = path.partition("?")[0].rpartition("/")[2].lower()
        if name.endswith(".xml") and any(part in name for part in self._files):
            return True
        if self._paths.search(path) or ("?" in path and self._queries.search(path)):
            return True
        return self.classify(url)[0] is not ServiceHint.NO

    def classify(self, url: str) -> tuple[ServiceHint, str]:
        """What the parameters of a URL say: is it an OGC request, and of which kind (empty if that stays open)?

        The three checks of the classifier C1 (OSS-7) in their order: the service parameter; the seven pairs (three
        requests with a version, GetMap with its layers, three requests beside the name of a service); the request
        alone, which is uncertain. A string counts wherever the URL contains it, as in the paper, which would rather
        test in vain than miss a service. Services that came after the paper count like WMS, WFS and WCS.
        """
        at = url.find("?")
        if at < 0:
            return ServiceHint.NO, ""
        lowered = url.lower()
        query = lowered[at + 1 :]
        if "%3d" in query:
            query = query.replace("%3d", "=").replace("%26", "&").replace("%3f", "?")
        service = self._service.search(query)
        if service:
            return ServiceHint.CERTAIN, self._kind_of_service[service[1]]
        request = self._request.search(query)
        if not request:
            return ServiceHint.NO, ""
        return self._classify_request(request[1], query, lowered)

    def _classify_request(
        self, request: str, query: str, url: str
    ) -> tuple[ServiceHint, str]:
        """Checks two and three of C1, for a URL without a service parameter."""
        named = self._whole_name.search(url) or self._any_name.search(url)
        kind = self._kind_of_request.get(
            request, self._kind_of_service[named[1]] if named else ""
        )
        if request in self._with_version and any(key in query for key in _VERSIONS):
            return ServiceHint.CERTAIN, kind
        if request in self._with_layers and any(key in query for key in _LAYERS):
            return ServiceHint.CERTAIN, kind
        if named and (
            request in self._with_version or request in self._kind_of_request
        ):
            return ServiceHint.CERTAIN, kind
        return (
            (ServiceHint.UNCERTAIN, kind)
            if request in self._alone
            else (ServiceHint.NO, "")
        )

    def is_uncertain(self, url: str) -> bool:
        """Is the name of a request its only sign of a service? Such URLs are tested after all others (OSS-7)."""
        path = url.partition("?")[0]
        return self.classify(url)[
            0
        ] is ServiceHint.UNCERTAIN and not self.looks_like_service(path)

    def proving(self, url: str) -> str:
        """The request that proves the service behind an OGC request: of a thousand GetMap URLs, one is worth a test.

        Capabilities are asked as found, whatever their version; other addresses are left as they are. Where a second
        question mark, or an ampersand in place of the first, would keep the server from reading the parameters, the
        separators are put right first (OSS-8).
        """
        url = self._separated(url)
        claim, kind = self.classify(url)
        if claim is not ServiceHint.CERTAIN:
            return url
        request = _REQUEST.search(url.partition("?")[2].lower())
        if not request or request[1] in _CAPABILITIES:
            return url
        return self.capabilities(kind, endpoint(url)) or url

    def _separated(self, url: str) -> str:
        """An OGC request with one question mark before its parameters and ampersands between them."""
        before, mark, query = url.partition("?")
        if not mark:
            before, _, query = url.partition("&")
        has_fault = bool(query) and (not mark or "?" in query)
        if not has_fault or _INNER_URL.search(query):
            return url
        parts = [part for part in query.replace("?", "&").split("&") if part]
        request = f"{before}?{'&'.join(parts)}"
        return request if self.classify(request)[0] is ServiceHint.CERTAIN else url

    def capabilities(self, kind: str, service: str) -> str:
        """The request for the capabilities of a service; empty where its kind has none."""
        name = self._asked_as.get(kind)
        return (
            with_params(service, {"SERVICE": name, "REQUEST": "GetCapabilities"})
            if name
            else ""
        )

    def kind_of_address(self, url: str) -> str | None:
        """The kind that an address itself names."""
        if resource := self.resource(url):
            return resource.kind
        kind = self.classify(url)[1]
        if kind:
            return kind
        last = self._last.search(url.partition("?")[0])
        return self._kind_of_name[last[1].lower()] if last else None

    def resource(self, url: str) -> Resource | None:
        """The service below which this address leads; None if it does not say so."""
        lowered = url.lower()
        for below, pattern, kind in self._below:
            found = pattern.match(url) if below.mark in lowered else None
            if found:
                operation = found.groupdict().get("operation") or ""
                return Resource(
                    url[: len(url) - len(operation)], found["service"], kind
                )
        return None

    def may_have_blanks(self, address: str) -> bool:
        """Does its path lead below a service, with placeholders that a script fills in?"""
        lowered = address.lower()
        return any(mark in lowered for mark in self._blank_marks)

    def may_hold_address(self, text: str) -> bool:
        """Is it worth looking for the address of a service in this text? Cheap enough for every attribute of a page."""
        lowered = text.lower()
        return any(hint in lowered for hint in self._hints)

    def is_of_server(self, url: str) -> bool:
        """Does it contain a part that only URLs of servers have, never pages about them?"""
        return bool(self._servers.search(url))

    def is_no_service(self, url: str) -> bool:
        """Does it only look like a service, by patterns that the kinds exclude?"""
        return bool(self._no_service.search(url))

    def is_generic(self, path: str) -> bool:
        """Does this path end as those do behind which services of several kinds live?"""
        return bool(self._generic_end.search(path))

    # Names.

    def kind_of_name(self, name: str) -> str | None:
        """The kind that a name speaks of: WMSLayer, wms_url, addWfs."""
        found = self._identifier.search(name)
        return (
            self._kind_of_name[(found[1] or found[2] or found[3]).lower()]
            if found
            else None
        )

    def kind_of_service(self, name: str) -> str | None:
        """The kind that the parameter SERVICE names."""
        return self._named.get(name.strip().lower().removeprefix("ogc:"))

    def kind_in_query(self, text: str) -> str | None:
        """The kind that the parameters of a request name; SERVICE counts more than REQUEST."""
        query = text.partition("?")[2].lower() or (text.lower() if "=" in text else "")
        if "%3d" in query:
            query = unquote(query)
        kinds: dict[str, str] = {}
        for found in _ASKED.finditer(query):
            if kind := self._named.get(found["value"]):
                kinds.setdefault(found["name"], kind)
        return kinds.get("service") or kinds.get("request")

    def kind_of_label(self, label: str) -> str | None:
        """The kind that viewers mean by the type of a layer or source."""
        return self._kind_of_label.get(_PLAIN.sub("", label.lower()))

    def kind_of_word(self, text: str) -> str | None:
        """The kind whose name stands alone in a text, or before `server`."""
        found = self._word.search(text)
        return self._kind_of_name[(found[1] or found[2]).lower()] if found else None

    def kind_of_segment(self, segment: str) -> str | None:
        """The kind that one part of a path names, whatever is joined to its name: wms-topo."""
        found = self._segment.fullmatch(segment)
        return self._kind_of_name[found[1].lower()] if found else None


def _items(book: AddressBook) -> Iterable[tuple[str, Addresses]]:
    return book.kinds.items()


def _words(every: Iterable[Addresses]) -> Iterable[str]:
    return (word for a in every for word in (*a.shown, *a.scripts.words))


def _shortest(words: Iterable[str]) -> tuple[str, ...]:
    """Without those that hold another one."""
    known = dict.fromkeys(words)
    return tuple(
        word
        for word in known
        if not any(other != word and other in word for other in known)
    )


def _either(alternatives: Iterable[str]) -> str:
    return "|".join(dict.fromkeys(alternatives)) or _NEVER


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile(_either(patterns), re.IGNORECASE)


def _ending(ends: Iterable[Iterable[str]]) -> str:
    return rf"/(?:{_either(end for some in ends for end in some)})/?(?:$|[?#])"
