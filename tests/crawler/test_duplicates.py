"""Calendars and endless searches are seen from what their pages say; descriptions of datasets are not."""

from __future__ import annotations

import pytest
from books import BOOK

from geohound.crawler.duplicates import (
    MANY_PAGES,
    MAX_ALIKE,
    MAX_BARREN,
    MAX_FAMILIES,
    MAX_HOPED,
    MAX_LEADS,
    MAX_MISSED,
    MAX_SAME_WORDS,
    NearDuplicateDetector,
    Novelty,
)
from geohound.crawler.page_sketch import draw
from geohound.model.crawl.frontier import Memo
from geohound.model.visit import Link, Page

FRAME = (
    " ".join(f"menu{chr(97 + n)}" for n in range(26))
    + " contact imprint privacy search home news about us"
)
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
)
DAYS = "monday tuesday wednesday thursday friday saturday sunday"


def month(number: int) -> tuple[str, str, list[Link]]:
    url = f"http://a.test/calendar?month={number}"
    links = [Link(f"http://a.test/calendar?month={number + 1}")]
    return url, f"{FRAME} {MONTHS[number % 10]} {2000 + number} {DAYS} no events", links


def dataset(number: int, *links: str) -> tuple[str, str, list[Link]]:
    about = " ".join(
        f"word{chr(97 + (number * k) % 26)}{chr(97 + number % 26)}"
        for k in range(1, 13)
    )
    return (
        f"http://a.test/dataset/{number}",
        f"{FRAME} {about}",
        [Link(link) for link in links],
    )


def judge(
    duplicates: NearDuplicateDetector,
    url: str,
    found_on: str,
    text: str,
    links: list[Link],
    services: int = 0,
) -> Novelty:
    sketch = draw(url, text.encode(), Page(url, text=text), links, BOOK)
    return duplicates.judge(
        url, found_on, [link.url for link in links], sketch, services
    )


def judged(pages: list[tuple[str, str, list[Link]]], services: int = 0) -> list[bool]:
    duplicates = NearDuplicateDetector()
    return [
        judge(duplicates, url, "", text, links, services).is_dull
        for url, text, links in pages
    ]


def test_a_calendar_is_dull_once_it_has_shown_many_months() -> None:
    told = judged([month(n) for n in range(60)])
    assert not any(told[:MANY_PAGES])
    assert all(told[MANY_PAGES:])


def test_datasets_described_in_a_dozen_words_are_not_dull_whatever_frame_they_stand_in() -> (
    None
):
    assert not any(judged([dataset(n) for n in range(25)]))


@pytest.mark.parametrize(
    "link", ["http://gis.test/ows?service=WMS", "http://other.test/new/place"]
)
def test_a_page_with_a_way_to_a_service_or_to_a_new_place_is_not_dull(
    link: str,
) -> None:
    pages = [month(n) for n in range(40)]
    pages[30][2].append(Link(link))
    told = judged(pages)
    assert not told[30]
    assert told[29]
    assert told[31]


def test_a_page_that_is_a_service_is_not_dull() -> None:
    assert not any(judged([month(n) for n in range(40)], services=1))


def test_other_words_in_another_order_are_the_same_words() -> None:
    words = FRAME.split()
    pages = [
        (f"http://a.test/list?sort={n}", " ".join(words[n:] + words[:n]), [])
        for n in range(20)
    ]
    assert all(judged(pages)[MANY_PAGES:])


def test_descriptions_without_spaces_are_compared_letter_by_letter() -> None:
    names = [
        "土地利用现状调查",
        "河流水系分布情况",
        "道路交通网络密度",
        "森林植被覆盖变化",
        "人口经济统计区划",
    ]
    texts = [
        f"首页 联系我们 {names[n % 5]}数据集由国土资源部门于每年发布供公众使用"
        for n in range(40)
    ]
    assert not any(
        judged(
            [(f"http://a.test/dataset/{n}", text, []) for n, text in enumerate(texts)]
        )
    )


