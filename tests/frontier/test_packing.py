"""The compact structures under the frontier: queue, set of known URLs, pattern counts."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.frontier.packed_heap import MAX_NUMBER, PackedHeap, number_of, pack
from geohound.frontier.url_keys import shape_key, url_key
from geohound.model import compact_sets
from geohound.model.compact_sets import CountMinSketch, HashSet

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


@given(
    st.lists(KEYS),
    st.lists(st.tuples(st.sampled_from(["add", "discard"]), KEYS | st.integers(-3, 3))),
)
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


@given(st.lists(st.integers(0, 2**40 - 1), max_size=60), st.integers(0, 59))
def test_counts_go_on_where_there_are_too_many_to_count_one_by_one(
    keys: list[int], few: int
) -> None:
    counts, expected = CountMinSketch(), Counter[int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compact_sets, "_FEW", few)
        for key in keys * 3:
            counts.add(key)
            expected[key] += 1
    for key, times in expected.items():
        assert times <= counts.count(key) <= 3 * len(keys)
    if len(expected) <= few:
        assert all(counts.count(key) == times for key, times in expected.items())


def test_few_things_are_counted_without_the_memory_for_many() -> None:
    counts = CountMinSketch()
    for key in range(1_000):
        counts.add(key << 20)
    assert not any(counts._low) and not any(counts._high)


def test_shape_counts_never_count_too_few_and_seldom_too_many():
    counts = CountMinSketch()
    for i in range(100_000):
        counts.add(
            shape_key(
                f"http://a.org/{'abcdefghij'[i % 10]}x{chr(97 + i // 10 % 26)}/{'q' * (i // 260)}"
            )
        )
    often = shape_key("http://often.org/1")
    for _ in range(50):
        counts.add(often)
    assert 50 <= counts.count(often) <= 52
