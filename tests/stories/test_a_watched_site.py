"""Crawls of a site with a watcher: a real folder behind a real server, its access log, and the real program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from command_line import geohound
from watched import URL, SiteServer, WatchedSite, serving, watched_site

from geohound.watcher import WatcherRules

pytestmark = pytest.mark.slow  # it crawls

PAGES = 12


def fill(watched: WatchedSite) -> None:
    """A main page, and pages behind it, each with a link to the next."""
    watched.write("index.html", '<title>Main</title><a href="p0.html">first</a>')
    for n in range(PAGES):
        watched.write(
            f"p{n}.html",
            f'<title>Page {n}</title><p>{"word " * n}<a href="p{n + 1}.html">next</a>',
        )


@pytest.fixture
def site(tmp_path: Path) -> Iterator[SiteServer]:
    with watched_site(tmp_path) as watched, serving(watched) as server:
        fill(watched)
        watched.run()
        yield server


def crawl(site: SiteServer, catalogue: Path, **settings: str) -> CompletedProcess[str]:
    return call(site, catalogue, "crawl", URL, **settings)


def resume(site: SiteServer, catalogue: Path, *words: str) -> CompletedProcess[str]:
    return call(site, catalogue, "resume", "--max-time", "20", *words)


def call(
    site: SiteServer, catalogue: Path, *words: str, **settings: str
) -> CompletedProcess[str]:
    site.paths.clear()
    quick = {
        "GEOHOUND_HOST_DELAY_S": "0",
        "GEOHOUND_SLOW_HOST_FACTOR": "0",
        "GEOHOUND_PROCESSES": "1",
    }
    quick |= {"GEOHOUND_REVISIT_AFTER": "0"}  # what is spared here, the watcher spares
    network = (
        "--connect-to",
        f"site.test=127.0.0.1:{site.server_port}",
        "--allow-net",
        "127.0.0.0/8",
    )
    return geohound(
        *words,
        "--json",
        "--catalogue",
        str(catalogue),
        *network,
        **quick,
        **{f"GEOHOUND_{name.upper()}": value for name, value in settings.items()},
    )


def summary(ended: CompletedProcess[str]) -> dict[str, Any]:
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout.splitlines()[-1])["summary"])


def test_a_second_crawl_asks_only_for_what_has_changed(
    site: SiteServer, tmp_path: Path
) -> None:
    """WBC-4, section 2.1: the main advantage is that crawlers visit only the updated and the newly added pages."""
    watched = site.watched
    summary(crawl(site, tmp_path / "c.db"))
    assert sorted(site.pages) == sorted(
        ["/", *(f"/p{n}.html" for n in range(PAGES + 1))]
    )
    watched.after(3600)
    watched.write("p7.html", "<title>Page 7</title><p>other words")
    watched.write("new.html", "<title>New</title>")
    watched.run()
    found = summary(crawl(site, tmp_path / "c.db"))
    assert sorted(site.pages) == ["/new.html", "/p7.html"]
    assert found["drops"] == {"unchanged since the last visit": 1}  # the seed
    assert watched.report()["pages"] == []
    watched.after(3600)
    crawl(site, tmp_path / "c.db")
    assert site.pages == []


def test_what_a_report_leaves_out_is_read_when_the_site_is_crawled_whole(
    site: SiteServer, tmp_path: Path
) -> None:
    """A report is a hint: what it never mentions is found after a while all the same."""
    crawl(site, tmp_path / "c.db")
    assert len(site.pages) == PAGES + 2
    crawl(site, tmp_path / "c.db", watcher_full_after_s="0")
    assert len(site.pages) == PAGES + 2


def test_pages_that_a_budget_left_unread_are_read_by_the_next_crawl(
    site: SiteServer, tmp_path: Path
) -> None:
    """The watcher has handed them over: nobody else would ever name them again."""
    crawl(site, tmp_path / "c.db", max_pages="5")
    first = set(site.pages)
    assert len(first) == 5
    crawl(site, tmp_path / "c.db")
    assert not first & set(site.pages)
    assert len(first | set(site.pages)) == PAGES + 2


def test_a_crawl_that_was_stopped_reads_the_rest_when_it_is_resumed(
    site: SiteServer, tmp_path: Path
) -> None:
    """The first run has asked for the report: the second does not wait for an answer to a request it never makes."""
    crawl(site, tmp_path / "c.db", max_pages="5")
    first = set(site.pages)
    resumed = resume(site, tmp_path / "c.db", "--max-pages", "100")
    assert summary(resumed)["ended"] == "finished"
    assert len(first | set(site.pages)) == PAGES + 2


def test_of_crawlers_that_do_not_talk_to_each_other_one_reads_the_site(
    site: SiteServer, tmp_path: Path
) -> None:
    """WBC-4, section 2.1: other copies will not visit a site whose flag is set; no communication is needed."""
    sharing = {"watcher_leaves_taken": "true", "watchers": "always"}
    first = summary(crawl(site, tmp_path / "one.db", **sharing))
    assert len(site.pages) == PAGES + 2
    assert "taken by another crawler" not in first["drops"]
    assert site.watched.report()["flag"] == 1
    second = summary(crawl(site, tmp_path / "two.db", **sharing))
    assert site.pages == []
    assert second["drops"] == {"taken by another crawler": 1}


def test_without_sharing_a_taken_site_is_read_by_whoever_asks(
    site: SiteServer, tmp_path: Path
) -> None:
    summary(crawl(site, tmp_path / "one.db"))
    summary(crawl(site, tmp_path / "two.db"))
    assert len(site.pages) == PAGES + 2


def test_the_crawler_chooses_when_the_flag_is_reset(
    site: SiteServer, tmp_path: Path
) -> None:
    """WBC-14, section 2.1.2: the search engine's administrator selects event- or time-based reset, and the period."""
    by_time = {"watcher_reset": "time", "watcher_period_s": "7200"}
    summary(crawl(site, tmp_path / "c.db", **by_time))
    site.watched.write("p3.html", "<title>Changed</title>")
    site.watched.after(3600)
    assert site.watched.run()["flag"] == 1
    again = summary(crawl(site, tmp_path / "c.db", **by_time))
    assert site.paths == []
    assert again["drops"] == {"unchanged since the last visit": 1}
    site.watched.after(3601)
    assert site.watched.run()["flag"] == 0


