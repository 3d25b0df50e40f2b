"""Answers made to cost much: each is met by a fetcher with the usual limits, in a process of its own, measured."""

from __future__ import annotations

import asyncio
import gzip
import os
import subprocess
import sys
import textwrap
import zlib
from pathlib import Path

import brotli
import pycurl
import pytest

MAX_KIB = 100 * 1024
MAX_S = 5.0
KEPT = 20 * 1024 * 1024  # what is kept of a body
# what nobody here can unpack is refused
ZSTD = KEPT if "zstd/" in pycurl.version else "BAD_ANSWER"

CHILD = """
    import asyncio, sys, time
    from geohound.model.visit import Response
    from geohound.net.fetcher import CurlFetcher
    from geohound.net.address_guard import Guard
    from geohound.net.connect_to import Route
    from polite import behaving, bounded, policy

    def describe(visit):
        is_answer = isinstance(visit, Response)
        return (len(visit.body), visit.truncated) if is_answer else (visit.reason.name, visit.detail)

    async def main(port, *paths):
        routes = (Route("*.test", "127.0.0.1", int(port)),)  # one host for each, which are asked one at a time
        at_once = policy(requests_per_address=len(paths))
        polite = behaving(obey_robots=False, routes=routes, politeness=at_once)
        fetcher = CurlFetcher(polite, Guard.opening(["127.0.0.0/8"]), bounded())
        began, cpu = time.monotonic(), time.process_time()
        asked = [fetcher.fetch(f"http://h{n}.test{path}") for n, path in enumerate(paths)]
        visits = await asyncio.gather(*asked)
        print(time.monotonic() - began, time.process_time() - cpu)
        await fetcher.close()
        # not ru_maxrss: a child inherits that of the process it was forked from
        print(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
        for visit in visits:
            print(*describe(visit), sep="\\t")

    asyncio.run(main(*sys.argv[1:]))
"""


def fetch_all(web, answers):
    """What the fetcher makes of all at once, its seconds on the clock and of CPU, and its peak of memory in KiB."""

    async def run():
        async with web.serving(answers) as server:
            command = [
                sys.executable,
                "-c",
                textwrap.dedent(CHILD),
                str(server.port),
                *answers,
            ]
            shared = str(Path(__file__).parents[1] / "shared")
            env = {**os.environ, "PYTHONPATH": shared}
            child = await asyncio.create_subprocess_exec(
                *command, stdout=subprocess.PIPE, env=env
            )
            out, _ = await child.communicate()
            return out.decode().splitlines()

    times, peak, *outcomes = asyncio.run(run())
    seconds, cpu_s = map(float, times.split())
    return [outcome.split("\t") for outcome in outcomes], seconds, cpu_s, int(peak)


def meet(web, answer):
    (outcome,), *figures = fetch_all(web, {"/": answer})
    return outcome, *figures


def check(web, answer, expected, max_s=MAX_S):
    outcome, seconds, cpu_s, peak_kib = meet(web, answer)
    assert outcome[0] == expected, outcome
    assert seconds < max_s
    assert cpu_s < MAX_S
    assert peak_kib < MAX_KIB


