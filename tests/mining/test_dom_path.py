"""Where links stand in their pages, and what a page was made with."""

from __future__ import annotations

import time

import pytest
from books import BOOK

from geohound.mining import html
from geohound.mining.dom_path import MAX_PATH
from geohound.model.visit import Link


def links(source: str) -> dict[str, Link]:
    return {link.url: link for link in html.read(source, "http://a.test/", BOOK).links}


def test_a_link_tells_the_four_elements_above_it_with_their_classes() -> None:
    found = links(
        "<main><article><ul class='list'><li class='row'><a href=x>X</a></ul></article></main>"
    )
    assert found["x"].dom_path == "li.row<ul.list<article<main"


def test_the_class_of_the_link_itself_comes_first() -> None:
    assert links("<p><a class='btn' href=x>X</a>")["x"].dom_path == "a.btn<p"


def test_numbers_in_classes_are_all_alike() -> None:
    found = links(
        "<div class='node-17'><a href=x>X</a></div><div class='node-4'><a href=y>Y</a></div>"
    )
    assert found["x"].dom_path == found["y"].dom_path == "div.node-#"


def test_an_id_counts_where_it_is_no_number_of_one_element() -> None:
    found = links(
        "<div id=content><a href=x>X</a></div><div id=row7><a href=y>Y</a></div>"
    )
    assert found["x"].dom_path == "div#content"
    assert found["y"].dom_path == "div"


def test_the_part_of_the_page_is_named_however_far_above_the_link() -> None:
    found = links(
        "<nav><div><div><div><ul><li><a href=x>X</a></ul></div></div></div></nav>"
    )
    assert found["x"].dom_path == "li<ul<div<div<..nav"


def test_roles_for_the_blind_outrank_classes() -> None:
    assert (
        links("<div class=x1 role=navigation><a href=x>X</a></div>")["x"].dom_path
        == "div@navigation"
    )


def test_neighbours_that_are_marked_alike_stand_alike() -> None:
    rows = "".join(f"<tr><td><a href=r{i}>{i}</a></td></tr>" for i in range(3))
    found = links(f"<table class=t>{rows}</table>")
    assert {found[f"r{i}"].dom_path for i in range(3)} == {"td<tr<tbody<table.t"}


def test_only_what_stands_in_the_tree_has_a_way() -> None:
    assert (
        links("<p>see https://b.test/wms?service=WMS")[
            "https://b.test/wms?service=WMS"
        ].dom_path
        == ""
    )


def test_a_way_is_short_whatever_the_page_says() -> None:
    found = links(
        "<div class='"
        + "x<y" * 400_000
        + "'><a class='"
        + "z" * 400_000
        + "' href=x>X</a></div>"
    )
    assert len(found["x"].dom_path) <= MAX_PATH
    assert found["x"].dom_path.count("<") == 1


@pytest.mark.parametrize(
    "source",
    [
        "<div class=c>" * 5_000 + "".join(f"<a href=x{i}>x</a>" for i in range(5_000)),
        "".join(
            f"<div class='c{'d' * 900} e{i}'><a href=x{i}>x</a>" for i in range(2_000)
        ),
        "".join(
            f"<p class='{'c ' * 400}'><a href=x{i}>x</a></p>" for i in range(2_000)
        ),
    ],
    ids=["deep", "a link on each level", "long classes"],
)
def test_hostile_nests_cost_little_for_standing(source: str) -> None:
    spent: list[float] = []
    for _ in range(3):
        begin = time.process_time()
        html.read(source, "http://a.test/", BOOK)
        spent.append(time.process_time() - begin)
    assert min(spent) < 1.0


@pytest.mark.parametrize(
    ("source", "software"),
    [
        ("<meta name=generator content='WordPress 6.4.2'>", "wordpress"),
        (
            "<meta name=Generator content='Drupal 10 (https://www.drupal.org)'>",
            "drupal",
        ),
        ("<meta name=generator content='TYPO3 CMS'>", "typo3"),
        ("<meta name=generator content='ckan 2.10.1'>", "ckan"),
        ("<meta name=generator content='Some Maker 3'>", "some maker"),
        ("<script src='/wp-content/themes/a/b.js?v=3'></script>", "wordpress"),
        (
            "<link rel=stylesheet href='https://b.test/geonetwork/static/gn.css'>",
            "geonetwork",
        ),
        ("<script src='/a/b.js'></script>", ""),
        ("<p>We made wp-content with Drupal</p>", ""),
    ],
)
def test_a_page_tells_what_it_was_made_with(source: str, software: str) -> None:
    assert html.read(source, "http://a.test/", BOOK).software == software
