"""What a worker sends of a page so that the engine can compare it with others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from isal import isal_zlib

from geohound import urls
from geohound.model.crawl.job import Sketch
from geohound.model.visit import Link, LinkPlace, Page
from geohound.urls.address_book import AddressBook

_DIGITS = b"0123456789"
_COMPUTED = frozenset({LinkPlace.SCRIPT, LinkPlace.RECIPE})
_ENDS = 6_000  # letters at both ends that are compared


def draw(
    url: str, body: bytes, page: Page, links: Sequence[Link], book: AddressBook
) -> Sketch:
    """The sketch of a page; `links` are those that are followed."""
    host, text = urls.host(url), f"{page.title} {page.text}"
    # map pages may differ in these alone
    computed = [link.url for link in page.links if link.place in _COMPUTED]
    return Sketch(
        _body_mark(host, body),
        words_mark(host, page.text, computed),
        len(text),
        f"{text[:_ENDS]} {text[-_ENDS:]}" if len(text) > 2 * _ENDS else text,
        tuple(family_key(link.url) for link in links),
        frozenset(link.url for link in links if book.looks_like_service(link.url)),
    )


def _body_mark(host: str, body: bytes) -> int:
    """Two checksums and the length: a tenth of the time of a hash of all bytes."""
    sums = isal_zlib.crc32(body), isal_zlib.adler32(body), len(body)
    return _digest(host, "{} {} {}".format(*sums).encode())


def words_mark(host: str, text: str, computed: Sequence[str] = ()) -> int:
    """What stands for its words, numbers apart; 0 where it has none."""
    words = text.encode("utf-8", "replace").translate(None, _DIGITS)
    if computed:
        words += " ".join(computed).encode("utf-8", "replace")
    return _digest(host, words) if words else 0


def family(url: str) -> str:
    """Its shape, but for the last name below a folder: searches and tags have words there, not numbers."""
    if "?" in url:
        path, mark, query = urls.shape(url).partition("?")
        folder = path.rstrip("/").rpartition("/")[0]
        return f"{folder}/*{mark}{query}" if "/" in folder else path + mark + query
    folder = url.rstrip("/").rpartition("/")[0]
    return f"{_shape_of_folder(folder)}/*" if folder.count("/") > 2 else urls.shape(url)


def family_key(url: str) -> int:
    """A number for its family, the same in every process."""
    return name_key(family(url))


def shape_key(url: str) -> int:
    return name_key(urls.shape(url))


@lru_cache(maxsize=16384)
def _shape_of_folder(folder: str) -> str:
    return urls.shape(folder)


@lru_cache(maxsize=16384)
def name_key(name: str) -> int:
    return int.from_bytes(
        blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(),
        "big",
        signed=True,
    )


def _digest(host: str, content: bytes) -> int:
    digest = blake2b(
        content, digest_size=8, key=host.encode("utf-8", "replace")[:64]
    ).digest()
    return int.from_bytes(digest, "big", signed=True)
