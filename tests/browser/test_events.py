"""The events of a page: equal ones once, promising ones first, log-ins never."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.browser import events
from geohound.model.crawl.browsed import EventRow

Row = list[object]


def ranked(*rows: Row) -> list[events.Event]:
    return events.ranked(events.read(list(rows)), set())


def test_equal_code_in_the_markup_is_one_event_whatever_holds_it() -> None:
    found = ranked(
        [1, "click", "button", "Layers", "openList()", ""],
        [2, "click", "a.foot", "List", "openList()", ""],
    )
    assert [event.number for event in found] == [1]


def test_the_two_scenarios_of_section_2_1_1_become_the_row_that_the_paper_shows() -> (
    None
):
    # www.test.com/main.asp, {onclick, onload}, {button id = "move", div id = "next"}, text.innerHTML, Updateinfo()
    rows: list[Row] = [
        [1, "click", "button#move", "Move", "Updateinfo()", "text.innerHTML"],
        [2, "load", "div#next", "", "Updateinfo()", "text.innerHTML"],
        [
            2,
            "click",
            "div#next",
            "Next",
            "text.innerHTML = Updateinfo();",
            "text.innerHTML",
        ],
    ]
    paper = EventRow(
        ("onclick", "onload"),
        ("button#move", "div#next"),
        "text.innerHTML",
        "Updateinfo()",
    )
    assert events.combined(events.read(rows)) == [paper]


def test_one_of_equal_events_is_triggered_and_none_where_loading_the_page_did_it() -> (
    None
):
    over: Row = [1, "mouseover", "p", "", "show(1)", ""]
    assert [
        event.kind for event in ranked([1, "click", "p", "", "show(1)", ""], over)
    ] == ["click"]
    assert ranked(over, [2, "load", "body", "", "show(1)", ""]) == []


def test_a_semicolon_at_the_end_makes_no_other_event() -> None:
    over: Row = [1, "mouseover", "p", "", "fill()", ""]
    press: Row = [2, "click", "b", "", "fill(); ", ""]
    assert [event.number for event in ranked(over, press)] == [1]
    (row,) = events.combined(events.read([over, press]))
    assert (row.events, row.value) == (("onmouseover", "onclick"), "fill()")


def test_a_report_written_with_a_semicolon_names_the_same_event() -> None:
    found = list(events.read([[1, "click", "b", "", "fill()", ""]]))
    reported = EventRow(("onclick",), ("b",), "", "fill();")
    assert events.reported_among(found, [reported]) == found


def test_the_same_code_for_another_target_is_another_event() -> None:
    assert (
        len(
            ranked(
                [1, "click", "p", "", "Update()", "a.value"],
                [2, "click", "p", "", "Update()", "b.value"],
            )
        )
        == 2
    )


def test_code_that_asks_for_its_element_is_equal_on_that_element_alone() -> None:
    here: list[Row] = [
        [1, "click", "li", "Roads", "show(this)", ""],
        [1, "dblclick", "li", "Roads", "show(this)", ""],
    ]
    assert len(ranked(*here)) == 1
    assert len(ranked(*here, [2, "click", "li", "Rivers", "show(this)", ""])) == 2


def test_code_that_asks_for_the_event_is_another_one_for_each_event() -> None:
    assert (
        len(
            ranked(
                [1, "click", "p", "", "go(event)", ""],
                [1, "mouseover", "p", "", "go(event)", ""],
            )
        )
        == 2
    )


def test_code_that_asks_who_called_it_is_not_equal() -> None:
    found = ranked(
        [1, "click", "li", "Roads", "show(this)", ""],
        [2, "click", "li", "Rivers", "show(this)", ""],
    )
    assert len(found) == 2


def test_functions_of_the_same_text_may_know_different_things() -> None:
    code = events.FUNCTION + "() => load(row)"
    assert (
        len(
            ranked(
                [1, "click", "li", "Roads", code, ""],
                [2, "click", "li", "Rivers", code, ""],
            )
        )
        == 2
    )


def test_switches_of_layers_come_before_the_rest() -> None:
    found = ranked(
        [1, "click", "button", "Print", "", ""], [2, "click", "button", "About us", "", ""],
        [3, "click", "input[checkbox].layer-toggle", "Rivers", "", ""], [4, "click", "div[tab]", "Map", "", ""],
    )  # fmt: skip
    assert [event.number for event in found] == [3, 4, 2, 1]


def test_a_long_list_of_layers_does_not_keep_the_rest_waiting_for_its_end() -> None:
    rows: list[Row] = [
        [n, "click", "li.layer", f"Layer {n}", "", ""] for n in range(100)
    ]
    found = ranked(*rows, [500, "click", "button", "Search area", "", ""])
    assert [event.number for event in found].index(500) == events.ALIKE


def test_what_was_triggered_is_not_triggered_again() -> None:
    (event,) = ranked([1, "click", "button", "Go", "go()", ""])
    assert events.ranked([event], {event.key}) == []


def test_log_ins_are_left_alone() -> None:
    assert (
        ranked(
            [1, "click", "button#login", "Enter", "", ""],
            [2, "click", "a", "Sign in", "open()", ""],
        )
        == []
    )


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=8),
        lambda x: st.lists(x, max_size=6),
        max_leaves=30,
    )
)
def test_whatever_a_page_tells_of_its_events_is_survived(rows: object) -> None:
    events.ranked(events.read(rows), set())


def test_reported_events_are_known_by_their_code_or_by_the_element_that_a_script_names() -> (
    None
):
    found = list(
        events.read(
            [
                [
                    1,
                    "click",
                    "button[submit]#move",
                    "Move",
                    "text.innerHTML = Updateinfo();",
                    "text.innerHTML",
                ],
                [2, "dblclick", "div#next.big", "", f"{events.FUNCTION}() => go()", ""],
                [3, "click", "div#next.big", "", f"{events.FUNCTION}() => other()", ""],
                [4, "click", "div#nextone", "", "Another()", ""],
            ]
        )
    )
    rows = [
        EventRow(
            ("onclick", "onload"), ("button#move",), "text.innerHTML", "Updateinfo()"
        ),
        EventRow(("ondblclick",), ("#next",), "", "go"),
    ]
    assert [event.number for event in events.reported_among(found, rows)] == [1, 2]
