"""From a mined page to addresses worth a candidate, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from geohound import urls
from geohound.data_files import format_named
from geohound.model.crawl.job import FileLink
from geohound.model.crawl.task import Scope
from geohound.model.failure import FailureReason
from geohound.model.visit import Link, LinkPlace, Page
from geohound.urls.address_book import AddressBook
from geohound.urls.ogc import InvalidUrl, invalid_link, normalise_oss
from geohound.urls.sinks import is_sink

from .seen_links import PageLinks

MAX_URL_CHARS = 2000
MAX_FOUND = 20_000
MAX_TITLE_CHARS = 200
# followed whatever the ending of their name
_UNMEASURED = frozenset((LinkPlace.SCRIPT_FILE, LinkPlace.CONFIG))


@dataclass(frozen=True, slots=True)
class ScopeFilter:
    """The hosts or domains of the seeds, where the crawl must stay among them, and the sites that it never goes to."""

    scope: Scope = Scope.ANY
    inside: frozenset[str] = frozenset()
    sinks: frozenset[str] = frozenset()
    # addresses that the user does not want visited
    excluded: frozenset[str] = frozenset()
    # OGC requests pass the filter F of the thesis (OSS-8)
    filters_requests: bool = False
    # where it does not object to reserved addresses, as the user allows some
    keeps_reserved: bool = False

    @classmethod
    def around(
        cls, scope: Scope, seeds: list[str], sinks: frozenset[str] = frozenset()
    ) -> ScopeFilter:
        """Who names a sink as a seed wants to crawl it."""
        inside = (
            frozenset(map(_name_in(scope), seeds))
            if scope is not Scope.ANY
            else frozenset()
        )
        return cls(
            scope,
            inside,
            sinks
            - {urls.site(seed) for seed in seeds}
            - {urls.host(seed) for seed in seeds},
        )

    def objection(self, url: str) -> FailureReason | None:
        """Why this URL is not to be visited; None if it may be."""
        if self.scope is not Scope.ANY and _name_in(self.scope)(url) not in self.inside:
            return FailureReason.OUT_OF_SCOPE
        if url in self.excluded:
            return FailureReason.OUT_OF_SCOPE
        return FailureReason.SINK if is_sink(url, self.sinks) else None

    def filtered(self, href: str, address: str, book: AddressBook) -> str | None:
        """The standard form of an OGC request, None of an invalid one; `href` is the link as its page writes it."""
        asked = book.proving(address) if "&" in address or "?" in address else address
        if not self.filters_requests or book.classify(asked)[0] is urls.ServiceHint.NO:
            return asked
        reason = invalid_link(href, address)
        if reason is None or (
            reason is InvalidUrl.RESERVED_ADDRESS and self.keeps_reserved
        ):
            return normalise_oss(address, book)
        return None

    def holds(self, url: str) -> bool:
        return self.objection(url) is None


def _name_in(scope: Scope) -> Callable[[str], str]:
    """By what URLs are compared with the seeds."""
    return urls.site if scope is Scope.DOMAIN else bare_host


def bare_host(url: str) -> str:
    """A bare name and its www. send to each other all the time: for whoever names one, both are meant."""
    return urls.host(url).removeprefix("www.")


def follow(
    page: Page,
    depth: int,
    scope: ScopeFilter,
    book: AddressBook,
    drops: Counter[FailureReason],
    seen: PageLinks,
) -> list[Link]:
    """The links of a page worth a candidate, with canonical addresses, each once; the rest is counted by reason."""
    found: list[Link] = []

    def weigh(link: Link, address: str) -> None:
        reason = _objection(address, link, page, scope, book)
        if reason is None:
            found.append(link._replace(url=address))
        else:
            drops[reason] += 1

    # a base that the page names may have any spelling
    base = urls.canonical(page.url) or page.url
    folder = urls.folder(base)
    for link in _all_links(page):
        href = link.url.lstrip()
        address = urls.canonical(href, base if href[:1] == "?" else folder)
        clean = scope.filtered(href, address, book) if address else None
        apart = _apart(link, page)
        if clean is None and address is not None:
            drops[FailureReason.BAD_URL] += 1
        if clean is None or not seen.add(clean, depth, apart):
            continue
        weigh(link, clean)
        if "http" in clean[8:].lower():
            for inner in map(book.proving, urls.embedded(clean)):
                if seen.add(inner, depth, apart):
                    weigh(link, inner)
        if len(found) >= MAX_FOUND:
            break
    return found


def split_files(
    links: list[Link], book: AddressBook
) -> tuple[list[Link], list[FileLink]]:
    """What is to be visited, and the data files: these are listed, and not downloaded."""
    named = [(link, _format_of(link, link.url)) for link in links]
    visited = [
        link
        for link, file_format in named
        if not file_format or book.looks_like_service(link.url)
    ]
    files = [
        FileLink(link.url, file_format, link.text[:MAX_TITLE_CHARS])
        for link, file_format in named
        if file_format and not book.looks_like_service(link.url)
    ]
    return visited, files


def _format_of(link: Link, address: str) -> str:
    """The format of data that a link leads to, by its name; the dataset of a data server is a service."""
    if urls.is_data_access(address):
        return ""
    return format_named(
        address, f"{link.text[:MAX_TITLE_CHARS]} {link.context[:MAX_TITLE_CHARS]}"
    )


def main_pages(links: list[Link], book: AddressBook) -> list[Link]:
    """Each link as one to the main page of its site, each page once; what looks like a service stays as it is.

    For sites with a watcher, whose report has their pages (WBC-13); scripts and configuration files are pages of none.
    """
    found: dict[str, Link] = {}
    for link in links:
        if book.looks_like_service(link.url):
            found.setdefault(link.url, link)
        elif link.place not in _UNMEASURED:
            main = f"{urls.origin(link.url)}/"
            found.setdefault(main, link._replace(url=main))
    return list(found.values())


def _apart(link: Link, page: Page) -> int:
    """What one page asks not to follow, another may offer; what is no page may be a file: each is kept by itself."""
    if link.nofollow or page.nofollow:
        return 1
    return 2 if link.place in _UNMEASURED else 0


def _all_links(page: Page) -> Iterator[Link]:
    yield from page.links
    for source in page.script_files:
        yield Link(source, place=LinkPlace.SCRIPT_FILE)


def _objection(
    address: str, link: Link, page: Page, scope: ScopeFilter, book: AddressBook
) -> FailureReason | None:
    if link.nofollow or page.nofollow:
        return FailureReason.NOFOLLOW
    outside = scope.objection(address)
    if outside is not None:
        return outside
    is_media = link.place not in _UNMEASURED and urls.looks_like_media(address)
    if (
        is_media
        and not book.looks_like_service(address)
        and not _format_of(link, address)
    ):
        return FailureReason.MEDIA
    if urls.repeats_path(address) or len(address) > MAX_URL_CHARS:
        return FailureReason.TRAP
    return None
