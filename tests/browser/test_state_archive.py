"""Algorithm 1 of Alqaraleh, Ramadan & Salamah 2015, step 18: "save the html of NGD", in a folder with a limit."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

from geohound.browser.state_archive import StateArchive
from geohound.model.crawl.browsed import BrowsedPage, PageState

SEEN = BrowsedPage(
    "http://a.test/",
    states=(PageState("load", "<p>one</p>"), PageState("click on b", "<p>zwei ü</p>")),
)


def kept(folder: Path) -> list[dict[str, str]]:
    return [json.loads(gzip.decompress(path.read_bytes())) for path in folder.iterdir()]


def test_each_new_state_is_kept_with_its_page_and_what_led_to_it(
    tmp_path: Path,
) -> None:
    """WBC-13: step 18 of Algorithm 1."""
    StateArchive(tmp_path / "states", 10_000).keep(SEEN)
    found = {
        (state["page"], state["event"], state["html"])
        for state in kept(tmp_path / "states")
    }
    assert found == {
        ("http://a.test/", "load", "<p>one</p>"),
        ("http://a.test/", "click on b", "<p>zwei ü</p>"),
    }


def test_a_state_that_is_there_is_not_written_again(tmp_path: Path) -> None:
    for _ in range(2):
        StateArchive(tmp_path, 10_000).keep(SEEN)
    assert len(kept(tmp_path)) == 2


def test_states_that_differ_in_a_frame_alone_are_both_kept(tmp_path: Path) -> None:
    shown = (
        PageState("load", "<p>one</p>", "<p>empty</p>"),
        PageState("click on b", "<p>one</p>", "<p>roads</p>"),
    )
    StateArchive(tmp_path, 10_000).keep(BrowsedPage("http://a.test/", states=shown))
    frames = {state["frames"] for state in kept(tmp_path)}
    assert frames == {"<p>empty</p>", "<p>roads</p>"}


def test_the_folder_does_not_grow_beyond_its_limit_over_several_runs(
    tmp_path: Path,
) -> None:
    noise = random.Random(1)
    for n in range(20):
        html = "".join(noise.choices("abcdefghijklmnop", k=1000))
        StateArchive(tmp_path, 3_000).keep(
            BrowsedPage(f"http://a.test/{n}", states=(PageState("load", html),))
        )
    assert 0 < sum(path.stat().st_size for path in tmp_path.iterdir()) <= 3_000


def test_what_cannot_be_encoded_is_kept_all_the_same(tmp_path: Path) -> None:
    StateArchive(tmp_path, 10_000).keep(
        BrowsedPage("http://a.test/", states=(PageState("load", "\ud800"),))
    )
    assert [state["html"] for state in kept(tmp_path)] == ["\ud800"]
