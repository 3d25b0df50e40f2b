"""Mend what servers break (encodings, junk around XML, bare ampersands, JSON with comments) and say so."""

from __future__ import annotations

import codecs
import html
import re
import zlib
from html.entities import html5

# The patterns here give nothing back (`*+`, `(?>…)`) and read what is never closed to the end: whatever the
# text, the time grows with its length and the memory not at all.
_MAX_INFLATED_BYTES = 128_000_000
_FREE_INFLATED_BYTES = 20_000_000
_MAX_INFLATION = 50  # capabilities of tens of megabytes, all alike, come to some thirty
_MAX_LENIENT_CHARS = 8_000_000
_PIECE_BYTES = 1 << 18
_MAX_REFERENCES = 200_000
_DECLARED = re.compile(
    rb"""^[^<]{0,64}<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""",
    re.IGNORECASE,
)
_HEADER_BLOCK = re.compile(
    r"(?:HTTP/[\d.]+ \d{3}[^\n]*\n)?(?:[A-Za-z][A-Za-z0-9-]{1,40}:[^\n<]*\n)+\s*\n?"
)
_XML_START = re.compile(
    r"<\?xml\b|<!DOCTYPE\s+W[\w-]+Capab|<(?:[\w.-]+:)?(?:W\w+_)?Capabilities[\s>]|<(?:[\w.-]+:)?(?:Service)?ExceptionReport\b"
)
_PAGE_TAG = re.compile(
    r"<(?:!doctype\s+html|(?:html|head|body|pre|br|b|p|div|font|table|center|h\d)\b)",
    re.IGNORECASE,
)
_LITERAL = re.compile(r"[\"'`](?:\\[nrt]|\s)*+(?=<)")
_ROOT = re.compile(r"<(?![?!/])([\w.:-]+)")
_SERVER_CHATTER = re.compile(
    r"\b(?:warning|notice|deprecated|strict standards|fatal error|debug|error)\b",
    re.IGNORECASE,
)
_MARKUP_ONLY = re.compile(
    r"(?:\s|</?[a-z][^<>]{0,200}+>|(?><!--.*?-->))*+", re.IGNORECASE | re.DOTALL
)
_REFERENCES = re.compile(
    r"(?P<keep><!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|<!DOCTYPE[^\[>]*+(?:>|\Z|\[.*?(?:\]\s*+>|\Z)))"
    r"|(?P<less><(?![A-Za-z_:/!?]|[^\x00-\x7f]))"  # no tag: a sign, as in "Depth < 5 m"
    r"|&(?P<name>\#[xX][0-9a-fA-F]{1,8}|\#\d{1,9}|[A-Za-z][\w.-]{0,60})?(?P<end>;)?",
    re.DOTALL,
)
_ENTITY_DECLARATION = re.compile(r"<!ENTITY\s+([\w.-]+)\s")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LITERAL_ESCAPE = re.compile(r"""[>"]\s*+(?:\\r)?\\n(?:\\t|\s)*+<|<\\/\w|=\\\"""")
_JSON_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
# Each matches every character: what is to stay in its group, what is to go without.
_JSON_NOISE = re.compile(
    rf'((?:[^"/]++|{_JSON_STRING}|/(?![/*]))++)|//[^\n]*+|/\*.*?(?:\*/|\Z)', re.DOTALL
)
_JSON_TRAILING = re.compile(
    rf'((?:[^",]++|{_JSON_STRING}|,(?!\s*+[}}\]]))++)|,', re.DOTALL
)
_JSONP = re.compile(
    r"^\s*+(?:(?>/\*.*?\*/)\s*+)?(?:\)\]\}',?\s*+|(?P<call>[\w$.]{1,80}+\s*+\())(?P<body>.*)$",
    re.DOTALL,
)
# Codecs that Python has beside the character sets: they take other text, or quadratic time, or make lone surrogates.
_NO_CHARSETS = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined", "utf-7"}
)


def inflate(body: bytes) -> tuple[bytes, bool] | None:
    """The content of a compressed body that no header announced, and whether it is all; None if not compressed."""
    window = _window(body)
    if window is None:
        return None
    most_bytes = min(
        _MAX_INFLATED_BYTES, max(_FREE_INFLATED_BYTES, _MAX_INFLATION * len(body))
    )
    try:
        if window == _RAW and not _begins_with_markup(body):
            return None
        inflater = zlib.decompressobj(window)
        content = inflater.decompress(body, most_bytes)
    except zlib.error:
        return None
    return (content, inflater.eof) if content else None


