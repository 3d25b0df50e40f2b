"""What the watcher sees of a site: new and changed pages, their events, and what it leaves out."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET

import pytest
from watched import URL, WatchedSite, watched_site

from geohound import watcher
from geohound.watcher import Inotify, WatcherRules, events_of, markup_of


def test_the_first_run_reports_all_pages_as_new(watched: WatchedSite) -> None:
    watched.write("index.html", "main")
    watched.write("maps/a b.html", "a page")
    watched.write("maps/style.css", "no page")
    watched.write(".git/index.html", "nobody's business")
    report = watched.run()
    assert report["version"] == 1
    assert report["site"] == URL
    assert report["flag"] == 0
    assert {page["url"] for page in report["pages"]} == {URL, f"{URL}maps/a%20b.html"}


def test_a_page_stays_in_the_report_over_runs_until_the_site_is_taken(
    watched: WatchedSite,
) -> None:
    """WBC-1, section 2.1: the report has the updated and newly added pages, for whichever crawler comes next."""
    watched.write("index.html", "main")
    watched.run()
    watched.write("new.html", "later")
    watched.run()
    watched.run()
    assert set(watched.pages()) == {"", "new.html"}


def test_after_the_site_was_taken_only_new_and_changed_pages_are_reported(
    watched: WatchedSite,
) -> None:
    for name in ("index.html", "a.html", "b.html"):
        watched.write(name, "first")
    watched.run()
    watched.after(60)
    watched.visit()
    watched.after(60)
    assert watched.run()["pages"] == []
    watched.write("b.html", "second")
    watched.write("c.html", "new")
    watched.run()
    assert set(watched.pages()) == {"b.html", "c.html"}


def test_a_file_that_was_only_touched_has_not_changed(watched: WatchedSite) -> None:
    watched.write("a.html", "same")
    watched.run()
    sitemap = (watched.root / "geohound-sitemap.xml").read_text()
    watched.after(60)
    watched.visit()
    watched.run()
    watched.write("a.html", "same")
    assert watched.run()["pages"] == []
    assert (watched.root / "geohound-sitemap.xml").read_text() == sitemap


def test_what_is_gone_leaves_the_report(watched: WatchedSite) -> None:
    watched.write("index.html", "main")
    watched.write("old/a.html", "a")
    watched.write("old/er/b.html", "b")
    watched.write("c.html", "c")
    watched.run()
    (watched.root / "c.html").unlink()
    (watched.root / "old" / "er" / "b.html").unlink()
    (watched.root / "old" / "er").rmdir()
    watched.run()
    assert set(watched.pages()) == {"", "old/a.html"}


def test_whoever_removes_the_report_begins_anew(watched: WatchedSite) -> None:
    watched.write("a.html", "a")
    watched.run()
    watched.after(60)
    watched.visit()
    assert watched.run()["pages"] == []
    (watched.root / ".well-known" / "geohound-watcher.json").unlink()
    watched.run()
    assert set(watched.pages()) == {"a.html"}


def test_pages_behind_a_log_in_are_left_out(watched: WatchedSite) -> None:
    """WBC-3, section 2.1.1: pages that need a form filled, such as log-in pages, are private."""
    watched.write("index.html", "main")
    watched.write(
        "login.html", "<form><input name=u><input type='password' name=p></form>"
    )
    watched.write("private/a.html", "only for members")
    watched.write("private/.htaccess", "AuthType Basic\nRequire valid-user\n")
    watched.run()
    assert set(watched.pages()) == {""}
    assert "login" not in (watched.root / "geohound-sitemap.xml").read_text()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<form method=post><input name=q><input type=submit></form>", True),
        ("<form method=post><textarea></textarea></form><p>Fill in, please.", True),
        ("<form><input name=q></form>", False),  # a search is no wall
        (
            "<form method=post><input type=hidden name=x><button>Go</button></form>",
            False,
        ),
        (
            "<form method=post><input name=mail></form>"
            + "<p>A page with much to read. " * 20,
            False,
        ),
        ("<p>no form at all", False),
    ],
)
def test_a_page_is_left_out_if_there_is_little_beside_its_form(
    text: str, expected: bool
) -> None:
    assert markup_of(text).needs_form is expected


def test_the_combined_events_of_the_publication_are_one_row() -> None:
    """WBC-3, section 2.1.1: {onclick, onload}, {button id = "move", div id = "next"}, text.innerHTML, Updateinfo()."""
    page = """
    <button id="move" onclick="text.innerHTML = Updateinfo()">Move</button>
    <div id="next" onload="text.innerHTML = Updateinfo()"></div>
    <div id="previous" ondblclick="text.innerHTML = Another()"></div>
    """
    assert events_of(page) == [
        {
            "events": ["onclick", "onload"],
            "sources": ["button#move", "div#next"],
            "target": "text.innerHTML",
            "value": "Updateinfo()",
        },
        {
            "events": ["ondblclick"],
            "sources": ["div#previous"],
            "target": "text.innerHTML",
            "value": "Another()",
        },
    ]


def test_the_target_is_looked_for_in_the_function_that_is_called() -> None:
    page = """<script>function show(n) { document.getElementById("text").innerHTML = ask(n); }</script>
    <li onmouseover="show(3)">three</li>"""
    assert events_of(page) == [
        {
            "events": ["onmouseover"],
            "sources": ["li"],
            "target": "text.innerHTML",
            "value": "show(3)",
        }
    ]


def test_a_semicolon_at_the_end_makes_no_other_event() -> None:
    page = '<body onload="fill()"><p id="a" onclick="fill();">a</p></body>'
    (row,) = events_of(page)
    assert (row["events"], row["sources"]) == (["onload", "onclick"], ["body", "p#a"])
    assert row["value"] == "fill()"


def test_events_that_scripts_set_are_reported_and_other_events_are_not() -> None:
    page = """<body onresize="x()"><input onkeyup="y()"><script>
    document.getElementById("next").onclick = forward;
    document.querySelector("#back").addEventListener("dblclick", back);
    document.querySelector("#back").addEventListener("keyup", back);
    </script>"""
    assert [
        (row["events"], row["sources"], row["value"]) for row in events_of(page)
    ] == [
        (["onclick"], ["#next"], "forward"),
        (["ondblclick"], ["#back"], "back"),
    ]


def test_code_that_speaks_of_its_own_element_is_not_combined() -> None:
    rows = events_of(
        '<a id="a" onclick="go(this)">1</a><a id="b" onclick="go(this)">2</a>'
    )
    assert [row["sources"] for row in rows] == [["a#a"], ["a#b"]]


def test_a_filter_makes_it_a_watcher_for_topic_specific_crawlers(tmp_path) -> None:
    """WBC-14, section 4: the watcher can be used for topic-specific crawlers."""
    with watched_site(tmp_path, WatcherRules(topic=("wms", "Land Cover"))) as watched:
        watched.write("a.html", "<a href='/ows?service=WMS'>map</a>")
        watched.write("b.html", "land cover of 2015")
        watched.write("c.html", "recipes")
        watched.run()
        assert set(watched.pages()) == {"a.html", "b.html"}


def test_paths_that_the_owner_excludes_are_never_listed(tmp_path) -> None:
    with watched_site(
        tmp_path, WatcherRules(exclude=("drafts/*", "*.old.html"))
    ) as watched:
        for name in ("a.html", "a.old.html", "drafts/b.html"):
            watched.write(name, name)
        watched.run()
        assert set(watched.pages()) == {"a.html"}


def test_the_sitemap_has_every_page_with_its_true_time(
    watched: WatchedSite, monkeypatch
) -> None:
    monkeypatch.setattr(watcher, "MAX_LISTED", 2)
    for name in ("a.html", "b.html", "c&d.html"):
        watched.write(name, name)
    os.utime(watched.root / "a.html", (1_600_000_000, 1_600_000_000))
    watched.run()
    ns = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    index = ET.parse(watched.root / "geohound-sitemap.xml").getroot()
    assert index.tag == f"{ns}sitemapindex"
    parts = [loc.text.removeprefix(URL) for loc in index.iter(f"{ns}loc")]
    assert parts == ["geohound-sitemap-1.xml", "geohound-sitemap-2.xml"]
    urls = [url for part in parts for url in ET.parse(watched.root / part).getroot()]
    times = {url.findtext(f"{ns}loc"): url.findtext(f"{ns}lastmod") for url in urls}
    assert set(times) == {f"{URL}a.html", f"{URL}b.html", f"{URL}c%26d.html"}
    assert (
        times[f"{URL}a.html"] == "2020-09-13T12:26:40.000Z"
    )  # 1,600,000,000 seconds after 1970


def test_of_very_many_pages_the_best_are_listed_and_the_others_wait(
    watched: WatchedSite, monkeypatch
) -> None:
    monkeypatch.setattr(watcher, "MAX_LISTED", 2)
    watched.write("index.html", '<a href="a.html">')
    for name in ("a.html", "b.html", "c.html"):
        watched.write(name, name)
    report = watched.run()
    assert set(watched.pages()) == {"", "a.html"}
    assert report["waiting"] == 4
    watched.after(60)
    watched.visit()
    watched.run()
    assert set(watched.pages()) == {"b.html", "c.html"}


def test_the_kernel_reports_what_happens_in_old_and_new_folders(
    watched: WatchedSite,
) -> None:
    watched.write("index.html", "main")
    watched.write("sub/a.html", "a")
    watched.site.inotify = Inotify()
    watched.site.look_through()
    watched.site.turn()
    watched.write("sub/a.html", "changed")
    watched.write("new/er/b.html", "b")
    watched.after(3600)
    watched.site.follow()
    watched.site.turn()
    pages = watched.pages()
    assert set(pages) == {"", "sub/a.html", "new/er/b.html"}
    assert pages["sub/a.html"]["frequency"] == 0.5
    assert watched.site.inotify.take() == {}
    (watched.root / "sub" / "a.html").unlink()
    watched.after(3600)
    watched.site.follow()
    watched.site.turn()
    assert set(watched.pages()) == {"", "new/er/b.html"}


def test_the_report_is_never_seen_half_written(
    watched: WatchedSite, monkeypatch
) -> None:
    watched.write("a.html", "a")
    before = watched.run()
    watched.write("b.html", "b")

    def full_disk(_: float) -> list[str]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watched.site, "_pieces", full_disk)
    with pytest.raises(OSError, match="No space"):
        watched.site.finish()
    assert watched.report() == before
    assert [path.name for path in (watched.root / ".well-known").iterdir()] == [
        "geohound-watcher.json"
    ]


def test_without_the_kernel_folders_are_looked_through_as_often_as_our_share_of_the_machine_allows(
    watched: WatchedSite, monkeypatch
) -> None:
    looks: list[str] = []
    watched.site.look_through()
    watched.site._spent(watcher.LOOK, 0.4)  # at 2 %: the next look pays after 20 s
    monkeypatch.setattr(watched.site, "look", lambda folder: looks.append(folder) or [])
    watched.after(19)
    watched.site.follow()
    assert looks == []
    watched.after(2)
    watched.site.follow()
    assert looks == [""]


def test_writing_costs_no_more_than_its_share_of_the_machine(
    watched: WatchedSite,
) -> None:
    watched.write("a.html", "a")
    watched.site.look_through()
    watched.site.turn()
    # at 2 %: the next one pays after 20 s
    watched.site._spent(".well-known/geohound-watcher.json", 0.4)
    watched.write("b.html", "b")
    watched.site.look_through()
    watched.after(19)
    watched.site.turn()
    assert set(watched.pages()) == {"a.html"}
    watched.after(2)
    watched.site.turn()
    assert set(watched.pages()) == {"a.html", "b.html"}