@pytest.mark.slow
def test_what_is_watched_is_bounded() -> None:
    duplicates = NearDuplicateDetector()
    for n in range(MAX_FAMILIES + 10):
        name = "".join(chr(97 + n // 26**k % 26) for k in range(4))
        judge(duplicates, f"http://a.test/{name}", "", "", [])
    assert MAX_FAMILIES // 2 <= len(duplicates._families) <= MAX_FAMILIES
    watched = next(family for _, family in duplicates._families.items())
    for n in range(3 * MAX_LEADS):
        watched.leads_elsewhere({n})
    assert len(watched.leads) <= MAX_LEADS


def test_a_shape_is_closed_after_a_row_of_dull_pages_and_a_good_one_ends_the_row() -> (
    None
):
    duplicates = NearDuplicateDetector()
    url = "http://a.test/calendar?month=5"
    for _ in range(MAX_ALIKE - 1):
        duplicates.note(url, is_dull=True)
    assert not duplicates.is_trap(url)
    duplicates.note(url, is_dull=False)
    for _ in range(MAX_ALIKE):
        duplicates.note(url, is_dull=True)
    assert duplicates.is_trap("http://a.test/calendar?month=77")
    assert not duplicates.is_trap("http://a.test/other?month=77")


def test_pages_with_words_in_their_address_are_a_family_too() -> None:
    pages = [
        (
            f"http://a.test/tag/{chr(97 + n % 26)}{chr(97 + n // 26)}",
            f"{FRAME} nothing",
            [],
        )
        for n in range(40)
    ]
    assert all(judged(pages)[MANY_PAGES:])


def plan(number: int) -> tuple[str, str, list[Link]]:
    """One of many plans: it differs from the others in a name, and its services stand on a page of their own."""
    return (
        f"http://a.test/plan/{number}",
        f"{FRAME} plan {chr(97 + number % 26)}",
        [link_to("list", number)],
    )


def link_to(folder: str, number: int) -> Link:
    return Link(f"http://a.test/{folder}/{number}")


def test_pages_that_differ_in_a_name_are_worth_it_while_services_are_found_behind_them() -> (
    None
):
    duplicates, told = NearDuplicateDetector(), []
    for n in range(5 * MAX_HOPED):
        url, text, links = plan(n)
        told.append(judge(duplicates, url, "http://a.test/", text, links))
        wms = Link(f"http://a.test/{n}/ows?service=WMS")
        judge(duplicates, links[0].url, url, f"{FRAME} services", [wms])
    assert not any(novelty.is_dull for novelty in told)
    assert all(novelty.is_promising for novelty in told[MAX_SAME_WORDS:])


@pytest.mark.parametrize("are_read", [True, False])
def test_pages_that_differ_in_a_name_are_dull_once_nothing_was_found_behind_them(
    are_read: bool,
) -> None:
    duplicates, told = NearDuplicateDetector(), []
    for n in range(2 * MAX_HOPED):
        url, text, links = plan(n)
        told.append(judge(duplicates, url, "http://a.test/", text, links))
        if are_read:
            duplicates.found_nothing(links[0].url)
    last = MAX_BARREN if are_read else MAX_HOPED
    assert not any(novelty.is_dull for novelty in told[:last])
    assert all(
        novelty.is_dull and not novelty.is_promising for novelty in told[last + 5 :]
    )


def test_a_link_in_the_frame_of_all_pages_promises_nothing() -> None:
    pages = [month(n) for n in range(40)]
    for page in pages:
        page[2].append(Link("http://a.test/ows?service=WMS"))
    assert all(judged(pages)[MANY_PAGES + 1 :])


def test_pages_that_differ_in_numbers_alone_are_no_duplicates_where_they_promise_something() -> (
    None
):
    duplicates = NearDuplicateDetector()
    same = [
        duplicates.repeats(f"http://a.test/sheet/{n}", n, 77, promises=True)
        for n in range(50)
    ]
    assert not any(same)
    assert duplicates.repeats("http://a.test/sheet/51", 51, 77)
    assert duplicates.repeats("http://a.test/sheet/52", 51, 78, promises=True), (
        "the very same page"
    )


def test_what_looks_like_a_service_is_tested_after_many_that_were_gone() -> None:
    duplicates = NearDuplicateDetector()
    url = "http://a.test/ows/5?service=WMS"
    for n in range(MAX_MISSED - 1):
        duplicates.repeats(url, 1, 0)
        duplicates.note(url, is_dull=n > 0)
    assert duplicates.is_trap(url)
    assert not duplicates.is_trap(url, is_probe=True)
    for _ in range(2):
        duplicates.repeats(url, 1, 0)
    assert duplicates.is_trap(url, is_probe=True)


class Run:
    """Pages judged as the engine does it, in one run or in several."""

    def __init__(self) -> None:
        self.duplicates = NearDuplicateDetector()
        self.marks: list[tuple[int, int]] = []
        self.memos: dict[tuple[int, int], Memo] = {}
        self.links: list[str] = []

    def read(self, url: str, text: str, links: list[Link]) -> tuple[bool, bool, bool]:
        """Is the next page a trap, does it repeat, is it dull?"""
        is_trap = self.duplicates.is_trap(url)
        sketch = draw(url, f"{url} {text}".encode(), Page(url, text=text), links, BOOK)
        addresses = [link.url for link in links]
        novelty = self.duplicates.judge(url, "http://a.test/", addresses, sketch)
        repeats = self.duplicates.repeats(
            url, sketch.body, sketch.words, promises=novelty.is_promising
        )
        if not repeats:
            self.duplicates.note(url, is_dull=novelty.is_dull)
        self.marks.append((sketch.body, sketch.words))
        self.links += addresses
        return is_trap, repeats, novelty.is_dull

    def resume(self) -> None:
        for memo in self.duplicates.take_memos():
            self.memos[memo.kind, memo.key] = memo
        self.duplicates = NearDuplicateDetector(
            self.marks, self.memos.values(), self.links
        )


def sheet(number: int) -> tuple[str, str, list[Link]]:
    """One of many map sheets, which differ in numbers alone."""
    return (
        f"http://a.test/sheet/{number}",
        f"{FRAME} sheet {number}",
        [link_to("about", number)],
    )


@pytest.mark.parametrize("page", [month, plan, sheet, dataset])
@pytest.mark.parametrize("after", [5, 20, 35, 90])
def test_a_resumed_crawl_judges_as_one_that_was_never_stopped(page, after: int) -> None:
    whole, parted = Run(), Run()
    for n in range(140):
        if n in (after, after + 3):
            parted.resume()
        assert parted.read(*page(n)) == whole.read(*page(n)), n
    assert page is dataset or whole.duplicates.is_trap(page(141)[0])


def test_what_is_kept_for_a_resume_is_what_has_changed() -> None:
    run = Run()
    for n in range(40):
        run.read(*month(n))
    assert run.duplicates.take_memos()
    assert not run.duplicates.take_memos()
    run.read(*month(41))
    assert len(run.duplicates.take_memos()) <= 3
    run.read("http://b.test/x/y", "words", [])
    assert not [memo for memo in run.duplicates.take_memos() if len(memo.state) > 8], (
        "one page is no family yet"
    )


def test_words_count_anew_where_nothing_is_known_of_what_their_pages_led_to() -> None:
    """As after a crawl by a Geohound that did not keep it."""
    duplicates = NearDuplicateDetector([(n, 77) for n in range(50)])
    same = [
        duplicates.repeats(f"http://a.test/sheet/{n}", n, 77)
        for n in range(50, 50 + MAX_SAME_WORDS + 1)
    ]
    assert same == [False] * MAX_SAME_WORDS + [True]
    assert duplicates.repeats("http://a.test/sheet/99", 49, 78), "the very same page"