_GZIP, _ZLIB, _RAW = 31, 15, -15  # formats of deflated data, as zlib numbers them


def _window(body: bytes) -> int | None:
    """The format, by the first bytes; raw data has no mark of its own, but bytes that no text has."""
    if body[:2] == b"\x1f\x8b":
        return _GZIP
    if len(body) > 2 and _is_zlib_header(body[0], body[1]):
        return _ZLIB
    if any(byte < 9 or 13 < byte < 32 for byte in body[:64]):
        return _RAW
    return None


def _is_zlib_header(first: int, second: int) -> bool:
    """RFC 1950: deflate, with a window of at most 32 kB, and a check that 31 divides."""
    is_deflate = first & 0x0F == 8 and first >> 4 <= 7
    return is_deflate and ((first << 8) | second) % 31 == 0


def _begins_with_markup(body: bytes) -> bool:
    start = zlib.decompressobj(_RAW).decompress(body[:4096], 256)
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<", b"{", b"["))


def start(data: bytes, size: int) -> bytes:
    """So many bytes at most, without half a character of UTF-8 at their end."""
    if len(data) <= size:
        return data
    while size > 0 and data[size] & 0xC0 == 0x80:
        size -= 1
    return data[:size]


def is_utf8(data: bytes) -> bool:
    """Asked piece by piece: all of it as text may take four times its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), _PIECE_BYTES):
            decoder.decode(data[at : at + _PIECE_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def decode(data: bytes, charset: str = "") -> tuple[str, str]:
    """The text in these bytes and, in words, what was wrong with the encoding; never fails."""
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", "replace"), ""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _decode_marked(data, charset)
    if data[:2] in (b"<\x00", b"\x00<"):
        name = "utf-16-le" if data[:1] == b"<" else "utf-16-be"
        return data.decode(name, "replace"), "UTF-16 without a mark"
    declared = declared_encoding(data)
    wanted = [
        ("utf-8", "encoding declaration wrong; it is UTF-8"),
        (declared, ""),
        (charset, "encoding from the header"),
    ]
    for name, trouble in wanted:
        decoded = _try(data, name)
        if decoded is not None:
            is_plain = name == (declared or "utf-8").lower() or decoded.isascii()
            return decoded, "" if is_plain else trouble
    return data.decode(
        "cp1252", "replace"
    ), "encoding declaration wrong; read as Windows-1252"


def _decode_marked(data: bytes, charset: str) -> tuple[str, str]:
    """What begins with a mark of UTF-16, which some servers put before other encodings."""
    if b"\x00" in data[:64]:
        return data.decode("utf-16", "replace").lstrip("\ufeff"), ""
    return decode(data[2:], charset)[0], "false UTF-16 mark removed"


def declared_encoding(data: bytes) -> str:
    found = _DECLARED.match(data[:400])
    return found[1].decode("ascii", "replace").lower() if found else ""


def _try(data: bytes, encoding: str) -> str | None:
    if not encoding or encoding.lower().replace("_", "-").startswith(
        ("utf-16", "utf-32", "ucs", "utf-7")
    ):
        return None
    try:
        if codecs.lookup(encoding).name.replace("_", "-") in _NO_CHARSETS:
            return None
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError, ValueError):
        return None


def mend_xml(data: bytes, charset: str = "") -> tuple[bytes, list[str]]:
    """The XML in these bytes as clean UTF-8, and what was mended; empty where no XML stands in them."""
    text, trouble = decode(data, charset)
    repairs = [trouble] if trouble else []
    text, cut_away = strip_surroundings(text)
    if not text:
        return b"", []
    repairs += cut_away
    if _LITERAL_ESCAPE.search(text[:4000]):
        for written, meant in (
            ("\\r", ""),
            ("\\n", "\n"),
            ("\\t", "\t"),
            ('\\"', '"'),
            ("\\/", "/"),
        ):
            text = text.replace(written, meant)
        repairs.append("literal escapes replaced")
    if _CONTROL.search(text):
        text = _CONTROL.sub("", text)
        repairs.append("control characters removed")
    mended, what = _mend_references(text)
    repairs += what
    return mended.encode("utf-8", "replace"), repairs


def strip_surroundings(text: str) -> tuple[str, list[str]]:
    """The XML without what stands before it, and what that was; empty if it is only quoted."""
    bare = text.lstrip("\ufeff \t\r\n\x00")
    literal = _LITERAL.match(bare)
    if literal:
        bare = bare[literal.end() :].rstrip(" \t\r\n;,").rstrip(bare[0])
    if bare.startswith("<") and not _PAGE_TAG.match(bare):
        removed = len(bare) < len(text)
        return bare, ["space before the document removed"] if removed else []
    found = _XML_START.search(bare, 0, 64_000)
    if found is None:
        return "", []
    before, inner = bare[: found.start()], bare[found.start() :]
    headers = _HEADER_BLOCK.match(bare, 0, 64_000)
    if headers and not bare[headers.end() : found.start()].strip():
        return inner, ["HTTP header block removed"]
    document, after = _split_after_root(inner)
    is_quoted = len(document) < len(text) / 2
    if is_quoted or not _MARKUP_ONLY.fullmatch(after[:4000]):
        return "", []
    if _SERVER_CHATTER.search(before[:4000]):
        return document, ["server messages before the document removed"]
    if _MARKUP_ONLY.fullmatch(before[:4000]):
        return document, ["HTML around the document removed"]
    if len(before) < 500 and not after.strip():
        return inner, ["text before the document removed"]
    return "", []


def _split_after_root(text: str) -> tuple[str, str]:
    """A document up to the end of its root element, and what stands after it."""
    name = _ROOT.search(text, 0, 8000)
    end = text.rfind(f"</{name[1]}") if name else -1
    if end < 0:
        return text, ""
    after = text.find(">", end) + 1
    return text[:after], text[after:]


def _mend_references(text: str) -> tuple[str, list[str]]:
    """The text with bare signs and unknown entities as XML wants them, and what there was of them."""
    if text.count("&") > _MAX_REFERENCES:
        return text, []
    declared = frozenset(_ENTITY_DECLARATION.findall(text[:100_000])) | {
        "amp",
        "lt",
        "gt",
        "quot",
        "apos",
    }
    mended: dict[str, None] = {}

    def replace(found: re.Match[str]) -> str:
        better = _mended(found, declared)
        if better != found[0]:
            mended[_BARE_LESS if found["less"] else _BARE_AMPERSAND] = None
        return better

    return _REFERENCES.sub(replace, text), list(mended)


_BARE_LESS = "bare less-than signs replaced"
_BARE_AMPERSAND = "bare ampersands and undeclared entities replaced"


def _mended(found: re.Match[str], declared: frozenset[str]) -> str:
    if found["keep"] is not None:
        return found[0]
    if found["less"]:
        return "&lt;"
    name, end = found["name"], found["end"]
    if not name or not end:
        return "&amp;" + found[0][1:]
    if name[0] == "#":
        return found[0] if _is_xml_character(name) else ""
    if name in declared:
        return found[0]
    known = html5.get(name + ";")
    return html.escape(known) if known else "&amp;" + found[0][1:]


def _is_xml_character(reference: str) -> bool:
    code = int(
        reference[1:].replace("x", "0x").replace("X", "0x"),
        0 if reference[1] in "xX" else 10,
    )
    return (
        code in (9, 10, 13)
        or 32 <= code < 0xD800
        or 0xE000 <= code < 0xFFFE
        or 0x10000 <= code <= 0x10FFFF
    )


def mend_json(text: str) -> tuple[str, list[str]]:
    """JSON freed of callback, guard prefix, comments and trailing commas, and which of them there were."""
    repairs: list[str] = []
    if len(text) > _MAX_LENIENT_CHARS:
        return "", repairs
    text = text.strip("\ufeff \t\r\n;")
    wrapped = _JSONP.match(text) if text[:1] not in "{[" else None
    if wrapped:
        text = wrapped["body"].strip().rstrip(";").rstrip()
        text = text.removesuffix(")") if wrapped["call"] else text
        repairs.append(
            "JSON callback removed" if wrapped["call"] else "JSON guard removed"
        )
    for pattern, trouble in (
        (_JSON_NOISE, "JSON comments removed"),
        (_JSON_TRAILING, "trailing commas removed"),
    ):
        cleaned = "".join(pattern.findall(text))
        if cleaned != text:
            repairs.append(trouble)
            text = cleaned.strip()
    return text, repairs
