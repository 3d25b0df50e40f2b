"""The part that a link plays in its page."""

from __future__ import annotations

import pytest

from geohound.orders._role import role


@pytest.mark.parametrize(
    ("way", "part"),
    [
        ("li<ul.menu<nav", "nav"),
        ("li<ul<div@navigation", "nav"),
        ("li<ul<div<div<..footer", "footer"),
        ("td<tr<tbody<table.list", "table"),
        ("li.row<ul.list<article<main", "list"),
        ("li<ul.pagination<nav", "pager"),
        ("a.page-numbers<div.nav-links<main", "pager"),
        ("span<p.breadcrumb<header", "breadcrumb"),
        ("li<ul<section.widget<aside", "aside"),
        ("p<div", "text"),
        ("div.x<div.y", ""),
        ("", ""),
    ],
)
def test_tags_roles_and_common_classes_tell_the_part(way: str, part: str) -> None:
    assert role(way) == part
