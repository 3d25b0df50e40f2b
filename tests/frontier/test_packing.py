"""The compact structures under the frontier: queue, set of known URLs, pattern counts."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.frontier.keys import url_key
from geohound.frontier.packed_heap import MAX_NUMBER, PackedHeap, number_of, pack
from geohound.frontier.shape import shape, shape_key
from geohound.model.compact import HashSet, Tally

KEYS = st.integers(-(2**63), 2**63 - 1)
SCORES = st.floats(-60_000, 60_000, width=16)


@given(SCORES, SCORES, st.integers(0, MAX_NUMBER), st.integers(0, MAX_NUMBER))
def test_packed_keys_sort_by_score_then_by_age(a, b, older, newer):
    assert number_of(pack(a, older)) == older
    if a != b:
        assert (pack(a, older) > pack(b, newer)) == (a > b)
    elif older != newer:
        assert (pack(a, older) > pack(b, newer)) == (older < newer)


@given(st.lists(KEYS | st.none()))
def test_a_packed_heap_gives_the_greatest_first(steps):
    heap, model = PackedHeap(), []
    for step in steps:
        if step is not None:
            heap.push(step)
            model.append(step)
        elif model:
            assert heap.best() == max(model)
            assert heap.pop() == max(model)
            model.remove(max(model))
        assert len(heap) == len(model)
    assert sorted(heap.drain()) == sorted(model)
    assert len(heap) == 0


@given(st.lists(KEYS), st.lists(st.tuples(st.sampled_from(["add", "discard"]), KEYS | st.integers(-3, 3))))
def test_the_compact_set_behaves_like_a_set(start, steps):
    seen, model = HashSet(start), set(start)
    for action, key in steps:
        if action == "add":
            assert seen.add(key) == (key not in model)
            model.add(key)
        else:
            seen.discard(key)
            model.discard(key)
        assert (key in seen) == (key in model)
    assert len(seen) == len(model)


def test_a_known_url_takes_at_most_twelve_bytes():
    keys = [url_key(f"http://a.org/{i}") for i in range(100_000)]
    tracemalloc.start()
    seen = HashSet(keys[:50_000])
    for key in keys[50_000:]:
        seen.add(key)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    empty_shards = 4096 * 90
    assert len(seen) == 100_000
    assert (used - empty_shards) / 100_000 < 12


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.org/news/2026/01/02", "http://a.org/news/1999/12/31"),
        ("http://a.org/p?id=1&lang=de", "http://a.org/p?lang=fr&id=77"),
        ("http://a.org/d/0f8fad5b-d9cb-469f-a165-70867728950e", "http://a.org/d/7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ("http://a.org/c/9f86d081884c7d659a2feaa0c55ad015", "http://a.org/c/60303ae22b998861bce3b28f33eec1be"),
    ],
)  # fmt: skip
def test_urls_that_differ_in_ids_have_one_shape(one, other):
    assert shape(one) == shape(other)
    assert shape_key(one) == shape_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.org/roads", "http://a.org/rivers"),
        ("http://a.org/1", "http://b.org/1"),
        ("http://a.org/p?id=1", "http://a.org/p?id=1&page=2"),
        ("http://a.org/wiki/%E5%9C%9F", "http://a.org/wiki/%E5%9C%9D"),
        ("http://a.org", "http://a.org/x"),
    ],
)
def test_urls_that_differ_in_words_have_different_shapes(one, other):
    assert shape(one) != shape(other)


@given(st.text())
def test_any_text_has_a_shape(text):
    assert isinstance(shape(text), str)


def test_shape_counts_never_count_too_few_and_seldom_too_many():
    counts = Tally()
    for i in range(100_000):
        counts.add(shape_key(f"http://a.org/{'abcdefghij'[i % 10]}x{chr(97 + i // 10 % 26)}/{'q' * (i // 260)}"))
    often = shape_key("http://often.org/1")
    for _ in range(50):
        counts.add(often)
    assert 50 <= counts.count(often) <= 52
