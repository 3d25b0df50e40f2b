"""Seeds from the catalogue, and groups of seeds."""

from __future__ import annotations

from geohound.agent.seed_selection import known_seeds, seed_groups


def test_hosts_with_most_services_give_their_root_page_and_their_simplest_service() -> (
    None
):
    """LI-13: Li, Yang & Yang 2010 start from services that are known and from hosts that had some."""
    met = [
        "http://a.test/deep/down/wms?service=WMS", "http://b.test/ows?service=WFS", "http://a.test/ows?service=WMS",
        "http://c.test:8080/", "http://a.test/ows?service=WMS",
    ]  # fmt: skip
    assert known_seeds(met, 2) == [
        "http://a.test/", "http://a.test/ows?service=WMS", "http://b.test/", "http://b.test/ows?service=WFS",
    ]  # fmt: skip
    assert known_seeds(met, 9)[-1] == "http://c.test:8080/"


def test_seeds_are_split_into_at_most_20_groups_of_at_least_100() -> None:
    """Sidsten 2012, appendix A.4.1: minimumGroupSize 100, maxNumberOfGroups 20; groups have roughly the same size."""
    seeds = [str(n) for n in range(2050)]
    groups = seed_groups(seeds)
    assert len(groups) == 20
    assert {len(group) for group in groups} == {102, 103}
    assert [seed for group in groups for seed in group] == seeds
    assert [len(group) for group in seed_groups(seeds[:250])] == [125, 125]
    assert seed_groups(seeds[:7]) == [seeds[:7]]
