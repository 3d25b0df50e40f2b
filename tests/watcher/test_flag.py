"""The flag of a site: who takes it, what leaves the report then, and when it is free again."""

from __future__ import annotations

import hmac
import json
import urllib.request
from pathlib import Path

import pytest
from watched import WatchedSite, watched_site

from geohound import watcher
from geohound.watcher import WatcherRules, listen


@pytest.fixture
def taken(watched: WatchedSite) -> WatchedSite:
    """A site of two pages that crawler A has taken and read."""
    watched.write("index.html", "main")
    watched.write("a.html", "first")
    written = watched.run()["written"]
    watched.after(10)
    watched.visit("crawler=A")
    watched.visit(f"crawler=A&read={written}")
    watched.after(10)
    watched.run()
    return watched


def test_the_watcher_sets_the_flag_when_a_crawler_takes_the_site(
    taken: WatchedSite,
) -> None:
    """WBC-14, section 2.1: set to 1 by the watcher file when a crawler processes the web site; crawlers only read."""
    report = taken.report()
    assert (report["flag"], report["holder"], report["pages"]) == (1, "A", [])


def test_of_many_crawlers_that_read_the_report_at_once_one_has_the_site(
    watched: WatchedSite,
) -> None:
    """WBC-4, section 2.1: other copies will not visit a site whose flag is set, and need not talk to each other."""
    watched.write("index.html", "main")
    written = watched.run()["written"]
    for crawler in "BCA":
        watched.visit(f"crawler={crawler}")
    for crawler in "ABC":
        watched.visit(f"crawler={crawler}&read={written}")
    watched.after(10)
    report = watched.run()
    assert (report["flag"], report["holder"], report["pages"]) == (1, "B", [])


def test_a_page_that_changed_after_the_crawler_read_the_report_stays_in_it(
    watched: WatchedSite,
) -> None:
    watched.write("a.html", "first")
    watched.write("b.html", "first")
    seen = watched.run()["written"]
    watched.visit("crawler=A")
    watched.after(5)
    watched.write("b.html", "second")
    watched.run()
    watched.visit(f"crawler=A&read={seen}")
    watched.after(5)
    watched.run()
    assert set(watched.pages()) == {"b.html"}
    assert watched.report()["since"] == seen


def test_an_event_resets_the_flag(taken: WatchedSite) -> None:
    """WBC-4, section 2.1.2: the watcher resets the flag automatically when any of the site's pages is updated."""
    taken.write("a.html", "second")
    report = taken.run()
    assert (report["flag"], report["holder"]) == (0, "")
    assert set(taken.pages()) == {"a.html"}


def test_time_resets_the_flag_where_the_crawler_chose_so(watched: WatchedSite) -> None:
    """WBC-14, section 2.1.2: the administrator of the search engine selects the strategy and the period."""
    watched.write("a.html", "first")
    written = watched.run()["written"]
    watched.visit("crawler=A&reset=time&period=7200")
    watched.visit(f"crawler=A&read={written}")
    watched.run()
    watched.after(3600)
    watched.write("a.html", "second")
    report = watched.run()
    assert (report["flag"], [page["url"] for page in report["pages"]]) == (
        1,
        ["http://site.test/a.html"],
    )
    watched.after(3601)
    assert watched.run()["flag"] == 0


@pytest.mark.parametrize("period", ["1e308", "inf", "nan", "-5", "x"])
def test_no_crawler_keeps_a_site_for_ever(watched: WatchedSite, period: str) -> None:
    watched.write("a.html", "first")
    written = watched.run()["written"]
    watched.visit(f"crawler=A&reset=time&period={period}")
    watched.visit(f"crawler=A&read={written}")
    watched.run()
    watched.after(31 * 86_400)
    assert watched.run()["flag"] == 0


def test_a_crawler_that_took_the_site_and_never_read_on_loses_it(
    watched: WatchedSite,
) -> None:
    watched.write("a.html", "first")
    watched.run()
    watched.visit("crawler=A")
    assert watched.run()["flag"] == 1
    watched.after(3601)
    report = watched.run()
    assert (report["flag"], len(report["pages"])) == (0, 1)


