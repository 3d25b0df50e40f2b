"""When is a page in a new state? Algorithm 1 of WBC (WBC-7), with the parts that change by themselves left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_ELEMENTS = 20_000
_USELESS = frozenset(
    (
        "script",
        "style",
        "noscript",
        "template",
        "link",
        "meta",
        "head",
        "time",
        "ins",
        "object",
        "embed",
    )
)
_ADS = re.compile(
    r"(?:^|[\s_-])(?:ads?|adverts?|advertisement|adsense|adsbygoogle|banner|sponsor(?:ed)?|promo|clock|uhr|counter|"
    r"countdown|timestamp|visitors?|hits|ticker|cookie-?(?:bar|banner|consent))(?:$|[\s_-])",
    re.IGNORECASE,
)
_COMPARED = (
    "href",
    "src",
    "value",
    "alt",
    "title",
    "data-src",
    "data-url",
    "data-layer",
    "data-id",
)
# Times, dates, counters of visitors, and ids made up anew each time.
_CHANGING = re.compile(
    r"\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b|\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    r"|\b[\d.,\u00a0 ]{1,12}\s?(?:visitors?|visits?|views?|hits?|users? online|online|besucher|"
    r"(?:seconds?|minutes?) ago)\b"
    r"|\b(?=[0-9a-f-]{0,99}\d)[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}\b|\b\d{9,}\b",
    re.IGNORECASE,
)


class Element(NamedTuple):
    """A tag of a state: where it stands, and its contents."""

    path: str
    contents: str


Dom = tuple[Element, ...]


def read(html: str, changing: frozenset[str] = frozenset()) -> Dom:
    """The elements of a state without what is useless: step 2 of the algorithm."""
    root = LexborHTMLParser(html).body
    if root is None:
        return ()
    found: list[Element] = []
    waiting: list[tuple[str, LexborNode]] = [("body", root)]
    while waiting and len(found) < MAX_ELEMENTS:
        path, node = waiting.pop()
        if path in changing:
            continue
        found.append(Element(path, _contents(node)))
        inner = [
            (f"{path}/{child.tag}{number}", child)
            for number, child in enumerate(node.iter(include_text=False))
            if not _is_useless(child)
        ]
        waiting.extend(reversed(inner))
    return tuple(found)


def _is_useless(node: LexborNode) -> bool:
    if node.tag in _USELESS:
        return True
    attributes = node.attributes
    return any(_ADS.search(attributes.get(name) or "") for name in ("class", "id"))


def _contents(node: LexborNode) -> str:
    attributes = node.attributes
    compared = [
        f"{name}={attributes[name]}" for name in _COMPARED if attributes.get(name)
    ]
    words = " ".join((node.text(deep=False) or "").split())
    return _CHANGING.sub("~", " ".join((*compared, words)))


def changing_parts(first: Dom, second: Dom) -> frozenset[str]:
    """Where two looks at a page differ between which nothing was done to it: clocks that nobody marked as such."""
    before = dict(first)
    after = dict(second)
    differs = {
        path
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    }
    return frozenset(differs - {"body"})


def without(dom: Dom, changing: Iterable[str]) -> Dom:
    """The same without those parts and all below them."""
    gone = set(changing)
    if not gone:
        return dom
    kept: list[Element] = []
    for element in dom:
        if element.path in gone or element.path.rpartition("/")[0] in gone:
            gone.add(element.path)
        else:
            kept.append(element)
    return tuple(kept)


def is_new(generated: Dom, known: Sequence[Dom]) -> bool:
    """Algorithm 1: new is what differs in some element from each state that was found before."""
    return all(_differs(state, generated) for state in known)


def _differs(state: Dom, generated: Dom) -> bool:
    if len(state) != len(generated):
        return True
    return any(a.contents != b.contents for a, b in zip(state, generated, strict=True))
