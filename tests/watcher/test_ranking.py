"""Frequency, level and rank as Alqaraleh, Ramadan & Salamah 2015 publish them, section 2.1.1."""

from __future__ import annotations

import pytest
from watched import WatchedSite, watched_site

from geohound.watcher import WatcherRules, categories, frequency, level


@pytest.mark.parametrize(
    ("updates", "fewest", "most", "expected"),
    [
        (0, 0, 10, 0.0),  # the page that is updated least
        (10, 0, 10, 0.5),  # the page that is updated most
        (3, 1, 9, 0.125),  # (3 - 1) / (9 - 1) / 2
        (4, 4, 4, 0.0),  # all alike: equation 1 has no value there
    ],
)
def test_the_frequency_is_normalised_by_equation_1(
    updates: int, fewest: int, most: int, expected: float
) -> None:
    """WBC-2, Alqaraleh et al. 2015, equation 1: Fn = 1/2 (F - Fmin) / (Fmax - Fmin)."""
    assert frequency(updates, fewest, most) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("length", "expected"),
    [(3, 1), (9, 2), (13, 2), (14, 3), (19, 3), (33, 4), (201, 4)],
)
def test_the_number_of_categories_follows_from_the_length_of_the_tree(
    length: int, expected: int
) -> None:
    """WBC-2, section 2.1.1: sqrt((length - 1) / 2), here 1, 2, 3, 4, and never more than the four published levels.

    Of 13 levels sqrt(6) = 2.45, of 14 sqrt(6.5) = 2.55."""
    assert categories(length) == expected


@pytest.mark.parametrize(
    ("distance", "length", "expected"),
    [
        (0, 9, 0.5),  # the main page
        (1, 9, 0.5),  # what it links to
        (2, 9, 0.4),  # of two categories the nearer one: distances 2 to 5 …
        (5, 9, 0.4),
        (6, 9, 0.3),  # … and 6 to 8
        (8, 9, 0.3),
        (2, 33, 0.4),
        (32, 33, 0.1),
        (2, 3, 0.4),
    ],
)
def test_pages_get_a_level_by_their_closeness_to_the_main_page(
    distance: int, length: int, expected: float
) -> None:
    """WBC-2, section 2.1.1: 0.5 for the main page and the pages linked to it, discrete values below for all others."""
    assert level(distance, length) == expected


def test_closeness_is_counted_in_links_from_the_main_page(watched: WatchedSite) -> None:
    watched.write("index.html", '<a href="a.html">a</a> <a href="sub/">sub</a>')
    watched.write("a.html", '<a href="/b.html?x=1#y">b</a>')
    watched.write("b.html", "<p>end")
    watched.write("sub/index.html", "<p>near, though in a folder")
    watched.write("deep/er/alone.html", "<p>no link leads here")
    watched.run()
    assert {url: page["level"] for url, page in watched.pages().items()} == {
        "": 0.5, "a.html": 0.5, "sub/": 0.5, "b.html": 0.4, "deep/er/alone.html": 0.4,
    }  # fmt: skip


def test_a_link_that_appears_later_brings_a_page_and_those_behind_it_closer(
    watched: WatchedSite,
) -> None:
    watched.write("index.html", "<p>nothing yet")
    watched.write("far.html", '<a href="behind.html">on</a>')
    watched.write("behind.html", "<p>end")
    watched.run()
    assert watched.pages()["far.html"]["level"] == 0.4
    watched.write("index.html", '<a href="far.html">far</a>')
    watched.run()
    assert watched.pages()["far.html"]["level"] == 0.5
    assert watched.site.db.execute(
        "SELECT distance FROM page WHERE name = 'behind.html'"
    ).fetchone() == (2,)


def test_the_rank_is_the_sum_and_the_best_pages_come_first(
    watched: WatchedSite,
) -> None:
    """WBC-14, section 2.1.1: the report keeps frequency, level and rank of each page, in the order of their rank."""
    for name in ("index.html", "a.html", "b.html"):
        watched.write(name, '<a href="a.html">' if name == "index.html" else "first")
    watched.run()
    for text in ("second", "third"):
        watched.write("b.html", text)
        watched.run()
    watched.write("a.html", "second")
    report = watched.run()
    assert [
        (page["url"].rpartition("/")[2], page["rank"]) for page in report["pages"]
    ] == [
        ("b.html", 0.9),  # updated most: 0.5, farther than one link: 0.4
        ("a.html", 0.75),  # 1 of 2 updates: 0.25, linked from the main page: 0.5
        ("", 0.5),
    ]
    assert all(
        page["rank"] == pytest.approx(page["frequency"] + page["level"])
        for page in report["pages"]
    )


def test_in_rush_hours_ranking_rests_and_watching_goes_on(tmp_path) -> None:
    """WBC-14, section 2.3, property 11: the ranking function is inactive during the server's rush times."""
    with watched_site(tmp_path, WatcherRules(rush=((0, 1440),))) as watched:
        watched.write("index.html", '<a href="a.html">')
        watched.write("a.html", "first")
        watched.site.look_through()
        watched.site.turn()
        assert {url: page["rank"] for url, page in watched.pages().items()} == {
            "": 0.1,
            "a.html": 0.1,
        }
        watched.write("new.html", "seen in the rush hour, too")
        watched.after(3600)
        watched.site.look_through()
        watched.site.turn()
        assert "new.html" in watched.pages()
        watched.site.rules = WatcherRules()
        watched.site.is_dirty = True
        watched.after(3600)
        watched.site.turn()
        assert {url: page["rank"] for url, page in watched.pages().items()} == {
            "": 0.5,
            "a.html": 0.5,
            "new.html": 0.4,
        }


def test_rush_hours_may_run_over_midnight(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    with watched_site(tmp_path, WatcherRules(rush=((22 * 60, 6 * 60),))) as watched:
        assert not watched.site.is_rush_hour()  # 08:00
        watched.after(15 * 3600)  # 23:00
        assert watched.site.is_rush_hour()
        watched.after(6 * 3600)  # 05:00
        assert watched.site.is_rush_hour()
