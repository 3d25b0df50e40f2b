"""Turn the bytes of a page into text: BOM, then header, then meta, then what the bytes themselves suggest."""

from __future__ import annotations

import codecs
import re

_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
# The encoding standard reads these labels as the larger code page that people really mean.
_MEANT = {
    "iso-8859-1": "windows-1252", "latin-1": "windows-1252", "latin1": "windows-1252", "us-ascii": "windows-1252",
    "ascii": "windows-1252", "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "shift_jis": "cp932",
    "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "ks_c_5601-1987": "cp949", "euc-kr": "cp949",
    "iso-8859-9": "windows-1254", "tis-620": "cp874",
}  # fmt: skip
_GUESSES = ("gb18030", "shift_jis", "windows-1251")


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a page; never fails, at worst some characters are replaced."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace")
    declared = [_codec(m) for m in _declarations(body, content_type)]
    for codec in declared:
        if codec:
            try:
                return body.decode(codec)
            except UnicodeDecodeError:
                continue
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        pass
    first = next((name for name in declared if name), None)
    return body.decode(first or _guess(body), "replace")


def _declarations(body: bytes, content_type: str) -> list[str]:
    found = []
    if match := _HEADER.search(content_type):
        found.append(match[1])
    if meta := _META.search(body[:4096]):
        found.append(meta[1].decode("ascii", "replace"))
    return found


def _codec(label: str) -> str | None:
    name = _MEANT.get(label.lower(), label)
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # Codecs such as rot13 or zlib turn bytes into bytes: a page may name them, we do not run them.
    return info.name if info._is_text_encoding else None


def _guess(body: bytes) -> str:
    """No declaration and no UTF-8: the first multi-byte code page that fits a sample, else Western."""
    sample = body[:8192]
    high = sum(b >= 0x80 for b in sample)
    if high * 5 > len(sample):
        for name in _GUESSES:
            try:
                sample[: len(sample) // 2 * 2].decode(name)
            except UnicodeDecodeError:
                continue
            return name
    return "windows-1252"
