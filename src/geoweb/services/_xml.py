"""Writes XML the way different server software does: prefixes or none, indented or on one line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Node(NamedTuple):
    """An element; a child that is a string is its text."""

    tag: str
    attributes: Mapping[str, object]
    children: list[Node | str]


Part: TypeAlias = (
    dict[str, str]
    | dict[str, int]
    | dict[str, float]
    | dict[str, object]
    | Node
    | str
    | Iterable["Part"]
    | None
)


@dataclass(frozen=True, slots=True)
class Style:
    """How a server lays out its XML."""

    indent: str = "  "
    prefixed: bool = True  # False: the main namespace is the default one
    comment: str = ""
    encoding: str = "UTF-8"


def el(tag: str, *parts: Part) -> Node:
    """An element from attributes (mappings), children, texts, and lists of them; None is left out."""
    attributes: dict[str, object] = {}
    children: list[Node | str] = []
    _take(parts, attributes, children)
    return Node(tag, attributes, children)


def _take(
    parts: Iterable[Part], attributes: dict[str, object], children: list[Node | str]
) -> None:
    for part in parts:
        if part is None:
            continue
        if isinstance(part, (Node, str)):
            children.append(part)
        elif isinstance(part, dict):
            attributes.update(part)
        else:
            _take(part, attributes, children)


def escape(text: str) -> str:
    """Text fit for an element or a double-quoted attribute."""
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text or ">" in text or '"' in text:
        text = text.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() or c in "\n\t" else " " for c in text)
    )


def write(
    root: Node,
    namespaces: Mapping[str, str],
    style: Style,
    main: str = "",
    doctype: str = "",
) -> bytes:
    """The document; `main` is the prefix that a style without prefixes drops."""
    declared: dict[str, object] = {
        f"xmlns:{prefix}": uri for prefix, uri in namespaces.items()
    }
    dropped = ""
    if main and not style.prefixed:
        declared = {"xmlns": namespaces[main], **declared}
        dropped = main + ":"
    root = Node(root.tag, {**declared, **root.attributes}, root.children)
    encoding = style.encoding
    out = [f'<?xml version="1.0" encoding="{encoding}"?>\n', doctype, style.comment]
    _emit(root, out, "\n" if style.indent else "", (style.indent, dropped))
    # A character outside the encoding becomes a reference, as every XML writer does it.
    return "".join(out).encode(encoding, "xmlcharrefreplace")


def _emit(node: Node, out: list[str], pad: str, layout: tuple[str, str]) -> None:
    indent, dropped = layout
    tag, attributes, children = node
    if dropped and tag.startswith(dropped):
        tag = tag[len(dropped) :]
    head = "<" + tag
    for key, value in attributes.items():
        head += f' {key}="{escape(str(value))}"'
    if not children:
        out.append(head + "/>")
    elif len(children) == 1 and isinstance(children[0], str):
        out.append(f"{head}>{escape(children[0])}</{tag}>")
    else:
        out.append(head + ">")
        deeper = pad + indent
        for child in children:
            if isinstance(child, str):
                out.append(escape(child))
            else:
                out.append(deeper)
                _emit(child, out, deeper, layout)
        out.append(f"{pad}</{tag}>")
