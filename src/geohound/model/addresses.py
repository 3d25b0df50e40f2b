"""By what the addresses of one kind of service are known: data that each kind declares, and nobody else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

RARE = 100  # the rank of kinds that are only asked where something speaks for them
# Response times of INSPIRE (regulation 976/2009, annex I).
DISCOVERY_LIMIT_S, VIEW_LIMIT_S, DOWNLOAD_LIMIT_S = 3.0, 5.0, 10.0
BESIDE = 200  # the rank of what a document is beside something more specific


def terms(text: str) -> tuple[str, ...]:
    """Names as people write them, one after the other."""
    return tuple(text.split())


class Clarity(Enum):
    """How much the name of a protocol says where it stands in a path or an identifier."""

    ANYWHERE = "anywhere"  # no other word begins so: wmsurl
    ALONE = "alone"  # where no letter follows: csw_url
    PROSE = "prose"  # a word of everyday language, too: in capitals, or alone at the end of a path
    FAMILY = "family"  # it names a service, but not its kind


class Below(NamedTuple):
    """An address that leads to something below a service, such as a layer, a collection or an operation."""

    mark: str  # a part of every such address, in lower case: looked for first
    pattern: str  # the group `service` is the service's own address; what `operation` holds is left out of a request
    # scripts write blanks into it, also for the numbers of tiles
    has_blanks: bool = False


@dataclass(frozen=True, slots=True)
class Kvp:
    """Requests by key and value, as OGC services take them; all names in lower case."""

    services: tuple[str, ...] = ()  # values of SERVICE
    requests: tuple[str, ...] = ()  # values of REQUEST that no other kind has
    asked_as: str = ""  # SERVICE of the GetCapabilities request that proves it; empty where another request does
    with_version: tuple[str, ...] = ()  # requests that are certain beside a version
    with_layers: tuple[str, ...] = ()  # requests that are certain beside layers
    alone: tuple[str, ...] = ()  # requests that say something even alone


@dataclass(frozen=True, slots=True)
class ScriptIdioms:
    """How scripts and configurations of map viewers speak of a kind."""

    calls: str = ""  # callee|where its address stands: number of an argument or number.key, several joined by commas
    family: str = ""  # calls name only this family of kinds, and the address says which
    known_by_address: bool = False  # calls say no more than the address
    # of which one in an object is enough, in lower case
    keys: frozenset[str] = frozenset()
    # the same among the parameters of a request, if they name no other kind
    parameters: frozenset[str] = frozenset()
    # keys of which one beside `layers` is enough
    with_layers: frozenset[str] = frozenset()
    # `type` of objects whose `url` is a JSON file of this kind
    file_types: tuple[str, ...] = ()
    # keys under which the parameters of its requests stand
    groups: tuple[str, ...] = ()
    posted: tuple[str, ...] = ()  # elements of XML requests
    words: tuple[str, ...] = ()  # parts of scripts that may use it, in lower case
    # a word, and the pattern around it in strings that may be its address
    strings: tuple[tuple[str, str], ...] = ()
    # classes of libraries that ask a service of their own, and its address
    built_in: tuple[tuple[str, str], ...] = ()


NO_KVP = Kvp()
NO_IDIOMS = ScriptIdioms()


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of one kind. Patterns are regular expressions, and case does not count."""

    # among kinds that fit one address or document, the lowest comes first
    rank: int = RARE
    name: str = ""  # of the protocol, in lower case, as paths and identifiers spell it
    clarity: Clarity = Clarity.ALONE
    ends: tuple[str, ...] = ()  # last names of paths
    paths: tuple[str, ...] = ()  # other parts of path and query
    queries: tuple[str, ...] = ()  # parameters
    files: tuple[str, ...] = ()  # parts of the names of XML files
    kvp: Kvp = NO_KVP
    below: tuple[Below, ...] = ()
    # last names of paths where services of several kinds live
    generic_ends: tuple[str, ...] = ()
    document: str = ""  # what the address of its own document has behind the service's
    no_service: tuple[str, ...] = ()  # addresses that look like one and are none
    # parts that only addresses of servers have, never pages about them
    servers: tuple[str, ...] = ()
    # parts of pages that show pictures of it, in lower case
    shown: tuple[str, ...] = ()
    # what viewers call a layer of it, letters and digits in lower case
    labels: tuple[str, ...] = ()
    has_tile_paths: bool = False  # …/layer/style/grid/z/y/x below its name
    is_template: bool = False  # its address has blanks for the numbers of tiles
    # asked for at neutral addresses such as /ows and /service, too
    lives_anywhere: bool = False
    is_file: bool = False  # its address is that of a file
    scripts: ScriptIdioms = NO_IDIOMS
    # within which its services should answer
    response_limit_s: float = DOWNLOAD_LIMIT_S
