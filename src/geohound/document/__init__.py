"""One answer, decoded and parsed once, in whatever state it came; all kinds read from it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import orjson

from geohound.document import repair, safe_xml
from geohound.model.service import READ_IN_SPITE_OF
from geohound.model.visit import Response
from geohound.text.pattern_scan import PatternScan

Item = TypeVar("Item")

_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_IMAGES = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"II*\x00",
    b"MM\x00*",
    b"II+\x00",
    b"BM6",
)
_SNIFF_BYTES = 65_536
_HEAD_BYTES = 8_192
_MAX_COMMENTS = 20
_START_BYTES = 4_000_000  # of a large document that nobody skims
_MAX_MENDED_BYTES = 16_000_000  # mending goes over the text many times
_MAX_JSON_BYTES = 32_000_000
_MAX_JSON_MARKS = 1_500_000
# nobody wants more as text; a character may take four times its bytes
_MAX_TEXT_BYTES = 8_000_000
_TREES = ("root", "head", "json", "text")
_TREE_FACTOR = 6  # memory of a tree, in multiples of what it was made of: 3 to 6 for capabilities, 1 to 5 for JSON
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_UNWRAPPED = "SOAP envelope removed"
_MAY_BE_CAPABILITIES = PatternScan([b"Capabilities"])
_CAPABILITIES = re.compile(rb"<(?:[\w.-]+:)?(?:W\w+_)?Capabilities[\s>]")


class Document:
    """A response under reading; what had to be mended on the way is kept in `repairs`."""

    def __init__(self, response: Response) -> None:
        self.response = response
        self.url = response.final_url or response.url
        self.repairs: list[str] = (
            [f"{READ_IN_SPITE_OF}{response.tls_fault}"] if response.tls_fault else []
        )
        self.body = response.body
        self._tree_bytes = 0
        inflated = (
            repair.inflate(response.body)
            if response.body[:1] not in (b"<", b"{", b"[")
            else None
        )
        if inflated is not None:
            self.body, is_whole = inflated
            self._weigh(len(self.body))
            self.repairs.append("compressed without saying so")
            if not is_whole:
                self.__dict__["is_truncated"] = True

    def let_go(self) -> None:
        """Forget the trees, before a wait: whoever asks for one afterwards has it made again."""
        for name in _TREES:
            self.__dict__.pop(name, None)
        self._weigh(-self._tree_bytes)
        self._tree_bytes = 0

    def _weigh(self, size: int) -> None:
        if self.response.weight is not None:
            self.response.weight.add(size)

    def _weigh_tree(self) -> None:
        """A tree is made, of the whole body or of its start."""
        size = _TREE_FACTOR * min(len(self.body), safe_xml.LARGE_BYTES)
        self._tree_bytes += size
        self._weigh(size)

    @cached_property
    def is_image(self) -> bool:
        return self.body.startswith(_IMAGES) or (
            self.body[:4] == b"RIFF" and self.body[8:12] == b"WEBP"
        )

    @cached_property
    def is_html(self) -> bool:
        head = self.body[:_HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
        if head.startswith(b"<?xml"):
            head = head.partition(b"?>")[2].lstrip()
        for _ in range(_MAX_COMMENTS):
            if not head.startswith(b"<!--"):
                break
            head = head.partition(b"-->")[2].lstrip()
        return bool(_HTML.match(head))

    @cached_property
    def is_truncated(self) -> bool:
        """True if the end is missing: the fetch was cut, or the parser met the end too soon."""
        return self.response.truncated or safe_xml.CUT_OFF in self.repairs

    @cached_property
    def root(self) -> safe_xml.Element | None:
        """The root of the XML in the answer, if there is XML in it; a SOAP envelope is taken off."""
        if not self._may_hold_xml or (self._is_large and self.head is None):
            return None
        self._weigh_tree()
        if self._is_large:
            return self._unwrap(self._parse_start())
        # A page around capabilities may be well-formed itself: then its own root is not the one looked for.
        root = (
            safe_xml.parse(self.body, encoding=self._overridden_encoding)
            if not self.is_html
            else None
        )
        if root is None:
            root = self._parse_mended()
        return self._unwrap(root)

    @property
    def _is_large(self) -> bool:
        return len(self.body) > safe_xml.LARGE_BYTES

    @cached_property
    def _may_hold_xml(self) -> bool:
        if self.is_image or not self.body:
            return False
        if self.is_html:
            head = self.body[:_SNIFF_BYTES]
            return bool(_MAY_BE_CAPABILITIES.numbers(head)) and bool(
                _CAPABILITIES.search(head)
            )
        if self.body.startswith(b"<"):
            return True
        return b"<" in self.body[:_SNIFF_BYTES] and self.body[:_SNIFF_BYTES].lstrip()[
            :1
        ] not in (b"{", b"[")

    @cached_property
    def _overridden_encoding(self) -> str | None:
        """UTF-8 where the declaration names a one-byte encoding and the bytes prove it wrong."""
        declared = repair.declared_encoding(self.body)
        if (
            declared in ("", "utf-8", "utf8")
            or declared.startswith("utf-16")
            or self.body.isascii()
        ):
            return None
        if not repair.is_utf8(self.body):
            return None
        self.repairs.append("encoding declaration wrong; it is UTF-8")
        return "utf-8"

    def _parse_start(self) -> safe_xml.Element | None:
        """Of a large document only the start becomes a tree; who wants all of it skims it."""
        self.__dict__["is_truncated"] = True
        start, encoding = self.body[:_START_BYTES], self._overridden_encoding
        if self.is_html or not start.startswith(b"<"):
            start, encoding = repair.mend_xml(start, self.charset)[0], "utf-8"
        return safe_xml.parse(start, recover=True, encoding=encoding)

    def _parse_mended(self) -> safe_xml.Element | None:
        data, repairs = repair.mend_xml(self.body, self.charset)
        if not data:
            return None
        root = safe_xml.parse(data, encoding="utf-8")
        if root is None:
            root, more = safe_xml.parse_noting(data, recover=True, encoding="utf-8")
            repairs += more
        if root is not None:
            self.repairs += [r for r in repairs if r not in self.repairs]
        return root

    def _unwrap(self, root: safe_xml.Element | None) -> safe_xml.Element | None:
        if root is None or safe_xml.local(root) != "Envelope":
            return root
        body = safe_xml.child(root, "Body")
        inner = (
            next((c for c in body if isinstance(c.tag, str)), None)
            if body is not None
            else None
        )
        if inner is None:
            return root
        if _UNWRAPPED not in self.repairs:
            self.repairs.append(_UNWRAPPED)
        return inner

    @cached_property
    def head(self) -> safe_xml.Element | None:
        """The root for a first look: of a large document it has but the first children."""
        if not self._is_large:
            return self.root
        if not self._may_hold_xml:
            return None
        start = self.body[:_SNIFF_BYTES]
        root = safe_xml.parse(start, recover=True)
        if root is None:
            root = safe_xml.parse(
                repair.mend_xml(start, self.charset)[0], recover=True, encoding="utf-8"
            )
        return self._unwrap(root)

    @cached_property
    def root_name(self) -> str:
        return safe_xml.local(self.head) if self.head is not None else ""

    @cached_property
    def root_namespace(self) -> str:
        return safe_xml.namespace(self.head) if self.head is not None else ""

    def skim(
        self, names: frozenset[str], digest: Callable[[safe_xml.Element], Item]
    ) -> tuple[safe_xml.Element | None, Callable[[safe_xml.Element], Item]]:
        """The root, and a function that gives the digest of each element of these names.

        Small documents are digested where they stand; large ones while they stream by, so that their tree is
        never in memory as a whole.
        """
        if not self._is_large or _UNWRAPPED in self.repairs:
            return self.root, digest
        data, encoding = self.body, self._overridden_encoding
        if not data.startswith(b"<"):
            data, repairs = repair.mend_xml(data[:_MAX_MENDED_BYTES], self.charset)
            encoding = "utf-8"
            self.repairs += [r for r in repairs if r not in self.repairs]
        skimmed = safe_xml.skim(data, names, digest, encoding=encoding)
        self.repairs += [r for r in skimmed.repairs if r not in self.repairs]
        if skimmed.truncated:
            self.__dict__["is_truncated"] = True
        if skimmed.root is None:
            return self.head, digest

        def recall(element: safe_xml.Element) -> Item:
            kept = skimmed.item(element)
            return kept if kept is not None else digest(element)

        return skimmed.root, recall

    @cached_property
    def charset(self) -> str:
        """The encoding that the HTTP header names."""
        found = _CHARSET.search(self.response.content_type)
        return found[1].lower() if found else ""

    @cached_property
    def text(self) -> str:
        """The body as text; of a large one the start."""
        return repair.decode(repair.start(self.body, _MAX_TEXT_BYTES), self.charset)[0]

    @cached_property
    def json(self) -> Any:
        """The JSON value in the answer, or None."""
        if (
            self.is_image
            or self.is_html
            or self.body[:_SNIFF_BYTES].lstrip()[:1] in (b"<", b"")
        ):
            return None
        if not self._is_modest_json:
            if self.body[:_SNIFF_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (
                b"{",
                b"[",
            ):
                self.__dict__["is_truncated"] = True
            return None
        self._weigh_tree()
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return self._mended_json()

    @property
    def _is_modest_json(self) -> bool:
        """True if the values in it, as objects, will fit: some 100 bytes for each mark, an object being dearest."""
        if len(self.body) > _MAX_JSON_BYTES:
            return False
        marks = (
            2 * self.body.count(b"{") + self.body.count(b"[") + self.body.count(b",")
        )
        return marks <= _MAX_JSON_MARKS

    def _mended_json(self) -> Any:
        text, trouble = repair.decode(self.body, self.charset)
        if not text.lstrip("\ufeff \t\r\n/")[:1] or (
            "{" not in text and "[" not in text
        ):
            return None
        mended, repairs = repair.mend_json(text)
        if mended[:1] not in ("{", "["):
            return None
        try:
            value = json.loads(mended, strict=False)
            # one without its partner is no text that could be stored or sent
            if _SURROGATE.search(mended):
                value = json.loads(
                    json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
                )
        except (ValueError, RecursionError):
            return None
        self.repairs += [r for r in (trouble, *repairs) if r and r not in self.repairs]
        return value
