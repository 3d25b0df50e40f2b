"""Ways to break a document: bytes in, hostile bytes out, the same for the same random numbers."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Sequence
from random import Random

MAX_BYTES = 5_000_000
_TAG = re.compile(rb"<[^<>]{1,300}>")
_VALUE = re.compile(rb'"[^"\\]{0,200}"|-?\d[\d.eE+-]{0,30}|(?<=>)[^<>]{1,200}(?=<)')
_BLOCK = re.compile(rb"<([\w:.-]{1,60})[\s>]")
ENTITIES = (
    b"&a;", b"&#0;", b"&#xD800;", b"&#x110000;", b"&amp", b"&&&&", b"&nbsp;", b"&#99999999999;", b"&\xff;", b"&%a;",
    b"&lt;Layer&gt;",
)  # fmt: skip
DOCTYPES = (
    b'<!DOCTYPE a [<!ENTITY a "x">]>',
    b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>',
    b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd">',
    b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    b'<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
    b"<!DOCTYPE html>",
    b'<!DOCTYPE a [<!ATTLIST Layer title CDATA "x">]>',
    b"<!DOCTYPE a [",
)
INSERTS = (
    b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?php ?>", b"<?xml version='1.1' encoding='utf-7'?>",
    b"<a xmlns='\xc2\xa0'/>",
    b" xmlns:a='' ", b" a:b='c' ", b" xlink:href='http://[' ", b" xml:base='http://[::1' ", b"<a:b:c/>", b"</",
    b"<", b">",
    b'"', b"'", b"\\", b"\\u0000", b"\\ud800", b"{", b"[", b"]", b"}", b",", b"null", b"/*", b"//",
    b"callback(", b")]}'",
    b"<html>", b"<title>", b"<input type=password", b"<script>", b"http://[", b"http://a.test:99999/wms?service=WMS",
    b"https://\xff", b"<link rel=alternate type=application/json href=", b"%00", b"%ff", b"{z}/{x}/{y}",
    b"urn:ogc:def:crs:EPSG::",
)  # fmt: skip
NUMBERS = (
    b"1e999", b"-1e999", b"NaN", b"Infinity", b"1e308", b"0", b"-0", b"9" * 400, b"1" + b"0" * 5000, b"-1", b"1.7e-320",
    b"0x10", b"1,5", b"1 2 3 4 5 6 7", b"EPSG:4326", b"EPSG:99999999999", b"\xd9\xa1\xd9\xa2", b"\xc2\xb2",
    b"", b"true",
    b"null", b"[]", b"{}", b'""', b"[[[[]]]]", b"urn:ogc:def:crs:OGC:1.3:CRS84", b"9999-99-99T99:99:99Z",
    b"\xf0\x9f\x97\xba",
    b'"http://["', b'"\\ud800"', b'"\\u0000"', b'"//"', b'"?"', b"http://[", b"../../..",
)  # fmt: skip
CHARACTERS = (
    b"\x00",
    b"\x01",
    b"\x0b",
    b"\x1a",
    b"\x7f",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\xed\xa0\x80",
    b"\xef\xbf\xbf",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xf4\x90\x80\x80",
    b"\xc0\xaf",
    b"\xe2\x80\xae",
)
ENCODINGS = (
    "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-7", "utf-8-sig", "cp037", "latin-1",
    "cp1252", "gb18030",
    "shift_jis", "koi8-r",
)  # fmt: skip
NAMED = (
    b"utf-7",
    b"UTF-16",
    b"UTF-32",
    b"ebcdic-cp-us",
    b"rot13",
    b"zlib",
    b"idna",
    b"unicode_escape",
    b"x",
    b"iso-8859-1",
    b"punycode",
)


def _spot(data: bytes, rng: Random) -> int:
    """A place in the document; often where markup is."""
    place = rng.randrange(len(data) + 1)
    if rng.random() < 0.5:
        found = data.find(rng.choice((b"<", b">", b'"', b",", b":")), place)
        return found if found >= 0 else place
    return place


def _piece(data: bytes, rng: Random) -> tuple[int, int]:
    start = _spot(data, rng)
    return start, min(len(data), start + int(2 ** rng.uniform(0, 12)))


def _flip(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    broken = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if broken:
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
    return bytes(broken)


def _delete(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    start, end = _piece(data, rng)
    return data[:start] + data[end:]


def _duplicate(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    start, end = _piece(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 2, 10)) + data[end:]


def _splice(data: bytes, rng: Random, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others) if others else data
    start, end = _piece(other, rng)
    place = _spot(data, rng)
    return data[:place] + (
        other[start:] if rng.random() < 0.3 else other[start:end] + data[place:]
    )


def _insert(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    place = _spot(data, rng)
    words = rng.choice(rng.choice((ENTITIES, INSERTS, NUMBERS, CHARACTERS)))
    return data[:place] + words * rng.choice((1, 1, 1, 50)) + data[place:]


def _declare(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    end = data.find(b"?>") + 2 if data.startswith(b"<?xml") else 0
    return (
        data[:end]
        + rng.choice(DOCTYPES)
        + data[end:].replace(b"<Title>", b"<Title>&c;", 1)
    )


def _value(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    """Another value in the place of one."""
    found = _VALUE.search(data, _spot(data, rng))
    if not found:
        return data
    value = rng.choice(NUMBERS)
    if found[0][:1] == b'"' and value[:1] != b'"' and rng.random() < 0.7:
        value = b'"' + value + b'"'
    return data[: found.start()] + value + data[found.end() :]


def _shuffle(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    """Two tags or values change places."""
    pattern = rng.choice((_TAG, _VALUE))
    a = pattern.search(data, _spot(data, rng))
    b = pattern.search(data, _spot(data, rng))
    if not a or not b or a.end() > b.start():
        return data
    return data[: a.start()] + b[0] + data[a.end() : b.start()] + a[0] + data[b.end() :]


def _subtree(data: bytes, rng: Random) -> tuple[int, int]:
    """An element or a JSON object, roughly."""
    found = _BLOCK.search(data, _spot(data, rng))
    if found:
        end = data.find(b"</" + found[1], found.end())
        return (found.start(), data.find(b">", end) + 1) if end >= 0 else found.span()
    start = max(data.find(b"{", _spot(data, rng)), 0)
    end = data.find(b"}", start)
    return start, end + 1 if end >= 0 else len(data)


def _nest(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    start, end = _subtree(data, rng)
    depth = rng.choice((2, 20, 300, 3000))
    if data[start : start + 1] == b"<":
        tag = _TAG.match(data, start)
        name = _BLOCK.match(data, start)
        if tag and name and not tag[0].endswith(b"/>"):
            return (
                data[:start]
                + tag[0] * depth
                + data[start:end]
                + (b"</" + name[1] + b">") * depth
                + data[end:]
            )
    return (
        data[:start]
        + b'{"layers":[' * depth
        + data[start:end]
        + b"]}" * depth
        + data[end:]
    )


def _encode(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    return data.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def _misname(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    name = rng.choice(NAMED)
    found = re.sub(
        rb"""encoding=["'][\w-]+["']""",
        b'encoding="' + name + b'"',
        data[:200],
        count=1,
    )
    return (
        found + data[200:]
        if found != data[:200]
        else b'<?xml version="1.0" encoding="' + name + b'"?>' + data
    )


def _pack(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    packed = gzip.compress(data, 1)
    return packed if rng.random() < 0.5 else packed[: rng.randrange(len(packed))]


def repeat(data: bytes, rng: Random, _: Sequence[bytes]) -> bytes:
    """A subtree ten thousand times, as far as five megabytes go."""
    start, end = _subtree(data, rng)
    size = max(1, end - start)
    times = min(10_000, max(2, (MAX_BYTES - len(data)) // size))
    return data[:end] + data[start:end] * times + data[end:]


Mutation = Callable[[bytes, Random, Sequence[bytes]], bytes]
MUTATIONS: tuple[Mutation, ...] = (
    _flip, _delete, _duplicate, _splice, _insert, _insert, _declare, _value, _value, _value, _shuffle, _nest, _encode,
    _misname, _pack,
)  # fmt: skip


def mutate(
    data: bytes, rng: Random, others: Sequence[bytes], max_bytes: int = MAX_BYTES
) -> bytes:
    """The document after one to six mutations."""
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        data = rng.choice(MUTATIONS)(data, rng, others)[:max_bytes]
    return data
