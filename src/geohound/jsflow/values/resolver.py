"""What the parts of the analysis ask of the whole: the values of expressions, names and members, and what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from tree_sitter import Node

from geohound.jsflow.step_budget import Meter
from geohound.jsflow.syntax.source import Source
from geohound.urls.address_book import AddressBook

from .domain import BoundScope, Fn, Lazy, Namespace, Value, Values

T = TypeVar("T")
Key = tuple[str, int, int, str]
Binding = dict[str, Lazy]


class Resolver(Protocol):
    """Names are looked up in modules, modules export names, both have members: each part asks for the others here."""

    page_url: str
    reads_address: bool  # has a script asked for its own address, or for the page's?
    base_url: str  # what relative addresses are relative to
    sources: Sequence[Source]
    by_url: dict[str, Source]
    imports: dict[str, str]  # the import map
    amd_base: str
    amd_paths: dict[str, str]
    wanted: dict[str, None]  # files that the scripts ask for and that are not there
    meter: Meter
    book: AddressBook
    choices: dict[Key, Binding]
    touches: int  # how often a value depended on a choice
    unsettled: int  # how often on one that is not made yet
    # what is being worked out now: asked for again, it is not known
    active: set[object]
    known: dict[object, object]

    def values(self, node: Node, place: BoundScope) -> Values:
        """The alternatives for an expression."""

    def lazy(self, lazy: Lazy) -> Values:
        """The alternatives for one that was put off."""

    def any_of(self, lazies: Iterable[Lazy]) -> Values:
        """The alternatives for all of these together."""

    def union(self, *groups: Values) -> Values:
        """Each value once."""

    def concat(self, *groups: Values) -> Values:
        """Strings joined in every combination."""

    def member(self, value: Value, name: str, place: BoundScope) -> Values:
        """What a value holds under a name."""

    def assigned(self, path: str, name: str) -> Values:
        """What the scripts assign to `path.name` anywhere."""

    def global_name(self, name: str) -> Values:
        """A name declared by another script of the page, or by nobody."""

    def final(self, name: str, source: Source) -> Values:
        """The value of a global after its script has run."""

    def exported(self, module: Namespace, name: str) -> Values:
        """What a module exports under a name."""

    def invoke(self, fn: Fn, args: Sequence[Lazy], this: object = None) -> Values:
        """What a function of the page returns for these arguments."""

    def bind(self, fn: Fn, args: Sequence[Lazy]) -> Binding:
        """Parameter names with the arguments they get."""

    def argument_lists(self, fn: Fn) -> list[list[Lazy]]:
        """The arguments of every call that is known of a function or class."""

    def lazy_arguments(self, call: Node, place: BoundScope) -> list[Lazy]:
        """The arguments of a call."""

    def choose(self, key: Key, options: Callable[[], list[Binding]]) -> Binding | None:
        """The binding assumed now; None where none is assumed yet."""

    def solve(self, compute: Callable[[], list[T]]) -> list[T]:
        """The results for every choice on which the computation turns out to depend."""
