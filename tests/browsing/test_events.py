"""The events of a page: equal ones once, promising ones first, log-ins never."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from geohound.browsing import events

Row = list[object]


def ranked(*rows: Row) -> list[events.Event]:
    return events.ranked(events.read(list(rows)), set())


def test_equal_code_in_the_markup_is_one_event_whatever_holds_it() -> None:
    found = ranked([1, "click", "button", "Layers", "openList()"], [2, "click", "a.foot", "List", "openList()"])
    assert [event.number for event in found] == [1]


def test_the_same_code_for_another_event_is_another_event() -> None:
    assert len(ranked([1, "click", "p", "", "show(1)"], [1, "mouseover", "p", "", "show(1)"])) == 2


def test_code_that_asks_who_called_it_is_not_equal() -> None:
    found = ranked([1, "click", "li", "Roads", "show(this)"], [2, "click", "li", "Rivers", "show(this)"])
    assert len(found) == 2


def test_functions_of_the_same_text_may_know_different_things() -> None:
    code = events.FUNCTION + "() => load(row)"
    assert len(ranked([1, "click", "li", "Roads", code], [2, "click", "li", "Rivers", code])) == 2


def test_switches_of_layers_come_before_the_rest() -> None:
    found = ranked(
        [1, "click", "button", "Print", ""], [2, "click", "button", "About us", ""],
        [3, "click", "input[checkbox].layer-toggle", "Rivers", ""], [4, "click", "div[tab]", "Map", ""],
    )  # fmt: skip
    assert [event.number for event in found] == [3, 4, 2, 1]


def test_a_long_list_of_layers_does_not_keep_the_rest_waiting_for_its_end() -> None:
    rows: list[Row] = [[n, "click", "li.layer", f"Layer {n}", ""] for n in range(100)]
    found = ranked(*rows, [500, "click", "button", "Search area", ""])
    assert [event.number for event in found].index(500) == events.ALIKE


def test_what_was_triggered_is_not_triggered_again() -> None:
    (event,) = ranked([1, "click", "button", "Go", "go()"])
    assert events.ranked([event], {event.key}) == []


def test_log_ins_are_left_alone() -> None:
    assert ranked([1, "click", "button#login", "Enter", ""], [2, "click", "a", "Sign in", "open()"]) == []


@given(st.recursive(st.none() | st.integers() | st.text(max_size=8), lambda x: st.lists(x, max_size=6), max_leaves=30))
def test_whatever_a_page_tells_of_its_events_is_survived(rows: object) -> None:
    events.ranked(events.read(rows), set())
