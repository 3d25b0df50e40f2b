"""Services and layers to JSON and back, whatever strings and numbers a hostile document brought."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from operator import attrgetter
from typing import Any

import orjson

from geohound.model.bbox import BBox
from geohound.model.location import HostLocation
from geohound.model.service import (
    Access,
    BoxFault,
    Extent,
    Layer,
    Operation,
    Provider,
    Service,
)

_APART = ("layers", "aliases")  # kept in tables of their own
_LAYER_COLUMNS = ("name", "title", "abstract", "keywords")
_LAYER_REST = tuple(f.name for f in fields(Layer) if f.name not in _LAYER_COLUMNS)
_LAYER_DEFAULTS = tuple(
    f.default for f in fields(Layer) if f.name not in _LAYER_COLUMNS
)
_rest_of_layer = attrgetter(*_LAYER_REST)
_LONG = 20  # reference systems: a list that layers share is kept once from here on
_LISTS, _LIST = "layer_crs", "crs_list"  # in the body of a service, of a layer

Lists = Sequence[tuple[str, ...]]


class CrsLists:
    """Lists of reference systems that several layers of a service have.

    Some servers name seven thousand for each of a thousand layers: kept with every
    layer, they would be a hundred megabytes. The list of the service itself is first.
    """

    def __init__(self, service: Service) -> None:
        lists = {id(x.crs): x.crs for x in service.layers if len(x.crs) > _LONG}
        times = Counter(id(layer.crs) for layer in service.layers)
        uses: Counter[tuple[str, ...]] = Counter()
        for number, crs in lists.items():
            uses[crs] += times[number]
        shared = [crs for crs, count in uses.items() if count > 1]
        self.all = tuple(dict.fromkeys((service.crs, *shared)))
        places = {crs: place for place, crs in enumerate(self.all)}
        self._places = {number: places.get(crs) for number, crs in lists.items()}

    def place(self, layer: Layer) -> int | None:
        """Which of them this layer has."""
        return self._places.get(id(layer.crs))


def clean(text: str) -> str:
    """Without NUL and lone surrogates, which neither UTF-8 nor the text index can hold."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def dump_service(service: Service, crs: CrsLists) -> bytes:
    said = {
        name: getattr(service, name) for name in _names(Service) if name not in _APART
    }
    return _dump(said | {_LISTS: crs.all[1:]} if crs.all[1:] else said)


def load_service(body: bytes, aliases: tuple[str, ...]) -> tuple[Service, Lists]:
    """The service without its layers, and the lists that these refer to."""
    said = orjson.loads(body)
    known = _known(Service, said, _SERVICE_READERS)
    service = Service(**{**known, "aliases": aliases})
    return service, (service.crs, *map(tuple, said.get(_LISTS, ())))


def load_facts(body: bytes) -> tuple[str, HostLocation | None]:
    """The software of a service and the place of its host: what statistics ask of thousands."""
    said = orjson.loads(body)
    return said.get("software", ""), _location(said.get("location"))


def dump_layer(layer: Layer, crs: CrsLists) -> bytes:
    """Only what it says: most layers leave most unsaid."""
    rest = zip(_LAYER_REST, _rest_of_layer(layer), _LAYER_DEFAULTS, strict=True)
    found = {
        name: said
        for name, said, unsaid in rest
        if said is not unsaid and said != unsaid
    }
    place = crs.place(layer)
    if place is not None:
        del found["crs"]
        found[_LIST] = place
    return _dump(found)


def load_layer(
    lists: Lists, name: str, title: str, abstract: str, keywords: str, body: bytes
) -> Layer:
    known = orjson.loads(body)
    if _LIST in known:  # written anew between two statements, it may be another's
        known["crs"] = next(iter(lists[known.pop(_LIST) :]), ())
    if not known.keys() <= _names(Layer):
        known = {k: v for k, v in known.items() if k in _names(Layer)}
    for field, value in known.items():
        if type(value) is list:
            known[field] = tuple(value)
    if "extent" in known:
        known["extent"] = _extent(known["extent"])
    return Layer(
        name,
        title,
        abstract,
        tuple(orjson.loads(keywords)) if keywords != "[]" else (),
        **known,
    )


def dump_words(words: tuple[str, ...]) -> str:
    if not words:
        return "[]"
    try:
        text = orjson.dumps(words).decode()
    except TypeError:  # lone surrogates
        text = r"\u0000"
    return (
        orjson.dumps([clean(word) for word in words]).decode()
        if r"\u0000" in text
        else text
    )


def _dump(values: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(values)
    except TypeError:  # lone surrogates
        plain = {
            k: asdict(v) if hasattr(v, "__dataclass_fields__") else v
            for k, v in values.items()
        }
        return orjson.dumps(_cleaned(plain), default=asdict)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(str(value))
    if isinstance(value, dict):
        return {k: _cleaned(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [
            _cleaned(asdict(v) if hasattr(v, "__dataclass_fields__") else v)
            for v in value
        ]
    return value


def _known(
    type_: type, values: Mapping[str, Any], readers: Mapping[str, Callable[[Any], Any]]
) -> dict[str, Any]:
    """Fields that this version knows: an older or newer one may have written fewer or more."""
    names = _names(type_)
    return {
        k: readers[k](v) if k in readers else tuple(v) if type(v) is list else v
        for k, v in values.items()
        if k in names
    }


@cache
def _names(type_: type) -> frozenset[str]:
    return frozenset(f.name for f in fields(type_))


def _extent(value: Any) -> Extent | None:
    if value is None:
        return None
    box = value["box"]
    return Extent(
        box=BBox(**box) if box else None,
        # JSON has no NaN: it was written as null.
        declared=tuple(math.nan if v is None else v for v in value["declared"]),
        crs=value["crs"],
        faults=tuple(BoxFault(fault) for fault in value["faults"]),
    )


def _location(value: Any) -> HostLocation | None:
    return HostLocation(**_known(HostLocation, value, {})) if value else None


def _operations(values: Any) -> tuple[Operation, ...]:
    return tuple(
        Operation(v["name"], v["get"], v["post"], tuple(v["formats"])) for v in values
    )


def _part(type_: type) -> Callable[[Any], Any]:
    return lambda value: type_(**_known(type_, value, {}))


_SERVICE_READERS: Mapping[str, Callable[[Any], Any]] = {
    "extent": _extent,
    "provider": _part(Provider),
    "access": _part(Access),
    "operations": _operations,
    "location": _location,
}
