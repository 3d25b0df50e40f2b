"""Algorithm 1 of Alqaraleh, Ramadan & Salamah 2015: when a page is in a new state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.browser import states

PAGE = "<body><h1>Harbour</h1><ul><li>Depth</li><li>Quays</li></ul>{}</body>"
PLAIN = states.read(PAGE.format("<p>ready</p>"))


def test_the_same_page_is_not_a_new_state() -> None:
    assert not states.is_new(states.read(PAGE.format("<p>ready</p>")), [PLAIN])


def test_other_words_in_one_element_make_a_new_state() -> None:
    assert states.is_new(states.read(PAGE.format("<p>loaded</p>")), [PLAIN])


def test_another_picture_makes_a_new_state() -> None:
    one, two = (
        states.read(f"<body><img src='{name}.png'></body>")
        for name in ("quays", "depth")
    )
    assert states.is_new(two, [one])


def test_a_new_element_makes_a_new_state() -> None:
    assert states.is_new(states.read(PAGE.format("<p>ready</p><p></p>")), [PLAIN])


def test_a_state_must_differ_from_all_states_before_it() -> None:
    """ "Next" and "previous" lead back to the page one came from."""
    second = states.read(PAGE.format("<p>page 2</p>"))
    assert states.is_new(second, [PLAIN])
    assert not states.is_new(PLAIN, [PLAIN, second])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<p>at 10:15:01</p>", "<p>at 10:15:02</p>"),
        ("<p>2026-01-02T10:00:00Z</p>", "<p>2026-01-03T11:30:00Z</p>"),
        ("<p>1,204 visitors</p>", "<p>1,205 visitors</p>"),
        ("<div class='ad-top'>Buy</div>", "<div class='ad-top'>Sell <b>now</b></div>"),
        ("<span id='counter'>7</span>", "<span id='counter'>8</span>"),
        ("<time>today</time>", "<time>tomorrow</time>"),
        ("<script>var a=1</script>", "<script>var a=2</script>"),
        (
            "<a href='?sid=9f86d081884c7d65'>x</a>",
            "<a href='?sid=60303ae22b998861'>x</a>",
        ),
    ],
)
def test_what_changes_by_itself_makes_no_new_state(before: str, after: str) -> None:
    known = states.read(PAGE.format(before))
    assert not states.is_new(states.read(PAGE.format(after)), [known])


def test_numbers_of_layers_are_no_counters() -> None:
    one, two = (states.read(PAGE.format(f"<p>Layer {n}</p>")) for n in (1, 2))
    assert states.is_new(two, [one])


def test_parts_that_change_between_two_looks_are_left_out_with_all_below_them() -> None:
    looks = [
        states.read(PAGE.format(f"<div>{word}<b>{word}</b></div><p>ready</p>"))
        for word in ("tick", "tock")
    ]
    changing = states.changing_parts(*looks)
    later = states.read(PAGE.format("<div>tack<b>tuck</b></div><p>ready</p>"))
    known = [states.without(looks[0], changing)]
    assert not states.is_new(states.without(later, changing), known)
    clicked = states.read(PAGE.format("<div>tack<b>tuck</b></div><p>done</p>"))
    assert states.is_new(states.without(clicked, changing), known)


def test_a_page_without_end_is_read_up_to_a_bound() -> None:
    assert len(states.read("<body>" + "<i></i>" * 50_000)) <= states.MAX_ELEMENTS


@given(st.text(alphabet=st.sampled_from("<>/=\"' abdivptime\n0:"), max_size=300))
def test_no_page_whatever_breaks_the_comparison(html: str) -> None:
    dom = states.read(html)
    assert not states.is_new(dom, [dom])