@pytest.mark.parametrize(
    ("agent", "status", "expected"),
    [
        (None, 200, 1),  # common format has no agents
        ("Geohound/0.1 (+https://example.org)", 200, 1),
        ("Mozilla/5.0 (compatible; Googlebot/2.1)", 304, 1),
        ("Mozilla/5.0 (X11; Linux) Firefox/130", 200, 0),
        ("Geohound/0.1", 404, 0),
    ],
)
def test_crawlers_take_a_site_and_curious_people_do_not(
    watched: WatchedSite, agent: str | None, status: int, expected: int
) -> None:
    watched.write("a.html", "first")
    watched.run()
    watched.after(10)
    watched.visit(agent=agent, status=status)
    watched.after(10)
    assert watched.run()["flag"] == expected


def test_lines_from_before_the_first_run_count_for_nothing(
    watched: WatchedSite,
) -> None:
    watched.visit("crawler=A")
    watched.write("a.html", "first")
    assert watched.run()["flag"] == 0


def test_a_log_that_was_rotated_is_read_to_its_end(watched: WatchedSite) -> None:
    watched.write("a.html", "first")
    watched.run()
    watched.after(10)
    watched.visit("crawler=A")
    watched.log.rename(watched.log.with_name("access.log.1"))
    watched.visit("crawler=B")
    assert watched.run()["holder"] == "A"


def test_lines_of_any_content_do_no_harm(watched: WatchedSite) -> None:
    watched.write("a.html", "first")
    watched.run()
    name = "GET /.well-known/geohound-watcher.json"
    with watched.log.open("ab") as log:
        log.write(b"\xff\xfe\n" + f'1.1.1.1 - - [xx] "{name}" 200\n'.encode())
        log.write(
            f'1.1.1.1 - - [99/Abc/2026:99:99:99 +0000] "{name}?crawler=Z HTTP/1.1" 500 1\n'.encode()
        )
        log.write(
            b"x" * 100_000
            + name.encode()
            + b"\n"
            + b'1 - - [18/Nov/2026:10:00:00 +0000] "'
            + name.encode()
        )
    assert watched.run()["flag"] == 0


def test_a_report_is_signed_with_the_key_that_owner_and_crawler_share(
    tmp_path: Path,
) -> None:
    with watched_site(tmp_path, WatcherRules(key=b"0123456789abcdef")) as watched:
        watched.write("a.html", "first")
        signature = watched.run()["signature"]
        text = (watched.root / ".well-known" / "geohound-watcher.json").read_text()
        signed = text[: text.rindex(', "signature"')]
        assert (
            signature
            == hmac.new(b"0123456789abcdef", signed.encode(), "sha256").hexdigest()
        )


def test_its_own_endpoint_gives_the_site_to_the_first_who_asks(
    watched: WatchedSite,
) -> None:
    watched.write("a.html", "first")
    watched.run()
    server = listen([watched.site], 0)
    try:
        address = (
            f"http://127.0.0.1:{server.server_port}/.well-known/geohound-watcher.json"
        )

        def ask(query: str) -> tuple[int, str, int]:
            with urllib.request.urlopen(address + query, timeout=10) as answer:
                report = json.load(answer)
            return report["flag"], report["holder"], len(report["pages"])

        assert ask("") == (0, "", 1)
        assert ask("?crawler=A") == (1, "A", 1)
        assert ask("?crawler=B") == (1, "A", 1)
        written = watched.report()["written"]
        assert ask(f"?crawler=A&read={written}") == (1, "A", 0)
        assert watched.report()["flag"] == 1
    finally:
        server.shutdown()
        server.server_close()


def test_a_port_in_use_is_a_sentence(watched: WatchedSite) -> None:
    server = listen([watched.site], 0)
    try:
        with pytest.raises(watcher.WatcherError, match="Choose another --listen"):
            listen([watched.site], server.server_port)
    finally:
        server.shutdown()
        server.server_close()
