"""Turn the bytes of a page into text: BOM, then header, then meta, then what the bytes themselves suggest."""

from __future__ import annotations

import codecs
import re

from chardetng_py import EncodingDetector

_HEADER = re.compile(r"charset\s*+=\s*+(?:[\"']\s*+)?([\w:.-]+)", re.IGNORECASE)
_XML = re.compile(
    rb"\s{0,64}<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w:.-]+)", re.IGNORECASE
)
_META = re.compile(
    rb"<meta[^<>]{0,300}?charset\s*+=\s*+(?:[\"']\s*+)?([\w:.-]+)", re.IGNORECASE
)
_HIGH = re.compile(rb"[\x80-\xff]")
# none of them is part of a character in any of the encodings
_BREAKS = re.compile(rb"[<>\r\n]")
_WINDOW_BYTES = 65_536
_SAMPLE_BYTES = 2_048
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The encodings of the web and the labels pages give them, after the Encoding Standard: many a label is read as the
# larger code page that people really mean. Nothing else is decoded: Python also knows codecs that cost the square of
# the length, or that run backslash escapes.
_LABELS = {
    "utf-8": "utf8 utf-8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "utf-16-le": "utf-16 utf-16le utf16 ucs-2 unicode unicodefeff csunicode iso-10646-ucs-2",
    "utf-16-be": "utf-16be unicodefffe",
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859-2": "latin2 l2 csisolatin2 iso-ir-101", "iso8859-3": "latin3 l3 csisolatin3 iso-ir-109",
    "iso8859-4": "latin4 l4 csisolatin4 iso-ir-110", "iso8859-5": "cyrillic csisolatincyrillic iso-ir-144",
    "iso8859-6": "arabic asmo-708 ecma-114 csisolatinarabic iso-ir-127 iso-8859-6-e iso-8859-6-i",
    "iso8859-7": "greek greek8 ecma-118 elot_928 csisolatingreek iso-ir-126 sun_eu_greek",
    "iso8859-8": "hebrew visual logical csisolatinhebrew iso-ir-138 iso-8859-8-e iso-8859-8-i",
    "iso8859-10": "latin6 l6 csisolatin6 iso-ir-157", "iso8859-13": "", "iso8859-14": "",
    "iso8859-15": "l9 latin9 latin-9 csisolatin9", "iso8859-16": "",
    "koi8-r": "koi koi8 koi8-r koi8_r cskoi8r", "koi8-u": "koi8-u koi8-ru",
    "mac-roman": "macintosh mac x-mac-roman csmacintosh", "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "windows-874 dos-874 tis-620 iso-8859-11 iso8859-11 iso885911",
    "cp1250": "", "cp1251": "", "cp1253": "", "cp1255": "", "cp1256": "", "cp1257": "", "cp1258": "",
    "cp1252": "ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso_8859-1 iso88591 latin1 latin-1 l1 cp819 ibm819 "
    "csisolatin1 iso-ir-100",
    "cp1254": "iso-8859-9 iso8859-9 iso_8859-9 iso88599 latin5 l5 csisolatin5 iso-ir-148",
    "gb18030": "gb18030 gbk x-gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 csiso58gb231280 iso-ir-58 cp936",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "euc-jp x-euc-jp cseucpkdfmtjapanese", "iso2022-jp": "iso-2022-jp csiso2022jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms932 ms_kanji csshiftjis windows-31j cp932",
    "cp949": "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean cseuckr csksc56011987 iso-ir-149 "
    "windows-949 cp949",
}  # fmt: skip
_CODECS = {
    label: codec for codec, labels in _LABELS.items() for label in labels.split()
}
for _number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16):
    for _form in ("iso-8859-{}", "iso8859-{}", "iso_8859-{}", "iso8859{}"):
        _CODECS[_form.format(_number)] = f"iso8859-{_number}"
for _number in range(1250, 1259):
    for _form in ("windows-{}", "cp{}", "x-cp{}"):
        _CODECS[_form.format(_number)] = f"cp{_number}"


def decode(body: bytes, content_type: str = "", max_bytes: int = 5_000_000) -> str:
    """The text of a page, of a long one the beginning; never fails, at worst some characters are replaced."""
    is_whole = len(body) <= max_bytes
    body = body[:max_bytes]
    for bom, name in _BOMS:
        if body.startswith(bom):
            return _read(body, name, "replace", is_whole)
    declared = [
        codec
        for label in _declarations(body, content_type)
        if (codec := _CODECS.get(label.lower()))
    ]
    for codec in (*declared, "utf-8"):
        try:
            return _read(body, codec, "strict", is_whole)
        except UnicodeDecodeError:
            continue
    sample = _sample(body)
    stated = declared[0] if declared else "utf-8"
    codec = stated if _is_mostly(sample, stated) else _detect(sample)
    return _read(body, codec, "replace", is_whole)


def _detect(sample: bytes) -> str:
    """The codec that a browser would guess from the bytes alone (decision 17)."""
    detector = EncodingDetector()
    detector.feed(sample, last=False)
    name: str = detector.guess(tld=None, allow_utf8=False).lower()
    return _CODECS.get(name, name)


def _is_mostly(sample: bytes, codec: str) -> bool:
    """Does it say something in this encoding, and only some of it is broken?"""
    text = _read(sample, codec, "replace", is_whole=False)
    beside_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") * 2 < beside_ascii


def _sample(body: bytes) -> bytes:
    """The first pieces of the page that are not plain ASCII."""
    found = _HIGH.search(body)
    if not found:
        return b""
    before = [body.rfind(mark, 0, found.start()) for mark in (b"<", b">", b"\n")]
    start = max(max(before) + 1, found.start() - _SAMPLE_BYTES // 2)
    pieces = _BREAKS.split(body[start : start + _WINDOW_BYTES])
    return b"\n".join(piece for piece in pieces if not piece.isascii())[:_SAMPLE_BYTES]


def _read(body: bytes, codec: str, errors: str, is_whole: bool) -> str:
    """As bytes.decode, but where the body was cut, half a character at its end is no error."""
    return codecs.getincrementaldecoder(codec)(errors).decode(body, is_whole)


def _declarations(body: bytes, content_type: str) -> list[str]:
    found = []
    if match := _HEADER.search(content_type):
        found.append(match[1])
    head = body[:4096]
    inside = (_XML.match(head), _META.search(head))
    return found + [match[1].decode("ascii", "replace") for match in inside if match]