def test_a_site_without_a_watcher_is_crawled_as_ever(
    site: SiteServer, tmp_path: Path
) -> None:
    (site.watched.root / ".well-known" / "geohound-watcher.json").unlink()
    found = summary(crawl(site, tmp_path / "c.db"))
    assert found["pages"] >= PAGES + 1
    assert len(site.questions) == 1
    crawl(site, tmp_path / "d.db", watchers="never")
    assert site.questions == []


def test_a_forged_report_is_ignored_with_a_reason_and_the_site_read_whole(
    site: SiteServer, tmp_path: Path
) -> None:
    report = site.watched.root / ".well-known" / "geohound-watcher.json"
    report.write_text(
        report.read_text().replace("http://site.test/p3", "http://other.test/p3")
    )
    ended = crawl(site, tmp_path / "c.db")
    assert summary(ended)["drops"]["malformed document"] == 1
    assert len(site.pages) == PAGES + 2
    log = geohound("visits", "--catalogue", str(tmp_path / "c.db"), "--json")
    asked = [
        json.loads(line)
        for line in log.stdout.splitlines()
        if "geohound-watcher.json" in line
    ]
    assert [each["reason"] for each in asked] == ["malformed document"]


def test_a_report_that_is_not_signed_with_the_shared_key_is_ignored(
    tmp_path: Path,
) -> None:
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef")
    with (
        watched_site(
            tmp_path, WatcherRules(key=b"0123456789abcdef0123456789abcdef")
        ) as watched,
        serving(watched) as site,
    ):
        fill(watched)
        watched.run()
        assert "drops" in summary(crawl(site, tmp_path / "c.db", watcher_key=str(key)))
        assert watched.report()["flag"] == 1
        report = watched.root / ".well-known" / "geohound-watcher.json"
        report.write_text(report.read_text().replace('"flag": 1', '"flag": 0'))
        found = summary(crawl(site, tmp_path / "d.db", watcher_key=str(key)))
        assert found["drops"]["malformed document"] == 1
