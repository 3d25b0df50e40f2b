"""Pages decode in the encoding of their host, and say which it is as the host is wont to."""

from __future__ import annotations

import re

import pytest

from geoweb import Trouble, World
from geoweb.addresses import url_of
from geoweb.hosts import Charset
from geoweb.words import vocabulary


def honest_hosts(world):
    for index in range(world.hosts):
        host = world.host(index)
        if not host.is_walled and Trouble.WRONG_CHARSET not in host.troubles:
            yield host


@pytest.fixture(scope="module")
def wide_world():
    return World(7, 1500, 30_000)


@pytest.mark.slow
def test_pages_decode_strictly_and_hold_the_words_of_their_language(world, ask):
    for host in honest_hosts(world):
        text = ask(url_of(host, 0)).body.decode(host.encoding, "strict")
        assert vocabulary(host.language).ui["home"] in text


@pytest.mark.parametrize(
    "encoding",
    [
        "utf-8",
        "iso-8859-1",
        "iso-8859-15",
        "windows-1251",
        "gb2312",
        "shift_jis",
        "utf-16",
        "iso-8859-2",
    ],
)
def test_every_encoding_is_in_use(wide_world, encoding):
    assert any(wide_world.host(i).encoding == encoding for i in range(wide_world.hosts))


@pytest.mark.slow
def test_the_encoding_is_declared_where_the_host_declares_it(world, ask):
    seen = set()
    for host in honest_hosts(world):
        reply = ask(url_of(host, 0))
        in_header = f"charset={host.encoding}" in reply.content_type
        text = reply.body.decode(host.encoding)
        in_meta = bool(re.search(rf'charset="?{host.encoding}"', text))
        assert (in_header, in_meta) == {
            Charset.HEADER: (True, False),
            Charset.META: (False, True),
            Charset.BOTH: (True, True),
        }[host.charset]
        seen.add(host.charset)
    assert seen == set(Charset)
