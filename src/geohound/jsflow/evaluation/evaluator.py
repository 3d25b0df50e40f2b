"""What an expression can be: every branch that can be taken, within a budget, nothing ever run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice, product
from typing import TypeVar

from tree_sitter import Node

from geohound.jsflow.modules import imports
from geohound.jsflow.step_budget import Meter
from geohound.jsflow.syntax.source import CLASSES, Source, arguments, nth, parameters
from geohound.jsflow.syntax.tree import FUNCTIONS
from geohound.jsflow.values import conditions
from geohound.jsflow.values.domain import (
    HOLE,
    NOTHING,
    UNDEFINED,
    UNKNOWN,
    Arr,
    BoundScope,
    Env,
    Fn,
    Lazy,
    Namespace,
    Value,
    Values,
    distinct,
    ready,
    text_of,
)
from geohound.jsflow.values.resolver import Binding, Key
from geohound.urls.address_book import AddressBook

from . import call_sites, names, objects, patterns
from .expressions import HANDLERS

T = TypeVar("T")
_MAX_CALLS = 14


class Evaluator:
    """The values of expressions in the scripts of one page."""

    def __init__(
        self, page_url: str, sources: Sequence[Source], meter: Meter, book: AddressBook
    ) -> None:
        self.page_url = page_url
        self.book = book
        self.sources = sources
        self.meter = meter
        self.by_url = {s.script.url: s for s in sources if not s.script.is_inline}
        self.base_url = page_url  # what relative addresses are relative to
        self.imports: dict[str, str] = {}
        self.amd_base = ""
        self.amd_paths: dict[str, str] = {}
        self.wanted: dict[str, None] = {}
        self.reads_address = False
        self.choices: dict[Key, Binding] = {}
        self.pending: dict[Key, Callable[[], list[Binding]]] = {}
        self.touches = 0  # how often a value depended on a choice
        self.unsettled = 0  # how often on one that is not made yet
        self.active: set[object] = set()
        self.memo: dict[tuple[int, int], Values] = {}
        self.known: dict[object, object] = {}
        self._depth = 0
        self._calls: list[tuple[int, int]] = []

    def reset(self) -> None:
        """Forget what was assumed on the way."""
        self.active.clear()
        self.choices.clear()
        self._calls.clear()
        self._depth = 0

    def values(self, node: Node, place: BoundScope) -> Values:
        """The alternatives for an expression."""
        self.meter.spend()
        handler = HANDLERS.get(node.type)
        if handler is None:
            return NOTHING
        key = (place.source.index, node.id)
        if place.env is None and key in self.memo:
            return self.memo[key]
        if self._depth >= self.meter.budget.depth:
            return NOTHING
        touches, self._depth = self.touches, self._depth + 1
        try:
            found = handler(self, node, place) or NOTHING
        finally:
            self._depth -= 1
        if place.env is None and touches == self.touches and not self.active:
            self.memo[key] = found
        return found

    def lazy(self, lazy: Lazy) -> Values:
        if lazy.node is None or lazy.place is None:
            return lazy.values or NOTHING
        return self.values(lazy.node, lazy.place)

    def any_of(self, lazies: Iterable[Lazy]) -> Values:
        return self.union(*(self.lazy(lazy) for lazy in lazies))

    def union(self, *groups: Values) -> Values:
        return distinct(
            (v for group in groups for v in group), self.meter.budget.values
        )

    def concat(self, *groups: Values) -> Values:
        """Strings joined in every combination, as many as the budget allows."""
        limit, chars = self.meter.budget.values, self.meter.budget.chars
        joined: tuple[str, ...] = ("",)
        for group in groups:
            self.meter.spend()
            texts = list(dict.fromkeys(text_of(v) for v in group))
            # Texts at the budget's length are cut short: what would follow is not known any more.
            joined = tuple(
                a
                if len(a) > chars
                else (a + b)[:chars] + (HOLE if len(a) + len(b) > chars else "")
                for a, b in list(product(joined, texts))[:limit]
            )
        return distinct(joined, limit)

    def solve(self, compute: Callable[[], list[T]]) -> list[T]:
        """The results for every call site, array element … on which the computation turns out to depend."""
        found: list[T] = []
        left = [self.meter.budget.choices]

        def go(depth: int) -> None:
            self.pending = {}
            result = compute()
            open_keys = [k for k in self.pending if k not in self.choices]
            if not open_keys or depth > 8 or left[0] <= 0:
                found.extend(result)
                return
            key = open_keys[0]
            for binding in self._bindings(key) or [{}]:
                left[0] -= 1
                self.choices[key] = binding
                try:
                    go(depth + 1)
                finally:
                    self.choices.pop(key, None)
                if left[0] <= 0:
                    break

        go(0)
        return found

    def _bindings(self, key: Key) -> list[Binding]:
        options = self.pending[key]
        self.pending = {}
        bindings = options()
        inner = [k for k in self.pending if k not in self.choices and k != key]
        if not inner:
            return bindings
        # What is chosen from depends on a choice itself: settle that one first.
        first = inner[0]
        found: list[Binding] = []
        for outer in self.pending[first]()[:40]:
            self.choices[first] = outer
            try:
                found += options()
            finally:
                self.choices.pop(first, None)
        return found[: self.meter.budget.choices]

    def choose(self, key: Key, options: Callable[[], list[Binding]]) -> Binding | None:
        """The binding assumed now; None, and a note, where none is assumed yet."""
        self.touches += 1
        if key in self.choices:
            return self.choices[key]
        self.unsettled += 1
        self.pending.setdefault(key, options)
        return None

    def member(self, value: Value, name: str, place: BoundScope) -> Values:
        return objects.member(self, value, name, place)

    def assigned(self, path: str, name: str) -> Values:
        return objects.assigned(self, path, name)

    def global_name(self, name: str) -> Values:
        return names.global_name(self, name)

    def final(self, name: str, source: Source) -> Values:
        return names.final(self, name, source)

    def exported(self, module: Namespace, name: str) -> Values:
        return imports.exported(self, module, name)

    def invoke(self, fn: Fn, args: Sequence[Lazy], this: object = None) -> Values:
        """What a function of the page returns for these arguments."""
        if (
            len(self._calls) >= _MAX_CALLS
            or self._calls.count(fn.key) >= 2
            or fn.node.type in CLASSES
        ):
            return NOTHING
        env = Env(fn.key, self.bind(fn, args), fn.place.env, this or fn.this)
        place = BoundScope(fn.place.source, env)
        body = fn.node.child_by_field_name("body")
        if body is None:
            return NOTHING
        self._calls.append(fn.key)
        try:
            if body.type != "statement_block":
                return self.values(body, place)
            return self._returned(body, place)
        finally:
            self._calls.pop()

    def _returned(self, body: Node, place: BoundScope) -> Values:
        found: list[Values] = []
        for node in place.source.walk(body, FUNCTIONS):
            if node.type == "return_statement" and (value := nth(node, 0)) is not None:
                self.meter.spend()
                certain = conditions.happens(self, node, place, body)
                if certain is not False:
                    found.append(self.values(value, place))
                if certain:
                    break
        return self.union(*found) if found else (UNDEFINED,)

    def bind(self, fn: Fn, args: Sequence[Lazy]) -> Binding:
        """Parameter names with the arguments they get, defaults where there is none."""
        found: Binding = {"arguments": ready(Arr(list(args)))}
        for i, pattern in enumerate(parameters(fn.node)):
            given = args[i] if i < len(args) else None
            is_rest = pattern.type == "rest_pattern"
            given = ready(Arr(list(args[i:]))) if is_rest else given
            target = (nth(pattern, 0) if is_rest else None) or pattern
            patterns.take_apart(
                self, target, given, BoundScope(fn.place.source, fn.place.env), found
            )
        return found

    def argument_lists(self, fn: Fn) -> list[list[Lazy]]:
        return list(
            islice(
                call_sites.argument_lists(self, fn.node, fn.place.source),
                self.meter.budget.choices,
            )
        )

    def lazy_arguments(self, call: Node, place: BoundScope) -> list[Lazy]:
        found: list[Lazy] = []
        for node in arguments(call):
            if node.type == "spread_element" and (inner := nth(node, 0)) is not None:
                for value in self.values(inner, place):
                    found += value.items if isinstance(value, Arr) else [ready(UNKNOWN)]
            else:
                found.append(Lazy(node, place))
        return found