def deflated_zeros(pieces):
    """A packed piece of 16 MiB of zeros, again and again; nobody gets to its checksum."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return (packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)) * pieces


def pack_gzip():
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + deflated_zeros(64)


def pack_zlib():
    return b"\x78\xda" + deflated_zeros(64)


def pack_members():
    """Each member small, and ten thousand of them."""
    return gzip.compress(bytes(100_000), 9) * 10_000


def pack_brotli():
    packer = brotli.Compressor(quality=1)
    return b"".join(packer.process(bytes(1 << 24)) for _ in range(64)) + packer.finish()


def pack_zstd():
    """A frame of RLE blocks, four bytes for 128 KiB of zeros each, as in RFC 8878; `zstd -d` makes 1 GiB of it."""
    block = (((128 * 1024) << 3) | (1 << 1)).to_bytes(3, "little") + b"\0"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * 8192


def packed_in_gzip(inner):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(inner) + packer.flush()


PACKED = {
    "gzip": (pack_gzip, KEPT),
    "deflate": (pack_zlib, KEPT),
    "br": (pack_brotli, KEPT),
    "gzip, gzip": (lambda: packed_in_gzip(pack_gzip()), KEPT),
    "br, gzip": (lambda: packed_in_gzip(pack_brotli()), KEPT),
    "gzip, gzip, gzip": (lambda: packed_in_gzip(packed_in_gzip(pack_gzip())), KEPT),
    "zstd": (pack_zstd, ZSTD),
    "zstd, gzip": (lambda: packed_in_gzip(pack_zstd()), ZSTD),
    "gzip" + ", gzip" * 9: (lambda: packed_in_gzip(pack_gzip()), "BAD_ANSWER"),
}


@pytest.mark.slow
@pytest.mark.parametrize("coding", PACKED)
def test_a_gibibyte_in_a_small_parcel(web, coding):
    pack, expected = PACKED[coding]
    check(web, web.http(pack(), f"Content-Encoding: {coding}"), str(expected))


@pytest.mark.slow
def test_ten_thousand_members_in_one_gzip(web):
    """libcurl reads the first and refuses what follows; whichever it does, it is cheap."""
    outcome, seconds, _, peak_kib = meet(
        web, web.http(pack_members(), "Content-Encoding: gzip")
    )
    assert outcome[0] in ("BAD_ANSWER", "100000", str(KEPT))
    assert seconds < MAX_S
    assert peak_kib < MAX_KIB


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def repeats(head, piece, pause_s=0.0):
    """A handler that never stops sending the same piece."""

    async def handler(reader, writer):
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return handler


ENDLESS = {
    "body": (repeats(OK + b"\r\n", b"x" * 65_536), str(KEPT)),
    "body of known length": (
        repeats(OK + b"Content-Length: 999999999999\r\n\r\n", b"x" * 65_536),
        str(KEPT),
    ),
    "chunks": (repeats(CHUNKED, b"10000\r\n" + b"x" * 65_536 + b"\r\n"), str(KEPT)),
    "chunks of one byte": (repeats(CHUNKED, b"1\r\nx\r\n" * 10_000), "502001"),
    "one chunk": (repeats(CHUNKED + b"7fffffffffffffff\r\n", b"x" * 65_536), str(KEPT)),
    "chunk extensions": (repeats(CHUNKED + b"5", b";a=" + b"b" * 10_000), "TOO_LARGE"),
    "chunk extensions in every chunk": (
        repeats(CHUNKED, b"1;" + b"a" * 4000 + b"\r\nx\r\n"),
        "TOO_LARGE",
    ),
    "digits of a chunk's length": (repeats(CHUNKED, b"0" * 10_000), "BAD_ANSWER"),
    "headers": (repeats(OK, b"X-A: " + b"b" * 1000 + b"\r\n"), "TOO_LARGE"),
    "one header": (repeats(OK + b"X-A: ", b"b" * 10_000), "TOO_LARGE"),
    "folded header": (
        repeats(OK + b"X-A: b\r\n", b" " + b"b" * 100 + b"\r\n"),
        "TOO_LARGE",
    ),
    "names of headers": (repeats(OK, b"x" * 10_000), "TOO_LARGE"),
    "status line": (repeats(b"HTTP/1.1 200 ", b"O" * 10_000), "TOO_LARGE"),
    "interim answers": (
        repeats(b"", b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 100),
        "TOO_LARGE",
    ),
    "100 Continue": (repeats(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100), "TOO_LARGE"),
    "102 Processing": (
        repeats(b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 100),
        "TOO_LARGE",
    ),
    "trailers": (repeats(CHUNKED + b"0\r\n", b"T: x\r\n" * 100), "TOO_LARGE"),
    "blank lines before the status": (repeats(b"", b"\r\n" * 1000), "BAD_ANSWER"),
    "empty deflate blocks": (
        repeats(
            OK + b"Content-Encoding: deflate\r\n\r\n\x78\x9c",
            b"\x00\x00\x00\xff\xff" * 10_000,
        ),
        "TOO_LARGE",
    ),
    "name of a gzip member": (
        repeats(
            OK + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\xff",
            b"n" * 65_536,
        ),
        "TOO_LARGE",
    ),
    "redirect": (
        repeats(b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", b"x" * 65_536),
        "REDIRECT_LOOP",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", ENDLESS)
def test_what_has_no_end_is_left(web, what):
    handler, expected = ENDLESS[what]
    check(web, handler, expected)


DRIPS = {
    "body": repeats(OK + b"\r\n", b"x", 0.1),
    "body of known length": repeats(
        OK + b"Content-Length: 100000\r\n\r\n", b"xxxx", 0.2
    ),
    "chunks": repeats(CHUNKED, b"1\r\nx\r\n", 0.3),
    "status line": repeats(b"HTTP/1.1 200 ", b"O", 0.2),
    "headers": repeats(OK, b"X-A: b\r\n", 0.2),
    "one header": repeats(OK + b"X-A: ", b"b", 0.2),
    "interim answers": repeats(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.5),
    "trailers": repeats(CHUNKED + b"0\r\n", b"T: x\r\n", 0.2),
    "gzip": repeats(
        OK + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"x")[:10], 0.2
    ),
}


@pytest.mark.slow
def test_slow_drips_are_left_soon(web):
    """All at once: each is waited for in vain for some seconds."""
    outcomes, seconds, _, peak_kib = fetch_all(
        web, {f"/{n}": drip for n, drip in enumerate(DRIPS.values())}
    )
    reasons = {what: outcome[0] for what, outcome in zip(DRIPS, outcomes, strict=True)}
    assert {
        what: why
        for what, why in reasons.items()
        if why not in ("STALLED", "BAD_ANSWER")
    } == {}
    assert (
        seconds < 2 * MAX_S
    )  # of 120 that an answer may take, on a machine that is busy with other tests
    assert peak_kib < MAX_KIB
